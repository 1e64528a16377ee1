"""Puts the questions of servers to the human at the other end, and waits for what comes back."""

import asyncio
import itertools
from collections.abc import Callable
from typing import Any

import mcp_types as types
import msgspec
from msgspec import Raw

from yeaft.mcp.host_protocol import AnyNews, Elicited, Reply


class Human:
    """The human as the servers of one host see it."""

    def __init__(self, tell: Callable[[AnyNews], None]) -> None:
        self._tell = tell
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Reply]] = {}

    async def ask(self, server: str, params: types.ElicitRequestParams) -> types.ElicitResult:
        """Return what the human said; waits as long as it takes."""
        number = next(self._numbers)
        waiting: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waiting[number] = waiting
        try:
            self._tell(_question(number, server, params))
            reply = await waiting
        finally:
            del self._waiting[number]
        if reply.action == "accept":
            content: dict[str, Any] = msgspec.json.decode(reply.content)
            is_form = isinstance(params, types.ElicitRequestFormParams)
            return types.ElicitResult(action="accept", content=content if is_form else None)
        return types.ElicitResult(action="decline" if reply.action == "decline" else "cancel")

    def answer(self, reply: Reply) -> None:
        """Take an answer; one that nobody waits for any more is dropped."""
        waiting = self._waiting.get(reply.id)
        if waiting is not None and not waiting.done():
            waiting.set_result(reply)


def _question(number: int, server: str, params: types.ElicitRequestParams) -> Elicited:
    if isinstance(params, types.ElicitRequestURLParams):
        return Elicited(id=number, server=server, message=params.message, url=params.url)
    schema = Raw(msgspec.json.encode(params.requested_schema))
    return Elicited(id=number, server=server, message=params.message, schema=schema)
