"""Puts the repair of messages between a transport of the SDK and its session."""

from __future__ import annotations

import contextvars
from types import TracebackType
from typing import Self

import anyio
from mcp.client._transport import ReadStream
from mcp.shared.message import SessionMessage

from yeaft.mcp.host.mending import mended


class MendedStream:
    """The messages of another stream, repaired; see `mcp.shared.ReadStream`."""

    def __init__(self, inner: ReadStream[SessionMessage | Exception]) -> None:
        self._inner = inner

    @property
    def last_context(self) -> contextvars.Context | None:
        """The context in which the last message was sent, which the SDK asks for by this name."""
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        """The next message."""
        item = await self._inner.receive()
        if isinstance(item, SessionMessage):
            item.message = mended(item.message)
        return item

    async def aclose(self) -> None:
        """Close the stream."""
        await self._inner.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> bool | None:
        return await self._inner.__aexit__(exc_type, exc_val, exc_tb)
