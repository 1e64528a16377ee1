"""Replaces a small file at once, and keeps other yeafts from doing so meanwhile."""

import contextlib
import os
import time
from collections.abc import Generator
from pathlib import Path

from yeaft.kernel.errors import ConfigError

LOCK_TIMEOUT_S = 10.0
LOCK_STEP_S = 0.02
NEW_FILE_MODE = 0o600
SHOWN_CHARS = 20


@contextlib.contextmanager
def locked(folder: Path) -> Generator[None, None, None]:
    """Keep other yeafts from changing files in `folder`; the lock goes with the process and leaves nothing behind.

    Raises `ConfigError` if another one does not let go of it for ten seconds.
    """
    import fcntl

    held = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        deadline = time.monotonic() + LOCK_TIMEOUT_S
        while True:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as error:
                if time.monotonic() > deadline:
                    raise ConfigError(f"Another yeaft is changing files in {folder}; try again.") from error
                time.sleep(LOCK_STEP_S)
        yield
    finally:
        os.close(held)


def replace_file(target: Path, text: str, new_mode: int = NEW_FILE_MODE) -> None:
    """Put `text` in the place of the file at once, with the mode it had, or `new_mode` if there was none.

    Raises `ConfigError` for what cannot be written as UTF-8, such as a word of a command line that was no text.
    """
    import tempfile

    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        around = text[max(0, error.start - SHOWN_CHARS) : error.end + SHOWN_CHARS]
        raise ConfigError(f"{target} stays as it is: {around!r} is no text that can be written there.") from error
    mode = target.stat().st_mode & 0o7777 if target.exists() else new_mode
    number, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(number, "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
