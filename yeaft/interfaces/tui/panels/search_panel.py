"""Searches all Sessions while one types: what was said, what tasks printed, what sub-agents said."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct, field
from rich.style import Style
from rich.text import Text

from yeaft.interfaces.cli.terminal_text import width
from yeaft.interfaces.orders import Leave
from yeaft.interfaces.tui.panels.ages import age
from yeaft.interfaces.tui.panels.bound import bound
from yeaft.interfaces.tui.panels.columns import MARGIN_COLUMNS
from yeaft.interfaces.tui.panels.filtered_list import Entry, FilteredList
from yeaft.interfaces.tui.panels.frame import Panel
from yeaft.interfaces.tui.panels.plain_snippet import LEFT_OUT, plain
from yeaft.interfaces.tui.panels.printed import answered
from yeaft.interfaces.tui.panels.shown_text import safe
from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.errors import YeaftError

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from yeaft.interfaces.tui.panels.situation import Situation
    from yeaft.prompts.ui import Ui

PAUSE_S = 0.25
"""It is searched once nothing was typed for so long."""
MOST_HITS = 100
SNIPPET_CHARS = 300
DIM, FOUND = Style(dim=True), Style(bold=True, underline=True)


class FoundRow(Struct, frozen=True, kw_only=True):
    """One hit, as `yeaft search --json` tells it."""

    session: str
    name: str
    title: str
    folder: str
    at: str
    sender: str = field(name="from")
    id: str
    turn: str
    snippet: str
    marks: tuple[tuple[int, int], ...]


class SearchPanel(Panel):
    """Lists hits, newest first. Enter goes on with the Session of one; it can also be read where it was said."""

    BINDINGS = [bound("search.here", "here"), bound("search.read", "read")]

    def __init__(self, situation: Situation, typed: str = "") -> None:
        super().__init__(situation, "", ("search.read", "search.here"))
        self._rows: dict[str, FoundRow] = {}
        self._is_here = False
        self._list = FilteredList(
            placeholder=situation.text("panel.search_what"),
            empty=situation.text("panel.search_hint"),
            unmatched="",
            typed=typed,
            narrows=False,
            rows=2,
        )

    def compose(self) -> ComposeResult:
        """Return title, hits and keys."""
        yield self.title_line
        yield self._list
        yield self.hint_line

    def on_mount(self) -> None:
        """Search for what came along."""
        self._list.focus_line()
        self._list.show(())
        self._search()

    def on_filtered_list_typed(self) -> None:
        """Search for something else."""
        self._search()

    def on_filtered_list_chosen(self, message: FilteredList.Chosen) -> None:
        """Go on with the Session of a hit, at the place of it."""
        if (row := self._rows.get(message.key)) is not None:  # else others were found meanwhile
            self.dismiss(Leave(resume=row.session, at=tuple(filter(None, (row.turn, row.id)))))

    def action_here(self) -> None:
        """Search the Sessions of this folder alone, or all again."""
        self._is_here = not self._is_here
        self._search()

    def action_read(self) -> None:
        """Show the marked hit where it was said."""
        from yeaft.interfaces.tui.panels.text_panel import TextPanel
        from yeaft.interfaces.tui.panels.views import printed_view

        row = self._rows.get(self._list.marked)
        if row is not None and self.is_on_top:
            view = printed_view(self.situation, _words_for(row))
            word = row.snippet[slice(*row.marks[0])] if row.marks else ""
            self.app.push_screen(TextPanel(self.situation, (view,), word=word))

    def _search(self) -> None:
        where = "panel.search_folder" if self._is_here else "panel.search_all"
        self.title_line.update(self.situation.text(where))
        self.run_worker(self._find(self._list.typed.strip()), exclusive=True, group="search")

    async def _find(self, typed: str) -> None:
        if not typed:
            self._rows = {}
            self._list.show((), empty=self.situation.text("panel.search_hint"))
            return
        if not self._rows:
            self._list.show((), empty=self.situation.text("panel.searching"))
        await asyncio.sleep(PAUSE_S)
        here = self.situation.here
        words = ("search", "--json", "--limit", str(MOST_HITS), *(("--here",) if self._is_here else ()), "--", typed)
        ui, columns, now_ms = self.situation.ui, self.size.width - MARGIN_COLUMNS, wall_clock_ms()
        found, empty = list[FoundRow](), ui.text("search.none", text=typed)
        try:
            raw = await answered(words, folder=here.folder, environ=self.situation.environ)
            found = msgspec.json.decode(raw, type=list[FoundRow])
        except msgspec.DecodeError:
            pass  # it has said why not where nobody hears it
        except YeaftError as error:
            empty = ui.retold(str(error))
        self._rows = {f"{row.session} {row.turn} {row.id}": row for row in found}
        entries = [_entry(ui, key, row, columns, now_ms) for key, row in self._rows.items()]
        self._list.show(entries, empty=empty)


def _words_for(row: FoundRow) -> tuple[str, ...]:
    """Return the command that shows a hit where it was said."""
    kind, _, name = row.sender.partition(":")
    if kind == "task":
        return ("task", "logs", name, "--session", row.session)
    if kind == "agent":
        return ("session", "show", row.session)
    return ("session", "show", row.session, "--turn", row.turn or row.id)


def _entry(ui: Ui, key: str, row: FoundRow, columns: int, now_ms: int) -> Entry:
    kind, _, name = row.sender.partition(":")
    who = f"@{name}" if kind == "vp" else ui.text("speaker.user") if kind == "user" else row.sender
    when = age(ui, round(datetime.fromisoformat(row.at).timestamp() * 1000), now_ms)
    shown = Text(no_wrap=True, overflow="ellipsis")
    shown.append(f"{when}  {safe(who)}  {safe(row.name or row.title)}\n  ", style=DIM)
    snippet, end = plain(row.snippet), 0
    for place, (start, stop) in enumerate(row.marks):
        between = _flat(snippet[end:start])
        shown.append(between if place else _end_of(between, columns // 2))
        shown.append(_flat(snippet[start:stop]), style=FOUND)
        end = stop
    shown.append(_flat(snippet[end:][:SNIPPET_CHARS]))
    return Entry(key, shown)


def _end_of(text: str, columns: int) -> str:
    """Return so much of the end of a text as fits, so that what follows it can be seen, too."""
    if width(text) <= columns:
        return text
    while width(text) >= columns:
        text = text[1:]
    return f"…{text}"


def _flat(text: str) -> str:
    """Return a piece of a line; space at its ends stays, because other pieces follow."""
    text = text.replace(LEFT_OUT, "")
    left = " " if text[:1].isspace() else ""
    right = " " if text[-1:].isspace() and text.strip() else ""
    return f"{left}{safe(text)}{right}"
