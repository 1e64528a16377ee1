"""What every wire protocol offers the transport: events in, one reply out."""

from collections.abc import Mapping
from typing import Protocol

from yeaft.kernel.errors import ModelFailed
from yeaft.llm.model import Piece, Reply
from yeaft.llm.sse import SseEvent


class Accumulator(Protocol):
    """Adds the events of one reply up; made anew for each request, one implementation per wire protocol."""

    @property
    def text_so_far(self) -> str:
        """What has been said to the reader."""
        ...

    @property
    def calls_seen(self) -> bool:
        """Whether any part of a tool call has arrived."""
        ...

    @property
    def is_done(self) -> bool:
        """Whether the protocol's terminal event has been seen; nothing is fed after it."""
        ...

    def feed(self, event: SseEvent) -> list[Piece]:
        """What `event` adds. Raises `ModelFailed` for an error that the server reports inside the stream."""
        ...

    def whole(self, body: bytes) -> Reply:
        """The reply out of a JSON body, for servers that do not stream. Raises `ModelFailed`."""
        ...

    def finish(self) -> Reply:
        """The reply when the stream is over. Raises `ModelFailed("truncated")` unless `is_done`."""
        ...

    def refused(self, status: int, headers: Mapping[str, str], body: bytes) -> ModelFailed:
        """What an HTTP status outside 200-299 means; `headers` have lower-case names."""
        ...
