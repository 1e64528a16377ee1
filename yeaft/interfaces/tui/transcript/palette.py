"""The styles of the transcript, by what they mean, for what a terminal can show."""

from __future__ import annotations

from msgspec import Struct
from rich.style import Style

from yeaft.interfaces.tui.look import Look


class Palette(Struct, frozen=True, kw_only=True):
    """Styles by meaning. `theme` names colours of code, empty for none; `links` says whether OSC 8 is understood."""

    theme: str
    links: bool
    is_plain: bool
    dim: Style = Style(dim=True)
    strong: Style = Style(bold=True)
    stress: Style = Style(italic=True)
    struck: Style = Style(strike=True)
    user: Style
    code: Style
    heading: Style
    link: Style
    good: Style
    bad: Style
    warn: Style
    added: Style
    gone: Style
    cursor: Style
    found: Style = Style(reverse=True)
    found_too: Style = Style(bold=True, underline=True)


def palette_of(look: Look, *, links: bool = True) -> Palette:
    """Return the styles for a terminal; without colour weight and lines tell things apart."""
    if look.colours == "none":
        bold = Style(bold=True)
        return Palette(
            theme="",
            links=links,
            is_plain=look.is_plain,
            user=bold,
            code=Style(),
            heading=Style(bold=True, underline=True),
            link=Style(underline=True),
            good=Style(),
            bad=bold,
            warn=bold,
            added=Style(),
            gone=Style(dim=True),
            cursor=bold,
        )
    is_full = look.colours == "full"
    names = _full(is_dark=look.is_dark) if is_full else _ansi(is_dark=look.is_dark)
    theme = ("monokai" if look.is_dark else "default") if is_full else "ansi"
    return Palette(
        theme=theme,
        links=links,
        is_plain=look.is_plain,
        user=Style(color=names["user"], bold=True),
        code=Style(color=names["code"]),
        heading=Style(color=names["heading"], bold=True),
        link=Style(color=names["link"], underline=True),
        good=Style(color=names["good"]),
        bad=Style(color=names["bad"]),
        warn=Style(color=names["warn"]),
        added=Style(color=names["good"], bgcolor=names["added"]),
        gone=Style(color=names["bad"], bgcolor=names["gone"]),
        cursor=Style(color=names["link"], bold=True),
    )


def _full(*, is_dark: bool) -> dict[str, str | None]:
    if is_dark:
        return {
            "user": "#8ab4f8",
            "code": "#e5c07b",
            "heading": "#9ccfd8",
            "link": "#7aa2f7",
            "good": "#7ec699",
            "bad": "#f28b82",
            "warn": "#e5b567",
            "added": "#12301c",
            "gone": "#3a1618",
        }
    return {
        "user": "#1a56b0",
        "code": "#8a4b08",
        "heading": "#0b6a72",
        "link": "#1f4fd8",
        "good": "#1c6b33",
        "bad": "#a3211b",
        "warn": "#8a5a00",
        "added": "#ddf5e3",
        "gone": "#fbe0de",
    }


def _ansi(*, is_dark: bool) -> dict[str, str | None]:
    return {
        "user": "cyan" if is_dark else "blue",
        "code": "bright_yellow" if is_dark else "magenta",
        "heading": "cyan" if is_dark else "blue",
        "link": "cyan" if is_dark else "blue",
        "good": "green" if is_dark else None,
        "bad": "bright_red" if is_dark else "red",
        "warn": "bright_yellow" if is_dark else "magenta",
        "added": None,
        "gone": None,
    }
