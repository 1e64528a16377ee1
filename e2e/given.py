"""A yeaft of a test's own: real processes with a clean environment, their own home and their own work folder."""

import asyncio
import contextlib
import os
import select
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from e2e.starting import command, start
from tests.cli.in_place import answered
from yeaft.events.ops import Say
from yeaft.interfaces.assemble import opened
from yeaft.interfaces.ground import Wish
from yeaft.session.opening import Wanted

ROOT = Path(__file__).resolve().parents[1]
LARGEST_LINE_BYTES = 2**26
PATIENCE_S = 60
"""When a process that should have ended by itself is given up on; no test waits so long unless something is wrong."""


def wait_for_end(pid: int) -> None:
    """Wait until a child has ended, without taking its exit code. Raises `TimeoutError` if it goes on."""
    with contextlib.suppress(ProcessLookupError):  # its code has been taken already
        fd = os.pidfd_open(pid)
        try:
            if not select.select([fd], [], [], PATIENCE_S)[0]:
                raise TimeoutError(f"process {pid} does not end")
        finally:
            os.close(fd)


class Ran(NamedTuple):
    """A process that has ended by itself. A signal that killed it is a negative `code`."""

    code: int
    out: bytes
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The lines of stdout, each of which must be one JSON object."""
        assert not self.out or self.out.endswith(b"\n"), self
        return [msgspec.json.decode(line, type=dict[str, Any]) for line in self.out.splitlines()]

    @property
    def result(self) -> dict[str, Any]:
        """The one `result` of a json or stream-json run, which must be the last line."""
        *before, last = self.lines
        assert [line["type"] for line in before].count("result") == 0, self
        assert last["type"] == "result", self
        return last.get("data", last)


class Yeaft:
    """Starts `yeaft` in `folder` with nothing from outside but PATH. `environ` may be changed before a start."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.dir = self.home / ".yeaft"
        self.folder = root / "work"
        self.home.mkdir()
        self.folder.mkdir()
        self.environ = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "HOME": str(self.home),
            "YEAFT_DIR": str(self.dir),
            "LANG": "C.UTF-8",
        }

    def talks_to(self, base_url: str, *, protocol: str = "openai-responses") -> None:
        """Let every start that names no other model use the one served at `base_url`."""
        self.environ |= {"YEAFT_BASE_URL": base_url, "YEAFT_MODEL": "scripted", "YEAFT_PROTOCOL": protocol}

    async def start(self, *words: str, stdin: int = DEVNULL, stdout: int = PIPE, stderr: int = PIPE) -> Process:
        """Start it in a process group of its own; the caller waits for its end."""
        how = {"stdin": stdin, "stdout": stdout, "stderr": stderr, "limit": LARGEST_LINE_BYTES}
        return await start(words, self.folder, self.environ, **how)

    async def start_program(self, *argv: str, stdin: int = DEVNULL, stdout: int = PIPE, stderr: int = PIPE) -> Process:
        """Start another program, such as a shell, in yeaft's place and environment."""
        return await asyncio.create_subprocess_exec(
            *argv,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            cwd=self.folder,
            env=self.environ,
            start_new_session=True,
            limit=LARGEST_LINE_BYTES,
        )

    async def run(self, *words: str, given: bytes | None = None, stdin: int = DEVNULL) -> Ran:
        """Run it to its end, with `given` in a pipe as its standard input, or else with `stdin`."""
        return await self.ended(await self.start(*words, stdin=stdin if given is None else PIPE), given)

    def here(self, *words: str) -> Ran:
        """Do what a command does that asks no model, in this process: a start of Python costs ten times as much."""
        code, out, err = answered(words, self.folder, self.environ)
        return Ran(code, out.encode(), err)

    async def has_talked(self, *texts: str) -> str:
        """Let a new Session answer these messages with all tools allowed, in this process; returns its id."""
        async with opened(Wish(environ=self.environ, folder=self.folder, wanted=Wanted(), mode="auto")) as here:
            for text in texts:
                here.session.send(Say(text=text))
                await here.session.idle()
            return here.state.session_id

    async def shell(self, line: str, *, program: str = "bash", stdin: int = DEVNULL) -> Ran:
        """Run a line of shell in which `yeaft` is a function that runs yeaft."""
        argv = (program, "-c", f'yeaft() {{ "{sys.executable}" -P -m yeaft "$@"; }}\n{line}')
        return await self.ended(await self.start_program(*argv, stdin=stdin))

    async def ended(self, process: Process, given: bytes | None = None) -> Ran:
        """Wait for the end of a started process, which gets no more input. One that does not end by itself is killed, and fails the test."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                out, err = await process.communicate(b"" if given is None and process.stdin else given)
        finally:
            if process.returncode is None:
                os.killpg(process.pid, 9)
                await process.wait()
        assert process.returncode is not None
        return Ran(process.returncode, out or b"", (err or b"").decode())

    @staticmethod
    def command(*words: str) -> tuple[str, ...]:
        """The words that start yeaft; `-P` keeps the modules of a work folder out of it."""
        return command(*words)
