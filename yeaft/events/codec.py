"""The one codec of events: bytes in the journal, lines of stream-json, and back, for every version ever written."""

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, get_args

import msgspec
from msgspec import Struct

from yeaft.events import agent, artifact, call, graph, history, policy, session, task, tools, turn, work
from yeaft.events.fact import Fact
from yeaft.kernel import ids

Event = (
    session.SessionCreated
    | session.SessionRenamed
    | session.SessionForked
    | session.SessionTagged
    | session.RosterChanged
    | session.FolderAdded
    | session.OwnerClaimed
    | session.OwnerReleased
    | session.VpFrozen
    | session.SettingsFrozen
    | session.MessagePosted
    | session.MessageSettled
    | session.NoticePosted
    | turn.TurnStarted
    | turn.TurnContinued
    | turn.RequestSent
    | turn.ReplyCheckpointed
    | turn.ReplyCompleted
    | turn.RequestFailed
    | turn.RetryScheduled
    | turn.ModelSwitched
    | turn.TurnEnded
    | call.CallStarted
    | call.CallFinished
    | call.TodoChanged
    | call.AskOpened
    | call.AskAnswered
    | call.AskWithdrawn
    | policy.RuleSaved
    | policy.TrustGranted
    | tools.ToolsChanged
    | tools.HookRan
    | task.TaskStarted
    | task.TaskEnded
    | task.TaskOrphaned
    | agent.AgentSpawned
    | agent.AgentPrompted
    | agent.AgentReported
    | agent.AgentEnded
    | agent.DeliveryTaken
    | work.WorkDrafted
    | history.AttachmentAdded
    | history.CheckpointTaken
    | history.Rewound
    | history.HistoryCompacted
    | graph.GraphStarted
    | graph.StepReady
    | graph.StepStarted
    | graph.StepFinished
    | graph.EdgeClosed
    | graph.TimerSet
    | graph.TimerFired
    | graph.GraphCancelled
    | graph.GraphClaimed
    | graph.GraphSuspended
    | graph.GraphEnded
    | artifact.ArtifactStored
)
Transient = (
    turn.TextStreamed
    | turn.ThinkingStreamed
    | turn.CallStreamed
    | turn.RetryWaiting
    | turn.ProgressShown
    | call.CallOutput
)


class UnknownEvent(Struct, frozen=True, kw_only=True):
    """An event of a type or version that this yeaft does not know, or whose content is gone; kept and ignored."""

    type: str
    version: int
    raw: bytes


class Recorded(Struct, frozen=True, kw_only=True):
    """An event in its envelope.

    `seq` counts from 1 without gaps within `stream`; `ts` is UTC milliseconds; `src` says who (`user`, `vp:skeptic`,
    `tool:Bash`, `engine`); `cause` is the id this answers; `corr` the id of the root user message; `epoch` the
    fencing token of the writer.
    """

    id: str
    stream: str
    seq: int
    ts: int
    src: str
    cause: str
    corr: str
    epoch: int
    event: Event | UnknownEvent

    @property
    def type(self) -> str:
        """The name of the event, such as `turn.started`."""
        return type_of(self.event)


Upcaster = Callable[[dict[str, Any]], dict[str, Any]]
UPCASTERS: Mapping[tuple[str, int], Upcaster] = {}
"""(type, version) -> the pure function that lifts its JSON object to the next version."""

_TYPES: dict[str, type[Fact]] = {str(cls.__struct_config__.tag): cls for cls in get_args(Event)}
_NAMES: dict[type[Struct], str] = {
    cls: str(cls.__struct_config__.tag) for cls in (*get_args(Event), *get_args(Transient))
}
_encoder = msgspec.json.Encoder()


def type_of(event: Event | Transient | UnknownEvent) -> str:
    """The name of an event, such as `turn.started`."""
    return event.type if isinstance(event, UnknownEvent) else _NAMES[type(event)]


def version_of(event: Event | UnknownEvent) -> int:
    """The schema version an event is written with."""
    return event.version if isinstance(event, UnknownEvent) else type(event).version


def id_of(event: Event | UnknownEvent, stream: str, now_ms: int) -> str:
    """The envelope id: derived from what the event is about, or a new one of now for what came from outside."""
    if isinstance(event, UnknownEvent) or not type(event).identity:
        return "e_" + ids.new_ulid(now_ms)
    return ids.derive("e_", stream, _NAMES[type(event)], *[getattr(event, name) for name in type(event).identity])


def encode(event: Event | Transient | UnknownEvent) -> bytes:
    """One JSON object with a `type` member. Lone surrogates must already be gone."""
    return event.raw if isinstance(event, UnknownEvent) else _encoder.encode(event)


def decode(kind: str, version: int, raw: bytes) -> Event | UnknownEvent:
    """The event that `raw` holds, lifted to the current version; never raises for what it cannot understand."""
    known = _TYPES.get(kind)
    if known is None or version > known.version:
        return UnknownEvent(type=kind, version=version, raw=raw)
    try:
        return _decoder().decode(raw if version == known.version else _lifted(kind, version, known.version, raw))
    except (msgspec.DecodeError, ValueError, KeyError, RecursionError):
        return UnknownEvent(type=kind, version=version, raw=raw)


@cache
def _decoder() -> msgspec.json.Decoder[Event]:
    return msgspec.json.Decoder(Event)  # takes a millisecond, and who begins a Session reads none


def is_core(kind: str) -> bool:
    """Whether this yeaft knows the type; a newer version of a known type forbids appending to its stream."""
    return kind in _TYPES


def is_newer(event: UnknownEvent) -> bool:
    """Whether this yeaft knows the type of the event, but only in an earlier version."""
    return event.type in _TYPES and event.version > _TYPES[event.type].version


def _lifted(kind: str, version: int, current: int, raw: bytes) -> bytes:
    fields = json.loads(raw)
    for step in range(version, current):
        fields = UPCASTERS[kind, step](fields)
    return _encoder.encode(fields)
