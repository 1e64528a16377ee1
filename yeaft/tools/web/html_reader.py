"""Converts pages in a child process, which can be stopped, and keeps what strangers wrote away from our memory."""

import asyncio
import contextlib
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path

import msgspec

import yeaft
from yeaft.kernel.errors import ToolFailed
from yeaft.tools.web.html_markdown import Markdown

TIMEOUT_S = 20.0
COMMAND = (sys.executable, "-P", "-m", "yeaft.tools.web.html_markdown")
"""`-P` keeps modules of the work folder out."""


async def read_page(markup: str, url: str, *, timeout_s: float = TIMEOUT_S) -> Markdown:
    """The page with this `markup` from `url`. Raises `ToolFailed` if it takes too much time or memory."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, start_new_session=True, env=_environment()
    )
    printed = b""
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                printed, _ = await process.communicate(f"{url}\n{markup}".encode("utf-8", "replace"))
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    if process.returncode != 0:
        raise ToolFailed(f"{url} is too complicated to be made into Markdown; fetch it with raw=true.")
    return msgspec.json.decode(printed, type=Markdown)


def _environment() -> dict[str, str]:
    """Only what Python needs to start: no key may be near the parser."""
    needed = {name: os.environ[name] for name in ("PATH", "PYTHONHOME", "LD_LIBRARY_PATH") if name in os.environ}
    return needed | {"PYTHONPATH": str(Path(yeaft.__file__).parent.parent)}
