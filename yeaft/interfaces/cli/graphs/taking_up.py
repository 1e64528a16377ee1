"""A run that goes on: followed while another process drives it, and driven here once that one gets on no more."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from yeaft.interfaces.cli.graphs.following import Left, follow_run
from yeaft.interfaces.cli.graphs.found_runs import journal_of
from yeaft.store.lock import is_owned
from yeaft.workflows.graphs.runs.known_runs import known_run
from yeaft.workflows.graphs.runs.run_ledger import STREAM

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.json_screen import JsonScreen
    from yeaft.interfaces.cli.options import Options
    from yeaft.store.directory import SessionPaths
    from yeaft.store.lock import Owner
    from yeaft.workflows.graphs.runs.known_runs import KnownRun

Drive = Callable[["Owner | None", "JsonScreen | None", bool], int | None]
"""Drives the run here: the owner to put out, where lines were written before, whether to give way to another owner.

It returns the exit code; None if it gave way.
"""
PAUSE_S = 0.1


def take_up(desk: Desk, options: Options, paths: SessionPaths, found: KnownRun, drive: Drive) -> int:
    """Bring a run to its end, here or by watching who else does, and return the exit code."""
    left = Left()
    while True:
        is_to_be_tried = found.state == "open" and (left.expired is not None or left.is_idle)
        if is_owned(paths.root) and not is_to_be_tried:
            came = follow_run(desk, options, paths, found)
            if isinstance(came, int):
                return came
            left = came
        code = drive(left.expired, left.lines, not left.is_idle)
        if code is not None:
            return code
        left = Left(lines=left.lines)
        time.sleep(PAUSE_S)
        found = known_run(journal_of(paths).read(STREAM + found.run_id)) or found
