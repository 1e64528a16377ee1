"""What rules keep from being read below a folder, for those that read many files and name only the folder."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec import Struct

from yeaft.tools.paths import Paths
from yeaft.tools.policy.rules import READERS, Rule, fixed_part, path_regexes


class Withheld(Struct, frozen=True, kw_only=True):
    """The rules that may deny something below a folder; none means that all of it may be read."""

    rules: tuple[str, ...] = ()
    patterns: tuple[re.Pattern[str], ...] = ()

    def holds(self, path: str) -> bool:
        """Whether the file at an absolute path without links may not be read."""
        return any(pattern.fullmatch(path) for pattern in self.patterns)

    @property
    def note(self) -> str:
        """What whoever searches is told; the same whether or not such files would have matched."""
        return f"(left out: what {', '.join(self.rules)} denies reading)"


Withholding = Callable[[Path], Withheld]
"""What is withheld below a folder (absolute, links followed)."""


def nothing_withheld(_: Path) -> Withheld:
    """For those that no rules bind."""
    return Withheld()


def withheld(denying: Iterable[Rule], folder: Path, paths: Paths) -> Withheld:
    """What the rules deny reading in `folder` (absolute, links followed) and below."""
    found = [
        (one.text, path_regexes(one.pattern, paths))
        for one in denying
        if one.tool in READERS and one.pattern is not None and _reaches(one.pattern, folder, paths)
    ]
    return Withheld(
        rules=tuple(text for text, _ in found),
        patterns=tuple(re.compile(regex, re.DOTALL) for _, regexes in found for regex in regexes),
    )


def _reaches(pattern: str, folder: Path, paths: Paths) -> bool:
    return any(Path(part).is_relative_to(folder) or folder.is_relative_to(part) for part in fixed_part(pattern, paths))
