"""Runs the command of a hook: its input on stdin, its output kept, nothing of it left when it is stopped."""

import asyncio
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from yeaft.tools.shell import descendants
from yeaft.tools.shell.captured import Live
from yeaft.tools.shell.descendants import Sighting
from yeaft.tools.shell.shell import ABORT_GRACE_S, DRAIN_S, GRACE_S, shell_of
from yeaft.tools.shell.shell_run import ShellRun

MARK = "YEAFT_CALL"
"""The variable by which all that a command starts is found, wherever it went."""

OUTPUT_LIMIT_BYTES = 64 * 1024


class Ran(Struct, frozen=True, kw_only=True):
    """How the command of a hook ended; without an `exit_code` it was stopped, or `error` says why it never began."""

    exit_code: int | None = None
    stdout: str = ""
    stderr: str = ""
    timed_out: bool = False
    error: str = ""
    duration_ms: int = 0


class HookShell:
    """Starts commands in the user's shell, in sessions of their own; `environ` is already without secrets.

    They run outside of any sandbox: they are the user's own.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = dict(environ)
        self._program = shell_of(environ)
        self._to_bury: dict[int, Sighting] = {}

    async def run(self, command: str, *, cwd: Path, told: bytes, timeout_s: float, environ: Mapping[str, str]) -> Ran:
        """Run `command` with `told` on stdin and more variables; never raises for what goes wrong with it.

        Cancelled, it ends the command with all its descendants before it lets go.
        """
        self._to_bury = descendants.bury(self._to_bury)
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        try:
            running = self._started(command, cwd, told, environ)
        except (OSError, ValueError) as error:
            return Ran(error=str(error))
        try:
            return await _finished(running, timeout_s, began_s)
        except asyncio.CancelledError:
            await running.stop(ABORT_GRACE_S)
            raise
        finally:
            running.close()
            self._to_bury |= running.seen

    def _started(self, command: str, cwd: Path, told: bytes, environ: Mapping[str, str]) -> ShellRun:
        mark = f"hook-{os.urandom(8).hex()}"
        with tempfile.TemporaryFile() as given:  # a pipe would have to be fed while the command runs
            given.write(told)
            given.seek(0)
            return ShellRun(
                mark,
                (self._program, "-c", command),
                cwd=cwd,
                environ={**self._environ, **environ, MARK: mark},
                log=Path(os.devnull),
                live=Live(_show_nobody),
                stdin=given.fileno(),
                limit_bytes=OUTPUT_LIMIT_BYTES,
            )


async def _finished(running: ShellRun, timeout_s: float, began_s: float) -> Ran:
    code, timed_out = None, False
    try:
        async with asyncio.timeout(timeout_s):
            code = await running.ended()
    except TimeoutError:
        timed_out = True
        await running.stop(GRACE_S)
    else:
        await running.settled(DRAIN_S)
    return Ran(
        exit_code=code,
        stdout=running.stdout.text(),
        stderr=running.stderr.text(),
        timed_out=timed_out,
        duration_ms=round((asyncio.get_running_loop().time() - began_s) * 1000),
    )


def _show_nobody(_: str) -> None:
    """Show nothing: what a hook prints is for yeaft."""
