"""Runs pip of our own interpreter, in a process group of its own, and says what went wrong in one sentence."""

import asyncio
import importlib.util
import os
import shlex
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from yeaft.kernel.errors import YeaftError
from yeaft.kernel.outcome import EXIT_UNAVAILABLE

QUIET = ("--quiet", "--disable-pip-version-check", "--no-input")


class LocalUnavailable(YeaftError):
    """The embedded model cannot be fetched or started; the message says why and what to do."""

    exit_code = EXIT_UNAVAILABLE


def has_pip() -> bool:
    """Whether the interpreter that runs us has pip."""
    return importlib.util.find_spec("pip") is not None


def install_arguments(requirements: str, target: Path) -> Sequence[str]:
    """Install one pinned wheel, without what it depends on, into a folder of its own."""
    return ("install", "--no-deps", "--only-binary", ":all:", "--target", str(target), *shlex.split(requirements))


def download_arguments(requirements: str, target: Path) -> Sequence[str]:
    """Fetch one pinned wheel, without what it depends on, and keep no second copy in pip's cache."""
    return (
        *("download", "--no-cache-dir", "--no-deps", "--only-binary", ":all:"),
        *("--dest", str(target), *shlex.split(requirements)),
    )


def typed_by_hand(arguments: Sequence[str]) -> str:
    """The command with which the user gets the same from another interpreter's pip."""
    return shlex.join(("python3", "-m", "pip", *arguments))


async def run_pip(arguments: Sequence[str]) -> None:
    """Run the interpreter's own pip to its end, whatever lies in the folder here.

    Raises `LocalUnavailable` with its last words; when cancelled, pip is killed.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "pip", arguments[0], *QUIET, *arguments[1:]),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        process_group=0,
    )
    try:
        _, complaints = await process.communicate()
    except asyncio.CancelledError:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        raise
    if process.returncode:
        raise LocalUnavailable(
            f"pip failed: {_reason(complaints.decode(errors='replace'))} Try it by hand: {typed_by_hand(arguments)}"
        )


def _reason(complaints: str) -> str:
    """The last line that pip calls an error, else its last line."""
    lines = [line.strip() for line in complaints.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR:")]
    return ([*lines, *errors] or ["it gave no reason."])[-1]
