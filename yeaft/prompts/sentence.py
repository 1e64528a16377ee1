"""A sentence with `{{name}}` places, found again in a text that it was filled to."""

import re
from collections.abc import Iterator
from functools import cached_property

_PLACE = re.compile(r"\{\{(\w+)\}\}")
_FRAME = re.compile(r"[^{].*: \{\{\w+\}\}|\{\{\w+\}\} [A-Z][^{]*")
"""Words that end in another sentence behind a colon, or that a whole sentence goes before."""
_QUOTE = "['\"]"
"""What `repr` puts around a text: double quotes if there is a single one in it."""


class Sentence:
    """What `template` can be filled to. Its pattern is made for the first text that has all of its own words in order.

    There are hundreds of them, and most errors are told by a process that ends right after.
    """

    def __init__(self, template: str) -> None:
        self._pieces = _PLACE.split(template)
        self._begins, self._ends = self._pieces[0].removesuffix("'"), self._pieces[-1].removeprefix("'")
        self.own_chars = sum(map(len, self._pieces[::2]))
        self.is_frame = _FRAME.fullmatch(template) is not None

    def found_in(self, text: str) -> dict[str, str] | None:
        """Return what stands in the places if the whole of `text` is this sentence, else None."""
        if not (text.startswith(self._begins) and text.endswith(self._ends) and self._has_all(text)):
            return None
        found = self._pattern.fullmatch(text)
        return found.groupdict() if found else None

    def _has_all(self, text: str) -> bool:
        """Whether the words between the places are all there in their order, whatever quotes are around the places."""
        at = 0
        for words in (piece.strip("'") for piece in self._pieces[::2]):
            if (found := text.find(words, at)) < 0:
                return False
            at = found + len(words)
        return True

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile("".join(self._parts()), re.DOTALL)

    def _parts(self) -> Iterator[str]:
        named: set[str] = set()
        last = len(self._pieces) - 1
        for number, piece in enumerate(self._pieces):
            if number % 2 == 0:
                yield from _own(piece, opens=number < last, closes=number > 0)
            elif piece in named:
                yield f"(?P={piece})"
            else:
                named.add(piece)
                is_quoted = self._pieces[number - 1].endswith("'") and self._pieces[number + 1].startswith("'")
                yield f"(?P<{piece}>.*?)" if is_quoted else f"(?P<{piece}>.+?)"


def _own(words: str, *, opens: bool, closes: bool) -> Iterator[str]:
    """Yield the pattern of the words between two places; they may close a quote first, and open one at their end."""
    if closes and words.startswith("'"):
        yield _QUOTE
        words = words[1:]
    if opens and words.endswith("'"):
        yield re.escape(words[:-1]) + _QUOTE
    else:
        yield re.escape(words)
