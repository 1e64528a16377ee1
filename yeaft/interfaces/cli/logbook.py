"""Keeps what goes wrong inside yeaft itself in `logs/yeaft.log` below its home, and off every screen.

Nothing is made before there is something to write. Secrets of the environment and what looks like a key are masked.
"""

import logging
import os
import time
from collections.abc import Mapping
from pathlib import Path

LIMIT_BYTES = 1024 * 1024
ENTRY_CHARS = 32 * 1024
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600


class Logbook(logging.Handler):
    """Appends to one file; a full one becomes `<name>.1`. What cannot be written is dropped without a word."""

    def __init__(self, path: Path, environ: Mapping[str, str], limit_bytes: int = LIMIT_BYTES) -> None:
        super().__init__(logging.WARNING)
        self._path = path
        self._environ = environ
        self._limit_bytes = limit_bytes

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record, with its traceback if it has one."""
        try:
            self._write(self._entry(record).encode("utf-8", "replace"))
        except (OSError, TypeError, ValueError):  # a log that cannot be kept must not become a failure of its own
            return

    def _entry(self, record: logging.LogRecord) -> str:
        from yeaft.config.settings import Config
        from yeaft.interfaces.cli.commands.redaction import Redaction

        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(record.created))
        text = Redaction(Config(), self._environ).text(self.format(record))[:ENTRY_CHARS]
        return f"{stamp} {record.levelname} {os.getpid()} {record.name}: {text}\n"

    def _write(self, entry: bytes) -> None:
        self._path.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        if self._path.exists() and self._path.stat().st_size + len(entry) > self._limit_bytes:
            self._path.replace(self._path.with_name(f"{self._path.name}.1"))
        self._path.touch(mode=PRIVATE_FILE)
        with self._path.open("ab") as log:
            log.write(entry)


def keep(home: Path, environ: Mapping[str, str]) -> None:
    """Have this process keep a log below `home`; else Python would write to whatever is on the screen."""
    logging.getLogger().addHandler(Logbook(home / "logs" / "yeaft.log", environ))
