"""MCP servers beside one shot: the first request waits for none of them, and none of them outlives yeaft."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import psutil

from e2e.conftest import Serve
from e2e.given import PATIENCE_S, Yeaft
from yeaft.llm.scripted.script import Calls, Holds, Says, ScriptedCall, script

SERVER = Path(__file__).resolve().parents[1] / "tests" / "mcp" / "odd_server.py"
CONFIG = """
[mcp.servers.slow]
command = "{python}"
args = ["{server}", "hangs"]
env = {{ SAMPLE_DIARY = "{port}" }}

[mcp.servers.well]
command = "{python}"
args = ["{server}", "plain"]
env = {{ SAMPLE_DIARY = "{port}" }}
"""
POST = """
[mcp.servers.post]
command = "{python}"
args = ["{server}", "able"]
env = {{ SAMPLE_DIARY = "{port}" }}
"""
UNKNOWN = "Whether it had its effect is unknown"


class Diary:
    """What the servers of one story tell; see `odd_server`."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._changed = asyncio.Event()
        self._server: asyncio.Server | None = None

    async def open(self) -> int:
        self._server = await asyncio.start_server(self._hear, "127.0.0.1", 0)
        return self._server.sockets[0].getsockname()[1]

    async def has(self, line: str, times: int = 1) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while sum(one.startswith(line) for one in self.lines) < times:
                self._changed.clear()
                await self._changed.wait()

    @property
    def processes(self) -> list[psutil.Process]:
        """The servers and what has started them."""
        servers = [psutil.Process(int(line.split()[1])) for line in self.lines if line.startswith("started ")]
        return [*servers, *{one.parent() for one in servers}]

    async def _hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.lines.append((await reader.readline()).decode().strip())
        self._changed.set()
        writer.close()


async def with_servers(yeaft: Yeaft, servers: str = CONFIG) -> Diary:
    diary = Diary()
    port = await diary.open()
    yeaft.dir.mkdir(exist_ok=True)
    config = servers.format(python=sys.executable, server=SERVER, port=port)
    (yeaft.dir / "config.toml").write_text(config, encoding="utf-8")
    return diary


async def test_the_first_request_waits_for_no_server_and_none_is_left(yeaft: Yeaft, serve: Serve) -> None:
    diary = await with_servers(yeaft)
    server = await serve(script(Holds(of=Says(text="Done."), after_events=0, gate="go")))
    process = await yeaft.start("-p", "hello")
    await diary.has("hangs")
    await diary.has("started", 2)
    before = diary.processes

    received = len(server.requests)
    server.release("go")
    ran = await yeaft.ended(process)

    assert received == 1
    assert (ran.code, ran.out) == (0, b"Done.\n")
    assert [one for one in before if one.is_running()] == []


async def test_kill_9_leaves_no_server(yeaft: Yeaft, serve: Serve) -> None:
    diary = await with_servers(yeaft)
    await serve(script(Holds(of=Says(text="Never."), after_events=0, gate="go")))
    process = await yeaft.start("-p", "hello")
    await diary.has("hangs")
    await diary.has("started", 2)
    before = diary.processes

    os.kill(process.pid, signal.SIGKILL)
    await process.wait()

    _, left = await asyncio.to_thread(psutil.wait_procs, before, PATIENCE_S)
    assert left == []


async def test_an_interrupt_leaves_no_server(yeaft: Yeaft, serve: Serve) -> None:
    diary = await with_servers(yeaft)
    await serve(script(Holds(of=Says(text="Never."), after_events=0, gate="go")))
    process = await yeaft.start("-p", "hello")
    await diary.has("hangs")
    await diary.has("started", 2)
    before = diary.processes

    process.send_signal(signal.SIGINT)
    ran = await yeaft.ended(process)

    assert ran.code == 130
    assert [one for one in before if one.is_running()] == []


async def test_after_kill_9_a_model_is_not_told_that_a_call_had_no_effect(yeaft: Yeaft, serve: Serve) -> None:
    diary = await with_servers(yeaft, POST)
    call = ScriptedCall(tool="mcp__post__wait", id="c1")
    server = await serve(script(Calls(calls=(call,)), Says(text="I shall look.")))
    assert (await yeaft.run("mcp", "test", "post")).code == 0
    process = await yeaft.start("-y", "-p", "send it")
    await diary.has("wait began")
    os.kill(process.pid, signal.SIGKILL)
    await process.wait()

    ran = await yeaft.run("-c", "-p", "well?")

    assert (ran.code, ran.out) == (0, b"I shall look.\n"), ran
    assert UNKNOWN in server.requests[-1].raw.decode()


async def test_after_kill_9_a_step_does_not_call_again(yeaft: Yeaft) -> None:
    diary = await with_servers(yeaft, POST)
    (yeaft.folder / "g.yaml").write_text("graph: {steps: [{id: send, tool: mcp__post__wait, retries: {max: 2}}]}\n")
    assert (await yeaft.run("mcp", "test", "post")).code == 0
    process = await yeaft.start("graph", "run", "g.yaml", "go", "-q", "--mode", "auto")
    await diary.has("wait began")
    os.killpg(process.pid, signal.SIGKILL)
    await process.wait()

    ran = await yeaft.run("graph", "resume", "last", "-q", "--mode", "auto")

    assert ran.code == 1, ran
    assert UNKNOWN in ran.err
    assert diary.lines.count("wait began") == 1
