"""Cuts what comes out of a pipe into lines."""


class Lines:
    """Keeps the beginning of a line until its end has come; one longer than `limit_bytes` is forgotten."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._rest = bytearray()

    def take(self, chunk: bytes) -> list[bytes]:
        """Return the lines that are complete now, without their ends."""
        searched = len(self._rest)
        self._rest += chunk
        if self._rest.find(b"\n", searched) < 0:
            if len(self._rest) > self._limit_bytes:
                self._rest.clear()
            return []
        *lines, rest = bytes(self._rest).split(b"\n")
        self._rest = bytearray(rest)
        return lines
