"""A home and a work folder of their own, and yeaft as a process in them."""

import asyncio
import contextlib
import json
import os
import signal
import uuid
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from e2e.starting import start
from yeaft.store.blobs import FileBlobs
from yeaft.store.directory import list_session_ids, session_paths
from yeaft.store.journal import SESSION_STREAM
from yeaft.store.sqlite import SqliteJournal

CHECKOUT = Path(__file__).resolve().parents[2]
MARK = "YEAFT_DRILL"
LARGEST_LINE_BYTES = 64 * 1024 * 1024
PATIENCE_S = 90.0
CONFIG = """
language = "en"
[models]
primary = "box/scripted"
[providers.box]
protocol = "{protocol}"
base_url = "{base_url}"
api_key = "no-secret"
[[providers.box.models]]
id = "scripted"
context_tokens = {context_tokens}
output_tokens = 8000
[retry]
base_delay_s = 0.05
max_delay_s = 0.2
"""
JSON_LINES = ("--output-format", "stream-json")

Line = dict[str, Any]


class Place:
    """One YEAFT_DIR and one work folder below `root`; its model is at `base_url`."""

    def __init__(self, root: Path, base_url: str, protocol: str, *, context_tokens: int = 200_000) -> None:
        self.root, self.home, self.work = root, root / "home", root / "work"
        self.protocol = protocol
        self.mark = uuid.uuid4().hex
        self.home.mkdir(parents=True)
        self.work.mkdir(exist_ok=True)
        config = CONFIG.format(protocol=protocol, base_url=base_url, context_tokens=context_tokens)
        (self.home / "config.toml").write_text(config)

    @property
    def environ(self) -> dict[str, str]:
        """What yeaft is given, and through it everything that yeaft starts."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root),
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(CHECKOUT),
            "YEAFT_DIR": str(self.home),
            MARK: self.mark,
        }

    async def start(self, *words: str, stdin: bool = False) -> "Run":
        """Start yeaft with `words`; its standard input is empty unless `stdin` asks for a pipe."""
        child = await start(words, self.work, self.environ, stdin=PIPE if stdin else DEVNULL, limit=LARGEST_LINE_BYTES)
        return Run(child)

    async def run(self, *words: str) -> "Run":
        """Run yeaft with `words` to its end."""
        run = await self.start(*words)
        await run.end()
        return run

    def sessions(self) -> list[str]:
        """The ids of all Sessions here."""
        return list_session_ids(self.home)

    def journal(self, session_id: str) -> SqliteJournal:
        """A Session's journal, for reading."""
        paths = session_paths(self.home, session_id)
        return SqliteJournal.for_reading(paths.db, FileBlobs(paths.blobs))

    def records(self, session_id: str) -> list[Any]:
        """All events of a Session."""
        return self.journal(session_id).read(SESSION_STREAM)

    async def strays(self, within_s: float = 5.0) -> list[str]:
        """The commands and other children that still run `within_s` after yeaft has ended; there should be none."""
        marked = f"{MARK}={self.mark}".encode()
        return await _gone(lambda process: marked in (process / "environ").read_bytes(), within_s)


async def helpers(root: Path, within_s: float = 10.0) -> list[str]:
    """What else still works on a place below `root`: the processes that see to it that no command is left."""
    folder = str(root).encode()
    return await _gone(lambda process: folder in (process / "cmdline").read_bytes(), within_s)


async def _gone(concerned: Callable[[Path], bool], within_s: float) -> list[str]:
    """Wait until no process is `concerned`; returns those that are after `within_s`."""
    deadline = asyncio.get_running_loop().time() + within_s
    while found := list(_running(concerned)):
        if asyncio.get_running_loop().time() > deadline:
            return found
        await asyncio.sleep(0.05)
    return []


def _running(concerned: Callable[[Path], bool]) -> Iterator[str]:
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if concerned(process):
                yield f"{process.name}: {(process / 'cmdline').read_bytes()!r}"


class Run:
    """A yeaft process. `lines` are the stream-json lines read so far."""

    def __init__(self, child: asyncio.subprocess.Process) -> None:
        self._child = child
        self._stderr = asyncio.create_task(self._read_stderr(), name="drill:stderr")
        self.lines: list[Line] = []
        self.stdout = ""
        self.stderr = ""

    @property
    def exit_code(self) -> int | None:
        """The exit code; negative for a signal, None while it runs."""
        return self._child.returncode

    @property
    def pid(self) -> int:
        """The process id."""
        return self._child.pid

    @property
    def result(self) -> Line:
        """What the `result` line holds. It is an error if that is not the last line and the only one."""
        kinds = [line["type"] for line in self.lines]
        assert (kinds.count("result"), kinds[-1:]) == (1, ["result"]), f"result lines in {kinds[-5:]}: {self.stderr}"
        data: Line = self.lines[-1]["data"]
        return data

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Send a signal to yeaft alone, not to its group."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._child.pid, number)  # Popen's own way may reap the child before asyncio does

    def write(self, line: Line) -> None:
        """Give yeaft a line of stream-json input."""
        assert self._child.stdin is not None
        self._child.stdin.write(json.dumps(line).encode() + b"\n")

    def end_input(self) -> None:
        """Close yeaft's standard input."""
        assert self._child.stdin is not None
        self._child.stdin.close()

    async def until(self, found: Callable[[Line], bool]) -> Line:
        """Read lines up to the first for which `found` is true. Raises `EOFError` if there is none."""
        async for line in self._rest():
            if found(line):
                return line
        raise EOFError(f"yeaft ended with {self.exit_code} before that: {self.stderr}")

    async def until_type(self, name: str, **data: object) -> Line:
        """Read lines up to the first of this type whose data has these values."""

        def found(line: Line) -> bool:
            return line["type"] == name and all(line["data"].get(key) == value for key, value in data.items())

        return await self.until(found)

    async def end(self) -> int:
        """Read what is left and return the exit code."""
        async for _ in self._rest():
            pass
        async with asyncio.timeout(PATIENCE_S):
            code = await self._child.wait()
            await self._stderr
        return code

    def durable(self) -> list[Line]:
        """The lines that stand for events in the journal."""
        return [line for line in self.lines if line.get("at")]

    def of_type(self, kind: str) -> list[Line]:
        """The lines of one type."""
        return [line for line in self.lines if line["type"] == kind]

    async def _rest(self) -> AsyncIterator[Line]:
        assert self._child.stdout is not None
        while True:
            async with asyncio.timeout(PATIENCE_S):
                raw = await self._child.stdout.readline()
            if not raw:
                return
            self.stdout += raw.decode("utf-8", "replace")
            if raw.startswith(b"{") and raw.endswith(b"\n"):
                line: Line = json.loads(raw)
                self.lines.append(line)
                yield line

    async def _read_stderr(self) -> None:
        assert self._child.stderr is not None
        self.stderr = (await self._child.stderr.read()).decode("utf-8", "replace")


def call_ids(effects: Path) -> Sequence[str]:
    """Which calls ran a command that appends its `$YEAFT_CALL` to `effects`, once for each time it ran."""
    return effects.read_text().split() if effects.exists() else []
