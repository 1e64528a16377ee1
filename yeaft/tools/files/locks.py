"""One lock per file for all VPs of a Session, so that check and write are one step."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from weakref import WeakValueDictionary


class PathLocks:
    """Locks by resolved path; a lock lives as long as somebody holds or awaits it."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[Path, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def hold(self, *paths: Path) -> AsyncGenerator[None]:
        """Hold the locks of all `paths`, taken in one order so that two callers never wait for each other."""
        async with AsyncExitStack() as stack:
            for path in sorted(set(paths)):
                await stack.enter_async_context(self._locks.setdefault(path, asyncio.Lock()))
            yield
