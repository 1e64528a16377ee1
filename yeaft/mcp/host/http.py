"""The way to a server over streamable HTTP: the SDK's own, on a client that tells at once when it breaks.

The SDK waits and tries again where we would rather know: whoever waits for a call is told that the server is gone.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Any

import httpx2
from mcp.client.streamable_http import MCP_SESSION_ID, streamable_http_client

from yeaft.kernel.errors import ModelFailed
from yeaft.llm.tls import trusting_context
from yeaft.mcp.host.mended_stream import MendedStream
from yeaft.mcp.host_protocol import LINE_BYTES

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

    from yeaft.mcp.host.ears import Ears
    from yeaft.mcp.server import McpServer

WRITE_TIMEOUT_S = 30.0
PARTING_TIMEOUT_S = 1.0
UNAUTHORIZED, NOT_FOUND = 401, 404


class HttpServer:
    """The connection to a server from entering to leaving; see `mcp.client.Transport`."""

    def __init__(self, server: McpServer, ears: Ears, auth: httpx2.Auth | None = None) -> None:
        self._server = server
        self._ears = ears
        self._auth = auth
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> TransportStreams:
        """Enter it. Raises `OSError` when the certificates that are configured cannot be read."""
        limits = httpx2.Timeout(WRITE_TIMEOUT_S, connect=self._server.connect_timeout_s, read=None)
        client = await self._stack.enter_async_context(
            _Client(
                self._ears,
                headers=self._server.headers,
                timeout=limits,
                auth=self._auth,
                verify=_trusted(self._server.url),
            )
        )
        read, write = await self._stack.enter_async_context(
            streamable_http_client(self._server.url, http_client=client, max_sse_event_size=LINE_BYTES)
        )
        return MendedStream(read), write

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._stack.__aexit__(kind, error, trace)


class _Client(httpx2.AsyncClient):
    """Tells `ears` of posts that found nobody, were refused for want of a login, or broke off in their answer."""

    def __init__(self, ears: Ears, **how: Any) -> None:
        super().__init__(**how)
        self._ears = ears

    async def send(self, request: httpx2.Request, **how: Any) -> httpx2.Response:
        """Send a request as usual."""
        try:
            async with asyncio.timeout(PARTING_TIMEOUT_S if request.method == "DELETE" else None):
                response = await super().send(request, **how)
        except httpx2.TransportError as error:
            place = f"{request.url.scheme}://{request.url.netloc.decode('ascii')}"
            self._ears.broke(f"no connection to {place} ({str(error) or type(error).__name__})")
            raise
        if response.status_code == UNAUTHORIZED:
            self._ears.broke("it wants a login (status 401)", wants_login=True)
        if response.status_code == NOT_FOUND and MCP_SESSION_ID in request.headers:
            self._ears.forgotten()
        if request.method == "POST" and isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Heard(response.stream, self._ears)
        return response


class _Heard(httpx2.AsyncByteStream):
    """The body of an answer; that it broke off is told."""

    def __init__(self, stream: httpx2.AsyncByteStream, ears: Ears) -> None:
        self._stream = stream
        self._ears = ears

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._stream:
                yield chunk
        except httpx2.TransportError as error:
            self._ears.broke(str(error) or type(error).__name__)
            raise

    async def aclose(self) -> None:
        await self._stream.aclose()


def _trusted(url: str) -> ssl.SSLContext | bool:
    if not url.startswith("https:"):
        return True
    try:
        return trusting_context()
    except ModelFailed as error:
        raise OSError(error.message) from error
