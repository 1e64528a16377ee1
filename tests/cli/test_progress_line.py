"""Whoever waits at a terminal sees how far it has come, and nothing of that stays."""

import os
import pty
from itertools import count
from pathlib import Path

import pyte
import pytest

from yeaft.interfaces.cli.progress_line import ProgressLine

COLUMNS, LINES = 80, 3
END = b"\0"
"""A sign that terminals leave out."""


class Terminal:
    """A terminal and what stands on it."""

    def __init__(self) -> None:
        self._reader, self.descriptor = pty.openpty()
        self._screen = pyte.Screen(COLUMNS, LINES)
        self._stream = pyte.ByteStream(self._screen)

    def rows(self) -> list[str]:
        os.write(self.descriptor, END)  # all that was written before comes before it, however late
        raw = b""
        while not raw.endswith(END):
            raw += os.read(self._reader, 65536)
        self._stream.feed(raw)
        return [row.rstrip() for row in self._screen.display if row.strip()]


def test_the_newest_line_takes_the_place_of_the_one_before_and_is_gone_in_the_end() -> None:
    terminal = Terminal()
    moments = count()

    with ProgressLine(terminal.descriptor, lambda: next(moments)) as line:
        line.show("read 98 of 100")
        line.show("read 9")
        during = terminal.rows()

    assert during == ["read 9"]
    assert terminal.rows() == []


@pytest.mark.parametrize("text", ["x" * 200, "正在读取" * 50])
def test_a_line_that_is_longer_than_the_terminal_is_wide_stays_one_line(text: str) -> None:
    terminal = Terminal()
    moments = count()

    with ProgressLine(terminal.descriptor, lambda: next(moments)) as line:
        line.show(text)
        line.show(text)
        during = terminal.rows()

    assert len(during) == 1
    assert terminal.rows() == []


def test_what_is_over_soon_says_nothing() -> None:
    terminal = Terminal()

    with ProgressLine(terminal.descriptor, lambda: 7.5) as line:
        line.show("read 1 of 2")

    assert terminal.rows() == []


def test_a_file_gets_no_line(tmp_path: Path) -> None:
    moments = count()
    with (tmp_path / "errors").open("wb") as file, ProgressLine(file.fileno(), lambda: next(moments)) as line:
        line.show("read 1 of 2")

    assert (tmp_path / "errors").read_bytes() == b""
