"""One Node process that keeps the state of some JavaScript, and the socket on which it is asked."""

import asyncio
import contextlib
import json
import os
import signal
import socket
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from yeaft.kernel.errors import ToolFailed
from yeaft.prompts.find import templates_dir
from yeaft.tools.shell import descendants
from yeaft.tools.shell.descendants import Sighting
from yeaft.tools.shell.shell_run import Pipe

START_LIMIT_S = 30.0
GRACE_S = 0.5
HEAP_MB = 1024
LINE_LIMIT_BYTES = 256 * 1024
MARK = "YEAFT_JS"
FLAGS = ("--disable-warning=ExperimentalWarning", f"--max-old-space-size={HEAP_MB}")
FOR_CHILDREN = {"TERM": "dumb", "NO_COLOR": "1", "YEAFT": "1"}
NOT_FOR_CHILDREN = ("NODE_OPTIONS", "FORCE_COLOR")  # either could change what the host needs


class Shown(Struct, frozen=True, kw_only=True):
    """What an evaluation came to: its value or error as text; None for `undefined`."""

    shown: str | None
    failed: bool


class JsProcess:
    """A running Node. Make it with `start`; whoever does calls `end`."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        pipe: Pipe,
        mark: str,
        streams: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    ) -> None:
        self._process = process
        self._pipe = pipe
        self._mark = mark
        self._reader, self._writer = streams

    @classmethod
    async def start(
        cls, node: str, *, cwd: Path, environ: Mapping[str, str], mark: str, take: Callable[[bytes], None]
    ) -> "JsProcess":
        """Start Node in `cwd`; `take` gets what it prints. `mark` tells its processes from all others.

        Its socket is its life line: it ends when the other end closes, however yeaft ends. Raises `ToolFailed`.
        """
        ours, theirs = socket.socketpair()
        streams = await asyncio.open_unix_connection(sock=ours, limit=LINE_LIMIT_BYTES)
        out, out_end = os.pipe()
        kept = {name: value for name, value in environ.items() if name not in NOT_FOR_CHILDREN}
        try:
            process = await asyncio.create_subprocess_exec(
                *(node, *FLAGS, str(templates_dir() / "js" / "repl_host.mjs"), str(theirs.fileno())),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=out_end,
                stderr=out_end,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
                cwd=cwd,
                env={**kept, **FOR_CHILDREN, MARK: mark},
            )
        except BaseException as error:
            streams[1].close()
            os.close(out)
            if isinstance(error, OSError):
                raise ToolFailed(f"{node} could not be started: {error}.") from error
            raise
        finally:
            theirs.close()
            os.close(out_end)
        started = cls(process, Pipe(out, (take,)), mark, streams)
        await started._wait_until_ready()
        return started

    @property
    def pid(self) -> int:
        """Its process id, which is also its process group and session."""
        return self._process.pid

    @property
    def ending(self) -> str:
        """How it ended, in words; empty while it runs."""
        code = self._process.returncode
        if code is None:
            return ""
        return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"

    async def evaluate(self, code: str) -> Shown | None:
        """Run `code` to its end, everything it printed until then taken; None if the process ended instead."""
        self._writer.write(json.dumps({"code": code}).encode() + b"\n")
        line = await self._line()
        self._pipe.drain()
        if not line:
            await self._gone()
            return None
        return msgspec.convert(json.loads(line), Shown)  # not msgspec: JavaScript has lone surrogates

    async def end(self) -> None:
        """End it with everything it started, and take what they had still printed. Cancelled, it kills at once."""
        seen: dict[int, Sighting] = {}

        def find() -> descendants.Family:
            found = descendants.family(self.pid, f"{MARK}={self._mark}")
            seen.update({pid: one for pid, one in found.items() if pid != self.pid})
            return found

        try:
            await descendants.end(find, GRACE_S)
        finally:
            with contextlib.suppress(ProcessLookupError):  # without /proc nobody was found; elsewhere nobody is left
                os.killpg(self.pid, signal.SIGKILL)
            descendants.bury(seen)
            self._pipe.drain()
            self._pipe.close()
            self._writer.close()
            await self._process.wait()

    async def _wait_until_ready(self) -> None:
        try:
            async with asyncio.timeout(START_LIMIT_S):
                line = await self._line()
        except BaseException as error:
            await self.end()
            if isinstance(error, TimeoutError):
                raise ToolFailed(f"Node was not ready after {START_LIMIT_S:g} s; try again.") from error
            raise
        if not line:
            await self._gone()
            await self.end()
            raise ToolFailed(f"Node ended at once ({self.ending}).")

    async def _gone(self) -> None:
        """Wait until it is known how it ended, so that ending it does not change that."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE_S):
                await self._process.wait()

    async def _line(self) -> bytes:
        """The next line it sends; empty when it has ended. A child of its own may hold the socket open then."""
        async with asyncio.TaskGroup() as group:
            line = group.create_task(_line_of(self._reader), name="js:line")
            death = group.create_task(self._process.wait(), name="js:death")
            await asyncio.wait((line, death), return_when=asyncio.FIRST_COMPLETED)
            line.cancel()
            death.cancel()
        return b"" if line.cancelled() else line.result()


async def _line_of(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readline()
    except (OSError, ValueError):  # it was reset, or the line is longer than any that the host sends
        return b""
