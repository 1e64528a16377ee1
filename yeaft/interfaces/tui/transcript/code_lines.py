"""Program text as lines, in colours if the terminal has them and the language is known."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from rich.style import Style

from yeaft.interfaces.tui.transcript.line import PLAIN, Part

if TYPE_CHECKING:
    from rich.syntax import Syntax

    from yeaft.interfaces.tui.transcript.palette import Palette

MOST_CHARS = 20_000
"""Longer texts are not coloured."""


def code_parts(code: str, language: str, palette: Palette) -> list[Part]:
    """Return the parts of a text that is safe to be shown; together they are exactly that text."""
    if not palette.theme or not language or len(code) > MOST_CHARS:
        return [Part(code)]
    parts = list(_coloured(code, language.casefold(), palette.theme))
    return parts if "".join(part.text for part in parts) == code else [Part(code)]


def warm_up() -> None:
    """Import what colours code, so that the first block of it does not wait. Blocking; for a thread."""
    _syntax("python", "monokai").highlight("x = 1")


def language_of(path: str) -> str:
    """Return the language that the name of a file stands for, empty if none is known."""
    from rich.syntax import Syntax

    found = Syntax.guess_lexer(path)
    return "" if found == "default" else found


def _coloured(code: str, language: str, theme_name: str) -> Iterator[Part]:
    """Yield the parts that the colours make; what has none comes plain."""
    text = _syntax(language, theme_name).highlight(code)
    at = 0
    for span in text.spans:
        if isinstance(span.style, str) or span.start < at:
            continue
        if span.start > at:
            yield Part(text.plain[at : span.start])
        yield Part(text.plain[span.start : span.end], _without_ground(span.style))
        at = span.end
    if at < len(code):
        yield Part(text.plain[at : len(code)])


@lru_cache(maxsize=32)
def _syntax(language: str, theme_name: str) -> Syntax:
    from rich.syntax import Syntax

    return Syntax("", language, theme="ansi_dark" if theme_name == "ansi" else theme_name)


@lru_cache(maxsize=256)
def _without_ground(style: Style) -> Style:
    """Return a style without the colour behind it: the terminal's own ground stays."""
    if style.bgcolor is None:
        return style
    return Style(color=style.color, bold=style.bold, italic=style.italic, underline=style.underline) or PLAIN
