"""Reads the text of a file that the user named, or of standard input for `-`."""

import os
from pathlib import Path

from yeaft.kernel.errors import BadData, NotFound

STDIN = 0


def read_text(source: str) -> str:
    """Return the text of `source`. Raises `NotFound` if it cannot be read, `BadData` if it is not UTF-8."""
    try:
        raw = _standard_input() if source == "-" else Path(source).read_bytes()
        return raw.decode()
    except OSError as error:
        raise NotFound(f"{_shown(source)} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise BadData(f"{_shown(source)} is not UTF-8 text; byte {error.start} belongs to no character.") from error


def _standard_input() -> bytes:
    with os.fdopen(STDIN, "rb", closefd=False) as file:
        return file.read()


def _shown(source: str) -> str:
    return "Standard input" if source == "-" else source
