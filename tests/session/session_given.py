"""What stories about Sessions begin with: a home, a work folder, a scripted model over real HTTP, and talks."""

import asyncio
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, TypeVar

import pytest

from yeaft.engine.state import TurnState
from yeaft.events.call import AskOpened, CallFinished
from yeaft.events.codec import Recorded, Transient
from yeaft.events.ops import Answer, AnyOp, Close, Interrupt, Say, Steer
from yeaft.events.session import MessagePosted, MessageSettled, NoticePosted
from yeaft.events.turn import ReplyCompleted, TurnEnded, TurnStarted
from yeaft.interfaces.assemble import Opened, opened
from yeaft.interfaces.ground import Wish
from yeaft.llm.scripted.script import Answer as Whole
from yeaft.llm.scripted.script import Calls, Holds, Line, Says, Script, ScriptedCall, Step, script
from yeaft.llm.scripted.server import Received, ScriptedServer
from yeaft.session.agents.agent_state import untold
from yeaft.session.history import units_for
from yeaft.session.intake import Draft
from yeaft.session.opening import Wanted
from yeaft.session.past import COMPACT_STREAMS
from yeaft.session.replay import replay
from yeaft.session.state import SessionState
from yeaft.store.attachments import Attachments
from yeaft.store.blobs import FileBlobs
from yeaft.store.cost import NOTHING, PROJECTOR, Cost, cost_of, read_cost
from yeaft.store.directory import SessionPaths, session_paths
from yeaft.store.index import current_meta
from yeaft.store.journal import SESSION_STREAM
from yeaft.store.sqlite import SqliteJournal

T = TypeVar("T")
PATIENCE_S = 60.0
"""How long a story waits for an event before it is taken for stuck."""

BOX = "box/scripted"
CLAUDE = "claude/scripted"
CONFIG = """
[models]
primary = "box/scripted"

[retry]
max_retries = 1
base_delay_s = 0.01
max_delay_s = 0.02

[providers.box]
protocol = "openai-responses"
base_url = "{url}/v1"
[[providers.box.models]]
id = "scripted"
context_tokens = 32768
price_usd_per_mtok = {{in = 1.0, out = 1.0}}
[[providers.box.models]]
id = "spare"
context_tokens = 32768

[providers.claude]
protocol = "anthropic"
base_url = "{url}"
[[providers.claude.models]]
id = "scripted"
context_tokens = 32768
"""


def says(text: str, **how: Any) -> Says:
    """The model says `text`."""
    return Says(text=text, **how)


def a_call(tool: str, wire_id: str, **args: Any) -> ScriptedCall:
    """One call of several in a reply."""
    return ScriptedCall(tool=tool, id=wire_id, args=args)


def calls(tool: str, wire_id: str, **args: Any) -> Calls:
    """The model makes one call."""
    return Calls(calls=(a_call(tool, wire_id, **args),))


def hands_on(to: str, text: str, wire_id: str = "h1") -> Calls:
    """The model hands on to a peer."""
    return calls("RouteForward", wire_id, to=to, text=text)


def held(step: Whole, gate: str, after_events: int = 0) -> Holds:
    """The step, but only once the gate is opened."""
    return Holds(of=step, after_events=after_events, gate=gate)


def cast(*lines: Line) -> Script:
    """A script of lines for several VPs."""
    return Script(lines=lines)


def for_vp(vp: str, *steps: Step, when: str = "") -> Line:
    """What one VP's model says, request by request, then its last step for ever."""
    return Line(vp=vp, when=when, steps=(*steps[:-1], *([steps[-1]] * 20)))


class Talk:
    """One open Session and all that was heard of it."""

    def __init__(self, wish: Wish, home: Path, server: ScriptedServer) -> None:
        self.server = server
        self.heard: list[Recorded] = []
        self.shown: list[Transient] = []
        self.patience_s = PATIENCE_S
        self.verdicts: frozenset[str] = frozenset({"equal"})
        """What a replay may find; a test that takes files away knows better."""
        self._wish = wish
        self._home = home
        self._changed = asyncio.Event()
        self._opening: asyncio.Future[Opened] = asyncio.get_running_loop().create_future()
        self._leaving = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None

    async def open(self) -> "Talk":
        """Open the Session in a task of its own, because the task group in it must be left where it was entered."""
        self._keeper = asyncio.create_task(self._keep(), name="talk")
        await self._opening
        return self

    @property
    def state(self) -> SessionState:
        return self._opening.result().state

    @property
    def cost(self) -> Cost:
        """What a status line tells."""
        return self._opening.result().purse.cost

    @property
    def has_begun(self) -> bool:
        return self._opening.result().session.has_begun

    @property
    def paths(self) -> SessionPaths:
        return session_paths(self._home, self.state.session_id)

    @property
    def turns(self) -> list[TurnState]:
        return list(self.state.turns.values())

    @property
    def remarks(self) -> tuple[tuple[str, dict[str, str]], ...]:
        """What the user is told before the first message: codes and parameters."""
        return self._opening.result().remarks

    def send(self, op: AnyOp) -> None:
        self._opening.result().session.send(op)

    def say(self, text: str, *to: str, attached: str = "", op_id: str = "") -> str:
        """Say something as the user; returns the id of the message."""
        self.send(Say(text=text, to=to, attached=attached, op_id=op_id))
        return [m.message_id for m in self.state.messages.values() if m.kind == "user"][-1]

    async def types(self, text: str, *to: str, **draft: Any) -> str:
        """Say something as a screen does, through the steps before it is said; returns the id of the message."""
        self.send(await self._opening.result().intake.take(Draft(text=text, to=to, **draft)))
        return [m.message_id for m in self.state.messages.values() if m.kind == "user"][-1]

    def steer(self, text: str, vp_id: str = "") -> None:
        self.send(Steer(text=text, vp_id=vp_id))

    def interrupt(self, vp_id: str = "") -> None:
        self.send(Interrupt(vp_id=vp_id))

    def answer(self, ask: AskOpened, **how: Any) -> None:
        self.send(Answer(ask_id=ask.ask_id, **how))

    def human_leaves(self) -> None:
        """The human goes away, as when standard input ends."""
        self._opening.result().approvals.leave()

    async def until(self, found: Callable[[], T | None]) -> T:
        """Wait on events until `found` gives something."""
        async with asyncio.timeout(self.patience_s):
            while True:
                self._changed.clear()
                if (result := found()) is not None:
                    return result
                await self._changed.wait()

    async def heard_of(self, kind: type[T], where: Callable[[T], bool] = lambda _: True) -> T:
        """Wait for the first committed event of this kind."""
        return await self.until(lambda: next(filter(where, self.all_of(kind)), None))

    def all_of(self, kind: type[T]) -> list[T]:
        """All committed events of this kind, in order."""
        return [one.event for one in self.heard if isinstance(one.event, kind)]

    async def asked(self, number: int = 1) -> AskOpened:
        """Wait for the `number`-th question to the human."""
        return await self.until(lambda: (self.all_of(AskOpened)[number - 1 :] or [None])[0])

    async def outcomes(self, message_id: str = "") -> dict[str, str]:
        """Wait until a user message (the newest) is settled; how each VP's last turn for it ended."""
        root_id = message_id or [m.message_id for m in self.state.messages.values() if m.kind == "user"][-1]
        settled = await self.heard_of(MessageSettled, lambda one: one.message_id == root_id)
        return {turn.vp_id: turn.outcome for turn in settled.turns}

    async def outcome(self, message_id: str = "") -> str:
        """Wait until a user message (the newest), which only one VP answers, is settled; how that ended."""
        (outcome,) = (await self.outcomes(message_id)).values()
        return outcome

    def said_by(self, vp_id: str) -> list[str]:
        """What the turns of a VP ended with."""
        return [turn.final_text for turn in self.turns if turn.started.vp_id == vp_id]

    def result(self, wire_id: str) -> CallFinished:
        """The one result of the call that went over the wire with this id."""
        replies = self.all_of(ReplyCompleted)
        (call_id,) = {call.call_id for reply in replies for call in reply.calls if call.wire_id == wire_id}
        (finished,) = (one for one in self.all_of(CallFinished) if one.call_id == call_id)
        return finished

    def told_model(self, wire_id: str) -> str:
        """The result of a call as the newest request that has it tells it."""
        for received in reversed(self.server.requests):
            for role, text in lines_of(received):
                if role == wire_id:
                    return text
        raise AssertionError(f"no request has a result of {wire_id}")

    def requests_of(self, vp_id: str) -> list[list[tuple[str, str]]]:
        """The requests that were made for a VP, each as `lines_of` it."""
        return [lines_of(received) for received in self.server.requests if f"(@{vp_id})" in system_of(received)]

    def notices(self) -> list[tuple[str, Mapping[str, str]]]:
        return [(notice.code, notice.params) for notice in self.all_of(NoticePosted)]

    async def idle(self) -> None:
        """Wait until nothing runs and all is committed."""
        async with asyncio.timeout(PATIENCE_S):
            await self._opening.result().session.idle()

    async def close(self) -> None:
        """Leave the Session, and check what must hold of every Session that was left."""
        if self._keeper is None:
            return
        keeper, self._keeper = self._keeper, None
        if not self._opening.done() or self._opening.exception():
            await asyncio.wait((keeper,))
            return
        self.send(Close(how="abort"))
        self._leaving.set()
        await keeper
        if self.state.created is not None:
            check_left(self)

    async def _keep(self) -> None:
        try:
            async with opened(self._wish) as session:
                session.listen(self._hear)
                self._opening.set_result(session)
                await self._leaving.wait()
        except BaseException as error:
            if self._opening.done():
                raise
            self._opening.set_exception(error)

    def _hear(self, heard: Recorded | Transient) -> None:
        if isinstance(heard, Recorded):
            self.heard.append(heard)
        else:
            self.shown.append(heard)
        self._changed.set()


class Given:
    """A home and a work folder below `tmp`, and a scripted model that both protocols reach."""

    def __init__(self, tmp: Path, stack: AsyncExitStack) -> None:
        self.home = tmp / "home" / ".yeaft"
        self.folder = tmp / "work"
        self.home.mkdir(parents=True)
        self.folder.mkdir()
        self.environ = {
            "YEAFT_DIR": str(self.home),
            "HOME": str(self.home.parent),
            "LANG": "C",
            "PATH": "/usr/bin:/bin",
        }
        self._stack = stack
        self._server: ScriptedServer | None = None
        self._talks: list[Talk] = []

    def file(self, name: str, text: str) -> Path:
        """Write a file of the user's into the work folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def pipe(self, name: str) -> Path:
        """Make a named pipe in the work folder: reading it waits until a command has written to it."""
        path = self.folder / name
        os.mkfifo(path)
        return path

    def vp(self, vp_id: str, **head: str) -> None:
        """Write a VP of the user's own."""
        lines = "".join(f"{key}: {value}\n" for key, value in {"id": vp_id, "name": vp_id.title(), **head}.items())
        path = self.home / "vps" / f"{vp_id}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"---\n{lines}role: Helps\n---\n<!-- lang:en -->\nYou help.\n", encoding="utf-8")

    async def model(self, told: Script, **server: Any) -> ScriptedServer:
        """Start the scripted model and configure it as both providers."""
        self._server = await self._stack.enter_async_context(ScriptedServer(told, **server))
        self.config()
        return self._server

    def config(self, more: str = "", **changed: str) -> None:
        """Write `config.toml`; `changed` replaces texts of it, `more` is added."""
        assert self._server is not None
        text = CONFIG.format(url=self._server.base_url)
        for old, new in changed.items():
            text = text.replace(old, new)
        (self.home / "config.toml").write_text(text + more, encoding="utf-8")

    async def session(self, *steps: Step | Script, **wish: Any) -> Talk:
        """Open a Session whose model says these steps (or this script); without any, one of the model that is there.

        `wish` are fields of `Wish` and `Wanted`; a human is there unless `has_human` says otherwise.
        """
        if steps:
            await self.model(steps[0] if isinstance(steps[0], Script) else script(*steps))
        assert self._server is not None
        of_wanted = {name: wish.pop(name) for name in Wanted.__struct_fields__ if name in wish}
        wanted = Wanted(**of_wanted)
        wish = {"environ": self.environ, "folder": self.folder, "has_human": True, **wish}
        talk = Talk(Wish(wanted=wanted, **wish), self.home, self._server)
        self._talks.append(talk)
        return await talk.open()

    async def again(self, talk: Talk, **wish: Any) -> Talk:
        """Leave a Session and open it once more."""
        session_id = talk.state.session_id
        await talk.close()
        return await self.session(ref=session_id, **wish)

    async def crashed(self, talk: Talk, when: Callable[[Recorded], bool]) -> str:
        """Leave a Session and make one as it would be had its process died right after an event; returns the id."""
        await talk.close()
        blobs = FileBlobs(talk.paths.blobs)
        records = SqliteJournal.for_reading(talk.paths.db, blobs).read(SESSION_STREAM)
        kept = records[: 1 + next(place for place, one in enumerate(records) if when(one))]
        target = session_paths(self.home, "crashed1")
        target.root.mkdir()
        shutil.copytree(talk.paths.blobs, target.blobs)
        journal = SqliteJournal(target.db, FileBlobs(target.blobs))
        await journal.append(SESSION_STREAM, 0, 1, kept)
        await journal.close()
        return target.session_id

    async def close(self) -> None:
        for talk in self._talks:
            await talk.close()


def system_of(received: Received) -> str:
    """The system prompt of a request."""
    if received.protocol == "openai-responses":
        return received.body["instructions"]
    return "\n\n".join(block["text"] for block in received.body["system"])


def lines_of(received: Received) -> list[tuple[str, str]]:
    """A request as (who, what): `user`, `assistant`, `call` with the tool's name, or a call's wire id with its result."""
    parts = _responses_lines if received.protocol == "openai-responses" else _anthropic_lines
    return list(parts(received.body))


def tools_of(received: Received) -> list[str]:
    """The names of the tools that a request offers."""
    return [tool["name"] for tool in received.body.get("tools", ())]


def _responses_lines(body: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for item in body["input"]:
        match item["type"]:
            case "message":
                for part in item["content"]:
                    yield item["role"], part["text"]
            case "function_call":
                yield "call", item["name"]
            case "function_call_output":
                yield item["call_id"], item["output"]


def _anthropic_lines(body: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for message in body["messages"]:
        for block in message["content"]:
            match block["type"]:
                case "text":
                    yield message["role"], block["text"]
                case "tool_use":
                    yield "call", block["name"]
                case "tool_result":
                    yield block["tool_use_id"], block["content"]


def check_left(talk: Talk) -> None:
    """What holds of every Session: one result per call, one end per turn, all settled, replay equal, the fold the same."""
    blobs = FileBlobs(talk.paths.blobs)
    records = SqliteJournal.for_reading(talk.paths.db, blobs).read(SESSION_STREAM)
    assert [one.seq for one in records] == list(range(1, len(records) + 1))
    check_requests(records, blobs, Attachments(talk.paths.attachments), talk.verdicts)
    events = [one.event for one in records]
    check_calls_and_turns(events)
    roots = Counter(e.message_id for e in events if isinstance(e, MessagePosted) and e.kind == "user")
    assert Counter(event.message_id for event in events if isinstance(event, MessageSettled)) == roots
    assert not talk.state.open_asks
    assert [received.problems for received in talk.server.requests if received.problems] == []
    check_agents(talk)
    check_cost(talk)
    folded = read_state(talk.paths)
    assert vars(folded) == vars(talk.state)
    for turn_id in folded.turns:
        assert units_for(folded, turn_id) == units_for(talk.state, turn_id)


def read_state(paths: SessionPaths) -> SessionState:
    """Fold a Session's journal without owning it."""
    state = SessionState(paths.session_id)
    for recorded in SqliteJournal.for_reading(paths.db, FileBlobs(paths.blobs)).read(SESSION_STREAM):
        state.apply(recorded)
    return state


def check_requests(
    records: list[Recorded],
    blobs: FileBlobs,
    attachments: Attachments | None = None,
    allowed: frozenset[str] = frozenset({"equal"}),
) -> None:
    """Every request of a stream can be rebuilt byte for byte."""
    verdicts = Counter(one.verdict for one in replay(records, blobs, "", attachments))
    assert set(verdicts) <= allowed, verdicts


def check_calls_and_turns(events: list[Any]) -> None:
    """Every call of a stream has one result and every turn one end."""
    wanted = Counter(call.call_id for event in events if isinstance(event, ReplyCompleted) for call in event.calls)
    assert Counter(event.call_id for event in events if isinstance(event, CallFinished)) == wanted
    started = Counter(event.turn_id for event in events if isinstance(event, TurnStarted))
    assert Counter(event.turn_id for event in events if isinstance(event, TurnEnded)) == started


def check_cost(talk: Talk) -> None:
    """What the status line told is what all replies cost, whoever gave them; lists tell the same without counting."""
    journal = SqliteJournal.for_reading(talk.paths.db, FileBlobs(talk.paths.blobs))
    counted = sum((cost_of(one.event for one in journal.read(stream)) for stream in journal.streams()), NOTHING)
    kept = journal.get_snapshot(SESSION_STREAM, PROJECTOR)
    for told in (talk.cost, read_cost(journal), current_meta(talk.paths).cost):
        assert told is not None
        assert (told.usd, told.unpriced) == (pytest.approx(counted.usd), counted.unpriced)
    if talk.has_begun:
        assert kept is not None
        assert json.loads(kept.state)["epoch"] == journal.epoch(SESSION_STREAM)


def check_agents(talk: Talk) -> None:
    """Every sub-agent has ended, its VP was told once; of all other streams the same holds as of the Session's."""
    blobs = FileBlobs(talk.paths.blobs)
    journal = SqliteJournal.for_reading(talk.paths.db, blobs)
    streams = [stream for stream in journal.streams() if stream != SESSION_STREAM]
    spawned = talk.state.agents.values()
    of_agents = [stream for stream in streams if not stream.startswith(COMPACT_STREAMS)]
    assert set(of_agents) <= {agent.spawned.stream for agent in spawned}
    assert [agent.status for agent in spawned if agent.is_live] == []
    assert untold(talk.state.agents, talk.state.delivered) == []
    for stream in streams:
        records = journal.read(stream)
        assert [one.seq for one in records] == list(range(1, len(records) + 1))
        check_requests(records, blobs)
        check_calls_and_turns([one.event for one in records])
