"""What one VP has seen of which files, so that it never overwrites what it has not seen."""

from collections.abc import Mapping
from pathlib import Path


class Reads:
    """The content hash of every file that a VP last read or wrote, by resolved path."""

    def __init__(self, known: Mapping[Path, str] | None = None) -> None:
        self._sha256_by_path = dict(known or {})

    def note(self, path: Path, sha256: str) -> None:
        """The VP has now seen the content with this hash; empty means that the VP deleted the file."""
        self._sha256_by_path[path] = sha256

    def last(self, path: Path) -> str | None:
        """The hash the VP saw last; None if it never read the file, empty if it deleted it."""
        return self._sha256_by_path.get(path)
