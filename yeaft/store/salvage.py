"""Makes a whole journal of what is left of a damaged one: as a copy, in its place, or in memory for reading."""

import contextlib
import os
import shutil
import sqlite3
from pathlib import Path

from msgspec import Struct

from yeaft.events.codec import Event, Recorded, UnknownEvent
from yeaft.kernel import ids
from yeaft.kernel.errors import JournalDamaged, StoreFailed
from yeaft.store.beginning import beginning_of, is_beginning
from yeaft.store.checkpoints.objects import copy_objects
from yeaft.store.database import COMPANIONS, INSERT, MENDED, STREAM_SPAN, TABLES, failure, put_in_place
from yeaft.store.directory import SessionPaths
from yeaft.store.filesystem import PRIVATE_FOLDER, make_private, sync_path
from yeaft.store.meta import META_NAME
from yeaft.store.recovery import Left, TableRow, recovered
from yeaft.store.row import LOST_TYPE, row_of

KEPT = ".damaged"
"""What the name of a damaged file ends with, before a number, once another has its place."""
LOST_DATA = f'{{"type":"{LOST_TYPE}"}}'.encode()


Place = tuple[str, int]
"""A stream and a `seq` in it."""


class Filled(Struct, frozen=True):
    """All events of a journal without a gap, and which of them only stand in the place of one that is lost."""

    rows: list[TableRow]
    lost: tuple[Place, ...]


class Mending(Struct, frozen=True, kw_only=True):
    """What was done: where the damaged journal is now, and which events the new one has lost."""

    kept: Path
    lost: tuple[Place, ...]


def salvage_session(source: SessionPaths, target: SessionPaths) -> int:
    """Copy the events of `source` that are left into the new directory of `target`; return how many are lost.

    All events keep their numbers; in the place of a lost one stands one that says so. Raises `StoreFailed`; then
    nothing is left of the copy.
    """
    try:
        make_private(target.root.parent)
        target.root.mkdir(mode=PRIVATE_FOLDER)
        for part, copy in (
            (source.blobs, target.blobs),
            (source.attachments, target.attachments),
            (source.out, target.out),
        ):
            if part.is_dir():
                shutil.copytree(part, copy, symlinks=True)
        copy_objects(source.checkpoints, target.checkpoints)
        filled = _filled(_left_of(source.db), source.root)
        _write(target.db, filled.rows)
    except (OSError, sqlite3.Error) as error:
        shutil.rmtree(target.root, ignore_errors=True)
        raise failure(source.db, "copied", error) from error
    except StoreFailed:
        shutil.rmtree(target.root, ignore_errors=True)
        raise
    return len(filled.lost)


def mend(path: Path) -> Mending:
    """Put a whole journal in the place of a damaged one, of which its owner must have no other connection open.

    The damaged one is kept byte for byte beside it. Raises `StoreFailed`.
    """
    try:
        put_in_place(path)
        filled = _filled(_left_of(path), path.parent)
        kept = kept_path(path)
        for end in ("-wal", ""):
            _copy(path.with_name(path.name + end), kept.with_name(kept.name + end))
        temporary = path.with_name(f"{path.name}.{os.getpid()}")
        temporary.unlink(missing_ok=True)
        _write(temporary, filled.rows)
        sync_path(temporary)
        temporary.replace(path.with_name(path.name + MENDED))
        sync_path(path.parent)
        put_in_place(path)
        path.with_name(META_NAME).unlink(missing_ok=True)  # it may know of events that are lost now
    except (OSError, sqlite3.Error) as error:
        raise failure(path, "mended", error) from error
    return Mending(kept=kept, lost=filled.lost)


def kept_path(path: Path) -> Path:
    """Where the next damaged journal is kept."""
    number = 1
    while (kept := path.with_name(f"{path.name}{KEPT}-{number}")).exists():
        number += 1
    return kept


def kept_paths(path: Path) -> list[Path]:
    """The damaged journals that were kept, without their logs."""
    found = path.parent.glob(f"{path.name}{KEPT}-*")
    return sorted(kept for kept in found if not kept.name.endswith(COMPANIONS))


def rescued(path: Path) -> tuple[sqlite3.Connection, tuple[Place, ...]]:
    """A journal in memory as mending would make it, and what is lost. Raises `JournalDamaged` and `OSError`."""
    filled = _filled(_left_of(path), path.parent)
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.executescript(TABLES)
    connection.executemany(INSERT, filled.rows)
    return connection, filled.lost


def _left_of(path: Path) -> Left:
    left = recovered(path)
    if not left.rows:
        raise JournalDamaged(f"Nothing can be read from {path}. Restore it from a copy, or delete it.")
    return left


def _filled(left: Left, directory: Path) -> Filled:
    """The events, with something in the place of each that is missing before the last one of its stream."""
    filled: list[TableRow] = []
    lost: list[Place] = []
    seen: set[str] = set()
    neighbours = {at // STREAM_SPAN: row for at, row in reversed(left.rows.items())}
    for at in left.places:
        number = at // STREAM_SPAN
        for place in range(max(number * STREAM_SPAN, filled[-1][0] if filled else 0) + 1, at + 1):
            row = left.rows.get(place)
            if row is None or row[2] in seen:
                row = _substitute(place, neighbours[number], directory)
                lost.append((row[1], place % STREAM_SPAN))
            filled.append(row)
            seen.add(row[2])
            neighbours[number] = row
    return Filled(filled, tuple(lost))


def _substitute(at: int, neighbour: TableRow, directory: Path) -> TableRow:
    lost = lost_event(neighbour[1], at % STREAM_SPAN, None, directory)
    row = row_of(lost)
    envelope = (at, lost.stream, row.id, row.type, row.version, neighbour[5], row.src, row.cause, row.corr)
    return (*envelope, neighbour[9], row.data, row.sha256)


def lost_event(stream: str, seq: int, before: Recorded | None, directory: Path) -> Recorded:
    """What stands in the place of an event that is lost; time and epoch are those of the one before it, if any."""
    event: Event | UnknownEvent = UnknownEvent(type=LOST_TYPE, version=1, raw=LOST_DATA)
    return Recorded(
        id=ids.derive("e_", stream, LOST_TYPE, seq),
        stream=stream,
        seq=seq,
        ts=before.ts if before else 0,
        src="engine",
        cause="",
        corr="",
        epoch=before.epoch if before else 0,
        event=beginning_of(directory) if is_beginning(stream, seq) else event,
    )


def _write(path: Path, rows: list[TableRow]) -> None:
    """Make a journal of these events, without a write-ahead log."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(TABLES)
        connection.execute("BEGIN")
        connection.executemany(INSERT, rows)
        connection.execute("COMMIT")


def _copy(source: Path, target: Path) -> None:
    if source.is_file():
        shutil.copyfile(source, target)
        sync_path(target)
