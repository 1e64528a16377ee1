"""Looks for what is damaged or missing in a Session's directory; it changes nothing there."""

import contextlib
import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from yeaft.events.artifact import ArtifactStored
from yeaft.events.call import CallFinished
from yeaft.events.codec import Recorded, UnknownEvent, is_newer
from yeaft.events.history import AttachmentAdded
from yeaft.events.turn import ReplyCompleted
from yeaft.kernel.errors import JournalDamaged, StoreFailed
from yeaft.store.attachments import Attachments
from yeaft.store.blobs import FileBlobs
from yeaft.store.database import open_reader
from yeaft.store.directory import SessionPaths
from yeaft.store.journal import SESSION_STREAM
from yeaft.store.lock import SessionLock
from yeaft.store.recovery import recovered
from yeaft.store.references import blobs_of
from yeaft.store.row import LOST_TYPE
from yeaft.store.salvage import Mending, kept_paths, mend
from yeaft.store.sqlite import SqliteJournal

Kind = Literal[
    "unreadable",  # nothing of the journal can be read
    "newer",  # events that only a newer yeaft understands
    "file_damaged",  # pages of the journal's file are bad
    "log_cut",  # the write-ahead log has events that SQLite does not see
    "event_lost",
    "end_lost",  # a list of Sessions has known of more events than there are
    "event_garbled",
    "event_blob_gone",  # the content of an event
    "blob_gone",  # what an event refers to
    "attachment_gone",
    "attachment_changed",
    "artifact_gone",
    "artifact_changed",
]
Remark = Literal["lost_earlier", "kept_file", "call_open"]
MENDABLE: tuple[Kind, ...] = ("file_damaged", "log_cut", "event_lost")
MOST_NAMED = 1000
_WHAT: Mapping[str, Kind] = {
    "row_lost": "event_lost",
    "end_lost": "end_lost",
    "content_garbled": "event_garbled",
    "blob_gone": "event_blob_gone",
}


class Finding(Struct, frozen=True, kw_only=True):
    """Something that is not as it should be: `where` is a stream and place, a file, or the id of a call."""

    kind: Kind
    where: str


class Noticed(Struct, frozen=True, kw_only=True):
    """Something worth knowing that is in order: calls that the next opening closes, what earlier repairs left."""

    kind: Remark
    where: str


class Checkup(Struct, frozen=True, kw_only=True):
    """The state of one Session. `events` counts those of all streams that can be read."""

    events: int
    findings: tuple[Finding, ...]
    noticed: tuple[Noticed, ...]

    @property
    def can_be_mended(self) -> bool:
        """Whether a whole journal can be made of what is left."""
        return any(finding.kind in MENDABLE for finding in self.findings)


def check_up(paths: SessionPaths) -> Checkup:
    """Look at all of a Session's journal and at whatever it names; also while another process owns the Session."""
    journal = SqliteJournal.for_reading(paths.db, FileBlobs(paths.blobs))
    places = _places(paths)
    try:
        records = {stream: journal.read(stream) for stream in journal.streams()}
    except StoreFailed as error:
        return Checkup(events=0, findings=(Finding(kind="unreadable", where=str(error)),), noticed=())
    if not records.get(SESSION_STREAM):
        return Checkup(events=0, findings=(Finding(kind="unreadable", where=str(paths.db)),), noticed=())
    findings = [*_in_file(paths), *_in_journal(journal, records)]
    is_damaged = any(finding.kind in MENDABLE for finding in findings)
    if not is_damaged and (missed := _hidden(paths, places)):
        findings.append(Finding(kind="log_cut", where=f"{paths.db}-wal ({len(missed)})"))
    every = [recorded for stream in records.values() for recorded in stream]
    findings += [*_in_blobs(paths, every), *_in_attachments(paths, every), *_in_artifacts(paths, every)]
    return Checkup(
        events=sum(recorded.type != LOST_TYPE for recorded in every),
        findings=tuple(findings),
        noticed=tuple(_noticed(paths, journal, every)),
    )


def repair(paths: SessionPaths, *, take_over: bool = False) -> Mending | None:
    """Make a whole journal of a damaged one, which is kept beside it; None if there is nothing to mend.

    Raises `SessionBusy` if another process owns the Session, and `StoreFailed`. `take_over` as in `SessionLock.take`.
    """
    with SessionLock.take(paths.root, take_over=take_over):
        return mend(paths.db) if check_up(paths).can_be_mended else None


def _places(paths: SessionPaths) -> set[int]:
    """Each place at which the files know an event, whatever SQLite makes of them."""
    try:
        return set(recovered(paths.db).places)
    except OSError:
        return set()


def _hidden(paths: SessionPaths, places: set[int]) -> set[int]:
    """Which of these places SQLite does not see; none where it cannot look, as on a disk that is read-only."""
    try:
        reader = open_reader(paths.db, in_passing=True)
        if reader is None:
            return set()
        with contextlib.closing(reader):
            return places - {at for (at,) in reader.execute("SELECT at FROM event")}
    except (StoreFailed, sqlite3.Error):
        return set()


def _in_file(paths: SessionPaths) -> Iterator[Finding]:
    """What SQLite has against the file, said once."""
    try:
        reader = open_reader(paths.db, in_passing=True)
        if reader is None:
            return
        with contextlib.closing(reader):
            complaints = reader.execute("PRAGMA integrity_check(1)").fetchall()
    except (JournalDamaged, sqlite3.DatabaseError):
        complaints = [("damaged",)]
    except StoreFailed:
        return
    if complaints != [("ok",)]:
        yield Finding(kind="file_damaged", where=str(paths.db))


def _in_journal(journal: SqliteJournal, records: Mapping[str, Sequence[Recorded]]) -> Iterator[Finding]:
    for damage in journal.damage[:MOST_NAMED]:
        yield Finding(kind=_WHAT[damage.what], where=f"{damage.stream} {damage.seq}")
    for stream, events in records.items():
        for recorded in events:
            if isinstance(recorded.event, UnknownEvent) and is_newer(recorded.event):
                yield Finding(kind="newer", where=f"{stream} {recorded.seq} {recorded.type}")


def _in_blobs(paths: SessionPaths, records: Iterable[Recorded]) -> Iterator[Finding]:
    blobs = FileBlobs(paths.blobs)
    named = {ref.sha256 for recorded in records for ref in blobs_of(recorded.event)}
    for sha256 in sorted(named):
        if blobs.get(sha256) is None:
            yield Finding(kind="blob_gone", where=str(blobs.path(sha256)))


def _in_attachments(paths: SessionPaths, records: Iterable[Recorded]) -> Iterator[Finding]:
    for recorded in records:
        event = recorded.event
        if not isinstance(event, AttachmentAdded):
            continue
        if Attachments(paths.attachments).read(event.file, event.sha256) is None:
            path = paths.attachments / event.file
            yield Finding(kind="attachment_changed" if path.exists() else "attachment_gone", where=str(path))


def _in_artifacts(paths: SessionPaths, records: Iterable[Recorded]) -> Iterator[Finding]:
    stored = {one.event.path: one.event for one in records if isinstance(one.event, ArtifactStored)}
    for event in stored.values():
        path = paths.out / event.path
        if _digest(path) != event.sha256:
            yield Finding(kind="artifact_changed" if path.exists() else "artifact_gone", where=str(path))


def _digest(path: Path) -> str:
    """The SHA-256 of an ordinary file, not of one that a link leads to; empty if there is none."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest() if path.is_file() else ""
    except OSError:
        return ""


def _noticed(paths: SessionPaths, journal: SqliteJournal, records: Sequence[Recorded]) -> Iterator[Noticed]:
    newly = {(damage.stream, damage.seq) for damage in journal.damage}
    for recorded in records:
        if recorded.type == LOST_TYPE and (recorded.stream, recorded.seq) not in newly:
            yield Noticed(kind="lost_earlier", where=f"{recorded.stream} {recorded.seq}")
    for kept in kept_paths(paths.db):
        yield Noticed(kind="kept_file", where=str(kept))
    asked = {call.call_id for one in records if isinstance(one.event, ReplyCompleted) for call in one.event.calls}
    finished = {one.event.call_id for one in records if isinstance(one.event, CallFinished)}
    for call_id in sorted(asked - finished):
        yield Noticed(kind="call_open", where=call_id)
