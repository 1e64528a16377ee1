"""Bindings of panels: their keys come from the one table, and what is said of them from the templates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding

from yeaft.config.keys import KEYS
from yeaft.interfaces.key_names import chord_text, text_code

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yeaft.interfaces.tui.panels.situation import Situation

NO_BREAK = "\u00a0"
"""A space that keeps a key and what it does on one line."""


def bound(key_id: str, action: str) -> Binding:
    """Return the binding of something in the table of keys; `[keys]` can give it others."""
    return Binding(",".join(KEYS[key_id]), action, "", show=False, id=key_id)


def first_bound(key_id: str, action: str) -> Binding:
    """Return a binding that is looked at before whatever has the focus: the draft has other uses for some keys."""
    return Binding(",".join(KEYS[key_id]), action, "", show=False, id=key_id, priority=True)


def hint(situation: Situation, key_ids: Sequence[str]) -> str:
    """Return what a panel's last line says of its keys, as they are bound now."""
    named = [(situation.keys_of(key_id), situation.text(text_code(key_id))) for key_id in key_ids]
    whole = (f"{chord_text(chords[0])} {what}" for chords, what in named if chords)
    return "  ".join(one.replace(" ", NO_BREAK) for one in whole)
