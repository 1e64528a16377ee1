"""Cuts Markdown that is still growing into pieces which nothing that follows can change any more.

Where it is cut hangs on the text alone, not on how it arrives: what was drawn bit by bit is what is drawn at once.
A piece is a block that stands at the top. Very long blocks are cut within, so that no piece takes long to draw.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from yeaft.interfaces.tui.transcript.markdown.parsing import blocks_of
from yeaft.kernel.pattern import Pattern

if TYPE_CHECKING:
    from markdown_it.token import Token

MOST_LINES = 40
MOST_CHARS = 2_400
"""A block with more lines or characters is cut; a line with more characters is one that is cut for itself."""
MOST_BOUND_LINES = 5 * MOST_LINES
"""An item of a list is cut within itself only where it is longer."""
SLAB_CHARS = 32 * 1024
"""So much is taken in at a time, so that what is cut off is never cut off a long text."""
_FENCE = Pattern(r" {0,3}(`{3,}|~{3,})")


class Piece(NamedTuple):
    """Markdown that stands for itself. `goes_on` says that it belongs to the piece before, without a gap."""

    text: str
    goes_on: bool = False


class Pieces:
    """Takes in a text as it grows; `rest` is what may still change."""

    def __init__(self) -> None:
        self._rest = ""
        self._fence = ""
        self._goes_on = False

    @property
    def rest(self) -> Piece | None:
        """What has not been cut off yet."""
        text = self._fence + self._rest
        return Piece(text, self._goes_on) if self._rest.strip() else None

    def feed(self, text: str) -> list[Piece]:
        """Take in what follows, and return the pieces that are settled by it."""
        settled = list[Piece]()
        for start in range(0, len(text), SLAB_CHARS):
            self._rest += text[start : start + SLAB_CHARS]
            while self._advance(settled):
                pass
        return settled

    def _advance(self, settled: list[Piece]) -> bool:
        """Settle some of what is there; say whether that was possible."""
        size = MOST_LINES + 2
        while True:
            lines, is_all, has_wall = self._window(size)
            if not lines:
                if has_wall:
                    self._cut_line(settled)
                return has_wall
            if self._in_fence(lines, settled) if self._fence else self._in_text(lines, settled):
                return True
            if has_wall:
                self._settle(settled, "".join(lines), goes_on=True)
                return True
            if is_all:
                return False
            size *= 2

    def _window(self, most: int) -> tuple[list[str], bool, bool]:
        """Return whole lines from the start, whether there are no more, and whether a line too long comes next."""
        lines, at, chars = list[str](), 0, 0
        while len(lines) < most and (chars < 2 * MOST_CHARS or len(lines) < most // 2):
            end = self._rest.find("\n", at)
            if (len(self._rest) if end < 0 else end) - at > MOST_CHARS:
                return lines, True, True
            if end < 0:
                return lines, True, False
            lines.append(self._rest[at : end + 1])
            chars += end + 1 - at
            at = end + 1
        return lines, False, False

    def _cut_line(self, settled: list[Piece]) -> None:
        """Cut a line that is too long, at a space if there is one."""
        space = self._rest.rfind(" ", MOST_CHARS // 2, MOST_CHARS) + 1
        self._settle(settled, self._rest[: space or MOST_CHARS], goes_on=True)

    def _settle(self, settled: list[Piece], text: str, *, goes_on: bool) -> None:
        """Take `text` off the start; `goes_on` is whether what follows belongs to it."""
        self._rest = self._rest[len(text) :]
        if text.strip():
            settled.append(Piece(self._fence + text, self._goes_on))
            self._goes_on = goes_on
        if not self._fence and goes_on and (opening := _open_fence(text)):
            self._fence = opening

    def _in_fence(self, lines: list[str], settled: list[Piece]) -> bool:
        mark = _FENCE.match(self._fence)
        assert mark is not None
        most = _most(lines)
        for number, line in enumerate(lines[: most + 1]):
            if _closes(line, mark[1]):
                self._settle(settled, "".join(lines[: number + 1]), goes_on=False)
                self._fence, self._goes_on = "", False
                return True
        if len(lines) > most:
            self._settle(settled, "".join(lines[:most]), goes_on=True)
            return True
        return False

    def _in_text(self, lines: list[str], settled: list[Piece]) -> bool:
        """Settle the blocks before the last one, or the beginning of a block that is too long.

        The last one is settled as well once enough empty lines follow it.
        """
        gap = _gap(lines)
        lines = lines[: gap or len(lines)]
        blocks = blocks_of("".join(lines))
        starts = [(block[0].map or [0])[0] for block in blocks]
        done = 0
        for number, block in enumerate(blocks):
            start, end = block[0].map or [0, 0]
            if cut := _cut(block, lines[start:end]):
                if number:
                    break
                self._settle(settled, "".join(lines[: start + cut]), goes_on=True)
                if block[0].type == "table_open":
                    self._rest = "".join(lines[start : start + 2]) + self._rest
                return True
            if number + 1 < len(blocks):
                self._settle(settled, "".join(lines[done : starts[number + 1]]), goes_on=False)
                done = starts[number + 1]
        else:
            if gap:
                self._settle(settled, "".join(lines[done:]), goes_on=False)
                return True
        return done > 0


def _cut(block: list[Token], lines: list[str]) -> int:
    """Return after how many lines a block has to be cut; 0 if it is short enough."""
    most = _most(lines)
    if block[0].type == "fence":
        is_closed = len(lines) > 1 and _closes(lines[-1], block[0].markup)
        return most if len(lines) - is_closed > most else 0
    if len(lines) <= most:
        return 0
    if block[0].type not in ("bullet_list_open", "ordered_list_open"):
        return most
    first = (block[0].map or [0])[0]
    items = [(token.map or [0])[0] - first for token in block if token.type == "list_item_open" and token.level == 1]
    fitting = [start for start in items if 0 < start <= most]
    beyond = [start for start in items if most < start <= MOST_BOUND_LINES]
    if fitting:
        return fitting[-1]
    return beyond[0] if beyond else MOST_BOUND_LINES if len(lines) > MOST_BOUND_LINES else 0


def _gap(lines: list[str]) -> int:
    """Return where the first gap ends that is so wide that nothing goes on behind it; 0 if there is none."""
    empty = 0
    for number, line in enumerate(lines, start=1):
        empty = 0 if line.strip() else empty + 1
        if empty > MOST_LINES:
            return number
    return 0


def _most(lines: list[str]) -> int:
    """Return how many of the lines a piece may have."""
    chars = 0
    for number, line in enumerate(lines[:MOST_LINES]):
        chars += len(line)
        if chars > MOST_CHARS + 1 and number:
            return number
    return MOST_LINES


def _closes(line: str, markup: str) -> bool:
    found = _FENCE.match(line)
    return found is not None and found[1].startswith(markup) and not line[found.end() :].strip(" \t\r\n")


def _open_fence(text: str) -> str:
    """Return the opening line of a fence that `text` leaves open, if it ends with one that stands at the top."""
    blocks = blocks_of(text) if "```" in text or "~~~" in text else []
    if not blocks or blocks[-1][0].type != "fence":
        return ""
    start, end = blocks[-1][0].map or [0, 0]
    lines = text.splitlines(keepends=True)
    is_closed = end - start > 1 and _closes(lines[end - 1], blocks[-1][0].markup)
    opening = lines[start]
    return "" if is_closed or not opening.endswith("\n") else opening
