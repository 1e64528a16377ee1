"""What every end-to-end test can ask for: a yeaft of its own, and scripted providers on loopback."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from e2e.given import Yeaft
from e2e.screen import Screen
from yeaft.llm.scripted.script import Script
from yeaft.llm.scripted.server import ScriptedServer

Serve = Callable[[Script], Awaitable[ScriptedServer]]


@pytest.fixture
def yeaft(tmp_path: Path) -> Yeaft:
    """A yeaft with an empty home; `talks_to` gives it a model."""
    return Yeaft(tmp_path)


@pytest.fixture
async def serve(yeaft: Yeaft) -> AsyncIterator[Serve]:
    """Serve a script in this process, and let `yeaft` talk to it."""
    async with AsyncExitStack() as servers:

        async def start(script: Script) -> ScriptedServer:
            server = await servers.enter_async_context(ScriptedServer(script))
            yeaft.talks_to(server.base_url)
            return server

        yield start


Terminals = Callable[..., Screen]


@pytest.fixture
async def terminals(yeaft: Yeaft) -> AsyncIterator[Terminals]:
    """Terminals to start `yeaft` at: `terminals(columns=80, rows=24, TERM=...)`; all are closed afterwards."""
    opened: list[Screen] = []

    def made(**how: Any) -> Screen:
        opened.append(Screen(yeaft, **how))
        return opened[-1]

    yield made
    for one in opened:
        one.close()
