"""Keys in the order in which they were pressed: none is acted on before what was pressed before it has been."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.events import Event
    from textual.message_pump import MessagePump

PATIENCE_S = 1.0
"""A widget that is busy for longer does not hold up what is pressed."""


def waits(event: Event) -> bool:
    """Whether an event is a key that may do something, which the draft as it is by then decides."""
    from textual.events import Key

    return isinstance(event, Key) and not event.is_forwarded and not event.is_printable


async def settled(widget: MessagePump | None) -> None:
    """Wait until a widget has taken in what was sent to it so far; not for one that goes or takes its time."""
    taken_in = asyncio.Event()
    if widget is None or not widget.call_later(taken_in.set):
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE_S):
            await taken_in.wait()
