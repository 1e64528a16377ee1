"""What stands where nothing is written yet: how to send and how to begin a new line, by the keys that do it now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from yeaft.config.keys import KEYS
from yeaft.interfaces.key_names import chord_text

if TYPE_CHECKING:
    from yeaft.prompts.ui import Ui

CODES = ("placeholder", "placeholder_short")
SEND, NEWLINE = "composer.send", "composer.newline"


def placeholders(ui: Ui, bound: Sequence[tuple[str, str]] = ()) -> tuple[str, ...]:
    """Return it in full, and short for a line in which that does not fit.

    `bound` are names of bindings with their keys, where those that are built in may have changed.
    """
    keys = {name: key for name, key in reversed(bound) if name in (SEND, NEWLINE)}
    send, newline = (chord_text(keys.get(name, KEYS[name][0])) for name in (SEND, NEWLINE))
    long, short = (ui.text(f"composer.{code}", send=send, newline=newline) for code in CODES)
    return long, short
