"""What stories about MCP servers begin with: real servers as processes, and a diary in which they tell what happens."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import TypeVar

import psutil
from msgspec.structs import replace

from tests.session.session_given import PATIENCE_S, Given, Talk
from yeaft.events.codec import Event
from yeaft.events.session import NoticePosted
from yeaft.mcp.pinned import Pinned, read_pinned, write_pinned
from yeaft.mcp.places import host_log_path, pin_path
from yeaft.mcp.server import McpServer
from yeaft.mcp.servers import McpServers

SAMPLE = Path(__file__).with_name("sample_server.py")
T = TypeVar("T")
LONG_S = 60.0
"""How long a server may take to start on a busy machine before a story is taken for stuck."""
PINS: dict[str, Pinned] = {}
"""What servers have said of themselves, by their digest: starting one, and who talks to it, takes a second each."""
ODD = Path(__file__).with_name("odd_server.py")


class Diary:
    """What servers tell while they are at work, line by line, each over a connection to `port`.

    `pids` are the processes that have served, in order.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.pids: list[int] = []
        self._changed = asyncio.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._server: asyncio.Server | None = None

    @property
    def port(self) -> int:
        return self._listening.getsockname()[1]

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._hear, sock=self._listening)

    async def has(self, line: str, times: int = 1) -> None:
        """Wait until a line that begins so is there so often."""
        async with asyncio.timeout(PATIENCE_S):
            while sum(one.startswith(line) for one in self.lines) < times:
                self._changed.clear()
                await self._changed.wait()

    def close(self) -> None:
        if self._server is not None:
            self._server.close()

    async def _hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = (await reader.readline()).decode().rstrip("\n")
        self.lines.append(line)
        if line.startswith("started "):
            self.pids.append(int(line.split()[1]))
        self._changed.set()
        writer.close()


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that nobody has fetched yet does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def gone(*pids: int) -> None:
    """Wait until processes are gone."""
    assert pids
    there = [psutil.Process(pid) for pid in pids if is_alive(pid)]
    _, left = await asyncio.to_thread(psutil.wait_procs, there, PATIENCE_S)
    assert [one.pid for one in left if is_alive(one.pid)] == []


@contextmanager
def serving(program: Path, *words: str) -> Iterator[str]:
    """A program that serves HTTP on loopback and keeps no diary; gives its address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        descriptor = listening.fileno()
        process = subprocess.Popen(
            [sys.executable, str(program), *words, str(descriptor)],
            pass_fds=(descriptor,),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
        process.kill()
        process.wait()


class HttpSample:
    """The sample server behind HTTP on loopback, always at the same port, also while nobody serves it."""

    def __init__(self, diary: Diary) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._diary = diary
        self._process: asyncio.subprocess.Process | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}/mcp"

    async def start(self) -> None:
        descriptor = self._listening.fileno()
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, str(SAMPLE), "http", str(descriptor)),
            env={**os.environ, "SAMPLE_DIARY": str(self._diary.port)},
            pass_fds=(descriptor,),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )

    async def kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()

    async def close(self) -> None:
        await self.kill()
        self._listening.close()


class McpGiven(Given):
    """A home and a work folder in which servers are configured."""

    def __init__(self, tmp: Path, stack: AsyncExitStack) -> None:
        super().__init__(tmp, stack)
        self.diary = Diary()
        self.env = {"SAMPLE_DIARY": str(self.diary.port)}
        self.odd_program = ODD
        self.told: list[Event] = []
        self._has_told = asyncio.Event()
        self._servers: list[McpServers] = []
        self.common: McpServers
        self.over_http: McpServer
        self._https: list[HttpSample] = []

    def stdio(self, name: str = "sample", *words: str, program: Path = SAMPLE, **how: object) -> McpServer:
        """The sample server, or another program, as a child process."""
        args = (str(program), *(words or ("stdio",)))
        own = {"name": name, "command": sys.executable, "args": args, "env": self.env}
        return McpServer(**{"connect_timeout_s": LONG_S, **own, **how})

    def odd(self, name: str, *words: str, **how: object) -> McpServer:
        """The server that does one thing wrong."""
        return self.stdio(name, *words, program=ODD, **how)

    async def http(self, name: str = "sample", **how: object) -> tuple[McpServer, HttpSample]:
        """The sample server behind HTTP."""
        sample = HttpSample(self.diary)
        self._https.append(sample)
        await sample.start()
        return McpServer(
            **{"name": name, "kind": "http", "url": sample.url, "connect_timeout_s": LONG_S, **how}
        ), sample

    def servers(self, *servers: McpServer) -> McpServers:
        """Servers without a Session around them; what they tell is in `told`."""
        made = McpServers(servers, home=self.home, folder=self.folder, environ=dict(os.environ), tell=self._tell)
        self._servers.append(made)
        return made

    async def knows(self, *servers: McpServer) -> None:
        """Leave behind what an earlier Session has learned of these servers."""
        if new := {_known_as(one): one for one in servers if _known_as(one) not in PINS}:
            usual = {_known_as(one): one for one in (self.odd(kind, kind) for kind in ("plain", "many", "able"))}
            once = self.servers(*(learned := {**usual, **new}).values())
            for known_as, server in learned.items():
                await once.connect(server.name)
                pinned = read_pinned(pin_path(self.home, server))
                assert pinned is not None
                PINS[known_as] = pinned
            await once.aclose()
            self.told.clear()
        for server in servers:
            write_pinned(pin_path(self.home, server), replace(PINS[_known_as(server)], name=server.name))
        self.diary.lines.clear()

    async def until(self, found: Callable[[], T | None]) -> T:
        """Wait on what servers without a Session tell until `found` gives something."""
        async with asyncio.timeout(PATIENCE_S):
            while (result := found()) is None:
                self._has_told.clear()
                await self._has_told.wait()
            return result

    def _tell(self, event: Event) -> None:
        self.told.append(event)
        self._has_told.set()

    def notices(self) -> list[str]:
        return [event.code for event in self.told if isinstance(event, NoticePosted)]

    def configured(self, *servers: McpServer, more: str = "") -> str:
        """The servers as a part of `config.toml`."""
        text = "".join(map(_table, servers))
        return f"{text}\n{more}"

    async def talk(self, *steps: object, servers: tuple[McpServer, ...], more: str = "", **wish: object) -> Talk:
        """A Session with these servers, whose model says these steps."""
        from yeaft.llm.scripted.script import Script, script

        told = steps[0] if isinstance(steps[0], Script) else script(*steps)
        await self.model(told)
        self.config(self.configured(*servers, more=more))
        self.environ["PATH"] = os.environ["PATH"]
        return await self.session(**wish)

    async def close(self) -> None:
        await super().close()
        for servers in self._servers:
            await servers.aclose()
        for sample in self._https:
            await sample.close()
        self.diary.close()
        left = [pid for pid in self.diary.pids if is_alive(pid)]
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        assert left == [], "servers were left behind"
        log = host_log_path(self.home)
        assert not log.exists() or log.read_text() == ""


def _known_as(server: McpServer) -> str:
    """The sample server says the same over both ways, and at every port."""
    is_sample = server.kind == "http" or server.args[:1] == (str(SAMPLE),)
    return "sample" if is_sample else server.digest


def _table(server: McpServer) -> str:
    env = ", ".join(f"{name} = {value!r}" for name, value in server.env.items())
    lines = [f"[mcp.servers.{server.name}]"]
    if server.kind == "http":
        lines.append(f"url = {server.url!r}")
    else:
        lines += [f"command = {server.command!r}", f"args = {list(server.args)!r}", f"env = {{ {env} }}"]
    if server.include:
        lines.append(f"include = {list(server.include)!r}")
    lines.append(f"connect_timeout_s = {server.connect_timeout_s}")
    lines.append(f"call_timeout_s = {server.call_timeout_s}")
    return "\n".join(lines) + "\n"
