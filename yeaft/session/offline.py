"""Reads and changes Sessions that no conversation is going on in: list, rename, archive, fork, import, delete."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.artifacts.keeping import restore
from yeaft.artifacts.store import ArtifactStore
from yeaft.events.codec import Recorded
from yeaft.events.history import AttachmentAdded
from yeaft.events.session import NoticePosted, OwnerReleased, SessionCreated
from yeaft.kernel import ids
from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.errors import BadData, SessionBusy, StoreFailed
from yeaft.session.artifacts.recorded import checked_artifacts
from yeaft.session.ledger import Ledger
from yeaft.session.opening import Room, Wanted, nothing_left, open_room
from yeaft.session.passing import Tell, nothing, open_in_passing
from yeaft.session.state import SessionState
from yeaft.store.attachments import Attachments, kept_name
from yeaft.store.blobs import FileBlobs
from yeaft.store.directory import SessionPaths, find_session, list_session_ids, session_paths
from yeaft.store.journal import SESSION_STREAM
from yeaft.store.lock import SessionLock
from yeaft.store.sqlite import SqliteJournal
from yeaft.store.task_files import task_places
from yeaft.tools.shell.task_fate import fate

if TYPE_CHECKING:
    from yeaft.events.codec import Event


class Reading(Struct, frozen=True, kw_only=True):
    """A Session as its journal had it when it was read; `damaged` counts events that could not be read whole."""

    paths: SessionPaths
    records: tuple[Recorded, ...]
    state: SessionState
    damaged: int


def read_session(home: Path, ref: str) -> Reading:
    """Read a Session, also while another process owns it. Raises `NotFound`, or `StoreFailed` if it has no journal."""
    paths = find_session(home, ref)
    journal = SqliteJournal.for_reading(paths.db, FileBlobs(paths.blobs))
    records = tuple(journal.read(SESSION_STREAM))
    state = SessionState(paths.session_id)
    for recorded in records:
        state.apply(recorded)
    if state.created is None:
        raise nothing_left(paths)
    return Reading(paths=paths, records=records, state=state, damaged=len(journal.damage))


async def append_offline(
    home: Path, ref: str, events: Sequence[Event], *, take_over: bool = False, tell: Tell = nothing
) -> None:
    """Own a Session for as long as it takes to append what the user did to it; see `open_in_passing`.

    Raises `NotFound`, `SessionBusy` if another process owns it, `StoreFailed`. `take_over` as in `SessionLock.take`.
    """
    await _append(await open_in_passing(home, ref, take_over=take_over, tell=tell), events)


async def fork_offline(home: Path, ref: str, name: str, at: str = "") -> tuple[str, tuple[NoticePosted, ...]]:
    """Copy a Session as it is now, also while another process owns it; a damaged one as far as it can be read.

    With `at` it is copied as it was before that message or at that checkpoint; see `target_of`.

    Return the id of the copy, and what its user must be told.
    """
    room = open_room(home, Path(), Wanted(ref=ref, fork=True, name=name, at=at))
    await _append(room, ())
    return room.paths.session_id, tuple(event for event in room.opening if isinstance(event, NoticePosted))


async def import_session(
    home: Path,
    records: Sequence[Recorded],
    blobs: Sequence[tuple[bytes, str]],
    files: Sequence[tuple[str, bytes]] = (),
    artifacts: Sequence[tuple[str, bytes]] = (),
) -> str:
    """Write what was exported as a Session and return its id: the one it had or, where that is taken, a new one.

    `blobs` are contents with their media types, `files` attachments by their names in the Session, `artifacts` those by
    their paths. Raises `BadData` if `records` are no whole journal, or name other files than these; then nothing is
    written.
    """
    _check_whole(records)
    attached = _checked_files(records, files)
    kept_artifacts = checked_artifacts(records, artifacts)
    created = next(record.event for record in records if isinstance(record.event, SessionCreated))
    taken = created.session_id in list_session_ids(home)
    paths = session_paths(home, ids.new_session_id() if taken else created.session_id)
    with SessionLock.take(paths.root):
        kept = FileBlobs(paths.blobs)
        journal = SqliteJournal(paths.db, kept)
        try:
            for content, mime in blobs:
                kept.put(content, mime)
            for event, content in attached:
                Attachments(paths.attachments).keep(event.name, content)
            if kept_artifacts:
                restore(ArtifactStore(paths.out), kept_artifacts)
            last = sorted(records, key=lambda record: record.stream == SESSION_STREAM)  # it claims the others
            for (stream, epoch), run in groupby(last, lambda record: (record.stream, record.epoch)):
                events = list(run)
                await journal.append(stream, events[0].seq - 1, epoch, events, sync=True)
        except StoreFailed:
            await journal.close()
            shutil.rmtree(paths.root, ignore_errors=True)
            raise
        await journal.close()
    return paths.session_id


def _checked_files(
    records: Sequence[Recorded], files: Sequence[tuple[str, bytes]]
) -> list[tuple[AttachmentAdded, bytes]]:
    """Pair what was attached with its content, where that came along; an export may have been edited."""
    events = {record.event.file: record.event for record in records if isinstance(record.event, AttachmentAdded)}
    found: list[tuple[AttachmentAdded, bytes]] = []
    for name, content in files:
        event = events.get(name)
        digest = hashlib.sha256(content).hexdigest()
        if event is None or event.sha256 != digest or kept_name(event.name, digest) != name:
            raise BadData(f"The attachment {name!r} is not the one that was attached: its name or content differs.")
        found.append((event, content))
    return found


def delete_session(home: Path, ref: str, *, take_over: bool = False) -> str:
    """Delete a Session with everything in its directory and return its id.

    Raises `NotFound`, `SessionBusy` if another process owns it or one of its tasks still runs, `StoreFailed` if
    something cannot be deleted.
    """
    paths = find_session(home, ref)
    lock = SessionLock.take(paths.root, take_over=take_over)
    try:
        _refuse_running_tasks(paths)
        paths.db.unlink(missing_ok=True)  # first, so that whatever stays behind is no Session any more
        shutil.rmtree(paths.root)
    except OSError as error:
        raise StoreFailed(f"{paths.root} cannot be deleted: {error.strerror}. Check its permissions.") from error
    finally:
        lock.release()
    return paths.session_id


def _refuse_running_tasks(paths: SessionPaths) -> None:
    """A task whose directory is gone could not be found, followed or ended any more."""
    for place in task_places(paths.tasks):
        record = fate(place)
        if record is not None and record.state == "running":
            raise SessionBusy(
                f"Task {record.task_id} ({record.title}) of Session {paths.session_id} still runs. End it first: "
                f"yeaft task cancel {record.task_id}"
            )


async def _append(room: Room, events: Sequence[Event]) -> None:
    try:
        ledger = Ledger(room.journal, room.state, wall_clock_ms, room.epoch, purse=room.purse)
        await ledger.post((*room.opening, *events, OwnerReleased()), src="user", sync=True)
    finally:
        await room.aclose()


def _check_whole(records: Sequence[Recorded]) -> None:
    own = [record for record in records if record.stream == SESSION_STREAM]
    if not own or not isinstance(own[0].event, SessionCreated):
        raise BadData("This is no exported Session: its first event must be session.created.")
    heads: dict[str, int] = {}
    for record in records:
        expected = heads.get(record.stream, 0) + 1
        if record.seq != expected:
            raise BadData(f"Event {expected} of the stream {record.stream} is missing; {record.seq} comes instead.")
        heads[record.stream] = expected
    if not _is_safe_id(own[0].event.session_id):
        raise BadData(f"{own[0].event.session_id!r} cannot be the id of a Session.")


def _is_safe_id(session_id: str) -> bool:
    """Whether the id can name a directory; an export may have been edited."""
    return len(session_id) == ids.SESSION_ID_LENGTH and set(session_id) <= set(ids.CROCKFORD)
