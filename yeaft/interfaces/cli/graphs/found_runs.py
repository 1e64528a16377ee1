"""Runs of graphs in all Sessions, or in one: listed, and found by what people call them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from yeaft.kernel.errors import StoreFailed
from yeaft.store.blobs import FileBlobs
from yeaft.store.directory import find_session, list_session_ids, session_paths
from yeaft.store.sqlite import SqliteJournal
from yeaft.workflows.graphs.runs.known_runs import KnownRun, known_runs, meant

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.store.directory import SessionPaths

Found = tuple["SessionPaths", KnownRun]


def journal_of(paths: SessionPaths) -> SqliteJournal:
    """Return a Session's journal for looking into it."""
    return SqliteJournal.for_reading(paths.db, FileBlobs(paths.blobs))


def all_runs(desk: Desk, session: str = "", tell: Callable[[str, str], None] | None = None) -> list[Found]:
    """Return the runs of all Sessions, or of one, the oldest first.

    `tell` hears of a Session that cannot be read, and why; without it that raises `StoreFailed`.
    """
    if session:
        sessions = [find_session(desk.home, session, folder=str(desk.folder))]
    else:
        sessions = [session_paths(desk.home, one) for one in list_session_ids(desk.home)]
    found: list[Found] = []
    for paths in sessions:
        try:
            found += [(paths, one) for one in known_runs(journal_of(paths))]
        except StoreFailed as error:
            if tell is None:
                raise
            tell(paths.session_id, str(error))
    return sorted(found, key=lambda one: (one[1].started_ms, one[1].run_id))


def _pass_over(session_id: str, reason: str) -> None:
    """Say nothing of a Session that cannot be read."""
    del session_id, reason


def find_run(desk: Desk, word: str, session: str = "") -> Found:
    """Return the run that a word means, and where its Session is. Raises `NotFound`."""
    found = all_runs(desk, session or desk.options.resume, _pass_over)
    one = meant((run for _, run in found), word)
    return next((paths, run) for paths, run in found if run is one)
