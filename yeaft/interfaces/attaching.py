"""Files that a user names to be sent along: found, or refused by name."""

from __future__ import annotations

from pathlib import Path

from yeaft.kernel.errors import NotFound


def file_to_attach(folder: Path, path: str) -> Path:
    """Return the file that `path` names, seen from `folder`. Raises `NotFound`."""
    file = folder / Path(path).expanduser()
    if not file.is_file():
        raise NotFound(f"There is no file {file} to attach.")
    return file
