"""Runs the shell commands of a Session, one after another or side by side, and owns all they leave running."""

import asyncio
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from yeaft.tools.shell import descendants, wrapper
from yeaft.tools.shell.captured import Live
from yeaft.tools.shell.descendants import Family, Sighting
from yeaft.tools.shell.sandbox import Confined, Sandbox
from yeaft.tools.shell.shell_run import ShellRun
from yeaft.tools.shell.undertaker import Undertaker
from yeaft.tools.shell.warden import Warden

GRACE_S = 2.0
ABORT_GRACE_S = 0.5  # who stops a turn does not wait a second for it
DRAIN_S = 0.2
TIMED_OUT_CODE = 124
KNOWN_SHELLS = ("bash", "zsh", "sh")
FOR_CHILDREN = {
    "TERM": "dumb",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "PAGER": "cat",
    "YEAFT": "1",
}
GIT_SETTINGS = (("core.fsmonitor", "false"), ("safe.bareRepository", "explicit"))
"""What every git gets, so that neither a repository's configuration nor a folder that looks like one runs programs."""


class Survivor(Struct, frozen=True, kw_only=True):
    """A process that a command left running; `start_time` (clock ticks since boot) tells it from a later namesake."""

    pid: int
    start_time: int
    command: str


class Outcome(Struct, frozen=True, kw_only=True):
    """How a command ended. `log` is set when it holds more than the two texts do; `confines` say what it could do.

    `left_out_bytes` is how much of what was printed is not in the texts.
    """

    exit_code: int
    pid: int
    stdout: str
    stderr: str
    timed_out: bool = False
    log: str = ""
    survivors: tuple[Survivor, ...] = ()
    unstoppable: tuple[Survivor, ...] = ()
    confines: str = ""
    left_out_bytes: int = 0


class Shell:
    """The user's shell (`$SHELL` if it is bash, zsh or sh, else bash) with the environment that commands get.

    `calls` is the directory below which each call leaves its traces (see `wrapper`). `environ` is the user's
    environment, already without secrets. With a `sandbox` all commands run in it. `now_s` is a clock that never goes
    back. Make it in the main thread; `close` ends what is still running.
    """

    def __init__(
        self,
        calls: Path,
        environ: Mapping[str, str],
        sandbox: Sandbox | None = None,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._calls = calls
        self.environ = {**environ, **FOR_CHILDREN, **_for_git(environ)}
        self.program = shell_of(environ)
        self._sandbox = sandbox
        self._token = os.urandom(8).hex()
        self._warden: Warden | None = None
        self._left_open: list[ShellRun] = []
        self._to_bury: dict[int, Sighting] = {}
        self._undertaker = Undertaker(now_s)

    async def run(
        self,
        *,
        call_id: str,
        command: str,
        cwd: Path,
        timeout_s: float,
        show: Callable[[str], None],
        folders: Sequence[Path] = (),
    ) -> Outcome:
        """Run `command` in `cwd` until its shell ends or `timeout_s` is over; both are an `Outcome`.

        In a sandbox it writes only below `folders` (none: `cwd`). Cancelled, it ends the command with all its
        descendants (three seconds at most) before it lets go. Raises `OSError` when the command cannot be started,
        `ToolFailed` when it may not without a sandbox, and `ValueError` when it contains a NUL.
        """
        self.stand_by()
        confined = await self.confined(command, cwd, folders)
        place = wrapper.prepare(self._calls, call_id)
        argv = wrapper.wrapped(place, call_id, self._token, confined.argv)
        running = ShellRun(call_id, argv, cwd=cwd, environ=self.environ, log=place / "log", live=Live(show))
        try:
            return replace(await _finish(running, timeout_s), confines=confined.note)
        except asyncio.CancelledError:
            await running.stop(ABORT_GRACE_S)
            raise
        finally:
            self._to_bury |= running.seen
            self._left_open.append(running)
            self._let_go()

    async def confined(self, command: str, cwd: Path, folders: Sequence[Path]) -> Confined:
        """What runs `command`, in the sandbox if there is one. Raises `ToolFailed` as `run` does."""
        argv = (self.program, "-c", command)
        if self._sandbox is None:
            return Confined(argv=argv)
        return await self._sandbox.confined(argv, cwd, folders or (cwd,))

    def confines(self, folders: Sequence[Path]) -> str:
        """What a model is told of the sandbox that its commands run in; empty if there is none."""
        return self._sandbox.note(folders) if self._sandbox else ""

    def catch_up(self, call_id: str) -> None:
        """See to it that the log of a call that has returned holds all that was printed until now."""
        for running in self._left_open:
            if running.call_id == call_id:
                running.catch_up()

    async def close(self) -> None:
        """End every process that a command left behind. Call it once, when no command runs any more."""
        if self._warden is None:
            return
        await descendants.end(self._everything, GRACE_S)
        descendants.bury(self._to_bury)
        for running in self._left_open:
            running.close()
        self._left_open.clear()
        self._warden.dismiss()
        self._warden = None

    @property
    def mark(self) -> tuple[str, str]:
        """Name and value of the environment variable by which all that may not outlive this Shell is found."""
        return "YEAFT_SHELL", self._token

    def stand_by(self) -> None:
        """See to it that whatever is started now can be found and ended, also when this process is killed."""
        if self._warden is None:
            descendants.adopt_orphans()
            self._warden = Warden(self._token, self._calls)
        self._to_bury = descendants.bury(self._to_bury)
        self._undertaker.look()
        self._let_go()

    def _let_go(self) -> None:
        """Close what nobody prints to any more."""
        for running in self._left_open:
            if running.silent:
                running.close()
        self._left_open = [running for running in self._left_open if not running.silent]

    def _everything(self) -> Family:
        found = descendants.family(None, "=".join(self.mark))
        self._to_bury |= found
        return found


async def _finish(running: ShellRun, timeout_s: float) -> Outcome:
    try:
        async with asyncio.timeout(timeout_s):
            code = await running.ended()
    except TimeoutError:
        unstoppable = await running.stop(GRACE_S)
        return _outcome(running, TIMED_OUT_CODE, timed_out=True, unstoppable=unstoppable)
    return _outcome(running, code, survivors=await running.settled(DRAIN_S))


def _outcome(
    running: ShellRun,
    code: int,
    *,
    timed_out: bool = False,
    survivors: Family | None = None,
    unstoppable: Family | None = None,
) -> Outcome:
    cut = running.stdout.left_out_bytes + running.stderr.left_out_bytes
    log = running.log.path
    return Outcome(
        exit_code=code,
        pid=running.pid,
        stdout=running.stdout.text(),
        stderr=running.stderr.text(),
        timed_out=timed_out,
        log=str(log) if (cut or survivors or timed_out) and log.exists() else "",
        survivors=_described(survivors or {}),
        unstoppable=_described(unstoppable or {}),
        left_out_bytes=cut,
    )


def _described(members: Family) -> tuple[Survivor, ...]:
    return tuple(
        Survivor(pid=pid, start_time=one.started, command=descendants.command_line(pid)) for pid, one in members.items()
    )


def _for_git(environ: Mapping[str, str]) -> dict[str, str]:
    """`GIT_SETTINGS` behind those settings that the user has put into the environment."""
    written = environ.get("GIT_CONFIG_COUNT", "")
    first = int(written) if written.isdecimal() else 0
    added = {"GIT_CONFIG_COUNT": str(first + len(GIT_SETTINGS))}
    for number, (key, value) in enumerate(GIT_SETTINGS, first):
        added |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return added


def shell_of(environ: Mapping[str, str]) -> str:
    """The user's shell, if it is one that commands for bash can be given to; else bash or sh."""
    wanted = environ.get("SHELL", "")
    if Path(wanted).is_absolute() and Path(wanted).name in KNOWN_SHELLS and os.access(wanted, os.X_OK):
        return wanted
    return "/bin/bash" if Path("/bin/bash").exists() else "/bin/sh"
