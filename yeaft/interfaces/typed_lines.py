"""What the user has said before, in one file for all folders and screens, in the format of prompt-toolkit's history.

An entry is `# time`, `# in FOLDER`, and its lines with a `+` before each; entries without a folder belong to all.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from yeaft.kernel.text import without_surrogates

HISTORY_NAME = "history"
PRIVATE_FILE = 0o600
MOST_BYTES = 4 * 2**20
"""So much of the end of the file is read; what is longer is cut to half of it when something is added."""
_FOLDER = "# in "


class TypedLine(Struct, frozen=True):
    """One entry, and the folder it was said in."""

    text: str
    folder: str = ""


class TypedLines:
    """The entries for one folder. A file that cannot be read or written holds none."""

    def __init__(self, path: Path, folder: Path) -> None:
        self._path = path
        self._folder = str(folder)

    def read(self) -> list[str]:
        """Return the entries, oldest first, each once where it was said last."""
        found = [one.text for one in _entries(_end_of(self._path)) if one.folder in ("", self._folder)]
        return list(reversed(dict.fromkeys(reversed(found))))

    def add(self, text: str) -> None:
        """Keep an entry, unless it begins with a blank: so do secrets. Blocks for a moment; never raises."""
        text = without_surrogates(text)
        if not is_kept(text):
            return
        lines = "".join(f"+{line}\n" for line in text.split("\n"))
        now = datetime.now().astimezone().replace(tzinfo=None)
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._shorten()
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
            with os.fdopen(os.open(self._path, flags, PRIVATE_FILE), "ab") as file:
                file.write(f"\n# {now}\n{_FOLDER}{self._folder}\n{lines}".encode("utf-8", "replace"))

    def _shorten(self) -> None:
        if not self._path.is_file() or self._path.stat().st_size <= MOST_BYTES:
            return
        end = _end_of(self._path, MOST_BYTES // 2)
        shorter = self._path.with_name(f"{self._path.name}.{os.getpid()}.tmp")
        with os.fdopen(os.open(shorter, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE_FILE), "wb") as file:
            file.write(end.encode("utf-8", "replace"))
        shorter.replace(self._path)


def is_kept(text: str) -> bool:
    """Whether a text may be kept: it says something, and does not begin with a blank."""
    return bool(text.strip()) and not text[0].isspace()


def _end_of(path: Path, most_bytes: int = MOST_BYTES) -> str:
    """Return the whole entries at the end of a file."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - most_bytes))
            raw = file.read()
    except OSError:
        return ""
    text = raw.decode("utf-8", "replace")
    return text if size <= most_bytes else text.partition("\n\n")[2]


def _entries(text: str) -> Iterator[TypedLine]:
    lines: list[str] = []
    folder = ""
    for line in (*text.split("\n"), ""):
        if line.startswith("+"):
            lines.append(line[1:])
            continue
        if lines:
            yield TypedLine("\n".join(lines), folder)
            lines, folder = [], ""
        if line.startswith(_FOLDER):
            folder = line.removeprefix(_FOLDER)
