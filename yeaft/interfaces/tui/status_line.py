"""The last line of the screen: in which mode one is, with which model, where, and what it has cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text
from textual.widgets import Static

from yeaft.interfaces.amounts import money
from yeaft.interfaces.cli.terminal_text import cut, unmasked, width
from yeaft.interfaces.tui.git_branch import git_branch
from yeaft.interfaces.tui.standing import Models, Standing, standing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.ground import Wish
    from yeaft.interfaces.tui.look import Look
    from yeaft.prompts.ui import Ui

USUAL_COLUMNS = 80
GAP = "  "
FULL_PERCENT = 80
"""A window that is fuller than this is shown in bold: what lies back will soon not go along."""


class StatusLine(Static):
    """Says how the Session stands, the most important first; or, for a moment, what is going on with the program."""

    DEFAULT_CSS = """
    StatusLine { height: 1; }
    """

    def __init__(self, look: Look, ui: Ui) -> None:
        super().__init__(markup=False)
        self._look = look
        self._ui = ui
        self._models = Models()
        self._standing: Standing | None = None
        self._branch = ""
        self._told = ""
        self._drawn = ""

    def show(self, here: Opened, wish: Wish) -> None:
        """Show how things stand; the branch is looked up when something else has changed."""
        now = standing(here, wish, self._models)
        if now != self._standing:
            self._standing = now
            self._branch = git_branch(Path(here.folder))
        self._draw()

    def tell(self, text: str) -> None:
        """Show this instead, until an empty text is told."""
        self._told = text
        self._draw()

    def on_resize(self) -> None:
        """Fit the line into its new width."""
        self._draw()

    def _draw(self) -> None:
        columns = self.size.width or USUAL_COLUMNS
        if self._told:
            text = Text(f" {cut(self._told, columns - 2)}", style="bold")
        elif self._standing is None:
            text = Text(f" {self._ui.text('standing.opening')}", style="dim")
        else:
            text = self._fitted(self._standing, columns)
        if text.markup != self._drawn:
            self._drawn = text.markup
            self.update(text, layout=False)

    def _fitted(self, now: Standing, columns: int) -> Text:
        """Take parts by their importance as long as there is room, and put them in their order."""
        parts = list(self._parts(now))
        room = columns - 1
        taken = set[int]()
        for number, (_, text, _) in sorted(enumerate(parts), key=lambda part: part[1][0]):
            if width(text) + len(GAP) <= room:
                taken.add(number)
                room -= width(text) + len(GAP)
        line = Text(" ", no_wrap=True, overflow="ellipsis")
        for number in sorted(taken):
            line.append(parts[number][1] + GAP, style=parts[number][2])
        line.rstrip()
        return line

    def _parts(self, now: Standing) -> Iterator[tuple[int, str, str]]:
        """Yield rank (the lowest is the most important), text and style of all parts, from left to right."""
        ui = self._ui
        yield 0, ui.text(f"standing.mode_{now.mode}"), "bold"
        if now.asks:
            yield 1, ui.text("standing.asks", count=now.asks), "bold"
        yield 3, unmasked(now.model) or ui.text("standing.no_model"), ""
        if now.context_percent is not None:
            is_full = now.context_percent >= FULL_PERCENT
            yield 4, ui.text("standing.context", percent=now.context_percent), "bold" if is_full else ""
        yield 2, money(now.cost.usd, is_least=now.cost.unpriced > 0), ""
        if now.tasks:
            yield 5, ui.text("standing.tasks", count=now.tasks), ""
        if now.agents:
            yield 6, ui.text("standing.agents", count=now.agents), ""
        if now.name:
            yield 8, unmasked(now.name), "dim"
        folder = unmasked(now.folder)
        branch = unmasked(self._branch)
        if branch:
            yield 9, f"{folder} ({branch})", "dim"
            return
        yield 7, folder, "dim"
