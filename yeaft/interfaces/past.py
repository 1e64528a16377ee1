"""Wires what a Session knows of its past: the checkpoints of its work folder, and going back."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from yeaft.events.session import OwnerReleased
from yeaft.session.checkpoints import Checkpoints
from yeaft.session.rewinding_ops import RewindOps

if TYPE_CHECKING:
    from yeaft.config.settings import Config
    from yeaft.session.compacting import Compactions
    from yeaft.session.ledger import Ledger, Listener
    from yeaft.session.opening import Room
    from yeaft.session.rewinding import Rewinds
    from yeaft.session.state import SessionState
    from yeaft.store.checkpoints.store import CheckpointStore


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


class Visit(NamedTuple):
    """A Session that no conversation is going on in, opened for its past. `begin` comes before anything is posted."""

    state: SessionState
    rewinds: Rewinds
    checkpoints: Checkpoints
    begin: Callable[[], None]
    room: Room
    ledger: Ledger


@asynccontextmanager
async def visited(
    home: Path, config: Config, ref: str, lang: str, *, take_over: bool, hear: Listener | None = None
) -> AsyncGenerator[Visit]:
    """Own a Session for as long as it takes to go back in it; `hear` gets its events, if somebody wants to.

    What a dead process left open is closed with `begin`. Raises `NotFound`, `SessionBusy`, `StoreFailed`.
    """
    from yeaft.kernel.clock import wall_clock_ms
    from yeaft.session.ledger import Ledger
    from yeaft.session.opening import Wanted, open_room
    from yeaft.store.directory import find_session

    room = open_room(home, Path(), Wanted(ref=find_session(home, ref).session_id, take_over=take_over))
    ledger = Ledger(room.journal, room.state, wall_clock_ms, room.epoch)
    if hear is not None:
        ledger.listen(hear)
    created = room.state.created
    checkpoints = checkpoints_of(room, ledger, config, home, Path(created.folder) if created else Path())
    has_begun = False

    def begin() -> None:
        nonlocal has_begun
        if not has_begun:
            has_begun = True
            ledger.post(room.opening, src="engine")
            _close_losses(ledger, room, lang)

    try:
        yield Visit(
            state=room.state,
            rewinds=rewinds(ledger, checkpoints),
            checkpoints=checkpoints,
            begin=begin,
            room=room,
            ledger=ledger,
        )
        if has_begun:
            await ledger.post((OwnerReleased(),), src="engine")
    finally:
        await checkpoints.aclose()
        await room.aclose()


def past_remarks(state: SessionState) -> Iterator[tuple[str, dict[str, str]]]:
    """What the user should know of the past before anything is said: files were not brought back to the end."""
    if (cut_off := state.past.unfinished) is not None:
        params = {"id": state.session_id, "to": cut_off.checkpoint_id, "safety": cut_off.safety_id}
        yield "rewind.interrupted", params


def _close_losses(ledger: Ledger, room: Room, lang: str) -> None:
    """Close the turns that a dead process left open, as opening the Session for a conversation does."""
    from yeaft.prompts.phrases import load_phrases
    from yeaft.session.commands import probe_command
    from yeaft.session.handoffs import settling
    from yeaft.session.reopening import Inquiry, losses

    if not room.state.open_turns() and not any(room.state.waiting.values()):
        return
    phrases = load_phrases(lang)
    inquiry = Inquiry(partial(probe_command, room.paths.tasks, phrases), phrases)
    for root_id, events in losses(room.state, inquiry, phrases):
        ledger.post(events, src="engine", corr=root_id)
    for root_id in room.state.unsettled_roots():
        if (settled := settling(room.state, root_id)) is not None:
            ledger.post((settled,), src="engine", corr=root_id)
