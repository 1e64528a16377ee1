"""The way to one provider's server: bytes out, a reply in, every way it can break told as `ModelFailed`.

What the bytes mean is left to an `Accumulator`, whether to try again to the engine. Nothing here imports the HTTP
library; that waits for the first exchange or for `preload`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.kernel.clock import NowMs, wall_clock_ms
from yeaft.llm.accumulator import Accumulator
from yeaft.llm.model import Hear, Reply

if TYPE_CHECKING:
    from yeaft.llm.connections import Connections

__all__ = ["Accumulator", "Endpoint", "Transport", "preload"]

PRELOADED = ("anyio._backends._asyncio", "httpcore2", "yeaft.llm.connections")  # the first is else imported on connect


class Endpoint(Struct, frozen=True, kw_only=True):
    """Where to send a request and how long to wait; a timeout of 0 means for ever."""

    url: str
    headers: dict[str, str]
    first_byte_timeout_s: float = 90.0
    idle_timeout_s: float = 90.0
    connect_timeout_s: float = 10.0

    @property
    def place(self) -> str:
        """The scheme and host of the URL, without any user, password or query that it may carry."""
        scheme, mark, rest = self.url.partition("://")
        host = (rest if mark else scheme).partition("?")[0].partition("/")[0].rpartition("@")[2]
        return f"{scheme}{mark}{host}" if mark else host


class Transport:
    """The connections to one provider, made when first needed and kept open between requests."""

    def __init__(self, now_ms: NowMs = wall_clock_ms) -> None:
        self._now_ms = now_ms
        self._connections: Connections | None = None

    async def exchange(self, endpoint: Endpoint, body: bytes, accumulator: Accumulator, hear: Hear) -> Reply:
        """POST `body` and return the whole reply, telling `hear` of each network chunk's pieces as they come.

        Returns at the terminal event, without waiting for the end of the body. Raises `ModelFailed`, never retries.
        """
        from yeaft.llm.connections import Connections

        if self._connections is None:
            self._connections = Connections(self._now_ms)
        return await self._connections.exchange(endpoint, body, accumulator, hear)

    async def aclose(self) -> None:
        """Close all connections; a later exchange opens new ones."""
        connections, self._connections = self._connections, None
        if connections is not None:
            await connections.aclose()


def preload() -> None:
    """Import what the first exchange needs (100 ms), so that it can be done while something else is waited for."""
    for module in PRELOADED:
        import_module(module)
