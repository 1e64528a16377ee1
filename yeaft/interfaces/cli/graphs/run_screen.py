"""What standard error shows of a run: a tree that is kept up to date at a terminal, a line for each step elsewhere."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from yeaft.interfaces.cli.terminal_text import USUAL_COLUMNS, terminal_columns, unmasked
from yeaft.interfaces.runs.run_lines import begun_line, ended_line, tree_lines

if TYPE_CHECKING:
    from yeaft.interfaces.runs.run_view import RunView, Visit
    from yeaft.kernel.clock import NowMs
    from yeaft.prompts.ui import Ui

STDERR = 2
REDRAW_S = 0.1
LEAST_ROWS = 4
DUMB = ("dumb", "unknown", "")
CLEAR_BELOW = "\x1b[J"
HIDE_CURSOR, SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"


class RunScreen(Protocol):
    """Shows a run while it goes on."""

    def told(self, visit: Visit) -> None:
        """Take in that a visit has begun or ended."""
        ...

    def say(self, line: str) -> None:
        """Show a line beside the run itself."""
        ...

    def close(self) -> None:
        """Leave what is shown as it is."""
        ...


class NoScreen:
    """Shows nothing but what is said, for `--quiet`."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def told(self, visit: Visit) -> None:
        """See `RunScreen`."""

    def say(self, line: str) -> None:
        """See `RunScreen`."""
        self._write(line + "\n")

    def close(self) -> None:
        """See `RunScreen`."""


class PlainScreen:
    """A line for each step that begins or ends; of the elements of lists only their ends."""

    def __init__(self, write: Callable[[str], None], ui: Ui) -> None:
        self._write = write
        self._ui = ui

    def told(self, visit: Visit) -> None:
        """See `RunScreen`."""
        if visit.state != "running":
            self.say(ended_line(self._ui, visit))
        elif not visit.place or visit.attempt:
            self.say(begun_line(visit))

    def say(self, line: str) -> None:
        """See `RunScreen`."""
        self._write(unmasked(line) + "\n")

    def close(self) -> None:
        """See `RunScreen`."""


class TreeScreen:
    """The tree of the run, drawn again in its place whenever something has changed, and as time goes by."""

    def __init__(self, write: Callable[[str], None], ui: Ui, view: RunView, now_ms: NowMs) -> None:
        self._write = write
        self._ui = ui
        self._view = view
        self._now_ms = now_ms
        self._drawn_rows = 0
        self._is_closed = False
        self._loop = asyncio.get_running_loop()
        self._write(HIDE_CURSOR)
        self._timer = self._loop.call_soon(self._tick)

    def told(self, visit: Visit) -> None:
        """See `RunScreen`; the next drawing has it."""

    def say(self, line: str) -> None:
        """See `RunScreen`; the tree goes on below it."""
        self._write(self._back() + unmasked(line) + "\n")
        self._drawn_rows = 0
        if not self._is_closed:
            self._draw()

    def close(self) -> None:
        """See `RunScreen`."""
        if self._is_closed:
            return
        self._is_closed = True
        self._timer.cancel()
        self._draw()
        self._write(SHOW_CURSOR)
        self._drawn_rows = 0

    def _tick(self) -> None:
        self._draw()
        self._timer = self._loop.call_later(REDRAW_S, self._tick)

    def _draw(self) -> None:
        rows = _rows()
        lines = tree_lines(self._ui, self._view, self._now_ms(), (terminal_columns(STDERR) or USUAL_COLUMNS) - 1)
        if len(lines) > rows:
            lines = [*lines[: rows - 1], f"… +{len(lines) - rows + 1}"]
        self._write(self._back() + "".join(f"{line}\n" for line in lines))
        self._drawn_rows = len(lines)

    def _back(self) -> str:
        """Go back to where the tree begins."""
        return (f"\x1b[{self._drawn_rows}A" if self._drawn_rows else "") + "\r" + CLEAR_BELOW


def screen_for(ui: Ui, view: RunView, now_ms: NowMs, environ: Mapping[str, str], *, quiet: bool) -> RunScreen:
    """Return what shows a run on standard error."""
    if quiet:
        return NoScreen(put_on_stderr)
    if os.isatty(STDERR) and environ.get("TERM", "") not in DUMB:
        return TreeScreen(put_on_stderr, ui, view, now_ms)
    return PlainScreen(put_on_stderr, ui)


def _rows() -> int:
    with contextlib.suppress(OSError):
        return max(LEAST_ROWS, os.get_terminal_size(STDERR).lines - 1)
    return LEAST_ROWS


def put_on_stderr(text: str) -> None:
    """Write to standard error as it is; if nobody reads there, that is no reason to stop."""
    with contextlib.suppress(OSError):
        os.write(STDERR, text.encode("utf-8", "replace"))
