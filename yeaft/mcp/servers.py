"""The MCP servers of one Session: connected in the background, called when a model does, ended with the Session."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Raw

from yeaft.events.codec import Event
from yeaft.events.tools import ToolsChanged
from yeaft.kernel.errors import NotFound, ToolFailed
from yeaft.mcp.host_protocol import (
    CallTool,
    Cancel,
    Done,
    Elicited,
    GetPrompt,
    ListedPrompt,
    Progress,
    ReadResource,
    Refused,
    Reply,
    Result,
)
from yeaft.mcp.job import Elicit, Job, Show
from yeaft.mcp.link import Link, Status
from yeaft.mcp.offer import Offer, OfferedTool, digest_of
from yeaft.mcp.pinned import Pinned
from yeaft.mcp.server import McpServer
from yeaft.mcp.supervisor import Supervisor

Order = Callable[[int], CallTool | ReadResource | GetPrompt]


def nobody(_: str) -> None:
    """Show it to nobody."""


class McpServers:
    """Owns the servers from `start` to `aclose`. Must be used inside an event loop; `tell` takes what happens.

    `environ` is what the servers' processes get besides their own, already without secrets. Nothing runs before
    `start`, or before something is asked of a server.
    """

    def __init__(
        self,
        servers: Sequence[McpServer],
        *,
        home: Path,
        folder: Path,
        environ: Mapping[str, str],
        tell: Callable[[Event], None],
    ) -> None:
        self._supervisor = Supervisor(servers, home=home, folder=folder, environ=environ, tell=tell, desk=self)
        self._links = self._supervisor.links
        self._tell = tell
        self._offer = Offer()
        self._told: set[str] = set()
        self._jobs: dict[int, Job] = {}
        self._numbers = itertools.count(1)

    def start(self) -> None:
        """Begin to connect all servers, if that has not begun; returns at once."""
        self._supervisor.start()

    def offered(self) -> tuple[OfferedTool, ...]:
        """Every tool that a turn which begins now may be offered; what is new of them is told as an event."""
        for link in self._links.values():
            self.connected(link)
        return self._offer.tools

    def known(self) -> tuple[OfferedTool, ...]:
        """Every tool that was known at any time; the set only grows."""
        return self._offer.tools

    def resource_servers(self) -> tuple[str, ...]:
        """The servers that have resources, as far as is known."""
        return tuple(link.name for link in self._links.values() if link.pinned and link.pinned.listing.has_resources)

    def prompts(self) -> tuple[tuple[str, ListedPrompt], ...]:
        """The prompts that are known, each with the name of its server."""
        return tuple(
            (link.name, prompt)
            for link in self._links.values()
            for prompt in (link.pinned.listing.prompts if link.pinned else ())
        )

    def statuses(self) -> tuple[Status, ...]:
        """How the servers are, in the order of their configuration."""
        return tuple(link.status() for link in self._links.values())

    async def connect(self, name: str) -> Pinned:
        """Wait until a server is connected, and return what it has.

        Raises `NotFound` for a server that is not there, `ToolFailed` when it cannot be connected in its time.
        """
        link = self._link(name)
        await self._supervisor.ready(link)
        assert link.pinned is not None
        return link.pinned

    async def call(
        self, name: str, tool: str, args: Raw, *, show: Show = nobody, elicit: Elicit | None = None
    ) -> Result:
        """Call a tool with a JSON object, connecting first if need be. Cancelling this cancels the call.

        `show` gets the progress; `elicit` puts the server's questions to the human. Raises `ToolFailed` when there is
        no result: the server cannot be reached, was lost, is too slow, or the tool is not as the user agreed to it.
        """
        link = self._link(name)

        def order(number: int) -> CallTool:
            link.check(tool)
            return CallTool(id=number, server=name, tool=tool, args=args)

        return await self._result(link, order, show, elicit)

    async def read(self, name: str, uri: str = "", *, show: Show = nobody) -> Result:
        """Read a resource of a server, or list those there are; raises `NotFound` or `ToolFailed`."""
        link = self._link(name)
        return await self._result(link, lambda number: ReadResource(id=number, server=name, uri=uri), show)

    async def prompt(self, name: str, prompt: str, arguments: Mapping[str, str]) -> Result:
        """Get a prompt of a server with its places filled in; raises `NotFound` or `ToolFailed`."""
        link, filled = self._link(name), dict(arguments)
        return await self._result(
            link, lambda number: GetPrompt(id=number, server=name, prompt=prompt, arguments=filled)
        )

    async def aclose(self) -> None:
        """End all servers and whatever waits for them."""
        await self._supervisor.aclose()

    @property
    def is_waiting(self) -> bool:
        """See `Desk`."""
        return bool(self._jobs)

    def answered(self, news: Done | Refused | Progress | Elicited) -> None:
        """See `Desk`."""
        if isinstance(news, Elicited):
            self._ask(news)
            return
        job = self._jobs.get(news.id)
        if job is None:
            return  # nobody waits for it any more
        match news:
            case Done(result=result):
                job.answer(result)
            case Refused():
                job.answer(news)
            case Progress(text=text):
                job.progress(text)

    def connected(self, link: Link) -> None:
        """See `Desk`."""
        if self._offer.take(link.name, link.offered):
            self._tell_of(link)

    def lost(self, server: str, text: str, unsent: tuple[int, ...]) -> None:
        """See `Desk`."""
        for job in self._jobs.values():
            if job.server != server:
                continue
            known = "it has not begun with this" if job.number in unsent else "what it has done is unknown"
            told = f"it was lost ({text}); {known}"
            job.answer(Refused(id=job.number, text=told, unsent=job.number in unsent))

    def _ask(self, news: Elicited) -> None:
        """Ask whoever last called the server: the protocol does not say to which call a question belongs."""
        able = [job for job in self._jobs.values() if job.server == news.server and job.takes_questions]
        if able:
            able[-1].ask(news)
        else:
            self._supervisor.send(Reply(id=news.id, action="decline"))

    def _link(self, name: str) -> Link:
        link = self._links.get(name)
        if link is None:
            raise NotFound(f"There is no MCP server {name!r}; `yeaft mcp ls` lists those there are.")
        return link

    async def _result(self, link: Link, order: Order, show: Show = nobody, elicit: Elicit | None = None) -> Result:
        """What an order comes to; one that the server never began with is sent once more."""
        outcome = await self._outcome(link, order, show, elicit)
        if isinstance(outcome, Refused) and outcome.unsent:
            outcome = await self._outcome(link, order, show, elicit)
        if isinstance(outcome, Refused):
            raise ToolFailed(f"The MCP server {link.name} gave no result: {outcome.text}.")
        link.failures, link.has_complained = 0, False
        return outcome

    async def _outcome(self, link: Link, order: Order, show: Show, elicit: Elicit | None) -> Result | Refused:
        await self._supervisor.ready(link)
        number = next(self._numbers)
        wanted = order(number)
        job = Job(number, link.server, show=show, elicit=elicit, send=self._supervisor.send)
        self._jobs[number] = job
        self._supervisor.send(wanted)
        try:
            return await job.outcome()
        finally:
            del self._jobs[number]
            if not job.is_answered:
                self._supervisor.send(Cancel(id=number))

    def _tell_of(self, link: Link) -> None:
        tools = self._offer.of(link.name)
        first: Literal["connected", "listed"] = "connected" if link.state == "connected" else "listed"
        self._tell(
            ToolsChanged(
                server=link.name,
                digest=digest_of(tools),
                tools=tuple(tool.name for tool in tools),
                reason="changed" if link.name in self._told else first,
            )
        )
        self._told.add(link.name)
