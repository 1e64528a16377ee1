"""The lines that were typed before in this folder, in a file that may fail at any time."""

from collections.abc import Iterable
from pathlib import Path

from prompt_toolkit.history import History

from yeaft.interfaces.typed_lines import TypedLines


class KeptHistory(History):
    """A history that goes on without its file when that cannot be written any more."""

    def __init__(self, path: Path, folder: Path) -> None:
        super().__init__()
        self._lines = TypedLines(path, folder)

    def load_history_strings(self) -> Iterable[str]:
        """Return the lines of this folder, newest first."""
        return reversed(self._lines.read())

    def store_string(self, string: str) -> None:
        """Keep a line for later, if there is room and it is no secret."""
        self._lines.add(string)
