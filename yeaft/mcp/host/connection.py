"""One server of the host, from the order to connect until it is gone."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, cast

import anyio
import httpx2
import mcp_types as types
import msgspec
from mcp import Client, MCPError
from mcp.client.auth import OAuthFlowError
from mcp_types import CONNECTION_CLOSED, METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION

from yeaft import __version__
from yeaft.mcp.host import results
from yeaft.mcp.host.http import HttpServer
from yeaft.mcp.host.human import Human
from yeaft.mcp.host.oauth import authorization
from yeaft.mcp.host.server_log import ServerLog
from yeaft.mcp.host.stdio import StdioServer
from yeaft.mcp.host_protocol import (
    AnyNews,
    CallTool,
    Connect,
    Connected,
    Done,
    Exited,
    GetPrompt,
    Listing,
    Lost,
    Noise,
    Progress,
    ReadResource,
    Refused,
    Result,
    Started,
)

if TYPE_CHECKING:
    from mcp.client._transport import Transport
    from mcp.client.client import ConnectMode
    from mcp.client.context import ClientRequestContext
    from mcp.client.session import IncomingMessage
    from mcp.shared.dispatcher import ProgressFnT

Tell = Callable[[AnyNews], None]
Job = CallTool | ReadResource | GetPrompt
MOST_PAGES = 50
NOISE_STEP = 100
NEWER_ONLY = frozenset({METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION})
"""How a server answers the handshake that all others know, if it only speaks a newer protocol."""
FAULTS = (
    MCPError,
    OAuthFlowError,
    httpx2.HTTPError,
    httpx2.InvalidURL,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    OSError,
    RuntimeError,
    ValueError,
    TypeError,
    LookupError,
    ExceptionGroup,
)
"""What the SDK raises for a server that fails or answers nonsense; groups come from its own tasks."""


class Connection:
    """Runs in one task of the host (`run`); the jobs it is given are tasks of their own."""

    def __init__(self, order: Connect, environ: Mapping[str, str], tell: Tell, human: Human) -> None:
        self.name = order.server.name
        self._order = order
        self._environ = environ
        self._tell = tell
        self._human = human
        self._log = ServerLog(Path(order.log))
        self._over = asyncio.Event()
        self._stale = asyncio.Event()
        self._noise = 0
        self._is_forgotten = False
        self._client: Client | None = None
        self._jobs: dict[int, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Connect, tell what there is, and keep the connection until it breaks or is ended."""
        keeping = asyncio.create_task(self._kept(), name=f"server:{self.name}")
        over = asyncio.create_task(self._over.wait(), name="over")
        try:
            await asyncio.wait((keeping, over), return_when=asyncio.FIRST_COMPLETED)
        finally:
            keeping.cancel()
            over.cancel()
            await asyncio.wait((keeping, over))
        if not keeping.cancelled() and (error := keeping.exception()) is not None:
            raise error

    def end(self) -> None:
        """End the connection in good order."""
        self.broke("it was ended")

    def start(self, job: Job, group: asyncio.TaskGroup) -> None:
        """Do a job in `group`; its result, or why there is none, is told."""
        if self._client is None:
            self._tell(Refused(id=job.id, text="it is not connected", unsent=True))
            return
        task = group.create_task(self._done(job, self._client), name=f"job:{job.id}")
        self._jobs[job.id] = task
        task.add_done_callback(lambda _: self._jobs.pop(job.id, None))

    def cancel(self, job_id: int) -> None:
        """Stop a job, and tell its server so."""
        if job := self._jobs.get(job_id):
            job.cancel()

    def started(self, pid: int) -> None:
        """See `Ears`."""
        self._tell(Started(server=self.name, pid=pid))

    def exited(self, pid: int) -> None:
        """See `Ears`."""
        self._tell(Exited(server=self.name, pid=pid))

    def noise(self) -> None:
        """See `Ears`; the first line is told at once, the others by the hundred."""
        self._noise += 1
        if self._noise == 1 or self._noise % NOISE_STEP == 0:
            self._tell(Noise(server=self.name, lines=self._noise))

    def broke(self, text: str, *, wants_login: bool = False, unsent: tuple[int, ...] = ()) -> None:
        """See `Ears`; the first reason is told at once, before anything is tidied up."""
        if self._over.is_set():
            return
        self._over.set()
        self._client = None
        self._tell(Lost(server=self.name, text=text, wants_login=wants_login, unsent=unsent))
        for job in self._jobs.values():
            job.cancel()

    def forgotten(self) -> None:
        """See `Ears`; the job that has met this is told next."""
        self._is_forgotten = True

    async def _kept(self) -> None:
        try:
            async with AsyncExitStack() as stack:
                client = await self._connected(stack)
                while True:
                    self._stale.clear()
                    listing = await listing_of(client)
                    if self._over.is_set():
                        return
                    self._client = client
                    self._tell(Connected(server=self.name, listing=listing))
                    await self._stale.wait()
        except FAULTS as error:
            self.broke(text_of(error), wants_login=isinstance(_first_of(error), OAuthFlowError))

    async def _connected(self, stack: AsyncExitStack) -> Client:
        try:
            return await stack.enter_async_context(await self._new_client("legacy"))
        except MCPError as error:
            if error.code not in NEWER_ONLY:
                raise
            return await stack.enter_async_context(await self._new_client("auto"))

    async def _new_client(self, mode: ConnectMode) -> Client:
        return Client(
            await self._transport(),
            mode=mode,
            cache=None,
            client_info=types.Implementation(name="yeaft", version=__version__),
            list_roots_callback=self._roots,
            elicitation_callback=self._elicit,
            message_handler=self._heard,
        )

    async def _transport(self) -> Transport:
        order = self._order
        if order.server.kind == "http":
            return HttpServer(order.server, self, await authorization(order, self._tell))
        return StdioServer(order.server, order.folder, self._environ, self._log, self)

    async def _done(self, job: Job, client: Client) -> None:
        try:
            result = await self._result(job, client)
        except FAULTS as error:
            text = text_of(error)
            if self._is_forgotten:
                self.broke(text, unsent=(job.id,))
            self._tell(Refused(id=job.id, text=text, unsent=self._is_forgotten))
            if isinstance(error, MCPError) and error.code == CONNECTION_CLOSED:
                self.broke(text)
            return
        self._tell(Done(id=job.id, result=result))

    async def _result(self, job: Job, client: Client) -> Result:
        match job:
            case CallTool():
                arguments = msgspec.json.decode(job.args, type=dict[str, object])
                progress = self._progress_of(job)
                return results.called(await client.call_tool(job.tool, arguments, progress_callback=progress))
            case ReadResource(uri=""):
                return results.resources(await _all_resources(client))
            case ReadResource(uri=uri):
                return results.read(await client.read_resource(uri))
            case GetPrompt():
                return results.prompted(await client.get_prompt(job.prompt, job.arguments))

    def _progress_of(self, job: Job) -> ProgressFnT:
        async def heard(progress: float, total: float | None, message: str | None) -> None:
            of = f"/{total:g}" if total else ""
            text = f"{progress:g}{of}" + (f" {message}" if message else "")
            self._tell(Progress(id=job.id, text=text))

        return heard

    async def _roots(self, context: ClientRequestContext) -> types.ListRootsResult:
        del context  # they are the same for everybody
        folder = Path(self._order.folder)
        root = types.Root.model_validate({"uri": folder.as_uri(), "name": folder.name})
        return types.ListRootsResult(roots=[root])

    async def _elicit(self, context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        del context  # it does not say which call the question belongs to
        return await self._human.ask(self.name, params)

    async def _heard(self, message: IncomingMessage) -> None:
        """Note what the server says has changed; everything else that it sends unasked is of no use here."""
        changed = types.ToolListChangedNotification | types.PromptListChangedNotification
        if isinstance(message, changed):
            self._stale.set()


async def listing_of(client: Client) -> Listing:
    """Everything that a server offers."""
    offers, about = client.server_capabilities, client.server_info
    tools: list[types.Tool] = []
    prompts: list[types.Prompt] = []
    has_resources = False
    if offers.tools is not None:
        cursor = None
        for _ in range(MOST_PAGES):
            page = await client.list_tools(cursor=cursor)
            tools += page.tools
            if (cursor := page.next_cursor) is None:
                break
    if offers.prompts is not None:
        with contextlib.suppress(MCPError):  # some say that they have them, and then cannot list them
            prompts = await _all_prompts(client)
    if offers.resources is not None:
        with contextlib.suppress(MCPError):
            has_resources = await _has_resources(client)
    return Listing(
        title=about.name if about else "",
        version=about.version if about else "",
        instructions=client.instructions or "",
        tools=tuple({tool.name: results.listed_tool(tool) for tool in tools}.values()),
        prompts=tuple(map(results.listed_prompt, prompts)),
        has_resources=has_resources,
    )


async def _all_prompts(client: Client) -> list[types.Prompt]:
    found: list[types.Prompt] = []
    cursor = None
    for _ in range(MOST_PAGES):
        page = await client.list_prompts(cursor=cursor)
        found += page.prompts
        if (cursor := page.next_cursor) is None:
            break
    return found


async def _has_resources(client: Client) -> bool:
    """Whether there is anything to read: many servers say that they could have resources, and have none."""
    return bool(
        (await client.list_resources()).resources or (await client.list_resource_templates()).resource_templates
    )


async def _all_resources(client: Client) -> list[types.Resource]:
    found: list[types.Resource] = []
    cursor = None
    for _ in range(MOST_PAGES):
        page = await client.list_resources(cursor=cursor)
        found += page.resources
        if (cursor := page.next_cursor) is None:
            break
    return found


def text_of(error: BaseException) -> str:
    """What went wrong, in words; of a group, its first."""
    error = _first_of(error)
    if isinstance(error, FileNotFoundError) and error.filename:
        return f"{error.filename} was not found"
    return str(error).partition("\n")[0] or type(error).__name__


def _first_of(error: BaseException) -> BaseException:
    """The error itself, or the first of a group of them."""
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)  # nothing else can be in a group
        return _first_of(group.exceptions[0])
    return error
