"""Keeps what a server says beside the protocol, and not more of it than anybody will read."""

import time
from pathlib import Path

LIMIT_BYTES = 1024 * 1024
LINE_BYTES = 4096
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600


class ServerLog:
    """Appends lines to a file; a full one becomes `<name>.1`. What cannot be written is dropped without a word."""

    def __init__(self, path: Path, limit_bytes: int = LIMIT_BYTES) -> None:
        self._path = path
        self._limit_bytes = limit_bytes
        self._rest = b""

    def take(self, chunk: bytes) -> None:
        """Take what came from the server's standard error; the lines that are complete are written."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if len(self._rest) > LINE_BYTES:
            lines, self._rest = [*lines, self._rest], b""
        for line in lines:
            self.add("err", line)

    def add(self, source: str, line: bytes) -> None:
        """Write one line, and where it came from."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S")
        entry = f"{stamp} {source} ".encode() + line[:LINE_BYTES].rstrip() + b"\n"
        try:
            self._path.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
            if self._path.exists() and self._path.stat().st_size + len(entry) > self._limit_bytes:
                self._path.replace(self._path.with_name(f"{self._path.name}.1"))
            self._path.touch(mode=PRIVATE_FILE)
            with self._path.open("ab") as log:
                log.write(entry)
        except OSError:
            return

    def close(self) -> None:
        """Write what is left of a last line without an end."""
        if self._rest:
            self.add("err", self._rest)
            self._rest = b""
