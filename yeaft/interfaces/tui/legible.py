"""Keeps text legible: whatever a line is drawn in, its words stand out from what is behind them by a known contrast.

Dimmed text is drawn in a colour of its own here, as nobody knows how faint a terminal draws it. Lines and bars may be
as faint as they like.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from rich.color import Color, ColorType
from rich.style import Style
from textual.filter import LineFilter

from yeaft.interfaces.tui.ascii_text import in_ascii
from yeaft.interfaces.tui.look import INK_DARK, INK_LIGHT

if TYPE_CHECKING:
    from rich.color_triplet import ColorTriplet
    from rich.segment import Segment
    from textual.color import Color as Ground

    from yeaft.interfaces.tui.look import Look

LEAST_CONTRAST = 4.5
"""What WCAG 2.1 (1.4.3) asks for between text and background."""
LINEAR = 0.04045
"""Up to here the curve of sRGB is a line."""
QUIET = 0.66
"""Of the way from the background to its own colour, dimmed text goes so far, and further if it must."""
STEPS = 20
WORDLESS = " \u00a0|─━│┃┄┈╌╭╮╰╯┌┐└┘├┤┬┴┼▏▎▍▌▐▕▁▂▃▄▅▆▇█▀▔"
NORMAL = Color.default()
WITHOUT_DIM = Style(dim=False)
IN_REVERSE = Style(color=NORMAL, bgcolor=NORMAL, reverse=True, dim=False)
STANDARD_COLOURS = 16
ON_DARK: Mapping[int, str] = {
    0: "default",
    1: "bright_red",
    3: "bright_yellow",
    4: "cyan",
    5: "default",
    8: "default",
    12: "cyan",
    13: "default",
}
ON_LIGHT: Mapping[int, str] = {
    2: "default",
    3: "default",
    6: "blue",
    7: "default",
    8: "default",
    9: "red",
    10: "default",
    11: "default",
    12: "blue",
    13: "magenta",
    14: "blue",
    15: "default",
}
"""What the terminal's 16 colours, by number, give way to where some usual palette makes them hard to read."""


def contrast(one: ColorTriplet, other: ColorTriplet) -> float:
    """Return the contrast ratio of two colours as WCAG 2.1 defines it: from 1, the same, to 21, black and white."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def legible(style: Style, ground: ColorTriplet, ink: ColorTriplet) -> Style:
    """Return a style in true colours and without dimming that can be read.

    What names no colour is `ink` on `ground`.
    """
    fore, back = _true(style.color, ink), _true(style.bgcolor, ground)
    if style.reverse:
        fore, back = back, fore
    shown = _enough(_between(back, fore, QUIET), fore, back) if style.dim else fore
    shown = _enough(shown, _extreme(back), back)
    colours = Style(color=Color.from_triplet(shown), bgcolor=Color.from_triplet(back), reverse=False, dim=False)
    return style + colours


def legible_in_16(style: Style, *, is_dark: bool) -> Style:
    """Return a style in colours of the terminal that can be read in the usual palettes, and without dimming.

    What stands on a colour stands on the terminal's own text colour instead.
    """
    if style.reverse or not _is_normal(style.bgcolor):
        return style + IN_REVERSE
    if _is_normal(style.color):
        return style + WITHOUT_DIM
    assert style.color is not None
    number = style.color.number
    if number is None or number >= STANDARD_COLOURS:
        return style + Style(color=NORMAL, dim=False)
    other = (ON_DARK if is_dark else ON_LIGHT).get(number)
    return style + (Style(color=other, dim=False) if other else WITHOUT_DIM)


class Legible(LineFilter):
    """Makes what is drawn legible in a look, and plain where that knows ASCII alone."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._has_all = look.colours == "full"
        self._is_dark = look.is_dark
        self._is_plain = look.is_plain
        self._ink = Color.parse(INK_DARK if look.is_dark else INK_LIGHT).get_truecolor()

    def apply(self, segments: list[Segment], background: Ground) -> list[Segment]:
        """Return the segments in other styles, and in as many columns."""
        ground = background.rich_color.triplet if self._has_all else None
        return [self._segment(segment, ground) for segment in segments]

    def _segment(self, segment: Segment, ground: ColorTriplet | None) -> Segment:
        text, style, control = segment
        if control is not None:
            return segment
        if style is not None:
            if ground is None:
                style = _few(style, bool(text.strip(WORDLESS)), self._is_dark)
            elif text.strip(WORDLESS):
                style = _full(style, ground, self._ink)
        return type(segment)(in_ascii(text) if self._is_plain else text, style)


@lru_cache(4_096)
def _full(style: Style, ground: ColorTriplet, ink: ColorTriplet) -> Style:
    return legible(style, ground, ink)


@lru_cache(1_024)
def _few(style: Style, has_words: bool, is_dark: bool) -> Style:
    if not has_words:
        return style if _is_normal(style.bgcolor) else style + IN_REVERSE
    return legible_in_16(style, is_dark=is_dark)


def _is_normal(color: Color | None) -> bool:
    return color is None or color.type == ColorType.DEFAULT


def _true(color: Color | None, normal: ColorTriplet) -> ColorTriplet:
    return normal if color is None or color.type == ColorType.DEFAULT else color.get_truecolor()


def _enough(start: ColorTriplet, goal: ColorTriplet, ground: ColorTriplet) -> ColorTriplet:
    """Return the first colour on the way from `start` to `goal` that can be read on `ground`; `goal` if none can."""
    if contrast(start, ground) >= LEAST_CONTRAST:
        return start
    for step in range(1, STEPS):
        found = _between(start, goal, step / STEPS)
        if contrast(found, ground) >= LEAST_CONTRAST:
            return found
    return goal


def _extreme(ground: ColorTriplet) -> ColorTriplet:
    """Return black or white, whichever can be read better."""
    black, white = type(ground)(0, 0, 0), type(ground)(255, 255, 255)
    return max(black, white, key=lambda one: contrast(one, ground))


def _between(start: ColorTriplet, goal: ColorTriplet, part: float) -> ColorTriplet:
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(start, goal, strict=True))
    return type(start)(red, green, blue)


def _luminance(color: ColorTriplet) -> float:
    """Return the relative luminance of a colour of the sRGB space, as WCAG 2.1 defines it."""
    red, green, blue = (
        part / 12.92 if part <= LINEAR else ((part + 0.055) / 1.055) ** 2.4 for part in color.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
