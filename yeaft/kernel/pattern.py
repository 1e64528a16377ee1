"""A regular expression that is compiled at its first use.

Compiling all that yeaft knows takes longer than its first request does; most runs need a few of them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, AnyStr, Generic


class Pattern(Generic[AnyStr]):
    """What `re.compile` returns for the same arguments, as far as it is used here, and later."""

    def __init__(self, source: AnyStr, flags: int = 0) -> None:
        self.pattern: AnyStr = source
        self._flags = flags

    @cached_property
    def _compiled(self) -> re.Pattern[AnyStr]:
        return re.compile(self.pattern, self._flags)

    def match(self, text: AnyStr, start: int = 0) -> re.Match[AnyStr] | None:
        """Match at `start`."""
        return self._compiled.match(text, start)

    def fullmatch(self, text: AnyStr) -> re.Match[AnyStr] | None:
        """Match the whole text."""
        return self._compiled.fullmatch(text)

    def search(self, text: AnyStr, start: int = 0) -> re.Match[AnyStr] | None:
        """Find the first match from `start` on."""
        return self._compiled.search(text, start)

    def finditer(self, text: AnyStr, start: int = 0, end: int = sys.maxsize) -> Iterator[re.Match[AnyStr]]:
        """Find all matches between `start` and `end`, one after the other."""
        return self._compiled.finditer(text, start, end)

    def findall(self, text: AnyStr) -> list[Any]:
        """Find all matches, or their groups."""
        return self._compiled.findall(text)

    def sub(self, by: AnyStr | Callable[[re.Match[AnyStr]], AnyStr], text: AnyStr, count: int = 0) -> AnyStr:
        """Replace matches `by` a text with references to groups, or by what a function makes of them."""
        return self._compiled.sub(by, text, count)

    def split(self, text: AnyStr, most: int = 0) -> list[AnyStr | Any]:
        """Split at matches, at `most` so many of them."""
        return self._compiled.split(text, most)
