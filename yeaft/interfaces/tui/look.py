"""How things look: which colours the terminal can show, and the sign and colour that a VP keeps."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct
from rich.style import Style

from yeaft.config.settings import Theme
from yeaft.interfaces.cli.emphasis import COLOR

Colours = Literal["full", "ansi", "none"]
GLYPHS = "◆●▲■★✦◈▼◉✚❖◐"
PLAIN_GLYPHS = "*o^#+%&v@x$~"
SALT = "48254:"
"""So chosen that no two of the VPs that come along have the same sign, and few the same colour."""
FULL_DARK = (
    "#6cb0ff",
    "#ee8f76",
    "#4fc79a",
    "#cf95ff",
    "#e6b34a",
    "#ff85ad",
    "#4cc4d2",
    "#b3c158",
    "#a598ff",
    "#e2a066",
)
FULL_LIGHT = (
    "#0b57d0",
    "#b3401e",
    "#11724d",
    "#8430c9",
    "#8a5a00",
    "#b8175a",
    "#0a6b78",
    "#5c6900",
    "#5b45d6",
    "#96511a",
)
ANSI_DARK = ("cyan", "bright_red", "green", "bright_yellow")
ANSI_LIGHT = ("blue", "red", "magenta")
"""Those of the terminal's 16 colours that can be read on black, and on white, in the usual palettes."""
INK_DARK, INK_LIGHT = "#dfe3ea", "#1f2328"
"""The usual text, in full colour."""
CHOSEN_DARK = ("#ffffff", "#2c4a70")
CHOSEN_LIGHT = (INK_LIGHT, "#bcd4f6")
"""Text and background of a row that is chosen."""
COLOURLESS_TERMINALS = ("vt100", "vt102", "vt220", "vt320")
LIGHT_BACKGROUNDS = ("7", "9", "10", "11", "12", "13", "14", "15")
"""Of the 16 colours that `COLORFGBG` names a background by."""


class VpLook(Struct, frozen=True):
    """A VP's sign, readable without colour, and its colour."""

    glyph: str
    style: Style


class Look:
    """What this terminal can show. `is_plain` means ASCII alone.

    `is_dark` is a guess that the terminal may correct, unless it `is_chosen` by the user.
    """

    def __init__(
        self, *, colours: Colours = "full", is_dark: bool = True, is_plain: bool = False, is_chosen: bool = False
    ) -> None:
        self.colours: Colours = colours
        self.is_dark = is_dark
        self.is_plain = is_plain
        self.is_chosen = is_chosen

    def become(self, other: Look, *, told_dark: bool | None) -> None:
        """Look like another one; `told_dark` is what the terminal has said of its background, if it has."""
        self.colours = other.colours
        self.is_chosen = other.is_chosen
        self.is_dark = other.is_dark if other.is_chosen or told_dark is None else told_dark

    @property
    def theme(self) -> str:
        """The name of the theme that fits; see `themes`."""
        tone = "dark" if self.is_dark else "light"
        return f"yeaft-{tone}" if self.colours == "full" else f"yeaft-ansi-{tone}"

    def of_vp(self, vp_id: str) -> VpLook:
        """Return the sign and colour of a VP; they hang on its id alone, so it has them in every Session."""
        digest = hashlib.sha256((SALT + vp_id).encode("utf-8", "replace")).digest()
        glyphs = PLAIN_GLYPHS if self.is_plain else GLYPHS
        number, glyph = divmod(int.from_bytes(digest[:4], "big"), len(glyphs))
        return VpLook(glyphs[glyph], Style(color=self._colour(number), bold=True))

    @property
    def chosen(self) -> Style:
        """How a row looks that is chosen, from its first column to its last."""
        if self.colours != "full":
            return Style(bold=True, reverse=True)
        text, ground = CHOSEN_DARK if self.is_dark else CHOSEN_LIGHT
        return Style(color=text, bgcolor=ground, bold=True)

    @property
    def unwritten(self) -> Style:
        """How a text looks that stands where nothing is written yet."""
        return Style(dim=True) if self.colours == "full" else Style(dim=True, italic=True)

    def _colour(self, number: int) -> str | None:
        match self.colours:
            case "full":
                colours = FULL_DARK if self.is_dark else FULL_LIGHT
                return colours[number % len(colours)]
            case "ansi":
                names = ANSI_DARK if self.is_dark else ANSI_LIGHT
                return names[number % len(names)]
            case "none":
                return None


def look_of(environ: Mapping[str, str], wish: Theme = "auto") -> Look:
    """Return what the terminal that `environ` describes can show, as the user wishes to see it."""
    return Look(
        colours=_colours(environ, wish),
        is_dark=wish == "dark" or (wish != "light" and _is_dark(environ)),
        is_plain=not speaks_utf8(environ),
        is_chosen=wish in ("light", "dark"),
    )


def _colours(environ: Mapping[str, str], wish: Theme) -> Colours:
    """`--color` wins over all else; then a non-empty NO_COLOR does over all but the wish for a certain theme.

    Colours that nobody can show are not tried.
    """
    term, chosen = environ.get("TERM", ""), environ.get(COLOR)
    if wish == "none" or chosen == "never" or term in COLOURLESS_TERMINALS or term.endswith(("-m", "-mono")):
        return "none"
    if wish == "auto" and chosen != "always" and (environ.get("NO_COLOR") or environ.get("CLICOLOR") == "0"):
        return "none"
    has_many = "256color" in term or "direct" in term or environ.get("COLORTERM", "") in ("truecolor", "24bit")
    return "full" if has_many and wish != "ansi" else "ansi"


def _is_dark(environ: Mapping[str, str]) -> bool:
    return environ.get("COLORFGBG", "").rpartition(";")[2] not in LIGHT_BACKGROUNDS


def speaks_utf8(environ: Mapping[str, str]) -> bool:
    """Whether the locale is one of UTF-8; one that nobody has set is taken to be.

    In the locale C, Python itself sets LC_CTYPE to C.UTF-8 (PEP 538), which says nothing about the terminal.
    """
    ctype, lang = environ.get("LC_CTYPE", ""), environ.get("LANG", "")
    if ctype == "C.UTF-8" and lang in ("C", "POSIX"):
        ctype = ""
    return "utf" in (environ.get("LC_ALL") or ctype or lang or "utf-8").lower()
