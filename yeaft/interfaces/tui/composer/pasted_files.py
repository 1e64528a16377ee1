"""Pasted paths: what a terminal writes when a file is dragged onto it, or a file manager copies."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

MOST_CHARS = 4_000
MOST_FILES = 20


def files_in(text: str, folder: Path, environ: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the files that a paste consists of; nothing if it is anything else than paths of files that exist.

    Paths may be quoted, escaped or `file://` addresses, one a line or with blanks between. Looks at the disk.
    """
    stripped = text.strip()
    if not stripped or len(stripped) > MOST_CHARS or not _looks_like_paths(stripped):
        return ()
    for words in _readings(stripped):
        paths = [_path(word, folder, environ) for word in words]
        found = [path for path in paths if path is not None]
        if found and len(found) == len(paths) <= MOST_FILES:
            return tuple(found)
    return ()


def _looks_like_paths(text: str) -> bool:
    return text.startswith(("/", "~/", "file://", "'", '"', "./", "../"))


def _readings(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.strip()]
    readings = [lines]
    with suppress(ValueError):  # an apostrophe in a name: it can only be meant as it is
        readings.append([word for line in lines for word in shlex.split(line)])
    return readings


def _path(word: str, folder: Path, environ: Mapping[str, str]) -> Path | None:
    if word.startswith("file://"):
        parts = urlsplit(word)
        if parts.netloc not in ("", "localhost"):
            return None
        word = unquote(parts.path)
    elif word.startswith("~/"):
        word = environ.get("HOME", "~") + word[1:]
    try:
        path = folder / word
        return path if "/" in word and path.is_file() else None
    except (OSError, ValueError):
        return None
