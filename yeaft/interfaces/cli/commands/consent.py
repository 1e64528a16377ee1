"""Asks before something is destroyed, and never waits where nobody can answer."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from yeaft.interfaces.cli.terminal_text import unmasked
from yeaft.kernel.errors import YeaftError
from yeaft.kernel.outcome import EXIT_NEEDS_HUMAN

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk

STDIN, STDERR = 0, 2
AGREEMENTS = ("y", "yes", "是", "好")


class NotConfirmed(YeaftError):
    """A human has to agree first."""

    exit_code = EXIT_NEEDS_HUMAN


def can_answer() -> bool:
    """Whether somebody sits at a terminal who can be asked."""
    return os.isatty(STDIN) and os.isatty(STDERR)


def need_consent(desk: Desk, code: str, /, *, yes: bool, **params: str | float) -> None:
    """Go on only with `--yes`, or if the user answers the question `code` with yes. Raises `NotConfirmed`."""
    if yes:
        return
    question = desk.text(code, **params)
    if not can_answer():
        raise NotConfirmed(desk.text("consent.needed", question=question))
    if not agrees(desk, code, **params):
        raise NotConfirmed(desk.text("consent.refused"))


def agrees(desk: Desk, code: str, /, **params: str | float) -> bool:
    """Ask somebody at the terminal the question `code`, and return whether the answer is yes."""
    print(f"{unmasked(desk.text(code, **params))} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in AGREEMENTS
