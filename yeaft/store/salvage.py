"""Copies what can still be read of a damaged Session, numbered anew."""

import contextlib
import shutil
import sqlite3
from typing import TypeGuard

import msgspec

from yeaft.kernel.errors import StoreFailed
from yeaft.store.blobs import FileBlobs
from yeaft.store.database import Writing, failure, open_reader
from yeaft.store.directory import SessionPaths
from yeaft.store.filesystem import PRIVATE_FOLDER, make_private
from yeaft.store.rows import StoredRow, rows_after, start_of, stream_names
from yeaft.store.sqlite import is_json
from yeaft.store.writer import INSERT


def salvage_session(source: SessionPaths, target: SessionPaths) -> int:
    """Copy the events of `source` that are whole into the new directory of `target`; return how many are not.

    Events after a lost one are kept as they are, only their numbers close up. Raises `StoreFailed`; then nothing is
    left of the copy.
    """
    try:
        make_private(target.root.parent)
        target.root.mkdir(mode=PRIVATE_FOLDER)
        if source.blobs.is_dir():
            shutil.copytree(source.blobs, target.blobs)
        return _copy_rows(source, target)
    except (OSError, sqlite3.Error) as error:
        shutil.rmtree(target.root, ignore_errors=True)
        raise failure(source.db, "copied", error) from error
    except StoreFailed:
        shutil.rmtree(target.root, ignore_errors=True)
        raise


def _copy_rows(source: SessionPaths, target: SessionPaths) -> int:
    reader = open_reader(source.db)
    if reader is None:
        raise StoreFailed(f"{source.db} is gone.")
    blobs = FileBlobs(source.blobs)
    lost = 0
    seen: set[str] = set()
    with contextlib.closing(reader), contextlib.closing(Writing(target.db)) as writing:
        writing.begin(sync=True)
        for new_number, (number, stream) in enumerate(stream_names(reader), start=1):
            at = start_of(new_number)
            for row in rows_after(reader, number, 0):
                if not _is_whole(row, blobs) or row[1] in seen:
                    lost += 1
                    continue
                at += 1
                seen.add(row[1])
                writing.connection.execute(INSERT, (at, stream, *row[1:]))
        writing.commit()
    return lost


def _is_whole(row: StoredRow | int, blobs: FileBlobs) -> TypeGuard[StoredRow]:
    """Whether every column of a row is what it must be, and its content is there and can be read."""
    try:
        *_, data, sha256 = msgspec.convert(row, StoredRow)
    except msgspec.ValidationError:
        return False
    content = blobs.get(sha256) if sha256 else data
    return content is not None and is_json(content)
