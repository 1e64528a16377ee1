"""What a list shows of a Session: a fold of its journal, cached in `meta.json` beside it."""

import contextlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from yeaft.config.regular import read_regular
from yeaft.events.codec import Recorded
from yeaft.events.history import Rewound
from yeaft.events.session import MessagePosted, RosterChanged, SessionCreated, SessionRenamed, SessionTagged
from yeaft.events.turn import ReplyCompleted, TurnStarted
from yeaft.events.voids import Voids
from yeaft.kernel.effort_prefix import without_effort
from yeaft.kernel.errors import StoreFailed
from yeaft.kernel.messages import text_of
from yeaft.store.cost import NOTHING, Cost

META_NAME = "meta.json"
TITLE_CHARS = 60
LARGEST_BYTES = 64 * 1024
SAID_KINDS = ("user", "steer", "forward")
"""Kinds of messages that say something new: a return repeats answers, continue and notice are yeaft's own words."""


class SessionMeta(Struct, frozen=True, kw_only=True):
    """One line of a list of Sessions, true up to and including the event `head_seq`.

    `name` is what the user called it, `title` how the first message begins; None means that nobody has looked, and
    that the name may be a title: that is how yeaft 0.1.0 wrote both. `last_words` is how what was said last begins, by
    `last_speaker` (`user` or `vp:<id>`); None means that nobody has looked. Times are UTC milliseconds; `messages`
    counts everything that was posted to VPs, hand-offs included. What the user took back does not count. It has been
    paid all the same: `cost` is that of all streams of the journal; None means that nobody has looked.
    """

    session_id: str
    name: str = ""
    title: str | None = None
    folder: str = ""
    roster: tuple[str, ...] = ()
    default_vp: str = ""
    created_ms: int = 0
    last_active_ms: int = 0
    head_seq: int = 0
    messages: int = 0
    archived: bool = False
    labels: tuple[str, ...] = ()
    last_words: str | None = None
    last_speaker: str = ""
    cost: Cost | None = None

    @property
    def is_complete(self) -> bool:
        """Whether this yeaft has made it, rather than one that knew of less."""
        return self.title is not None and self.last_words is not None and self.cost is not None


def new_meta(session_id: str) -> SessionMeta:
    """The meta of a Session in which nothing has happened; what `fold_meta` begins with."""
    return SessionMeta(session_id=session_id, title="", last_words="", cost=NOTHING)


def fold_meta(meta: SessionMeta, records: Sequence[Recorded]) -> SessionMeta:
    """`meta` after the events of the stream `session` that follow `meta.head_seq`; its cost, that of all, stays.

    Where the user went back among `records`, they must be all there are, and `meta` a new one.
    """
    created_ms, last_active_ms, head_seq = meta.created_ms, meta.last_active_ms, meta.head_seq
    void = _void_in(records)
    speakers: dict[str, str] = {}
    for recorded in records:
        if recorded.seq not in void:
            meta = _after(meta, recorded, speakers)
        created_ms = created_ms or recorded.ts
        last_active_ms = max(last_active_ms, recorded.ts)
        head_seq = recorded.seq
    return replace(meta, created_ms=created_ms, last_active_ms=last_active_ms, head_seq=head_seq)


def goes_back(records: Iterable[Recorded]) -> bool:
    """Whether the user went back among these events, so that earlier ones count no more."""
    return any(isinstance(recorded.event, Rewound) for recorded in records)


def read_meta(path: Path) -> SessionMeta | None:
    """The cached meta, or None if it is missing or broken."""
    try:
        return msgspec.json.decode(read_regular(path, LARGEST_BYTES), type=SessionMeta)
    except (OSError, msgspec.DecodeError):
        return None


def write_meta(path: Path, meta: SessionMeta) -> None:
    """Replace the cache in one step; the directory must exist. Raises `StoreFailed`."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(msgspec.json.encode(meta) + b"\n")
        temporary.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise StoreFailed(f"{path} could not be written: {error.strerror}. Check space and permissions.") from error


def _void_in(records: Sequence[Recorded]) -> frozenset[int]:
    """Where messages and replies stand that the user took back."""
    voids = Voids()
    for recorded in records:
        if isinstance(recorded.event, Rewound):
            voids = voids.after(recorded.event, recorded.seq)
    if not voids.changes:
        return frozenset()
    posted_at: dict[str, int] = {}
    void: list[int] = []
    for recorded in records:
        event = recorded.event
        if isinstance(event, MessagePosted):
            posted_at[event.message_id] = posted_at.get(event.root_id, recorded.seq)
        root = posted_at.get(event.root_id if isinstance(event, MessagePosted) else recorded.corr, 0)
        if isinstance(event, MessagePosted | ReplyCompleted) and voids.hide(root):
            void.append(recorded.seq)
    return frozenset(void)


def _after(meta: SessionMeta, recorded: Recorded, speakers: dict[str, str]) -> SessionMeta:
    """`meta` after what happened; when that was is not its business. `speakers` are the VPs of turns so far."""
    match recorded.event:
        case SessionCreated() as event:
            return replace(meta, name=event.name, folder=event.folder, roster=event.roster, default_vp=event.default_vp)
        case SessionRenamed(name=name):
            return replace(meta, name=name)
        case RosterChanged() as event:
            return replace(meta, roster=event.roster, default_vp=event.default_vp)
        case SessionTagged() as event:
            return replace(meta, archived=event.archived, labels=event.labels)
        case MessagePosted() as event:
            title = meta.title or (title_of(event.text) if event.kind == "user" else "")
            meta = replace(meta, messages=meta.messages + 1, title=title)
            return with_last_words(meta, event.text, event.sender) if event.kind in SAID_KINDS else meta
        case TurnStarted(turn_id=turn_id, vp_id=vp_id):
            speakers[turn_id] = f"vp:{vp_id}"
            return meta
        case ReplyCompleted(turn_id=turn_id, items=items):
            return with_last_words(meta, text_of(items), speakers.get(turn_id, recorded.src))
        case _:  # a list shows nothing of the rest
            return meta


def with_last_words(meta: SessionMeta, text: str, speaker: str) -> SessionMeta:
    """`meta` after something was said; nothing but space is nothing."""
    words = title_of(text)
    return replace(meta, last_words=words, last_speaker=speaker) if words else meta


def title_of(text: str) -> str:
    """How a message begins: the start of its first paragraph, because what was piped in or attached comes after it.

    The effort that it asks for is no part of it.
    """
    line = " ".join(without_effort(text).strip().partition("\n\n")[0].split())
    return line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1] + "…"
