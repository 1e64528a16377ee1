"""Searches the blocks of a transcript for a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.interfaces.tui.transcript.block_text import block_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yeaft.interfaces.tui.blocks import AnyBlock

MOST_CHARS = 200_000
"""So much of one block is searched."""


class Finding:
    """The blocks that have `word` in them, oldest first, and the one that is looked at."""

    def __init__(self) -> None:
        self.word = ""
        self.keys: list[str] = []
        self.current: str | None = None
        self._texts: dict[str, tuple[AnyBlock, str]] = {}

    @property
    def number(self) -> int:
        """The number of the block that is looked at, from 1; 0 for none."""
        return self.keys.index(self.current) + 1 if self.current in self.keys else 0

    def search(self, word: str, blocks: Sequence[AnyBlock], near: str | None) -> None:
        """Find the blocks that have `word`, in any case of letters; look at the last one up to `near`, or the last."""
        self.word = word
        needle = word.lower()
        self.keys = [block.key for block in blocks if needle in self._text(block)] if needle.strip() else []
        if self.current not in self.keys:
            self.current = _upto(self.keys, near, blocks)

    def learn(self, blocks: Sequence[AnyBlock]) -> None:
        """Read blocks, so that the first search does not have to."""
        for block in blocks:
            self._text(block)

    def step(self, by: int) -> str | None:
        """Look at the next block, or the one before; round the ends."""
        if self.keys:
            at = self.keys.index(self.current) + by if self.current in self.keys else -1
            self.current = self.keys[at % len(self.keys)]
        return self.current

    def clear(self) -> None:
        """Search for nothing any more."""
        self.word, self.keys, self.current = "", [], None
        self._texts.clear()

    def _text(self, block: AnyBlock) -> str:
        known = self._texts.get(block.key)
        if known is None or known[0] is not block:
            known = self._texts[block.key] = (block, block_text(block)[:MOST_CHARS].lower())
        return known[1]


def _upto(keys: Sequence[str], near: str | None, blocks: Sequence[AnyBlock]) -> str | None:
    if not keys:
        return None
    order = {block.key: number for number, block in enumerate(blocks)}
    limit = order.get(near, len(order)) if near else len(order)
    fitting = [key for key in keys if order[key] <= limit]
    return fitting[-1] if fitting else keys[0]
