"""The JavaScript of a Session's VPs: a Node process for each, started when it is needed and again when it was lost."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from msgspec import Struct

from yeaft.tools.js.js_process import JsProcess, Shown
from yeaft.tools.shell.captured import Captured, Live
from yeaft.tools.shell.warden import Warden

OUTPUT_LIMIT_BYTES = 20 * 1024
INTERRUPTED = "the last call was interrupted"

Start = Callable[[Callable[[bytes], None]], Awaitable[JsProcess]]
"""Starts a process whose output goes to the given function."""


class Evaluated(Struct, frozen=True, kw_only=True):
    """What came of some code: what was printed since the last call, and its value unless the process was lost.

    `lost` says in words how this call lost the process, `began_afresh` why the state of earlier calls was already gone
    when it began; both are empty when all is well.
    """

    output: str
    value: Shown | None = None
    lost: str = ""
    began_afresh: str = ""


class JsRuntime:
    """The JavaScript of one VP; a second call waits for the first."""

    def __init__(self, start: Start) -> None:
        self._start = start
        self._process: JsProcess | None = None
        self._captured = Captured(OUTPUT_LIMIT_BYTES)
        self._live: Live | None = None
        self._untold_loss = ""
        self._in_turn = asyncio.Lock()

    async def evaluate(self, code: str, *, timeout_s: float, show: Callable[[str], None]) -> Evaluated:
        """Run `code` for at most `timeout_s`; `show` gets what it prints meanwhile.

        When time is up, and when the call is cancelled, the process is killed, because nothing else stops a loop; the
        next call starts another. Raises `ToolFailed` when Node cannot be started.
        """
        async with self._in_turn:
            process, began_afresh = await self._ready()
            self._live, value, lost = Live(show), None, ""
            try:
                async with asyncio.timeout(timeout_s):
                    value = await process.evaluate(code)
            except TimeoutError:
                lost = f"stopped after {timeout_s:g} s"
            except asyncio.CancelledError:
                self._untold_loss = INTERRUPTED
                raise
            finally:
                self._live.flush()
                self._live = None
                if value is None:
                    await self._stop()
            if value is None and not lost:
                lost = f"Node ended, {process.ending}"
            return Evaluated(output=self._output(), value=value, lost=lost, began_afresh=began_afresh)

    async def reset(self) -> bool:
        """Forget all state; returns whether there was any. The next call starts a new process."""
        async with self._in_turn:
            had_state = self._process is not None
            await self._stop()
            self._untold_loss = ""
            return had_state

    async def _ready(self) -> tuple[JsProcess, str]:
        if self._process and self._process.ending:
            self._untold_loss = f"Node ended between the calls, {self._process.ending}"
            await self._stop()
        if self._process is None:
            self._output()  # of an earlier process, in a call that nobody heard the end of
            self._process = await self._start(self._take)
        why, self._untold_loss = self._untold_loss, ""
        return self._process, why

    async def _stop(self) -> None:
        process, self._process = self._process, None
        if process:
            await process.end()

    def _take(self, chunk: bytes) -> None:
        self._captured.take(chunk)
        if self._live:
            self._live.take(chunk)

    def _output(self) -> str:
        captured, self._captured = self._captured, Captured(OUTPUT_LIMIT_BYTES)
        return captured.text()


class JsRuntimes:
    """The runtimes of all VPs of a Session, by VP id.

    `node` is the program, `cwd` where it works, `environ` its environment, already without secrets. Nothing is started
    before the first call; `aclose` ends every process, and a `Warden` does when yeaft is killed.
    """

    def __init__(self, node: str, cwd: Path, environ: Mapping[str, str]) -> None:
        self._node = node
        self._cwd = cwd
        self._token = os.urandom(8).hex()
        self._environ = {**environ, "YEAFT_SHELL": self._token}
        self._runtimes: dict[str, JsRuntime] = {}
        self._warden: Warden | None = None

    def of(self, vp_id: str) -> JsRuntime:
        """The runtime of a VP; always the same one."""
        if vp_id not in self._runtimes:
            mark = f"{self._token}-{len(self._runtimes)}"
            self._runtimes[vp_id] = JsRuntime(lambda take: self._started(mark, take))
        return self._runtimes[vp_id]

    async def aclose(self) -> None:
        """End every process. Call it once, when no code runs any more."""
        for runtime in self._runtimes.values():
            await runtime.reset()
        if self._warden:
            self._warden.dismiss()
            self._warden = None

    async def _started(self, mark: str, take: Callable[[bytes], None]) -> JsProcess:
        if self._warden is None:
            self._warden = Warden(self._token, Path(os.devnull))  # goes by the mark alone
        return await JsProcess.start(self._node, cwd=self._cwd, environ=self._environ, mark=mark, take=take)
