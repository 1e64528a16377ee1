"""What a list shows of a Session: a fold of its journal, cached in `meta.json` beside it."""

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from yeaft.config.regular import read_regular
from yeaft.events.codec import Recorded
from yeaft.events.session import MessagePosted, RosterChanged, SessionCreated, SessionRenamed, SessionTagged
from yeaft.kernel.errors import StoreFailed

META_NAME = "meta.json"
TITLE_CHARS = 60
LARGEST_BYTES = 64 * 1024


class SessionMeta(Struct, frozen=True, kw_only=True):
    """One line of a list of Sessions, true up to and including the event `head_seq`.

    `name` is what the user called it, `title` how the first message begins; None means that nobody has looked, and
    that the name may be a title: that is how yeaft 0.1.0 wrote both. Times are UTC milliseconds; `messages` counts
    everything that was posted to VPs, hand-offs included.
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


def new_meta(session_id: str) -> SessionMeta:
    """The meta of a Session in which nothing has happened; what `fold_meta` begins with."""
    return SessionMeta(session_id=session_id, title="")


def fold_meta(meta: SessionMeta, records: Iterable[Recorded]) -> SessionMeta:
    """`meta` after the events of the stream `session` that follow `meta.head_seq`."""
    created_ms, last_active_ms, head_seq = meta.created_ms, meta.last_active_ms, meta.head_seq
    for recorded in records:
        meta = _after(meta, recorded)
        created_ms = created_ms or recorded.ts
        last_active_ms = max(last_active_ms, recorded.ts)
        head_seq = recorded.seq
    return replace(meta, created_ms=created_ms, last_active_ms=last_active_ms, head_seq=head_seq)


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
        temporary.unlink(missing_ok=True)
        raise StoreFailed(f"{path} could not be written: {error.strerror}. Check space and permissions.") from error


def _after(meta: SessionMeta, recorded: Recorded) -> SessionMeta:
    """`meta` after what happened; when that was is not its business."""
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
            return replace(meta, messages=meta.messages + 1, title=title)
        case _:  # a list shows nothing of the rest
            return meta


def title_of(text: str) -> str:
    """How a message begins: the start of its first paragraph, because what was piped in or attached comes after it."""
    line = " ".join(text.strip().partition("\n\n")[0].split())
    return line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1] + "…"
