"""A model that runs shell commands in a folder, and ways to wait for what they start."""

import asyncio
import os
import select
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

from msgspec import json

from yeaft.tools.bash import bash
from yeaft.tools.paths import Paths
from yeaft.tools.shell.sandbox import Sandbox
from yeaft.tools.shell.shell import Shell
from yeaft.tools.tool import ToolResult

PATIENCE_S = 60.0


class Call:
    """One running call; `spoke` is set when its command has printed something."""

    def __init__(self, call_id: str) -> None:
        self.call_id = call_id
        self.shown = ""
        self.spoke = asyncio.Event()

    def show(self, chunk: str) -> None:
        self.shown += chunk
        self.spoke.set()


class Model:
    """Calls Bash and is told the results."""

    def __init__(self, folder: Path, calls: Path, shell: Shell) -> None:
        self.folder, self.calls, self.shell = folder, calls, shell
        self._tool = bash(Paths(folder), shell)
        self.call = Call("")

    async def runs(self, command: str, **args: object) -> ToolResult:
        self.call = Call(f"c_{uuid4().hex}")  # as unlike any other on this machine as a real one: it marks processes
        bound = self._tool.bind(json.encode({"command": command, **args}).decode())
        result = await bound.start(self.call)
        assert isinstance(result, ToolResult)
        return result

    async def told(self, command: str, **args: object) -> str:
        return (await self.runs(command, **args)).text

    def log(self) -> str:
        """The log of the newest call."""
        return (self.calls / self.call.call_id / "log").read_bytes().decode("utf-8", "replace")


@asynccontextmanager
async def shell_in(tmp_path: Path, sandbox: Sandbox | None = None, **variables: str) -> AsyncIterator[Model]:
    """A model in an empty folder; on leaving, its Shell is closed."""
    folder = tmp_path / "work"
    folder.mkdir()
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8", **variables}
    shell = Shell(tmp_path / "calls", environ, sandbox)
    try:
        yield Model(folder, tmp_path / "calls", shell)
    finally:
        await shell.close()


def wait_until_gone(pid: int) -> None:
    """Return when the process has ended; fails after a long while."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        assert poll.poll(PATIENCE_S * 1000), f"process {pid} is still there"
    finally:
        os.close(handle)


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
