"""What the composer needs of the Session it writes to: who is there, what can be completed, where drafts are kept."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from yeaft.config import places
from yeaft.interfaces.tui.composer.completing import Completing
from yeaft.interfaces.tui.composer.kept_draft import Kept, draft_path, read_kept, write_kept
from yeaft.interfaces.tui.composer.outlook import Outlook, outlook
from yeaft.interfaces.typed_lines import HISTORY_NAME, TypedLines

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.dialogue import Dialogue
    from yeaft.prompts.ui import Ui

MOST_ROUTED_CHARS = 200_000
"""Who answers is looked for in so much of a draft while it is written; all of it counts once it is sent."""


class SessionSide:
    """One open Session as the composer sees it; `show` is called when there is something else to complete.

    `kept_at` is the file that its draft is kept in.
    """

    def __init__(self, here: Opened, dialogue: Dialogue, ui: Ui, show: Callable[[], None]) -> None:
        self.here = here
        self.dialogue = dialogue
        home = places.home(dialogue.wish.environ)
        self.completing = Completing(here, orders=lambda: dialogue.orders, roster=lambda: self.roster, ui=ui, show=show)
        self._lines = TypedLines(home / HISTORY_NAME, dialogue.wish.folder)
        self._home = home
        self.kept_at = self._draft_path()

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment that the Session was opened with."""
        return self.dialogue.wish.environ

    @property
    def folder(self) -> Path:
        """The work folder."""
        return self.here.folder

    @property
    def roster(self) -> tuple[str, ...]:
        """Those who take part, or will once something is said."""
        return self.here.state.roster or self.dialogue.wish.wanted.roster or (self.here.config.default_vp,)

    async def read(self) -> tuple[list[str], Kept]:
        """Return the history and the draft that was kept; warms up what completion needs."""
        entries = await asyncio.to_thread(self._lines.read)
        kept = await asyncio.to_thread(read_kept, self.kept_at)
        await asyncio.to_thread(self.completing.warm)
        await self.completing.words()
        return entries, kept

    async def remember(self, text: str) -> None:
        """Keep a text in the history."""
        await asyncio.to_thread(self._lines.add, text)

    def keep(self, kept: Kept) -> None:
        """Write the draft down, or forget it. Once something was said it belongs to the Session. Blocks."""
        path = self._draft_path()
        if path != self.kept_at:
            write_kept(self.kept_at, Kept())
            self.kept_at = path
        write_kept(path, kept)

    def outlook(self, text: str, chosen: tuple[str, ...], *, has_files: bool) -> Outlook | None:
        """Return who answers a draft; None for an order. What has files is always a message of its own."""
        if self.dialogue.is_order(text):
            return None
        return outlook(
            text[:MOST_ROUTED_CHARS],
            self.here,
            self.dialogue,
            self.completing.names(),
            chosen=chosen,
            may_steer=not has_files,
        )

    def next_addressees(self, now: tuple[str, ...]) -> tuple[str, ...]:
        """Return whom Tab chooses after `now`: one after the other, then all at once, then whoever the text names."""
        roster = self.roster
        if not roster[1:]:
            return ()
        choices: list[tuple[str, ...]] = [(), *((vp_id,) for vp_id in roster), roster]
        default = self.here.state.default_vp or roster[0]
        if not now:
            choices.remove((default,))  # the default VP answers anyway
        at = choices.index(now) if now in choices else -1
        return choices[(at + 1) % len(choices)]

    def _draft_path(self) -> Path:
        state = self.here.state
        return draft_path(self._home, state.session_id if state.created else "", self.folder)
