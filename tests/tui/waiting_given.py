"""Waiting until something holds in an app that runs in this process."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from textual.pilot import Pilot

PATIENCE_S = 60.0
"""When a claim that should have come true is given up on."""
LOOKS_EACH_S = 0.02
"""A look at the whole screen costs what a frame costs: more of them would take the time from what is waited for."""


async def until(pilot: Pilot[Any], holds: Callable[[], object]) -> None:
    """Wait until something holds, and still does once all that was under way is done. Raises `TimeoutError`."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            if holds():
                await pilot.pause(0)
                if holds():
                    return
            await asyncio.sleep(LOOKS_EACH_S)


def holds_all(text: str, wanted: Iterable[str]) -> bool:
    """Whether a text holds all of these pieces."""
    return all(one in text for one in wanted)
