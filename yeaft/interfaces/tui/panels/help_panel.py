"""Help on the whole screen: keys as they are bound now, orders, skills and commands, topics; to be searched."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text

from yeaft.config.keys import effective
from yeaft.interfaces.cli.commands.help import TOPICS
from yeaft.interfaces.cli.terminal_text import padded, width
from yeaft.interfaces.key_names import chord_text, text_code
from yeaft.interfaces.orders import Run
from yeaft.interfaces.tui.panels.columns import MARGIN_COLUMNS
from yeaft.interfaces.tui.panels.filtered_list import Entry, FilteredList
from yeaft.interfaces.tui.panels.list_panel import ListPanel
from yeaft.interfaces.tui.panels.shown_text import hung, safe
from yeaft.kernel.effort_prefix import LEVELS
from yeaft.kernel.errors import YeaftError
from yeaft.prompts.find import read_template

if TYPE_CHECKING:
    from textual import events

    from yeaft.interfaces.tui.panels.situation import Situation

LEFT_COLUMNS, LEFT_COLUMNS_OF_WIDE = 34, 44
WIDE_COLUMNS = 110
"""From here on there is room for the longest order beside what is said of it."""
BEHIND_COLUMNS = 2 + 2
"""Before what can be done stands a margin, behind it a gap."""
LEAST_TOLD_COLUMNS = 16
NARROW_COLUMNS = 2 * LEFT_COLUMNS
"""Where there are fewer, what is said of something stands below it."""
BOLD = Style(bold=True)


class HelpPanel(ListPanel):
    """Everything that can be done, in one list. Enter does an order, or opens a topic."""

    def __init__(self, situation: Situation) -> None:
        super().__init__(situation, situation.text("panel.help"), ())
        self._columns = 0

    def on_resize(self, event: events.Resize) -> None:
        """Lay the lines out for another width."""
        if event.size.width != self._columns:
            self._columns = event.size.width
            self.run_worker(self._read(event.size.width), exclusive=True, group="read")

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

    async def _read(self, width_columns: int) -> None:
        columns = LEFT_COLUMNS_OF_WIDE if width_columns >= WIDE_COLUMNS else LEFT_COLUMNS
        columns = 0 if width_columns < NARROW_COLUMNS else columns
        self.listed.rows = 1 if columns else 2
        room = width_columns - MARGIN_COLUMNS - columns - BEHIND_COLUMNS
        entries = await asyncio.to_thread(lambda: list(_entries(self.situation, columns, room)))
        self.listed.show(entries)


def _entries(situation: Situation, columns: int, room: int) -> Iterator[Entry]:
    """Yield all there is to know, group by group; with 0 columns for what can be done, each on a line of its own.

    What is told of it has `room` columns, and as many lines as it needs.
    """
    text = situation.text
    yield _heading(text("panel.help_orders"))
    for name, order in situation.dialogue.orders.items():
        yield _entry(f"order {name}", f"/{name} {order.takes}".rstrip(), text(f"order.{name}"), columns, room)
    yield _entry("word effort", f"/{'|'.join(LEVELS)} MESSAGE", text("effort.help"), columns, room)
    if words := situation.here.slash_words():
        yield _heading(text("panel.help_words"))
    for word in words:
        yield _entry(f"word {word.name}", f"/{word.name} {word.hint}".rstrip(), word.description, columns, room)
    keys = effective(situation.here.config.keys)
    for area, key_ids in groupby(keys, lambda key_id: key_id.partition(".")[0]):
        yield _heading(text("panel.help_keys", area=text(f"panel.area_{area}")))
        for key_id in key_ids:
            chords = ", ".join(map(chord_text, keys[key_id])) or "-"
            yield _entry(f"key {key_id}", chords, text(text_code(key_id)), columns, room)
    yield _heading(text("panel.help_topics"))
    for topic in TOPICS:
        title = read_template(f"help/{topic}", situation.ui.lang).partition("\n")[0].lstrip("# ")
        yield _entry(f"topic {topic}", topic, title, columns, room)


def _heading(title: str) -> Entry:
    return Entry(f"heading {title}", Text(title, style=BOLD, no_wrap=True), is_heading=True)


def _entry(key: str, left: str, right: str, columns: int, room: int) -> Entry:
    left, right = safe(left), safe(right)
    behind = "\n" + " " * (columns + BEHIND_COLUMNS)
    told = hung(right, max(room, LEAST_TOLD_COLUMNS), columns + BEHIND_COLUMNS)
    shown = f"  {padded(left, columns)}  {told}" if width(left) <= columns else f"  {left}{behind}{told}"
    return Entry(key, Text(shown, no_wrap=True, overflow="ellipsis"), f"{left} {right}")
