"""Runs git for the tools that need it: it asks nothing, runs no hooks, and is bound to the folder it is given."""

import asyncio
import contextlib
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from yeaft.kernel.errors import ToolFailed

GRACE_S = 2.0
SAID_BYTES = 1024 * 1024
SETTINGS = ("core.hooksPath=/dev/null", "core.fsmonitor=false", "core.quotePath=false", "advice.detachedHead=false")
BOUND_ELSEWHERE = frozenset(
    {
        *("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_NAMESPACE"),
        *("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"),
    }
)
"""Variables that would make git work on another repository, as when yeaft was started by a hook."""


class Said(Struct, frozen=True, kw_only=True):
    """How git ended and what it said, without the last line end; in English whatever the user's language."""

    exit_code: int
    text: str
    error: str

    @property
    def worked(self) -> bool:
        """Whether git did what it was asked."""
        return self.exit_code == 0


class Git:
    """git with the user's environment, which must already be without secrets."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        kept = {key: value for key, value in environ.items() if key not in BOUND_ELSEWHERE}
        self._environ = {**kept, "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
        self._settings = [word for setting in SETTINGS for word in ("-c", setting)]

    async def run(self, folder: Path, *args: str) -> Said:
        """Run `git ARGS` in `folder`. Raises `ToolFailed` if there is no git or no such folder.

        Cancelled, it lets git tidy up for two seconds, then kills it with all that it started.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                *("git", *self._settings, *args),
                cwd=folder,
                env=self._environ,
                stdin=DEVNULL,
                stdout=PIPE,
                stderr=PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise ToolFailed(f"git could not be started in {folder}: {error.strerror}. Is it installed?") from error
        try:
            text, errors = await process.communicate()
        finally:
            await _end(process)
        assert process.returncode is not None
        return Said(exit_code=process.returncode, text=_decoded(text), error=_decoded(errors))


async def _end(process: Process) -> None:
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        if process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal_number)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE_S):
                await process.wait()


def _decoded(raw: bytes) -> str:
    return raw[:SAID_BYTES].decode("utf-8", "replace").rstrip("\n")
