"""Something a server was asked to do: who waits for it, for how long, and what the server asks back meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

import msgspec
from msgspec import Raw, Struct

from yeaft.kernel.errors import ToolFailed
from yeaft.mcp.host_protocol import Elicited, Refused, Reply, Result
from yeaft.mcp.server import McpServer

Show = Callable[[str], None]
Elicit = Callable[[Elicited], Awaitable["Filled | None"]]
"""Puts a server's question to the human; None is a no. Raises `ToolFailed` when nobody is there."""


class Filled(Struct, frozen=True, kw_only=True):
    """What the human filled in, by the names of the fields."""

    fields: Mapping[str, str | int | float | bool | list[str]]


class Job:
    """One order that is not answered yet. `send` takes the answers to what the server asks back."""

    def __init__(
        self, number: int, server: McpServer, *, show: Show, elicit: Elicit | None, send: Callable[[Reply], None]
    ) -> None:
        self.number = number
        self.server = server.name
        self._timeout_s = server.call_timeout_s
        self._show = show
        self._elicit = elicit
        self._send = send
        self._answer: asyncio.Future[Result | Refused] = asyncio.get_running_loop().create_future()
        self._limit = asyncio.timeout(self._timeout_s)
        self._questions: asyncio.TaskGroup | None = None
        self._asking: set[asyncio.Task[None]] = set()

    @property
    def takes_questions(self) -> bool:
        """Whether there is somebody to ask, and somebody who waits for the answer."""
        return self._elicit is not None and self._questions is not None

    @property
    def is_answered(self) -> bool:
        """Whether it is known what came of it."""
        return self._answer.done() and not self._answer.cancelled()

    def answer(self, outcome: Result | Refused) -> None:
        """It has come to this."""
        if not self._answer.done():
            self._answer.set_result(outcome)

    def progress(self, text: str) -> None:
        """The server is at work, so it has all its time again."""
        self._show(text + "\n")
        self._rewind()

    def ask(self, elicited: Elicited) -> None:
        """Put the server's question; its time does not run meanwhile."""
        assert self._questions is not None
        task = self._questions.create_task(self._put(elicited), name=f"elicit:{elicited.server}")
        self._asking.add(task)
        task.add_done_callback(self._asked)
        self._rewind()

    async def outcome(self) -> Result | Refused:
        """Wait until it is answered, or time is up."""
        async with asyncio.TaskGroup() as questions:
            self._questions = questions
            try:
                return await self._waited()
            finally:
                self._questions = None
                for task in self._asking:
                    task.cancel()

    async def _waited(self) -> Result | Refused:
        try:
            async with self._limit:
                return await self._answer
        except TimeoutError:
            text = f"it did not answer within {self._timeout_s:g} s; what it has done is unknown"
            return Refused(id=self.number, text=text)

    async def _put(self, elicited: Elicited) -> None:
        assert self._elicit is not None
        reply = Reply(id=elicited.id, action="decline")
        try:
            filled = await self._elicit(elicited)
        except ToolFailed:
            filled = None
        if filled is not None:
            reply = Reply(id=elicited.id, action="accept", content=Raw(msgspec.json.encode(filled.fields)))
        self._send(reply)

    def _asked(self, task: asyncio.Task[None]) -> None:
        self._asking.discard(task)
        self._rewind()

    def _rewind(self) -> None:
        if self._questions is None or self._limit.expired():
            return
        now = asyncio.get_running_loop().time()
        self._limit.reschedule(None if self._asking else now + self._timeout_s)
