"""The line in which a search is typed: it finds while one types, and says how many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual.binding import Binding
from textual.containers import Horizontal
from textual.widgets import Input, Static

from yeaft.interfaces.tui.one_line import MOST_CHARS

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from yeaft.interfaces.tui.transcript.finding import Finding
    from yeaft.interfaces.tui.transcript.reading import Reading
    from yeaft.prompts.ui import Ui


class SearchBar(Horizontal):
    """One line below the transcript."""

    DEFAULT_CSS = """
    SearchBar { height: 1; padding-left: 1; }
    SearchBar > Static { width: auto; }
    SearchBar > Input, SearchBar > Input:focus { width: 1fr; height: 1; border: none; padding: 0 1; }
    """
    BINDINGS = [
        Binding("up", "step(-1)", show=False, id="found.previous"),
        Binding("down", "step(1)", show=False, id="found.next"),
        Binding("escape", "leave(False)", show=False, id="found.leave"),
    ]

    def __init__(self, reading: Reading, ui: Ui, word: str = "") -> None:
        super().__init__()
        self._reading = reading
        self._ui = ui
        self._input = Input(word, max_length=MOST_CHARS)
        self._input.cursor_blink = False
        self._count = Static("", markup=False)

    def compose(self) -> ComposeResult:
        """Return what stands beside each other."""
        yield Static(Text(self._ui.text("transcript.search")), markup=False)
        yield self._input
        yield self._count

    def on_mount(self) -> None:
        """Let the user type at once."""
        self._input.focus()

    def tell(self, finding: Finding) -> None:
        """Say how much was found."""
        said = ""
        if finding.keys:
            said = self._ui.text("transcript.search_count", number=finding.number, count=len(finding.keys))
        elif finding.word:
            said = self._ui.text("transcript.search_none")
        self._count.update(Text(f"{said} "))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search for what is there now."""
        event.stop()
        self._reading.typed(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go on with the keys of the transcript."""
        event.stop()
        self._reading.left(keeps=True)

    def action_step(self, by: int) -> None:
        """Go to another place."""
        self._reading.stepped(by)

    def action_leave(self, keeps: bool) -> None:
        """Close the line."""
        self._reading.left(keeps=keeps)
