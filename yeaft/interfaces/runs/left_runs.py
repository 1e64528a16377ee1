"""Runs that a journal holds and that have not ended; whoever drove them has left them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from yeaft.events.graph import GraphEnded
from yeaft.kernel.errors import NotFound, StoreFailed
from yeaft.workflows.graphs.runs.run_ledger import STREAM

if TYPE_CHECKING:
    from yeaft.interfaces.runs.run_view import RunView
    from yeaft.store.journal import Blobs, Journal


def left_runs(journal: Journal, blobs: Blobs) -> Iterator[RunView]:
    """Yield the runs that have not ended, but for those within others; one that cannot be gone on with is left out."""
    found = [one for one in journal.streams() if one.startswith(STREAM) and not _has_ended(journal, one)]
    if not found:
        return
    from yeaft.interfaces.runs.read_run import read_run
    from yeaft.workflows.graphs.runs.session_runs import started_in

    for run_id in (stream.removeprefix(STREAM) for stream in found):
        try:
            if not started_in(journal, run_id).parent_run:
                yield read_run(journal, blobs, run_id)
        except (NotFound, StoreFailed):
            continue


def _has_ended(journal: Journal, stream: str) -> bool:
    return any(isinstance(one.event, GraphEnded) for one in journal.read(stream, journal.head(stream) - 1))
