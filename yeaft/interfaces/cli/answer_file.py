"""`-o FILE`: a file that the answer goes to as well."""

import os
from pathlib import Path

from yeaft.kernel.errors import UsageError, YeaftError


def check(path: Path) -> None:
    """Raise `UsageError` if `write` could not work, so that no request is made for an answer that would be lost."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise UsageError(f"-o {path}: there is no folder {folder}. Make it first.")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise UsageError(f"-o {path}: no permission to write there.")


def write(path: Path, text: str) -> None:
    """Write the answer with a line end; without an answer the file is empty. Raises `YeaftError`."""
    try:
        path.write_text(f"{text}\n" if text else "", encoding="utf-8", errors="replace")
    except OSError as error:
        raise YeaftError(f"The answer could not be written to {path}: {error.strerror}.") from error
