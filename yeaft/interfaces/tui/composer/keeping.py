"""When a draft is written down: a moment after it has changed, and at the end also where no Session keeps it yet."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from yeaft.config import places
from yeaft.interfaces.tui.composer.kept_draft import Draft, Kept, beside, draft_path, read_kept, write_kept
from yeaft.interfaces.tui.composer.later import Later
from yeaft.kernel.errors import YeaftError

if TYPE_CHECKING:
    from yeaft.interfaces.ground import Wish
    from yeaft.interfaces.tui.composer.later import SetTimer
    from yeaft.interfaces.tui.composer.session_side import SessionSide
    from yeaft.interfaces.tui.composer.writing import Writing

KEEP_AFTER_S = 0.6


class Keeping:
    """Keeps what is written for the Session on the other `side`; None where there is none, or none yet."""

    def __init__(self, writing: Writing, side: Callable[[], SessionSide | None], set_timer: SetTimer) -> None:
        self._writing = writing
        self._side = side
        self._kept = Kept()
        self._kept_by: SessionSide | None = None
        self._later = Later(KEEP_AFTER_S, set_timer, self.now)

    def soon(self) -> None:
        """Keep what is written a moment from now."""
        self._later.soon()

    def now(self) -> None:
        """Keep what is written. Blocks."""
        if (side := self._side()) is not None:
            self._kept = self._writing.kept()
            side.keep(self._kept)
            self._kept_by = side

    async def left_behind(self, side: SessionSide) -> Draft | None:
        """Return the draft that the Session before this one has kept; None if it goes along.

        It does if nothing was said there yet: who begins to write and then looks for the right Session means this one.
        """
        before = self._kept_by
        if before is None or before.kept_at == side.kept_at or not before.here.state.created:
            return None
        return (await asyncio.to_thread(read_kept, before.kept_at)).draft

    @property
    def unkept(self) -> Kept:
        """What is written that was kept for no Session."""
        now, kept = self._writing.kept(), self._kept
        return Kept(
            draft=Draft() if now.draft == kept.draft else now.draft,
            stash=tuple(one for one in now.stash if one not in kept.stash),
            queue=tuple(one for one in now.queue if one not in kept.queue),
        )


def keep_unsaid(kept: Kept, wish: Callable[[], Wish]) -> None:
    """Keep what was written for a Session that was wished for and never opened. Blocks."""
    if kept.is_empty:
        return
    try:
        wished = wish()
        path = _path(wished, places.home(wished.environ))
    except YeaftError:
        return  # there is no such Session
    write_kept(path, beside(kept, read_kept(path)))


def _path(wish: Wish, home: Path) -> Path:
    """Return where a Session keeps its draft once it is open. Raises `YeaftError` if there is none."""
    from yeaft.store.directory import find_session
    from yeaft.store.index import Index

    wanted = wish.wanted
    if wanted.fork or not (wanted.ref or wanted.latest):
        return draft_path(home, "", wish.folder)
    if wanted.ref:
        return draft_path(home, find_session(home, wanted.ref, folder=str(wish.folder)).session_id, wish.folder)
    newest = next(iter(Index(home).rows(folder=str(wish.folder))), None)
    return draft_path(home, newest.session_id if newest else "", wish.folder)
