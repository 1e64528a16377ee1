"""A list that narrows down while one types: a line to type in, and the entries that have all its words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from rich.text import Text
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from yeaft.interfaces.tui.one_line import MOST_CHARS
from yeaft.interfaces.tui.panels.bound import bound

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

MOST_SHOWN = 1_000
"""So many entries are listed at once; typing narrows down to those that are meant."""


class Entry(Struct, frozen=True):
    """One line of a list: its key, how it looks, and the text that what is typed is looked for in."""

    key: str
    shown: Text
    words: str = ""
    is_heading: bool = False


class FilterInput(Input):
    """A line to type in that leaves keys with Alt to the panel around it."""

    async def _on_key(self, event: events.Key) -> None:
        if not event.key.startswith("alt+"):
            await super()._on_key(event)


class FilteredList(Vertical):
    """Entries to choose from. `empty` is said where there are none, `unmatched` where none fits what is typed.

    `rows` is how many lines most entries have.
    """

    DEFAULT_CSS = """
    FilteredList { height: 1fr; }
    FilteredList > Input { height: 1; padding: 0 1; background: $surface; }
    FilteredList > OptionList { height: 1fr; background: $background; text-wrap: nowrap; text-overflow: ellipsis; }
    FilteredList > OptionList { scrollbar-size-vertical: 1; }
    FilteredList > OptionList.-textual-compact > .option-list--option { padding: 0 1; }
    FilteredList > Input.-textual-compact { padding: 0 1; }
    FilteredList > .none { height: 1fr; padding: 1; display: none; }
    """
    BINDINGS = [
        bound("list.up", "move('up')"),
        bound("list.down", "move('down')"),
        bound("list.page_up", "move('page_up')"),
        bound("list.page_down", "move('page_down')"),
        bound("list.first", "move('first')"),
        bound("list.last", "move('last')"),
    ]

    class Chosen(Message):
        """The user wants the entry with this key."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class Reached(Message):
        """The entry with this key is the marked one now; empty if none is."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class Typed(Message):
        """Something else stands in the line now; only where the list does not narrow itself down."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(
        self, *, placeholder: str, empty: str, unmatched: str, typed: str = "", narrows: bool = True, rows: int = 1
    ) -> None:
        super().__init__()
        self._entries: Sequence[Entry] = ()
        self._visible: list[Entry] = []
        self._options: list[Option] = []
        self._empty = empty
        self._unmatched = unmatched
        self._narrows = narrows
        self.rows = rows
        self._input = FilterInput(
            typed, placeholder=placeholder, select_on_focus=False, compact=True, max_length=MOST_CHARS
        )
        self._input.cursor_blink = False
        self._list = OptionList(markup=False, compact=True)
        self._none = Static("", markup=False, classes="none")

    def compose(self) -> ComposeResult:
        """Return the line and the list."""
        yield self._input
        yield self._list
        yield self._none

    def focus_line(self) -> None:
        """Let the user type."""
        self._input.focus()

    @property
    def typed(self) -> str:
        """What stands in the line."""
        return self._input.value

    @property
    def marked(self) -> str:
        """The key of the marked entry; empty if none is marked."""
        index = self._list.highlighted
        return self._visible[index].key if index is not None and index < len(self._visible) else ""

    def show(self, entries: Sequence[Entry], *, empty: str | None = None) -> None:
        """Show other entries; the marked one stays marked if it is among them."""
        self._entries = entries
        if empty is not None:
            self._empty = empty
        self._narrow(self.marked)

    def mark(self, key: str) -> None:
        """Mark an entry if it is listed."""
        for index, entry in enumerate(self._visible):
            if entry.key == key:
                self._list.highlighted = index

    def action_move(self, how: str) -> None:
        """Mark another entry."""
        match how:
            case "up":
                self._list.action_cursor_up()
            case "down":
                self._list.action_cursor_down()
            case "page_up":
                self._page(-1)
            case "page_down":
                self._page(1)
            case "first":
                self._list.action_first()
            case _:
                self._list.action_last()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrow down."""
        event.stop()
        if self._narrows:
            self._narrow("")
        else:
            self.post_message(self.Typed(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the marked entry."""
        event.stop()
        if self.marked:
            self.post_message(self.Chosen(self.marked))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take what was clicked, or the marked entry."""
        event.stop()
        for option, entry in zip(self._options, self._visible, strict=True):
            if option is event.option:  # else it is not listed any more
                self.post_message(self.Chosen(entry.key))

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Tell what is marked."""
        event.stop()
        self.post_message(self.Reached(self.marked))

    def _page(self, direction: int) -> None:
        """Mark the entry that stands as far away as the list is high, or the last one that can be marked."""
        at = self._list.highlighted
        if at is None:
            return
        able = [index for index, one in enumerate(self._visible) if not one.is_heading]
        there = at + direction * max(self._list.size.height // self.rows - 1, 1)
        self._list.highlighted = min(able, key=lambda index: (abs(index - there), index))

    def _narrow(self, marked: str) -> None:
        words = self._input.value.casefold().split() if self._narrows else []
        fitting = [one for one in self._entries if _fits(one, words)][:MOST_SHOWN]
        self._visible = fitting
        self._options = [Option(one.shown, disabled=one.is_heading) for one in fitting]
        self._list.set_options(self._options)
        index = next((i for i, one in enumerate(fitting) if one.key == marked and not one.is_heading), None)
        if index is None:
            index = next((i for i, one in enumerate(fitting) if not one.is_heading), None)
        self._list.highlighted = index
        self._list.display = bool(fitting)
        self._none.display = not fitting
        self._none.update(self._unmatched if self._entries else self._empty)
        if index is None:
            self.post_message(self.Reached(""))


def _fits(entry: Entry, words: Sequence[str]) -> bool:
    if not words:
        return True
    if entry.is_heading:
        return False
    folded = entry.words.casefold()
    return all(word in folded for word in words)
