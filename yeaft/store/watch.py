"""Following a stream while it grows: nothing between the last read and the next commit is missed."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable

from yeaft.events.codec import Recorded


class Watchers:
    """Those who follow one journal; whoever commits calls `wake`, whoever closes it calls `close`."""

    def __init__(self) -> None:
        self._news: set[asyncio.Event] = set()
        self._closed = False

    def wake(self) -> None:
        """Tell all that there may be something new."""
        for news in self._news:
            news.set()

    def close(self) -> None:
        """Let everybody read what there is and then stop."""
        self._closed = True
        self.wake()

    async def follow(
        self, read: Callable[[int], list[Recorded]], after: int, poll_s: Callable[[], float | None]
    ) -> AsyncGenerator[Recorded, None]:
        """Yield what `read(after)` gives, again and again, until the journal closes.

        `poll_s` says how long to wait for `wake` before looking anyway: None where all commits are our own.
        """
        news = asyncio.Event()
        self._news.add(news)
        try:
            while True:
                news.clear()
                closed = self._closed
                for recorded in read(after):
                    yield recorded
                    after = recorded.seq
                if closed:
                    return
                await _either(news, poll_s())
        finally:
            self._news.discard(news)


async def _either(news: asyncio.Event, timeout_s: float | None) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(timeout_s):
            await news.wait()
