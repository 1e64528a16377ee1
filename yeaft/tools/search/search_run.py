"""Run a search program to its end, its time or its size limit, and never leave it behind."""

import asyncio
import contextlib
import os
import signal
from asyncio import StreamReader
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path

from msgspec import Struct

import yeaft

CAPTURE_BYTES = 16 * 1024 * 1024
CHUNK_BYTES = 256 * 1024
ERROR_BYTES = 4096


class Printed(Struct, frozen=True, kw_only=True):
    """What a program printed; `ended` says why reading stopped, `errors` is the beginning of stderr."""

    stdout: bytes
    errors: str
    exit_code: int | None
    ended: str


async def run_search(command: list[str], root: str, timeout_s: float) -> Printed:
    """Run `command` in `root`; `ended` is exit, size or time. Its process group is gone when this returns."""
    process = await asyncio.create_subprocess_exec(
        *command, cwd=root, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, start_new_session=True, env=_environment()
    )
    stdout = bytearray()
    ended = "time"
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                ended = await _read(process.stdout, stdout)
                errors = await _errors(process.stderr) if ended == "exit" else ""
                code = await process.wait() if ended == "exit" else None
                return Printed(stdout=bytes(stdout), errors=errors, exit_code=code, ended=ended)
        return Printed(stdout=bytes(stdout), errors="", exit_code=None, ended="time")
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()


async def _read(stream: StreamReader | None, into: bytearray) -> str:
    while stream and (chunk := await stream.read(CHUNK_BYTES)):
        into += chunk
        if len(into) >= CAPTURE_BYTES:
            return "size"
    return "exit"


async def _errors(stream: StreamReader | None) -> str:
    return (await stream.read(ERROR_BYTES)).decode("utf-8", "replace").strip() if stream else ""


def _environment() -> dict[str, str]:
    """Ours, with the folder of this very yeaft first for a Python child, and without settings for ripgrep."""
    package = str(Path(yeaft.__file__).parent.parent)
    return {key: value for key, value in os.environ.items() if key != "RIPGREP_CONFIG_PATH"} | {"PYTHONPATH": package}
