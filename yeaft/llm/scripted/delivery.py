"""Puts one step of a script onto a connection: whole, streamed, held back, cut, or broken."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from itertools import islice

from yeaft.llm.scripted.asked import Asked
from yeaft.llm.scripted.connection import Connection
from yeaft.llm.scripted.script import Answer, Breaks, Bytes, Calls, Cuts, Fails, Holds, Says, Stalls, Step
from yeaft.llm.scripted.wire import Wire, encoded

JSON = {"content-type": "application/json"}
STREAM = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
EVENTS_PER_WRITE = 20
BROKEN_STATUS = 529

WaitAt = Callable[[str], Awaitable[None]]
"""Wait until the gate of that name is opened."""


class HungUp(Exception):
    """The connection is of no more use; the client has left, or the script made us leave."""


async def deliver(step: Step, wire: Wire, asked: Asked, connection: Connection, wait_at: WaitAt) -> None:
    """Answer `asked` with `step`. Raises `HungUp` when the connection cannot carry another request."""
    match step:
        case Fails():
            headers = {**JSON, "retry-after": step.retry_after} if step.retry_after else JSON
            body = encoded(wire.failure(step.status, step.type, step.message))
            await connection.respond(step.status, body, headers)
        case Bytes():
            await connection.respond(step.status, step.body, {"content-type": step.content_type, **step.headers})
        case Says() | Calls() | Stalls() | Holds() | Cuts() | Breaks() if asked.stream:
            connection.open_stream(200, STREAM)
            await _stream(step, wire, asked, connection, wait_at)
            await connection.end_stream()
        case Says() | Calls() | Stalls() | Holds() | Cuts() | Breaks():
            await _whole(step, wire, asked, connection, wait_at)


async def _stream(
    step: Answer | Stalls | Holds | Cuts | Breaks, wire: Wire, asked: Asked, connection: Connection, wait_at: WaitAt
) -> None:
    if isinstance(step, Says | Calls):
        await _send_all(wire.events(step, asked), step.delay_s, connection)
        return
    if isinstance(step, Cuts) and step.after_bytes is not None:
        if start := b"".join(wire.events(step.of, asked))[: step.after_bytes]:
            await connection.stream(start)
        await _leave_cut(step, connection)
        return
    events = wire.events(step.of, asked)
    await _send_all(islice(events, step.after_events), step.of.delay_s, connection)
    match step:
        case Stalls():
            await _silence(connection)
        case Holds():
            await _wait(step.gate, connection, wait_at)
            await _send_all(events, step.of.delay_s, connection)
        case Cuts():
            await _leave_cut(step, connection)
        case Breaks():
            await connection.stream(wire.broken(step.type, step.message, step.after_events))


async def _whole(
    step: Answer | Stalls | Holds | Cuts | Breaks, wire: Wire, asked: Asked, connection: Connection, wait_at: WaitAt
) -> None:
    """The same without streaming; what would happen between events happens before or within the one body."""
    if isinstance(step, Says | Calls):
        await connection.respond(200, encoded(wire.whole(step, asked)), JSON)
        return
    body = encoded(wire.whole(step.of, asked))
    match step:
        case Stalls():
            await _silence(connection)
        case Holds():
            await _wait(step.gate, connection, wait_at)
            await connection.respond(200, body, JSON)
        case Cuts():
            kept = len(body) // 2 if step.after_bytes is None else step.after_bytes
            await connection.respond(200, body[:kept], JSON, promised_bytes=len(body))
            connection.reset()
            raise HungUp
        case Breaks():
            failure = wire.failure(BROKEN_STATUS, step.type, step.message)
            await connection.respond(BROKEN_STATUS, encoded(failure), JSON)


async def _send_all(events: Iterator[bytes], delay_s: float, connection: Connection) -> None:
    """Send `events`: one at a time when they are paced, else many per write, as fast as the client reads."""
    if delay_s:
        for event in events:
            await connection.stream(event)
            await asyncio.sleep(delay_s)
        return
    while batch := b"".join(islice(events, EVENTS_PER_WRITE)):
        await connection.stream(batch)


async def _leave_cut(cut: Cuts, connection: Connection) -> None:
    if cut.reset:
        connection.reset()
        raise HungUp


async def _silence(connection: Connection) -> None:
    await connection.hung_up()
    raise HungUp


async def _wait(gate: str, connection: Connection, wait_at: WaitAt) -> None:
    """Wait for the gate, but not longer than the client does."""
    opened = asyncio.ensure_future(wait_at(gate))
    gone = asyncio.ensure_future(connection.hung_up())
    try:
        await asyncio.wait((opened, gone), return_when=asyncio.FIRST_COMPLETED)
    finally:
        gone.cancel()
        opened.cancel()
        await asyncio.wait((opened, gone))
    if opened.cancelled():
        raise HungUp
