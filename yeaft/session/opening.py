"""Opens the place a Session lives in: a new one, one from before, or a copy; owned by this process and folded."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from yeaft import __version__
from yeaft.events.codec import Event
from yeaft.events.session import (
    MessagePosted,
    NoticePosted,
    OwnerClaimed,
    RosterChanged,
    SessionCreated,
    SessionForked,
    SessionRenamed,
)
from yeaft.kernel import ids
from yeaft.kernel.errors import NotFound, StoreFailed, UsageError
from yeaft.session.ledger import Purse
from yeaft.session.state import SessionState
from yeaft.store.blobs import FileBlobs
from yeaft.store.cost import read_cost
from yeaft.store.directory import SessionPaths, find_session, session_paths
from yeaft.store.index import Index
from yeaft.store.journal import SESSION_STREAM
from yeaft.store.lock import Owner, SessionLock
from yeaft.store.meta import SAID_KINDS, SessionMeta, title_of, with_last_words, write_meta
from yeaft.store.sqlite import SqliteJournal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

logger = logging.getLogger(__name__)


class Wanted(Struct, frozen=True, kw_only=True):
    """Which Session: `ref` names one, `latest` means the newest of the folder, neither a new one.

    A `fork` is a copy, whole or, with `at`, as the Session was just before that message, or at that checkpoint. A
    `roster` given for one from before changes it; a new one without has only the `default_vp`. An owner whose lease has
    `expired` is put out. It `is_passing` who opens it for a short change alone.
    """

    ref: str = ""
    latest: bool = False
    fork: bool = False
    at: str = ""
    take_over: bool = False
    expired: Owner | None = None
    is_passing: bool = False
    name: str = ""
    roster: tuple[str, ...] = ()
    default_vp: str = ""
    lang: str = "en"


class Room(Struct, frozen=True, kw_only=True):
    """An open Session directory. `opening` is what the first append must begin with; until then nothing is written.

    `purse` has what the Session has cost; every ledger of the journal pays from it.
    """

    paths: SessionPaths
    journal: SqliteJournal
    blobs: FileBlobs
    lock: SessionLock
    state: SessionState
    epoch: int
    purse: Purse
    opening: tuple[Event, ...] = ()

    async def aclose(self) -> None:
        """Close the journal, refresh what a list shows, give the Session up. Without events nothing is left.

        What a list shows is a cache: where it cannot be written, lists read the journal.
        """
        await self.journal.close()
        is_mine = self.lock.is_current
        if is_mine and self.state.created is not None:
            try:
                write_meta(self.paths.meta, replace(meta_of(self.state), cost=self.purse.cost))
            except StoreFailed as error:
                logger.warning("%s", error)
        self.lock.release()
        if is_mine and self.state.created is None:
            shutil.rmtree(self.paths.root, ignore_errors=True)


def open_room(home: Path, folder: Path, wanted: Wanted) -> Room:
    """Open or prepare a Session and own it.

    Raises `NotFound` if there is no such Session, `SessionBusy` if another process owns it, `StoreFailed` if its
    journal cannot be read or was written by a newer yeaft.
    """
    earlier = _earlier(home, folder, wanted)
    if earlier is None:
        room = _owned(session_paths(home, ids.new_session_id()), wanted)
        roster = wanted.roster or (wanted.default_vp,)
        created = SessionCreated(
            session_id=room.paths.session_id,
            name=wanted.name,
            folder=str(folder),
            roster=roster,
            default_vp=roster[0],
            lang=wanted.lang,
            app_version=__version__,
        )
        return replace(room, opening=(created, _claim(room)))
    if wanted.fork:
        target = session_paths(home, ids.new_session_id())
        damaged = _copied(earlier, target, wanted.at)
        room = _owned(target, wanted)
        forked = SessionForked(from_session=earlier.session_id, from_seq=room.state.head)
        named = wanted if wanted.name or not room.state.name else replace(wanted, name=f"{room.state.name} (fork)")
        return replace(room, opening=(_claim(room), forked, *damaged, *_changes(named)))
    room = _owned(earlier, wanted)
    if room.state.created is None:
        room.lock.release()
        raise nothing_left(earlier)
    return replace(room, opening=(_claim(room), *_losses(room), *_changes(wanted)))


def nothing_left(paths: SessionPaths) -> StoreFailed:
    """Return what is said of a Session whose journal holds nothing of it; what else is in its directory stays there."""
    return StoreFailed(
        f"{paths.db} holds no Session any more: its events, or the file {paths.db.name}-wal that had them, are gone. "
        f"Restore them from a copy, or delete what is left: yeaft session rm {paths.session_id}"
    )


def meta_of(state: SessionState) -> SessionMeta:
    """Return what a list shows of a Session, but for what it has cost."""
    assert state.created is not None
    messages = [message for message in state.messages.values() if not state.is_void(message.message_id)]
    first = next((message.text for message in messages if message.kind == "user"), "")
    meta = SessionMeta(
        session_id=state.session_id,
        name=state.name,
        title=title_of(first),
        folder=state.created.folder,
        roster=state.roster,
        default_vp=state.default_vp,
        created_ms=state.created_ms,
        last_active_ms=state.last_active_ms,
        head_seq=state.head,
        messages=len(messages),
        archived=state.archived,
        labels=state.labels,
        last_words="",
    )
    for _, text, speaker in sorted(_last_said(state, messages)):
        meta = with_last_words(meta, text, speaker)
    return meta


def _last_said(state: SessionState, messages: Sequence[MessagePosted]) -> Iterator[tuple[int, str, str]]:
    """Yield where what was said last stands, with its text and speaker: the last message, and the last answer."""
    for message in reversed(messages):
        if message.kind in SAID_KINDS and message.text.strip():
            yield state.posted_at[message.message_id], message.text, message.sender
            break
    answers = (
        (state.ended_at.get(turn_id, state.head), turn.final_text, f"vp:{turn.started.vp_id}")
        for turn_id, turn in reversed(state.turns.items())
        if not state.is_void(turn.started.message_id)
    )
    answered = next((answer for answer in answers if answer[1].strip()), None)
    if answered:
        yield answered


def _earlier(home: Path, folder: Path, wanted: Wanted) -> SessionPaths | None:
    """Return the Session that is meant; None for a new one."""
    if wanted.at and not wanted.fork:
        raise UsageError("--at says where a copy is cut: add --fork, with -c or -r ID.")
    if wanted.ref:
        return find_session(home, wanted.ref, folder=str(folder))
    if not wanted.latest:
        if wanted.fork:
            raise UsageError("--fork needs a Session to copy: add -c, or -r ID.")
        return None
    here = Index(home).rows(folder=str(folder))
    if not here:
        raise NotFound(f"No Session in {folder} yet. `yeaft session ls --all` lists those of other folders.")
    return session_paths(home, here[0].session_id)


def _copied(source: SessionPaths, target: SessionPaths, at: str) -> tuple[NoticePosted, ...]:
    """Copy a Session, whole, up to `at` or what is left of it, and return what its users must be told."""
    from yeaft.session.artifacts.recorded import leave_artifacts
    from yeaft.session.forking import cut_of
    from yeaft.store.copying import copy_session

    journal = SqliteJournal.for_reading(source.db, FileBlobs(source.blobs))
    records = journal.read(SESSION_STREAM)
    if not journal.needs_mending:
        cut = cut_of(records, source.session_id, at) if at else None
        copy_session(source, target, up_to=cut.seq if cut else None, streams=cut.streams if cut else ())
        if cut:
            leave_artifacts(target.out, records[: cut.seq])
        return ()
    if at:
        raise StoreFailed(f"Session {source.session_id} is damaged; fork it as a whole first, then that copy.")
    from yeaft.store.salvage import salvage_session

    lost = salvage_session(source, target)
    params = {"count": str(lost), "path": str(source.db)}
    return (NoticePosted(code="sessions.damaged", params=params, level="warn"),)


def _losses(room: Room) -> tuple[NoticePosted, ...]:
    """Return what users of a damaged Session must be told, once: it goes on with what is left."""
    damage = room.journal.damage
    if not damage and not room.journal.needs_mending:
        return ()
    from yeaft.store.salvage import kept_path  # only where something is damaged

    params = {"count": str(len(damage)), "path": str(room.paths.db)}
    code = "sessions.damaged"
    if room.journal.needs_mending:
        code, params = "sessions.mended", {"count": str(len(damage)), "path": str(kept_path(room.paths.db))}
    is_told = (code, *params.values()) in room.state.told
    return () if is_told else (NoticePosted(code=code, params=params, level="warn"),)


def _owned(paths: SessionPaths, wanted: Wanted) -> Room:
    lock = SessionLock.take(
        paths.root, take_over=wanted.take_over, expired=wanted.expired, is_passing=wanted.is_passing
    )
    try:
        blobs = FileBlobs(paths.blobs)
        journal = SqliteJournal(paths.db, blobs)
        state = SessionState(paths.session_id)
        records = journal.read(SESSION_STREAM)
        for recorded in records:
            state.apply(recorded)
        epoch = max((recorded.epoch for recorded in records), default=0) + 1
        purse = Purse(read_cost(journal))
    except BaseException:
        lock.release()
        raise
    if state.needs_upgrade:
        lock.release()
        raise StoreFailed(f"Session {paths.session_id} was written by a newer yeaft; it can only be read here.")
    return Room(paths=paths, journal=journal, blobs=blobs, lock=lock, state=state, epoch=epoch, purse=purse)


def _changes(wanted: Wanted) -> Sequence[Event]:
    """Return the events by which flags change a Session from before."""
    changes: list[Event] = []
    if wanted.name:
        changes.append(SessionRenamed(name=wanted.name))
    if wanted.roster:
        changes.append(RosterChanged(roster=wanted.roster, default_vp=wanted.roster[0], reason="user"))
    return changes


def _claim(room: Room) -> OwnerClaimed:
    owner = room.lock.owner
    return OwnerClaimed(pid=owner.pid, host=owner.host, started_at=owner.start_time)
