"""Copies a Session's journal and what belongs to it, whole or up to an earlier place, also while its owner writes."""

import contextlib
import shutil
import sqlite3
from collections.abc import Container

from yeaft.kernel.errors import StoreFailed
from yeaft.store.checkpoints.objects import copy_objects
from yeaft.store.database import failure, open_reader
from yeaft.store.directory import SessionPaths
from yeaft.store.filesystem import PRIVATE_FOLDER, make_private
from yeaft.store.journal import SESSION_STREAM
from yeaft.store.rows import start_of, stream_names

UNFINISHED = shutil.ignore_patterns(".*")
"""Locks, and files that somebody is writing just now."""


def copy_session(
    source: SessionPaths, target: SessionPaths, *, up_to: int | None = None, streams: Container[str] = ()
) -> None:
    """Copy what `source` holds now into the new directory of `target`; lock, logs and caches stay behind.

    With `up_to` nothing that was recorded after that place in the Session's stream is in the copy, and of the other
    streams only `streams`. Raises `StoreFailed`; then nothing is left of the copy.
    """
    try:
        make_private(target.root.parent)
        target.root.mkdir(mode=PRIVATE_FOLDER)
        _copy_journal(source, target, up_to, streams)
        for kept, copy in (
            (source.blobs, target.blobs),
            (source.attachments, target.attachments),
            (source.out, target.out),
        ):
            if kept.is_dir():
                shutil.copytree(kept, copy, symlinks=True, ignore=UNFINISHED)
        copy_objects(source.checkpoints, target.checkpoints)
    except (OSError, sqlite3.Error) as error:
        shutil.rmtree(target.root, ignore_errors=True)
        raise failure(source.db, "copied", error) from error


def _copy_journal(source: SessionPaths, target: SessionPaths, up_to: int | None, streams: Container[str]) -> None:
    reader = open_reader(source.db)
    if reader is None:
        raise StoreFailed(f"{source.db} is gone.")
    with contextlib.closing(reader), contextlib.closing(sqlite3.connect(target.db)) as copy:
        reader.backup(copy)
        if up_to is not None:
            _cut(copy, up_to, streams)


def _cut(copy: sqlite3.Connection, up_to: int, streams: Container[str]) -> None:
    """Take out what comes later, so that nothing of it is left in the file."""
    for number, stream in stream_names(copy):
        if stream == SESSION_STREAM or stream not in streams:
            after = start_of(number) + (up_to if stream == SESSION_STREAM else 0)
            copy.execute("DELETE FROM event WHERE at>? AND at<?", (after, start_of(number + 1)))
    copy.execute("DELETE FROM snapshot")
    copy.commit()
    copy.execute("VACUUM")
