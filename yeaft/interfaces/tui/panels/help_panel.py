"""Help on the whole screen: keys as they are bound now, orders, skills and commands, topics; to be searched."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text

from yeaft.config.keys import effective
from yeaft.interfaces.cli.commands.help import TOPICS
from yeaft.interfaces.cli.terminal_text import padded, width
from yeaft.interfaces.key_names import chord_text, text_code
from yeaft.interfaces.orders import Run
from yeaft.interfaces.tui.panels.filtered_list import Entry, FilteredList
from yeaft.interfaces.tui.panels.frame import Panel
from yeaft.interfaces.tui.panels.shown_text import safe
from yeaft.kernel.errors import YeaftError
from yeaft.prompts.find import read_template

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from yeaft.interfaces.tui.panels.situation import Situation

LEFT_COLUMNS = 34
NARROW_COLUMNS = 2 * LEFT_COLUMNS
"""Where there are fewer, what is said of something stands below it."""
AREAS = (
    "screen",
    "composer",
    "transcript",
    "found",
    "blocks",
    "ask",
    "panel",
    "list",
    "text",
    "sessions",
    "rewind",
    "pick",
    "search",
    "side",
)
BOLD = Style(bold=True)


class HelpPanel(Panel):
    """Everything that can be done, in one list. Enter does an order, or opens a topic."""

    def __init__(self, situation: Situation) -> None:
        super().__init__(situation, situation.text("panel.help"), ())
        self._list = FilteredList(
            placeholder=situation.text("panel.filter"),
            empty=situation.text("panel.reading"),
            unmatched=situation.text("panel.no_match"),
        )

    def compose(self) -> ComposeResult:
        """Return title, list and keys."""
        yield self.title_line
        yield self._list
        yield self.hint_line

    def on_mount(self) -> None:
        """Begin to read."""
        self._list.focus_line()
        self.run_worker(self._read())

    def on_filtered_list_chosen(self, message: FilteredList.Chosen) -> None:
        """Do an order, or read a topic."""
        kind, _, name = message.key.partition(" ")
        if kind == "topic":
            self.dismiss(Run(("help", name)))
        elif kind == "order":
            self._order(name)

    def _order(self, name: str) -> None:
        situation = self.situation
        try:
            self.dismiss(situation.dialogue.read(f"/{name}"))
        except YeaftError as error:
            self.refuse(error)

    async def _read(self) -> None:
        columns = 0 if self.app.size.width < NARROW_COLUMNS else LEFT_COLUMNS
        self._list.rows = 1 if columns else 2
        entries = await asyncio.to_thread(lambda: list(_entries(self.situation, columns)))
        self._list.show(entries)


def _entries(situation: Situation, columns: int) -> Iterator[Entry]:
    """Yield all there is to know, group by group; with 0 columns for it, each on a line of its own."""
    text = situation.text
    yield _heading(text("panel.help_orders"))
    for name, order in situation.dialogue.orders.items():
        yield _entry(f"order {name}", f"/{name} {order.takes}".rstrip(), text(f"order.{name}"), columns)
    if words := situation.here.slash_words():
        yield _heading(text("panel.help_words"))
    for word in words:
        yield _entry(f"word {word.name}", f"/{word.name} {word.hint}".rstrip(), word.description, columns)
    keys = effective(situation.here.config.keys)
    for area in AREAS:
        mine = [key_id for key_id in keys if key_id.partition(".")[0] == area]
        if mine:
            yield _heading(text("panel.help_keys", area=text(f"panel.area_{area}")))
        for key_id in mine:
            chords = ", ".join(map(chord_text, keys[key_id])) or "-"
            yield _entry(f"key {key_id}", chords, text(text_code(key_id)), columns)
    yield _heading(text("panel.help_topics"))
    for topic in TOPICS:
        title = read_template(f"help/{topic}", situation.ui.lang).partition("\n")[0].lstrip("# ")
        yield _entry(f"topic {topic}", topic, title, columns)


def _heading(title: str) -> Entry:
    return Entry(f"heading {title}", Text(title, style=BOLD, no_wrap=True), is_heading=True)


def _entry(key: str, left: str, right: str, columns: int) -> Entry:
    left, right = safe(left), safe(right)
    if width(left) > columns:
        left = f"{left}\n{' ' * max(columns + 2, 4)}"
    told = f"  {padded(left, columns)}  {right}" if "\n" not in left else f"  {left}  {right}"
    shown = Text(told, no_wrap=True, overflow="ellipsis")
    return Entry(key, shown, f"{left} {right}")
