"""Keys that terminals without the newer keyboard protocol send in ways that Textual takes for others."""

from __future__ import annotations

import unicodedata
from typing import Any

from textual import _ansi_sequences
from textual.keys import Keys

NEW_LINE_KEYS = ("shift+\r", "alt+\r")
"""How some terminals' Shift+Enter and Alt+Enter arrive."""
_NO_TEXT = ("ctrl+", "alt+", "super+", "hyper+", "meta+")


def typed_text(key: str, character: str | None) -> str:
    """Return what a key writes; empty for one that does something. Joiners without a shape are text as well."""
    if not character or key.startswith(_NO_TEXT) or any(unicodedata.category(one) == "Cc" for one in character):
        return ""
    return character


def learn_keys() -> None:
    """Tell Alt+Enter from Enter and Alt+_ from `_`. Can go when Textual reads an escape before these as Alt itself."""
    known: Any = _ansi_sequences.ANSI_SEQUENCES_KEYS
    known.setdefault("\x1b\r", (Keys.ControlJ,))
    known.setdefault("\x1b\x1f", (Keys.F24,))
    known.setdefault("\x1b_", (Keys.F24,))
