"""Where a search looks: the journal of a Session, with those of its sub-agents, and the logs of its tasks."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from yeaft.store.blobs import FileBlobs
from yeaft.store.directory import SessionPaths
from yeaft.store.filesystem import stamp_of
from yeaft.store.journal import SESSION_STREAM, STEP_STREAMS
from yeaft.store.search_index import SourceKey
from yeaft.store.spoken import Conversation, Spoken
from yeaft.store.sqlite import SqliteJournal
from yeaft.store.task_files import ID_PREFIX, log_of, read_record
from yeaft.store.task_log import read_tail

LOG_NAME = "log"
LOG_BYTES = 1024 * 1024
"""Of a longer log only the end is looked through."""
WINDOW_BYTES = 4096


class Source(Struct, frozen=True, kw_only=True):
    """A journal or log: `stamp` changes when it does, `read` gives what was said in it and may raise `StoreFailed`."""

    key: SourceKey
    stamp: str
    read: Callable[[], Sequence[Spoken]]


def sources_of(paths: SessionPaths, clean: Callable[[str], str], *, with_tasks: bool) -> Iterator[Source]:
    """The journal of a Session, and the logs of its tasks if they are wanted."""
    journal = (paths.db, paths.db.with_name(paths.db.name + "-wal"))
    yield Source(key=(paths.session_id, ""), stamp=stamp_of(journal), read=lambda: said_in(paths))
    for place in _task_places(paths.tasks) if with_tasks else ():
        record = read_record(place)
        log = log_of(place, record) if record else place / LOG_NAME
        if log.is_file():
            yield _log_source(paths, place, log, record.ended_ms if record else 0, clean)


def said_in(paths: SessionPaths) -> list[Spoken]:
    """All that was said in a Session, by its sub-agents and in steps of graphs too. Raises `StoreFailed`."""
    journal = SqliteJournal.for_reading(paths.db, FileBlobs(paths.blobs))
    conversation = Conversation(journal.read(SESSION_STREAM))
    said = list(conversation.said())
    for spawned in conversation.agents.values():
        said += conversation.said_by_agent(spawned, journal.read(spawned.stream))
    for stream in journal.streams():
        if stream.startswith(STEP_STREAMS):
            inner = Conversation(journal.read(stream)).said()
            said += (replace(one, within=stream.removeprefix(STEP_STREAMS)) for one in inner)
    return said


def _task_places(tasks: Path) -> list[Path]:
    try:
        return [place for place in tasks.iterdir() if place.name.startswith(ID_PREFIX)]
    except OSError:
        return []


def _log_source(paths: SessionPaths, place: Path, log: Path, ended_ms: int, clean: Callable[[str], str]) -> Source:
    def read() -> list[Spoken]:
        return list(_printed(place.name, log, ended_ms or _changed_ms(log), clean))

    return Source(key=(paths.session_id, place.name), stamp=stamp_of((log,)), read=read)


def _printed(task_id: str, log: Path, ts: int, clean: Callable[[str], str]) -> Iterator[Spoken]:
    """What a task printed, in pieces of whole lines whose borders do not move when more is printed."""
    portion = read_tail(log, LOG_BYTES)
    for start, end in _pieces(portion.content, portion.offset):
        raw = portion.content[start - portion.offset : end - portion.offset]
        text = clean(raw.decode("utf-8", "replace"))
        if text.strip():
            yield Spoken(
                message_id=f"{task_id}:{start}-{end}",
                seq=start,
                ts=ts,
                source=f"task:{task_id}",
                text=text,
                within=task_id,
            )


def _pieces(content: bytes, offset: int) -> Iterator[tuple[int, int]]:
    """The borders of the pieces, counted from the first byte of the log: each is the end of a line near a window's.

    Bytes before the first border are left out where `content` does not begin with the first byte.
    """
    end = offset + len(content)
    start = min(end, _border(content, offset, offset // WINDOW_BYTES + 2)) if offset else 0
    for number in range(start // WINDOW_BYTES + 1, end // WINDOW_BYTES + 2):
        border = min(end, _border(content, offset, number))
        if border > start:
            yield start, border
            start = border


def _border(content: bytes, offset: int, number: int) -> int:
    at = number * WINDOW_BYTES - offset
    line_end = content.find(b"\n", at - 1, at + WINDOW_BYTES)
    return offset + (line_end + 1 if line_end >= 0 else at + WINDOW_BYTES)


def _changed_ms(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns // 1_000_000
    except OSError:
        return 0
