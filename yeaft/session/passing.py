"""Owns a Session for as long as a short change to it takes, and lets others of that kind go first."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from yeaft.kernel.errors import SessionBusy
from yeaft.session.opening import Wanted, open_room
from yeaft.store.directory import find_session
from yeaft.store.lock import read_owner

if TYPE_CHECKING:
    from yeaft.session.opening import Room
    from yeaft.store.lock import Owner

PATIENCE_S = 10.0
WORTH_TELLING_S = 1.0
LOOK_S = 0.05
Tell = Callable[[], None]


def nothing() -> None:
    """Tell nobody."""


async def open_in_passing(home: Path, ref: str, *, take_over: bool = False, tell: Tell = nothing) -> Room:
    """Open a Session that no conversation is going on in, for a change to it; the caller closes it.

    Others who change it are waited for, `PATIENCE_S` at most; `tell` is called once if that becomes worth telling. Who
    stays in it is not waited for. Raises what `open_room` raises.
    """
    paths = find_session(home, ref)
    wanted = Wanted(ref=paths.session_id, take_over=take_over, is_passing=True)
    began_s = time.monotonic()
    is_told = False
    stays: Owner | None = None
    while True:
        try:
            return open_room(home, Path(), wanted)
        except SessionBusy:
            waited_s = time.monotonic() - began_s
            before, stays = stays, _who_stays(paths.root)
            # A look between another's locking and its writing who it is shows who had it before: so look twice.
            if waited_s >= PATIENCE_S or (stays is not None and stays == before):
                raise
        if waited_s >= WORTH_TELLING_S and not is_told:
            is_told = True
            tell()
        await asyncio.sleep(LOOK_S)


def _who_stays(directory: Path) -> Owner | None:
    owner = read_owner(directory)
    return None if owner is None or owner.is_passing else owner
