"""What becomes of an error in the program itself: the whole story in a file, one sentence for the user."""

from __future__ import annotations

import os
import time
import traceback
from pathlib import Path

LOGS_NAME = "logs"
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600


def write_crash(home: Path, error: BaseException) -> Path | None:
    """Write the traceback of `error` into a file of its own under `home`, and return it; None if nothing can be."""
    folder = home / LOGS_NAME
    name = f"crash-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log"
    text = "".join(traceback.format_exception(error)).encode("utf-8", "backslashreplace")
    try:
        folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, PRIVATE_FILE)
        with os.fdopen(descriptor, "wb") as file:
            file.write(text)
    except OSError:
        return None
    return folder / name
