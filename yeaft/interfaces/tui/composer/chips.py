"""The line above the draft that says who will answer it, with which model and at what cost, and what goes along."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.widgets import Static

from yeaft.tools.policy.visible import visible_on_one_line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from textual import getters
    from textual.app import App

    from yeaft.interfaces.tui.composer.outlook import Addressee, Outlook
    from yeaft.interfaces.tui.look import Look
    from yeaft.prompts.ui import Ui
    from yeaft.session.routing import Unknown

MOST_NAMED = 8
MOST_UNKNOWN = 3
MOST_NAME_CHARS = 60
LEAST_USD, SMALL_USD = 0.0001, 0.01


class Chips(Static):
    """Shows an outlook; nothing until there is one."""

    if TYPE_CHECKING:
        app = getters.app(App[int])  # textual leaves open what its App returns

    DEFAULT_CSS = """
    Chips { height: auto; max-height: 4; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def __init__(self, look: Look, ui: Ui) -> None:
        super().__init__(markup=False)
        self._look = look
        self._ui = ui
        self._outlook: Outlook | None = None
        self._files: tuple[Path, ...] = ()
        self._note = ""
        self.display = False

    def show(self, outlook: Outlook | None, files: Sequence[Path], note: str = "") -> None:
        """Show who answers and what goes along; `note` is one more line, such as what keys do."""
        if (outlook, tuple(files), note) == (self._outlook, self._files, self._note):
            return
        self._outlook, self._files, self._note = outlook, tuple(files), note
        self._draw()

    def on_resize(self) -> None:
        """Fit into the new width."""
        self._draw()

    def _draw(self) -> None:
        lines = [*self._warnings(), *self._addressees(), *self._attached()]
        if self._note:
            lines.append(Text(self._note, style=Style(dim=True)))
        self.display = bool(lines)
        text = Text("\n", no_wrap=True, overflow="ellipsis").join(lines)
        text.no_wrap, text.overflow = True, "ellipsis"
        self.update(text)

    def _addressees(self) -> list[Text]:
        found = self._outlook
        if found is None or not found.to:
            return []
        width = self.size.width or self.app.size.width or 80
        named = min(len(found.to), MOST_NAMED)
        lines = (
            self._line(found, most=most, with_models=is_long)
            for is_long, most in ((True, named), *((False, fewer) for fewer in range(named, 0, -1)))
        )
        return [next((line for line in lines if cell_len(line.plain) <= width), self._line(found, most=1))]

    def _line(self, found: Outlook, *, most: int, with_models: bool = False) -> Text:
        steers = found.to[0].steers
        line = Text.assemble((self._ui.text("composer.steers" if steers else "composer.to"), Style(dim=True)))
        for number, one in enumerate(found.to[:most]):
            line.append(self._ui.text("composer.between") if number else "" if line.plain.endswith("：") else " ")
            line.append_text(self._chip(one, with_model=with_models))
        if len(found.to) > most:
            line.append(f" +{len(found.to) - most}")
        if not steers:
            line.append(f"  {self._cost(found)}", style=Style(dim=True))
        if found.how == "chosen":
            line.append(f"  {self._ui.text('composer.chosen')}", style=Style(dim=True))
        return line

    def _chip(self, one: Addressee, *, with_model: bool) -> Text:
        look = self._look.of_vp(one.vp_id)
        chip = Text.assemble((f"{look.glyph} @{one.vp_id}", look.style))
        model = one.model.rpartition("/")[2]
        if with_model and not one.steers:
            chip.append(f" {model or self._ui.text('composer.no_model')}", style=Style(dim=True))
        if one.effort:
            chip.append(f" /{one.effort}", style=Style(dim=True))
        return chip

    def _cost(self, found: Outlook) -> str:
        cost, count = found.cost_usd, len(found.to)
        if cost is None:
            told = self._ui.text("composer.cost_unknown")
        elif cost < LEAST_USD:
            told = "~$0"
        else:
            told = f"~${cost:.4f}" if cost < SMALL_USD else f"~${cost:.2f}"
        return (
            f"{told} ×{count}" if count > 1 and not self._look.is_plain else f"{told} x{count}" if count > 1 else told
        )

    def _warnings(self) -> list[Text]:
        unknown = self._outlook.unknown if self._outlook is not None else ()
        return [self._warning(one) for one in unknown[:MOST_UNKNOWN]]

    def _warning(self, one: Unknown) -> Text:
        token = visible_on_one_line(one.token[:MOST_NAME_CHARS])
        code = "composer.unknown_near" if one.nearest else "composer.unknown"
        return Text(f"! {self._ui.text(code, token=token, nearest=one.nearest or '')}", style=Style(bold=True))

    def _attached(self) -> list[Text]:
        if not self._files:
            return []
        names = self._ui.text("composer.between").join(
            visible_on_one_line(file.name[:MOST_NAME_CHARS]) for file in self._files
        )
        return [Text(self._ui.text("composer.attached", count=len(self._files), names=names))]
