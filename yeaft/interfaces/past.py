"""Wires what a Session knows of its past: the checkpoints of its work folder, and going back in it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from yeaft.session.checkpoints import Checkpoints
from yeaft.session.rewinding_ops import RewindOps

if TYPE_CHECKING:
    from yeaft.config.settings import Config
    from yeaft.events.history import RewindScope
    from yeaft.session.compacting import Compactions
    from yeaft.session.ledger import Ledger
    from yeaft.session.opening import Room
    from yeaft.session.rewinding import Rewinds, Way
    from yeaft.session.state import SessionState
    from yeaft.store.checkpoints.diffstat import Stat
    from yeaft.store.checkpoints.store import CheckpointStore


class Lookout:
    """Finds out for a screen what going back would do; nothing is done by it."""

    def __init__(self, ledger: Ledger, checkpoints: Checkpoints) -> None:
        self._ledger = ledger
        self._checkpoints = checkpoints

    async def back(self, to: str, scope: RewindScope) -> tuple[Way, tuple[Stat, ...], bool]:
        """Return the way back to a place, what happens to each file, and whether anything would change.

        Raises `YeaftError` for what cannot be gone back to.
        """
        return await self._seen(await rewinds(self._ledger, self._checkpoints).look(to, scope))

    async def forward(self) -> tuple[Way, tuple[Stat, ...], bool]:
        """Return likewise what taking the last rewind back would do. Raises `BadData` if there is none."""
        return await self._seen(await rewinds(self._ledger, self._checkpoints).look_forward())

    async def _seen(self, way: Way) -> tuple[Way, tuple[Stat, ...], bool]:
        from yeaft.store.checkpoints.diffstat import stat_of

        stats: tuple[Stat, ...] = ()
        if way.plan is not None:
            store, changes = await self._checkpoints.store(), way.plan.changes
            stats = await asyncio.to_thread(lambda: tuple(stat_of(one, store.content) for one in changes))
        return way, stats, rewinds(self._ledger, self._checkpoints).is_needed(way)


def checkpoints_of(room: Room, ledger: Ledger, config: Config, home: Path, folder: Path) -> Checkpoints:
    """The checkpoints of a Session; nothing is opened before one is needed."""
    if not config.checkpoints.enabled:
        return Checkpoints(ledger, None)
    return Checkpoints(ledger, partial(_store, room.paths.checkpoints, config, home, folder))


def rewind_ops(
    ledger: Ledger, checkpoints: Checkpoints, compactions: Callable[[], Compactions], config: Config
) -> RewindOps:
    """What does the ops that are about the past."""
    is_compacting = config.window.compact == "on"
    return RewindOps(partial(rewinds, ledger, checkpoints), compactions, ledger, is_compacting=is_compacting)


def rewinds(ledger: Ledger, checkpoints: Checkpoints) -> Rewinds:
    """What goes back; made when somebody wants to."""
    from yeaft.session.rewinding import Rewinds

    return Rewinds(ledger, checkpoints)


def _store(place: Path, config: Config, home: Path, folder: Path) -> CheckpointStore:
    from yeaft.store.checkpoints.scanner import Limits
    from yeaft.store.checkpoints.store import CheckpointStore
    from yeaft.tools.search.ignores import ignores_above

    settings = config.checkpoints
    limits = Limits(
        max_file_bytes=settings.max_file_bytes,
        max_total_bytes=settings.max_total_bytes,
        max_files=settings.max_files,
    )
    root = os.path.realpath(folder)
    return CheckpointStore(place, root, partial(ignores_above, Path(root)), (os.path.realpath(home),), limits)


def past_remarks(state: SessionState) -> Iterator[tuple[str, dict[str, str]]]:
    """What the user should know of the past before anything is said: files were not brought back to the end."""
    if (cut_off := state.past.unfinished) is not None:
        params = {"id": state.session_id, "to": cut_off.checkpoint_id, "safety": cut_off.safety_id}
        yield "rewind.interrupted", params
