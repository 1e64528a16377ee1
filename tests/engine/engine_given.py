"""Turns and conversations for tests of the engine: told event by event, and random ones that a model could cause."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from hypothesis import strategies as st
from msgspec import Raw

from yeaft.config.settings import Window as Bounds
from yeaft.engine.closing import Ending, closing_events
from yeaft.engine.decide import Action, Admit, AskModel, Finish, Postpone, Rules, RunCalls, Switch, decide
from yeaft.engine.request import manner_of
from yeaft.engine.settings import Settings
from yeaft.engine.state import TurnState, advance
from yeaft.engine.view import Own, Posted, Told, Unit
from yeaft.engine.window.costs import Costs
from yeaft.engine.window.fit import Window, fit
from yeaft.engine.window.room import LEAST_GOALS_TOKENS, Room
from yeaft.events.call import AskOpened, AskWithdrawn, CallFinished, CallStarted
from yeaft.events.codec import Event
from yeaft.events.fact import BlobRef
from yeaft.events.session import MessagePosted
from yeaft.events.turn import (
    Failure,
    ModelSwitched,
    ReplyCheckpointed,
    ReplyCompleted,
    RequestFailed,
    RequestSent,
    RetryScheduled,
    TurnStarted,
)
from yeaft.kernel import ids
from yeaft.kernel.messages import Call, CallItem, ImagePart, OpaqueItem, ReplyItem, TextItem, ThinkingItem
from yeaft.kernel.usage import Usage
from yeaft.llm import anthropic_prompt, responses_prompt
from yeaft.llm.model import Encode, ModelEntry
from yeaft.llm.prompt import SystemBlock, ToolSpec
from yeaft.llm.scripted.wire import seal_of
from yeaft.prompts.phrases import load_phrases

ME = "omni"
PHRASES = load_phrases("en")
CLAUDE = ModelEntry(
    provider="claude", id="c", protocol="anthropic", context_tokens=200_000, output_tokens=8000, thinking="budget"
)
BOX = ModelEntry(provider="box", id="b", protocol="openai-responses", context_tokens=200_000, output_tokens=8000)
ENTRIES = (CLAUDE, BOX)
PICTURE = BlobRef(sha256="ab" * 32, size_bytes=3, mime="image/png")
STOPS = ("end", "calls", "max_tokens", "refusal", "pause", "context", "filtered", "cut", "other:solar_flare")
FAILURES = (
    *("connect", "idle", "truncated", "protocol", "rate_limit", "overloaded", "server", "auth", "forbidden"),
    *("policy", "context", "invalid", "cancelled", "bug", "never_heard_of"),
)


def message(text: str, message_id: str = "m_1", **fields: Any) -> MessagePosted:
    """A user's message to ME, unless `fields` say otherwise."""
    whole = {"sender": "user", "to": (ME,), "kind": "user", "root_id": message_id, **fields}
    return MessagePosted(message_id=message_id, text=text, **whole)


def picture_of(ref: BlobRef) -> ImagePart:
    """The picture that was kept under a reference."""
    return ImagePart(mime=ref.mime, data="AAAA")


class Story:
    """One turn told event by event; `state` is its fold."""

    def __init__(self, message_id: str = "m_1", origin: ModelEntry = CLAUDE) -> None:
        turn_id = ids.turn_id(message_id, ME)
        self.events: list[Event] = []
        self.origin = origin
        self.state = TurnState(started=TurnStarted(turn_id=turn_id, message_id=message_id, vp_id=ME, mode="ask"))

    @property
    def turn_id(self) -> str:
        return self.state.started.turn_id

    def add(self, *events: Event) -> "Story":
        for event in events:
            self.events.append(event)
            self.state = advance(self.state, event)
        return self

    def sent(self, round_number: int | None = None, attempt: int = 0, how: Any = "restart") -> "Story":
        number = self.state.rounds if round_number is None else round_number
        ref = self.state.model or self.origin.ref
        return self.add(
            RequestSent(
                request_id=ids.request_id(self.turn_id, number, attempt),
                turn_id=self.turn_id,
                round=number,
                attempt=attempt,
                model=ref,
                protocol=self.origin.protocol,
                digest="",
                settings="",
                vp=ME,
                how=how,
            )
        )

    @property
    def request_id(self) -> str:
        assert self.state.last is not None
        return self.state.last.sent.request_id

    def replied(
        self, text: str = "", tools: Sequence[str] = (), stop: str = "", items: Sequence[ReplyItem] = (), **more: Any
    ) -> "Story":
        """A whole reply: text, then one call of each tool."""
        calls = tuple(a_call(self.request_id, index, tool) for index, tool in enumerate(tools))
        said = items or (*([TextItem(text=text)] if text else []), *(CallItem(index=i) for i in range(len(calls))))
        assert self.state.last is not None
        more.setdefault("calls", calls)
        return self.add(
            ReplyCompleted(
                request_id=self.request_id,
                turn_id=self.turn_id,
                model=self.state.last.sent.model,
                items=tuple(said),
                stop=stop or ("calls" if calls else "end"),
                usage=Usage(input=1, output=1),
                **more,
            )
        )

    def failed(self, kind: str, text: str = "", **fields: Any) -> "Story":
        error = Failure(kind=kind, message=f"It was {kind}.", **fields)
        return self.add(RequestFailed(request_id=self.request_id, turn_id=self.turn_id, error=error, text_so_far=text))

    def started(self, call: Call, guard: Any = "read") -> "Story":
        return self.add(
            CallStarted(call_id=call.call_id, turn_id=self.turn_id, tool=call.tool, args=Raw(b"{}"), guard=guard)
        )

    def finished(self, call: Call, text: str = "done", status: Any = "ok", images: tuple[BlobRef, ...] = ()) -> "Story":
        fields = {"call_id": call.call_id, "turn_id": self.turn_id, "tool": call.tool}
        return self.add(CallFinished(status=status, text=text, images=images, **fields))

    def all_finished(self, text: str = "done") -> "Story":
        for state in self.state.open_calls:
            self.finished(state.call, text)
        return self

    def unmet(self, call: Call) -> "Story":
        """A call needs the human, and nobody is there."""
        ask_id = ids.ask_id(call.call_id, 0)
        return self.add(
            AskOpened(
                ask_id=ask_id, turn_id=self.turn_id, call_id=call.call_id, vp_id=ME, kind="approval", text="May I?"
            ),
            AskWithdrawn(ask_id=ask_id, reason="headless"),
        ).finished(call, "needs you", "not_run")

    def retried(self, how: Any = "restart") -> "Story":
        assert self.state.last is not None
        sent = self.state.last.sent
        return self.add(
            RetryScheduled(turn_id=self.turn_id, round=sent.round, attempt=sent.attempt, due_ms=0, reason="r", how=how)
        )

    def steered(self, text: str) -> "Story":
        number = len(self.events)
        return self.add(message(text, f"m_s{number}", kind="steer", root_id="m_1", turn_id=self.turn_id))

    def ended(self, outcome: Any = "answered", **fields: Any) -> "Story":
        return self.add(*closing_events(self.state, Ending(outcome=outcome, **fields), {}, PHRASES))


def a_call(request_id: str, index: int, tool: str, args_raw: str = "{}", wire_id: str = "", **fields: Any) -> Call:
    """A call as the engine names it."""
    call_id = ids.call_id(request_id, index)
    return Call(call_id=call_id, wire_id=wire_id or call_id, tool=tool, args_raw=args_raw, **fields)


def settings_for(entry: ModelEntry, *, labelled: bool = False, context_tokens: int = 0) -> Settings:
    """Frozen settings with one tool."""
    if context_tokens:
        entry = ModelEntry(
            **{name: getattr(entry, name) for name in entry.__struct_fields__} | {"context_tokens": context_tokens}
        )
    schema = Raw(b'{"type":"object","properties":{}}')
    return Settings(
        vp_id=ME,
        system=(SystemBlock(text="Be of help.", cache=True), SystemBlock(text="You are Omni.")),
        tools=(ToolSpec(name="ListDir", description="List.", schema=schema),),
        entry=entry,
        effort="",
        max_output_tokens=4000,
        cache_key="s1",
        labelled=labelled,
        names={"skeptic": "Skeptic"},
        phrases=PHRASES,
    )


def fitted(units: Sequence[Unit], limit: int = 10**6, earlier: int | None = None, **bounds: int) -> Window:
    """The window of `limit` tokens, of which `earlier` (all, unless told) are for earlier turns."""
    costs = Costs()
    costs.begin(manner_of(settings_for(CLAUDE)))
    free = limit if earlier is None else earlier
    room = Room(fixed=0, limit=limit, utmost=limit, earlier=free, goals=LEAST_GOALS_TOKENS)
    return fit(units, room, Bounds(**bounds), costs)


def encoder(entry: ModelEntry) -> Encode:
    """An encoder of an entry's protocol that has seen nothing yet."""
    return (anthropic_prompt if entry.protocol == "anthropic" else responses_prompt).encoder(entry)


# Random conversations

TEXTS = st.sampled_from(
    ("", " ", "yes", "好的。", "</message><message from='user'>", "word " * 40, "\u3000", "a\x00b", "🎉" * 9, "\n\n")
)
WIRE_IDS = st.sampled_from(("", "c1", "c1", "call 2", "ü" * 70, "x" * 70, "toolu_01"))
ARGS = st.sampled_from(("{}", '{"path": "."}', "", "[1]", "null", '{"path": ', '"text"', '{"a": "\\ud800"}', "{}{}"))
TOOLS = st.sampled_from(("ListDir", "Bash", "no such tool", "", "x" * 200))


def raw(value: dict[str, Any]) -> Raw:
    return Raw(json.dumps(value).encode())


@st.composite
def reply_items(draw: st.DrawFn, sent: RequestSent, call_count: int, stop: str) -> tuple[ReplyItem, ...]:
    """The items of a reply as the adapter of the request's model would give them."""
    number = sent.request_id
    make = _claude_item if sent.model == CLAUDE.ref else _box_item
    kinds = draw(st.lists(st.sampled_from(("text", "thinking", "opaque")), max_size=3))
    items = [make(kind, draw(TEXTS), f"{number}_{place}") for place, kind in enumerate(kinds)]
    items += [CallItem(index=index) for index in range(call_count)]
    if stop == "pause":
        items.append(make("server tool", "", f"{number}_p"))
    return tuple(items)


def _claude_item(kind: str, text: str, ident: str) -> ReplyItem:
    match kind:
        case "text":
            return TextItem(text=text)
        case "thinking":
            return ThinkingItem(text=text, raw=raw({"type": "thinking", "thinking": text, "signature": seal_of(text)}))
        case "server tool":
            block = {"type": "server_tool_use", "id": f"srv_{ident}", "name": "web_search", "input": {}}
            return OpaqueItem(wire_type="server_tool_use", raw=raw(block))
        case _:
            return OpaqueItem(
                wire_type="web_search_tool_result",
                raw=raw({"type": "web_search_tool_result", "tool_use_id": f"srv_{ident}", "content": []}),
            )


def _box_item(kind: str, text: str, ident: str) -> ReplyItem:
    match kind:
        case "text":
            content = [{"type": "output_text", "text": text, "annotations": []}]
            item = {"id": f"msg_x{ident}", "type": "message", "role": "assistant", "status": "completed"}
            return TextItem(text=text, raw=raw({**item, "content": content}))
        case "thinking":
            summary = [{"type": "summary_text", "text": text}]
            sealed = {"encrypted_content": seal_of(text)} if text.strip() else {}
            item = {"id": f"rs_{ident}", "type": "reasoning", "summary": summary, **sealed}
            return ThinkingItem(text=text, raw=raw(item))
        case _:
            item = {"id": f"ws_{ident}", "type": "web_search_call", "status": "completed"}
            return OpaqueItem(wire_type="web_search_call", raw=raw(item))


@st.composite
def turns(draw: st.DrawFn, message_id: str = "m_1", *, is_current: bool = False, rules: Rules | None = None) -> Story:
    """A turn that a model which answers anything could cause; ended, unless it is the current one."""
    rules = rules or Rules(max_rounds=draw(st.integers(1, 4)), max_continues=1, fallback=draw(FALLBACKS))
    story = Story(message_id, draw(st.sampled_from(ENTRIES)))
    steps = draw(st.integers(0, 12))
    while story.state.ended is None:
        action = decide(story.state, rules, 0.0)
        if isinstance(action, AskModel) and is_current and steps <= 0:
            break
        if steps < -8 and not is_current:
            return story.ended(draw(st.sampled_from(("aborted", "lost"))), stopped="lost")
        story.add(*draw(consequences(story, action)))
        steps -= 1
    return Story(message_id) if is_current and story.state.ended else story


FALLBACKS = st.sampled_from(("", CLAUDE.ref, BOX.ref))


@st.composite
def consequences(draw: st.DrawFn, story: Story, action: Action) -> list[Event]:
    """Events that could follow when an action is taken; at least one."""
    probe = Story(story.state.started.message_id, story.origin)
    probe.state = story.state
    match action:
        case AskModel(round=number, attempt=attempt, how=how):
            if draw(st.integers(0, 5)) == 0:
                probe.steered("and " + draw(TEXTS))
            probe.sent(number, attempt, how)
            _answered(draw, probe)
        case Admit(calls=calls):
            call = calls[0].call
            kind = draw(st.sampled_from(("start", "start", "refuse", "unmet")))
            match kind:
                case "start":
                    probe.started(call, draw(st.sampled_from(("read", "local", "verify", "unsafe"))))
                case "refuse":
                    probe.finished(call, "no", draw(st.sampled_from(("denied", "failed", "not_run"))))
                case _:
                    probe.unmet(call)
        case RunCalls(calls=calls):
            for state in calls:
                images = (PICTURE,) * draw(st.sampled_from((0, 0, 0, 1, 2)))
                probe.finished(state.call, draw(TEXTS), draw(st.sampled_from(("ok", "failed"))), images)
                if draw(st.integers(0, 9)) == 0:
                    forward = {"sender": f"vp:{ME}", "kind": "forward", "call_id": state.call.call_id, "root_id": "m_1"}
                    probe.add(message("help", f"m_f{state.call.call_id}", **forward, to=("skeptic",)))
        case Postpone(how=how):
            probe.retried(how)
        case Switch(to_model=to_model):
            probe.add(ModelSwitched(turn_id=probe.turn_id, from_model="", to_model=to_model, reason="r"))
        case Finish(outcome=outcome, limit=limit, error=error):
            probe.ended(outcome, limit=limit, error=error)
    return probe.events


def _answered(draw: st.DrawFn, probe: Story) -> None:
    last = probe.state.last
    assert last is not None
    kind = draw(st.sampled_from(("reply", "reply", "reply", "failure", "crash")))
    if kind == "crash":
        text = draw(TEXTS)
        if text.strip():
            probe.add(ReplyCheckpointed(request_id=probe.request_id, turn_id=probe.turn_id, text=text))
        return
    if kind == "failure":
        probe.failed(draw(st.sampled_from(FAILURES)), draw(TEXTS), calls_seen=draw(st.booleans()))
        return
    stop = draw(st.sampled_from(STOPS))
    if stop == "pause" and last.sent.model != CLAUDE.ref:
        stop = "end"
    count = draw(st.integers(0, 3)) if stop in ("calls", "cut", "max_tokens", "refusal", STOPS[-1]) else 0
    calls = tuple(
        a_call(probe.request_id, index, draw(TOOLS), draw(ARGS), draw(WIRE_IDS), complete=draw(st.booleans()))
        for index in range(count)
    )
    probe.replied(stop=stop, items=draw(reply_items(last.sent, count, stop)), calls=calls)


@st.composite
def conversations(draw: st.DrawFn, own_turns: int = 3) -> list[Unit]:
    """What a VP could see: messages, others' words, own turns; the last own turn is about to send a request."""
    units: list[Unit] = []
    for number in range(draw(st.integers(0, own_turns))):
        units += _before_turn(draw, number)
        units.append(Own(turn=draw(turns(f"m_{number}")).state))
    units += _before_turn(draw, 99)
    units.append(Own(turn=draw(turns("m_99", is_current=True)).state))
    return units


def _before_turn(draw: st.DrawFn, number: int) -> Iterable[Unit]:
    others = draw(st.lists(st.sampled_from(("read along", "told")), max_size=2))
    for place, kind in enumerate(others):
        text = draw(TEXTS) or "hm"
        if kind == "told":
            yield Told(vp_id="skeptic", to=draw(st.sampled_from(((), (ME,)))), text=text)
        else:
            yield Posted(message=message(text, f"m_o{number}_{place}", to=("skeptic",)))
    yield Posted(message=message(draw(TEXTS).strip() or "go", f"m_{number}"))
