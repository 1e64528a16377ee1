"""What stands where on a terminal. Colours are left out, for nobody asks for them: that is most of what is written."""

import re
from collections.abc import Iterator

import pyte
from pyte.charsets import LAT1_MAP
from pyte.modes import IRM
from pyte.screens import Char
from wcwidth import wcwidth

UNSEEN = re.compile(rb"\x1b\[(?:[<>=][0-9;]*[a-zA-Z]|[0-9;:]*m)")
"""Sequences of the kitty keyboard protocol, which the emulator takes for others, and those of colours."""


class Emulator(pyte.Screen):
    """A terminal of `columns` x `rows` that is fed with bytes as they come."""

    def __init__(self, columns: int, rows: int) -> None:
        self._known: list[str] = []
        self._cells: dict[str, Char] = {}
        super().__init__(columns, rows)
        self._stream = pyte.ByteStream(self)

    def feed(self, raw: bytes) -> None:
        """Take what was written."""
        self._stream.feed(UNSEEN.sub(b"\0", raw))  # which is nothing, but ends a text as they did

    @property
    def rows(self) -> list[str]:
        """What stands on the screen, line by line; only those that were written since the last time are read again."""
        if len(self._known) != self.lines:
            self._known = [""] * self.lines
            self.dirty.update(range(self.lines))
        for y in self.dirty.intersection(range(self.lines)):
            self._known[y] = "".join(self._signs(y))
        self.dirty.clear()
        return list(self._known)

    def draw(self, data: str) -> None:
        """Write text at the cursor: at once if each sign takes one column and all have room, as nearly always."""
        x, y = self.cursor.x, self.cursor.y
        has_room = x + len(data) <= self.columns and IRM not in self.mode
        if has_room and not self.charset and self.g0_charset == LAT1_MAP and self._can_be_cells(data):
            self.buffer[y].update((column, self._cells[sign]) for column, sign in enumerate(data, x))
            self.cursor.x = x + len(data)
        else:
            super().draw(data)
        # A sign without width in the first column is put on the last one of the line above.
        self.dirty.update((y, y - 1, self.cursor.y, self.cursor.y - 1))

    def _can_be_cells(self, data: str) -> bool:
        """Whether each sign takes one column; what its cell holds is kept then."""
        for sign in set(data).difference(self._cells):
            if wcwidth(sign) != 1:
                return False
            self._cells[sign] = self.default_char._replace(data=sign)
        return True

    def _signs(self, y: int) -> Iterator[str]:
        """The signs of a line; the cell behind one that takes two columns is passed over, whatever it holds."""
        row, is_behind = self.buffer[y], False
        for x in range(self.columns):
            sign = row[x].data
            if is_behind:
                is_behind = False
                continue
            yield sign
            is_behind = not sign.isascii() and wcwidth(sign[0]) == 2
