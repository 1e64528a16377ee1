"""What stands where nothing is written yet: how to send and how to begin a new line, by the keys that do it now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from yeaft.config.keys import KEYS
from yeaft.interfaces.key_names import chord_text

if TYPE_CHECKING:
    from yeaft.prompts.ui import Ui

SEND, NEWLINE = "composer.send", "composer.newline"


def placeholder(ui: Ui, bound: Sequence[tuple[str, str]] = ()) -> str:
    """Return it; `bound` are names of bindings with their keys, where those that are built in may have changed."""
    keys = {name: key for name, key in reversed(bound) if name in (SEND, NEWLINE)}
    send, newline = (chord_text(keys.get(name, KEYS[name][0])) for name in (SEND, NEWLINE))
    return ui.text("composer.placeholder", send=send, newline=newline)
