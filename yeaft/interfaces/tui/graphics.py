"""How a terminal can show a picture: as pixels by one of two protocols, with coloured half blocks, or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from yeaft.interfaces.tui.look import Look

Graphics = Literal["kitty", "sixel", "blocks", "none"]
KNOW_KITTY = ("ghostty",)
"""Terminals that know the placeholders of kitty's protocol, by TERM_PROGRAM."""
KNOW_SIXEL = ("iTerm.app", "WezTerm", "mintty", "contour")
SIXEL_TERMS = ("foot", "mlterm", "contour", "yaft")
SIXEL_VARIABLES = ("WT_SESSION", "KONSOLE_VERSION")


def graphics_of(environ: Mapping[str, str], look: Look) -> Graphics:
    """Return how pictures are shown; within a multiplexer, only half blocks are sure to get through."""
    if look.colours != "full" or look.is_plain:
        return "none"
    if environ.get("TMUX") or environ.get("STY") or environ.get("ZELLIJ"):
        return "blocks"
    term, program = environ.get("TERM", ""), environ.get("TERM_PROGRAM", "")
    if environ.get("KITTY_WINDOW_ID") or "kitty" in term or program in KNOW_KITTY:
        return "kitty"
    knows_sixel = program in KNOW_SIXEL or term.startswith(SIXEL_TERMS)
    return "sixel" if knows_sixel or any(environ.get(name) for name in SIXEL_VARIABLES) else "blocks"
