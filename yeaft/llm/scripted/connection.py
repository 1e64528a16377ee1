"""One HTTP/1.1 connection, seen from the server: requests in, whole or streamed responses out, kept alive."""

import asyncio
import time
from collections.abc import Mapping
from http import HTTPStatus

from msgspec import Struct

HEAD_LIMIT_BYTES = 64 * 1024
BODY_LIMIT_BYTES = 256 * 1024 * 1024
PHRASES = {status.value: status.phrase for status in HTTPStatus}


class HttpRequest(Struct, frozen=True, kw_only=True):
    """A request with its whole body; header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    at_s: float


class BadRequest(Exception):
    """What came is not HTTP that this server understands; the connection cannot go on."""


class Connection:
    """Owns one accepted connection; `close` ends it. Times are seconds of the monotonic clock, 0.0 for never."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.first_byte_s = 0.0
        self.sent_bytes = 0

    async def next_request(self) -> HttpRequest | None:
        """The next request, or None when the client has hung up. Raises `BadRequest`."""
        try:
            head = await self._reader.readuntil(b"\r\n\r\n")
            at_s = time.monotonic()
            first, *lines = head.decode("latin-1").split("\r\n")
            method, target, _ = first.split(" ")
            headers = {
                name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
            }
            body = await self._body(headers)
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        except (ValueError, asyncio.LimitOverrunError) as error:
            raise BadRequest(str(error)) from error
        self.first_byte_s, self.sent_bytes = 0.0, 0
        return HttpRequest(method=method, path=target.partition("?")[0], headers=headers, body=body, at_s=at_s)

    async def _body(self, headers: Mapping[str, str]) -> bytes:
        if headers.get("transfer-encoding", "").lower() != "chunked":
            length = int(headers.get("content-length", "0"))
            if length > BODY_LIMIT_BYTES:
                raise BadRequest(f"A body of {length} bytes is too large.")
            return await self._reader.readexactly(length)
        chunks: list[bytes] = []
        while size := int((await self._reader.readuntil(b"\r\n")).partition(b";")[0], 16):
            chunks.append(await self._reader.readexactly(size))
            await self._reader.readexactly(2)
        await self._reader.readuntil(b"\r\n")
        return b"".join(chunks)

    async def respond(
        self, status: int, body: bytes, headers: Mapping[str, str], *, promised_bytes: int | None = None
    ) -> None:
        """A whole response. More `promised_bytes` than `body` has leave it visibly short."""
        length = len(body) if promised_bytes is None else promised_bytes
        self._head(status, {**headers, "content-length": str(length)})
        await self._send(body)

    def open_stream(self, status: int, headers: Mapping[str, str]) -> None:
        """Begin a chunked response; follow with `stream` and `end_stream`."""
        self._head(status, {**headers, "transfer-encoding": "chunked"})

    async def stream(self, piece: bytes) -> None:
        """Send `piece` (not empty) now, waiting while the client is slow. Raises `ConnectionError` if it has gone."""
        await self._send(b"%x\r\n%s\r\n" % (len(piece), piece))

    async def end_stream(self) -> None:
        """End the chunked response; the connection may then be used again."""
        await self._send(b"0\r\n\r\n")

    async def hung_up(self) -> None:
        """Return once the client has closed the connection, or sends what it should not send now."""
        await self._reader.read(1)

    def reset(self) -> None:
        """Drop the connection without a farewell."""
        self._writer.transport.abort()

    def close(self) -> None:
        """Close the connection after what was sent."""
        self._writer.close()

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        phrase = PHRASES.get(status, "Status of the service's own")
        lines = (f"HTTP/1.1 {status} {phrase}", *(f"{name}: {value}" for name, value in headers.items()), "", "")
        self._writer.write("\r\n".join(lines).encode("latin-1"))

    async def _send(self, data: bytes) -> None:
        self.first_byte_s = self.first_byte_s or time.monotonic()
        self.sent_bytes += len(data)
        self._writer.write(data)
        await self._writer.drain()
