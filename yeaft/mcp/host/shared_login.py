"""Uses a login that several yeafts share: one of them renews its tokens at a time, the others take over what it got.

Login servers take a token for renewal only once, so whoever came second would be logged out.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import time
from collections.abc import AsyncGenerator
from contextlib import ExitStack, aclosing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from mcp.client.auth import OAuthClientProvider

if TYPE_CHECKING:
    import httpx2

    from yeaft.mcp.host.oauth import TokenFile

LOCK_TIMEOUT_S, LOCK_STEP_S = 30.0, 0.05


class SharedLogin(OAuthClientProvider):
    """The SDK's provider, with the tokens in a file that others write, too."""

    tokens: TokenFile

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """See `httpx2.Auth`; until the request itself goes out nobody else renews the tokens."""
        if not self._initialized:
            await self._initialize()
        self.tokens.take_over()
        with ExitStack() as held:
            if not self.context.is_token_valid():
                await _hold(held, self.tokens.path.parent)
                self.tokens.take_over()
            async with aclosing(super().async_auth_flow(request)) as flow:
                with suppress(StopAsyncIteration):
                    step = await anext(flow)
                    while True:
                        if step is request:
                            held.close()
                        step = await flow.asend((yield step))


async def _hold(held: ExitStack, folder: Path) -> None:
    """Wait until no other yeaft renews tokens, for as long as that can take; the lock goes with the process."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    held.callback(os.close, descriptor)
    deadline = time.monotonic() + LOCK_TIMEOUT_S
    while time.monotonic() < deadline:
        with suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        await asyncio.sleep(LOCK_STEP_S)
