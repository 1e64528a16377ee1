"""Runs a command of the command line at a terminal of its own and returns what it prints, as it would stand there."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from yeaft.kernel.errors import YeaftError

MOST_BYTES = 4 * 1024 * 1024
CHUNK_BYTES = 64 * 1024
ROWS = 24


async def printed(words: Sequence[str], *, folder: Path, environ: Mapping[str, str], columns: int) -> str:
    """Return what `yeaft WORDS` prints in `folder` for a terminal of `columns`, bold print as escape sequences.

    It runs in a process of its own, so that nothing of it reaches the screen and a slow one holds nothing up; when the
    caller is cancelled, it is killed. Of more than `MOST_BYTES` only the beginning is returned. Raises `YeaftError` if
    it cannot be started, as in a folder that is gone.
    """
    above, below = os.openpty()
    sized = {**environ, "COLUMNS": str(columns), "LINES": str(ROWS)}
    try:
        os.set_blocking(above, False)
        try:
            process = await _started(words, folder, sized, below, below)
        finally:
            os.close(below)
        try:
            raw = await _read(above)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    finally:
        os.close(above)
    return raw.decode("utf-8", "replace").replace("\r\n", "\n")


async def _read(descriptor: int) -> bytes:
    """Read until nobody can write there any more."""
    loop = asyncio.get_running_loop()
    ended = loop.create_future()
    pieces = bytearray()

    def take() -> None:
        try:
            piece = os.read(descriptor, CHUNK_BYTES)
        except BlockingIOError:
            return
        except OSError:  # what a pty says once its other end is closed
            piece = b""
        pieces.extend(piece)
        if (not piece or len(pieces) >= MOST_BYTES) and not ended.done():
            loop.remove_reader(descriptor)
            ended.set_result(None)

    loop.add_reader(descriptor, take)
    try:
        await ended
    finally:
        loop.remove_reader(descriptor)
    return bytes(pieces[:MOST_BYTES])


async def _started(
    words: Sequence[str], folder: Path, environ: Mapping[str, str], stdout: int, stderr: int
) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "yeaft", *words),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            cwd=folder,
            env={**environ},
            start_new_session=True,
        )
    except OSError as error:
        raise YeaftError(f"yeaft cannot be started in {folder}: {error.strerror}.") from error


async def answered(words: Sequence[str], *, folder: Path, environ: Mapping[str, str]) -> bytes:
    """Return what `yeaft WORDS` writes to standard output for a program; killed when the caller is cancelled.

    Raises `YeaftError` if it cannot be started, as in a folder that is gone.
    """
    process = await _started(words, folder, environ, asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL)
    try:
        out, _ = await process.communicate()
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    return out[:MOST_BYTES]
