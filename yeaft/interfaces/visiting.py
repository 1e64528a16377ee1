"""Opens a Session for its past alone: no conversation goes on in it meanwhile, and nobody is asked anything."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from yeaft.events.session import OwnerReleased
from yeaft.interfaces.past import checkpoints_of, rewinds
from yeaft.kernel.clock import wall_clock_ms
from yeaft.prompts.phrases import load_phrases
from yeaft.session.commands import probe_command
from yeaft.session.handoffs import settling
from yeaft.session.ledger import Ledger
from yeaft.session.opening import Wanted, open_room
from yeaft.session.reopening import Inquiry, losses
from yeaft.store.directory import find_session

if TYPE_CHECKING:
    from yeaft.config.settings import Config
    from yeaft.session.checkpoints import Checkpoints
    from yeaft.session.ledger import Listener
    from yeaft.session.opening import Room
    from yeaft.session.rewinding import Rewinds
    from yeaft.session.state import SessionState


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
    room = open_room(home, Path(), Wanted(ref=find_session(home, ref).session_id, take_over=take_over))
    ledger = Ledger(room.journal, room.state, wall_clock_ms, room.epoch, purse=room.purse)
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


def _close_losses(ledger: Ledger, room: Room, lang: str) -> None:
    """Close the turns that a dead process left open, as opening the Session for a conversation does."""
    if not room.state.open_turns() and not any(room.state.waiting.values()):
        return
    phrases = load_phrases(lang)
    inquiry = Inquiry(partial(probe_command, room.paths.tasks, phrases), phrases)
    for root_id, events in losses(room.state, inquiry, phrases):
        ledger.post(events, src="engine", corr=root_id)
    for root_id in room.state.unsettled_roots():
        if (settled := settling(room.state, root_id)) is not None:
            ledger.post((settled,), src="engine", corr=root_id)
