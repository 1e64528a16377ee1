"""What yeaft says when it is given no prompt: how to begin or, if a Session was named, how to go on with it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from yeaft.interfaces.cli.spoken import spoken
from yeaft.interfaces.cli.terminal_text import terminal_columns, wrapped
from yeaft.kernel.outcome import EXIT_ANSWERED

if TYPE_CHECKING:
    from yeaft.interfaces.cli.options import Options
    from yeaft.prompts.ui import Ui

STDOUT = 1


def show_start(options: Options) -> int:
    """Print what to type first."""
    text = _ui(options).text("start.screen")
    columns = terminal_columns(STDOUT)
    print(text if columns is None else wrapped(text, columns))
    return EXIT_ANSWERED


def without_prompt(options: Options) -> str:
    """Return the sentence that says what is missing, and what to type instead."""
    if options.prompt is not None:
        return _ui(options).text("input.empty")
    if options.resume:
        return _ui(options).text("input.no_prompt_resume", session=options.resume)
    if options.continue_:
        return _ui(options).text("input.no_prompt_continue")
    return _ui(options).text("input.no_prompt")


def _ui(options: Options) -> Ui:
    return spoken(options, os.environ)
