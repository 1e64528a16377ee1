"""Copies a Session's journal and blobs, also while its owner writes."""

import contextlib
import shutil
import sqlite3

from yeaft.kernel.errors import StoreFailed
from yeaft.store.database import failure, open_reader
from yeaft.store.directory import SessionPaths
from yeaft.store.filesystem import PRIVATE_FOLDER, make_private


def copy_session(source: SessionPaths, target: SessionPaths) -> None:
    """Copy what `source` holds now into the new directory of `target`; lock, logs and caches stay behind.

    Raises `StoreFailed`; then nothing is left of the copy.
    """
    try:
        make_private(target.root.parent)
        target.root.mkdir(mode=PRIVATE_FOLDER)
        _copy_journal(source, target)
        if source.blobs.is_dir():
            shutil.copytree(source.blobs, target.blobs)
    except (OSError, sqlite3.Error) as error:
        shutil.rmtree(target.root, ignore_errors=True)
        raise failure(source.db, "copied", error) from error


def _copy_journal(source: SessionPaths, target: SessionPaths) -> None:
    reader = open_reader(source.db)
    if reader is None:
        raise StoreFailed(f"{source.db} is gone.")
    with contextlib.closing(reader), contextlib.closing(sqlite3.connect(target.db)) as copy:
        reader.backup(copy)
