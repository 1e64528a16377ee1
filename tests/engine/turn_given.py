"""A turn that is really run: tools of the test's own, a model that answers from a list, and a log in memory."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from tests.engine.engine_given import BOX, ME, PHRASES, encoder, message, settings_for
from yeaft.engine.calls import Hands, Refused, Verdict
from yeaft.engine.decide import Rules
from yeaft.engine.pictures import look_into
from yeaft.engine.request import Memory
from yeaft.engine.settings import Frozen, freeze
from yeaft.engine.state import TurnState, advance
from yeaft.engine.turn import run_turn
from yeaft.engine.view import Own, Posted, Unit
from yeaft.events.call import CallFinished, CallStarted
from yeaft.events.codec import Event, Transient
from yeaft.events.fact import BlobRef
from yeaft.events.turn import TurnStarted
from yeaft.kernel.errors import ModelFailed
from yeaft.kernel.messages import Call, CallItem, ImagePart, TextItem, WireCall
from yeaft.kernel.usage import Usage
from yeaft.llm.model import Encode, Hear, ModelEntry, Piece, Reply
from yeaft.llm.retry import RetryRules
from yeaft.llm.tokens import Factors
from yeaft.tools.tool import BoundCall, Running, Tool, ToolResult

Body = Callable[["Args", Running], Awaitable[str | ToolResult]]
IMPATIENT = Rules(max_rounds=8, retry=RetryRules(max_retries=1, base_delay_s=0.0, max_delay_s=0.0))


class Args(Struct, frozen=True):
    """What the test's tools take."""

    word: str = ""


def tool(name: str, run: Body, guard: Any = "read", timeout_s: float | None = None) -> Tool[Args]:
    """A tool with a body of the test's own."""
    return Tool(name=name, args=Args, run=run, guard=guard, timeout_s=timeout_s)


def words(text: str, stop: str = "end") -> Reply:
    """A reply of text."""
    return Reply(items=(TextItem(text=text),), calls=(), stop=stop, usage=Usage(input=1, output=1))


def asks_for(*names: str, args_raw: str = "{}") -> Reply:
    """A reply that calls tools; their wire ids are w0, w1 and so on."""
    calls = tuple(WireCall(wire_id=f"w{number}", tool=name, args_raw=args_raw) for number, name in enumerate(names))
    items = tuple(CallItem(index=number) for number in range(len(names)))
    return Reply(items=items, calls=calls, stop="calls", usage=Usage(input=1, output=1))


class ListModel:
    """Answers from a list, each text streamed as one piece before the reply."""

    def __init__(self, answers: Sequence[Reply | ModelFailed | asyncio.CancelledError]) -> None:
        self.bodies: list[bytes] = []
        self._answers = list(answers)

    @property
    def entry(self) -> ModelEntry:
        return BOX

    def encoder(self) -> Encode:
        return encoder(BOX)

    async def generate(self, body: bytes, hear: Hear) -> Reply:
        self.bodies.append(body)
        answer = self._answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        for item in answer.items:
            if isinstance(item, TextItem):
                hear(Piece(kind="text", pieces=(item.text,)))
        return answer


class OpenGate:
    """Lets everything through but the tools named; notes what is asked."""

    def __init__(self, asked: Mapping[str, Refused | None], denied: Sequence[str] = ()) -> None:
        self.questions: list[str] = []
        self._asked = asked
        self._denied = denied

    def judge(self, bound: BoundCall) -> Verdict:
        if bound.tool in self._denied:
            return Verdict(denied="It is forbidden.")
        return Verdict(allowed=bound.tool not in self._asked)

    async def ask(self, call: Call, bound: BoundCall) -> Refused | None:
        assert call.tool == bound.tool
        self.questions.append(bound.tool)
        return self._asked[bound.tool]


class Turn:
    """One turn about to be run; `events` are what was posted, `synced` those that waited for the disk."""

    def __init__(
        self,
        answers: Sequence[Reply | ModelFailed | asyncio.CancelledError],
        tools: Sequence[Tool[Args]] = (),
        *,
        asked: Mapping[str, Refused | None] | None = None,
        denied: Sequence[str] = (),
        rules: Rules = IMPATIENT,
    ) -> None:
        self.events: list[Event] = []
        self.synced: list[Event] = []
        self.shown: list[Transient] = []
        self.model = ListModel(answers)
        self.gate = OpenGate(asked or {}, denied)
        self._question = Posted(message=message("go"))
        self._state = TurnState(started=TurnStarted(turn_id="t_1", message_id="m_1", vp_id=ME, mode="ask"))
        self._kept: dict[str, bytes] = {}
        self._memory = Memory()
        self._hands = Hands({one.name: one for one in tools}, self.gate, PHRASES, self._keep)
        self._rules = rules

    async def run(self) -> TurnState:
        """Run it to its end."""
        async with asyncio.timeout(20):
            await run_turn(self, self, self._hands, self._rules, lambda: 0)
        return self._state

    def result(self, wire_id: str) -> CallFinished:
        """The one result of a call."""
        (found,) = (
            state.finished
            for attempt in self._state.attempts
            for state in attempt.calls
            if state.call.wire_id == wire_id and state.finished
        )
        return found

    @property
    def begun(self) -> list[str]:
        """The tools that were started, in order."""
        return [event.tool for event in self.events if isinstance(event, CallStarted)]

    def _keep(self, content: bytes, mime: str) -> BlobRef:
        sha256 = hashlib.sha256(content).hexdigest()
        self._kept[sha256] = content
        return BlobRef(sha256=sha256, size_bytes=len(content), mime=mime)

    # the turn's log

    @property
    def state(self) -> TurnState:
        return self._state

    def units(self) -> tuple[Unit, ...]:
        return (self._question, Own(turn=self._state))

    def post(self, *events: Event, sync: bool = False) -> asyncio.Future[None]:
        for event in events:
            self.events.append(event)
            self._state = advance(self._state, event)
        if sync:
            self.synced += events
        committed = asyncio.get_running_loop().create_future()
        committed.set_result(None)
        return committed

    def show(self, event: Transient) -> None:
        self.shown.append(event)

    def spent_usd(self) -> float:
        return 0.0

    def factors(self, model: str) -> Factors:
        assert model == BOX.ref
        return Factors()

    # the VP's mind

    @property
    def phrases(self) -> Mapping[str, str]:
        return PHRASES

    @property
    def memory(self) -> Memory:
        return self._memory

    def freeze(self, ref: str) -> tuple[Frozen, ListModel]:
        assert ref in ("", BOX.ref)
        return freeze(settings_for(BOX)), self.model

    def picture(self, ref: BlobRef) -> ImagePart | None:
        return look_into(self._kept.get)(ref)
