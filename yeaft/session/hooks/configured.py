"""Which hooks hold in a Session: the user's own, and those of a work folder that is trusted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from yeaft.prompts.front_matter import Problem
    from yeaft.session.hooks.hooks_file import Hooks

NAME = "hooks.json"
PROJECT_PLACE = Path(".yeaft", NAME)
INSIDE = "YEAFT_HOOK"
"""Set for the commands of hooks: a yeaft that one of them starts has no hooks, or it would start itself for ever."""


def configured_hooks(
    home: Path, folder: Path, environ: Mapping[str, str], *, trusted: bool
) -> tuple[Hooks, tuple[Problem, ...]]:
    """Return the hooks in force, the user's own first, and what is wrong with the files; never raises.

    Costs one look for each file where there is none.
    """
    places = [(home / NAME, True), *([(folder / PROJECT_PLACE, False)] if trusted else [])]
    there = [(path, is_own) for path, is_own in places if path.exists()]
    if not there or INSIDE in environ:
        return (), ()
    from yeaft.session.hooks.hooks_file import read_hooks

    found = [read_hooks(path, is_own=is_own) for path, is_own in there]
    return tuple(hook for hooks, _ in found for hook in hooks), tuple(one for _, some in found for one in some)
