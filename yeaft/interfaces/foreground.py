"""Programs of the user's that have the terminal until they end: an editor, a pager."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress

GRACE_S = 0.5
"""So long a program may take to end by itself once it has to."""


async def run_in_foreground(command: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run a command at the terminal, which must be free, and return its exit code, negative for a signal.

    Whoever is cancelled meanwhile ends it, and what it has started. Raises `OSError` if it cannot be started.
    """
    process = await asyncio.create_subprocess_exec(*command, env=dict(environ))
    try:
        return await process.wait()
    except asyncio.CancelledError:
        await _end(process)
        raise


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a program and its children: they share our process group, so that one cannot be killed."""
    import psutil

    with suppress(psutil.Error):
        for child in psutil.Process(process.pid).children(recursive=True):
            child.terminate()
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(GRACE_S):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
