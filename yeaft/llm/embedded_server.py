"""Starts the embedded model's process, says where it listens, and ends it."""

import asyncio
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import IO, Self, cast

import msgspec
from msgspec import Struct

from yeaft.kernel.errors import ModelFailed
from yeaft.llm.embedded_files import LocalFiles

CHILD = Path(__file__).with_name("embedded.py")
CONTEXT_TOKENS = 4096
PARALLEL = 2
START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 3.0
LINE_BYTES = 4096


class Address(Struct, frozen=True, kw_only=True):
    """Where the embedded model is: the base of its URLs and the bearer token it wants."""

    base_url: str
    token: str


class _FirstLine(Struct, frozen=True, kw_only=True):
    port: int = 0
    token: str = ""
    error: str = ""


class EmbeddedServer:
    """Owns the child process from construction to `aclose`; if we die in any way, it ends by itself.

    Construction only starts the process and returns at once, also outside of an event loop, so that the weights load
    while we import; `address` waits for it.
    """

    def __init__(self, files: LocalFiles) -> None:
        """Start the process. Raises `ModelFailed` if it cannot be started."""
        where = ("--site", files.site, "--weights", files.weights)
        size = ("--context", str(CONTEXT_TOKENS), "--parallel", str(PARALLEL))
        try:
            self._process = subprocess.Popen(
                (sys.executable, "-I", "-S", str(CHILD), *where, *size),
                stdin=subprocess.PIPE,  # the child's life line: it exits when this closes
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                process_group=0,
                bufsize=0,
            )
        except OSError as error:
            raise ModelFailed("connect", f"The embedded model cannot be started: {error}.") from error
        self._stdin = cast("IO[bytes]", self._process.stdin)  # both are pipes, see above
        self._stdout = cast("IO[bytes]", self._process.stdout)
        self._weights = files.weights
        self._address: Address | None = None
        self._once = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._process.pid

    async def address(self) -> Address:
        """Where the model listens, once it does. Raises `ModelFailed` (connect) if it does not come up."""
        async with self._once:
            if self._address is None:
                self._address = await self._read_address()
            return self._address

    async def aclose(self) -> None:
        """End the child, by its life line or else by force."""
        self._stdin.close()
        self._stdout.close()
        try:
            await asyncio.to_thread(self._process.wait, STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)

    async def _read_address(self) -> Address:
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                raw = await self._read_line()
        except TimeoutError as error:
            raise ModelFailed("connect", f"The embedded model was not ready after {START_TIMEOUT_S:.0f} s.") from error
        try:
            line = msgspec.json.decode(raw, type=_FirstLine)
        except msgspec.DecodeError as error:
            raise ModelFailed("connect", f"The embedded model ended before it was ready ({self._weights}).") from error
        if line.error:
            raise ModelFailed(
                "connect", f"The embedded model cannot load {self._weights} ({line.error}); run `yeaft local setup`."
            )
        return Address(base_url=f"http://127.0.0.1:{line.port}/v1", token=line.token)

    async def _read_line(self) -> bytes:
        """The child's first line, or what there is of it when the child ends."""
        loop = asyncio.get_running_loop()
        pipe = self._stdout
        found = bytearray()
        complete: asyncio.Future[None] = loop.create_future()

        def read() -> None:
            chunk = pipe.read(LINE_BYTES)
            found.extend(chunk)
            if not complete.done() and (not chunk or chunk.endswith(b"\n")):
                complete.set_result(None)

        loop.add_reader(pipe, read)
        try:
            await complete
        finally:
            loop.remove_reader(pipe)
        return bytes(found)
