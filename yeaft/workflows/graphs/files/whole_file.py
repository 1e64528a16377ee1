"""A file of graphs with all that it brings in from others beside it: what it includes, and what it inherits."""

from __future__ import annotations

from pathlib import Path
from posixpath import normpath
from typing import Any

from yeaft.kernel.lists import is_list
from yeaft.workflows.graphs.files.located import Located, Mistake, Unreadable, read_located
from yeaft.workflows.graphs.files.side_files import read_side_file
from yeaft.workflows.graphs.plain_values import is_mapping, mapping

INHERIT = "INHERIT"
_DEEPEST = 5
_MOST_FILES = 20


def whole_file(text: str, folder: Path, name: str = "") -> Located:
    """Read a text of the file `name` in `folder`. Raises `Unreadable`.

    `!include FILE` stands for what a YAML file holds, or for the text of any other; `INHERIT: FILE` (or a list) lends
    all that is not said anew. Files are looked for in `folder` and below.
    """
    return _Files(folder).read(text, (name,))


class _Files:
    """Reads files that bring in one another, and counts them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._left = _MOST_FILES

    def read(self, text: str, within: tuple[str, ...]) -> Located:
        """Read a text of the last of the files `within`, each of which brings in the next."""

        def include(name: str) -> Any:
            return self._included(name if "://" in name else normpath(name), within)

        located = read_located(text, include)
        if not is_mapping(located.data):
            raise Unreadable(Mistake(1, "it must be a mapping with `graph:`, `graphs:`, `teams:` or `agents:`"))
        named = mapping(located.data).get(INHERIT)
        line = located.line((INHERIT,))
        for name in reversed(named if is_list(named) else [named]):
            if name is None:
                continue
            if not isinstance(name, str):
                raise Unreadable(Mistake(line, f"{INHERIT} takes the name of a file, or a list of them"))
            try:
                below = include(name)
            except ValueError as error:
                raise Unreadable(Mistake(line, f"{INHERIT}: {error}")) from error
            located = located.above(mapping(below), line)
        return located

    def _included(self, name: str, within: tuple[str, ...]) -> Any:
        """What a file holds. Raises `ValueError` with its name and line."""
        self._left -= 1
        if name in within:
            raise ValueError(f"{name!r} includes itself")
        if len(within) > _DEEPEST:
            raise ValueError(f"{name!r} is included too deep")
        if self._left < 0:
            raise ValueError(f"more than {_MOST_FILES} files are brought in")
        text = read_side_file(name, self._folder)
        if not name.endswith((".yml", ".yaml")):
            return text
        try:
            return self.read(text, (*within, name)).data
        except Unreadable as error:
            raise ValueError(f"{name}:{error.mistake.line}: {error.mistake.text}") from error
