"""`yeaft completion`: prints a script with which a shell completes commands, options, Sessions and VPs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from yeaft.interfaces.cli.commands.parsing import Action, argument, run_action
from yeaft.interfaces.cli.commands.printing import put
from yeaft.kernel.outcome import EXIT_ANSWERED

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options

SHELLS = ("bash", "zsh", "fish")


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft completion ...` and return the exit code."""
    return run_action("completion", ACTION, options, words)


def write(desk: Desk, *, shell: str) -> int:
    """Print the script for one shell."""
    from yeaft.interfaces.cli.commands import completion_scripts, completion_words

    del desk
    levels = completion_words.levels()
    match shell:
        case "bash":
            put(completion_scripts.bash(levels))
        case "zsh":
            put(completion_scripts.zsh(levels))
        case _:
            put(completion_scripts.fish(levels))
    return EXIT_ANSWERED


ACTION = Action(run=write, params=(argument("SHELL", type=click.Choice(SHELLS)),), has_json=False)
