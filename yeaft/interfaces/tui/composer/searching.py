"""The search through what was said before: a word that is edited like a draft, and the entries that fit it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.interfaces.tui.composer.candidates import Candidate
from yeaft.interfaces.tui.composer.editing import Editing
from yeaft.interfaces.tui.composer.history import searched

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yeaft.prompts.ui import Ui

MOST_FOUND = 100
PREVIEW_LINES = 3


class Searching:
    """A search through `entries`, newest first; `chosen` is the one that Enter takes."""

    def __init__(self, entries: Sequence[str], ui: Ui) -> None:
        self.editing = Editing()
        self.found: list[str] = []
        self.chosen = 0
        self._entries = tuple(entries)
        self._ui = ui
        self.update()

    @property
    def entry(self) -> str | None:
        """The entry that is chosen."""
        return self.found[self.chosen] if self.found else None

    def update(self) -> None:
        """Search again for what is written now."""
        self.found = searched(self._entries, self.editing.text)[:MOST_FOUND]
        self.chosen = 0

    def move(self, rows: int) -> None:
        """Choose an older (positive) or newer entry."""
        if self.found:
            self.chosen = max(0, min(self.chosen + rows, len(self.found) - 1))

    def candidates(self) -> tuple[Candidate, ...]:
        """Return rows for the popup; the chosen one shows more of itself."""
        if not self.found:
            return (Candidate(section="hint", label=self._ui.text("composer.search_nothing")),)
        return tuple(self._row(entry, number == self.chosen) for number, entry in enumerate(self.found))

    def _row(self, entry: str, is_chosen: bool) -> Candidate:
        first, *rest = [line.strip() for line in entry.splitlines() if line.strip()]
        shown = " ↵ ".join((first, *rest[: PREVIEW_LINES - 1])) if is_chosen else first
        more = self._ui.text("composer.more_lines", count=len(rest)) if rest else ""
        return Candidate(section="history", label=shown, detail=more)
