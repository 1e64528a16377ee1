"""The colours of source code, found by the name of the file; loaded only when there is something to colour."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from rich.style import Style

if TYPE_CHECKING:
    from yeaft.interfaces.tui.asks.shown_line import Span
    from yeaft.interfaces.tui.look import Look

MOST_CHARS = 200_000
"""A longer text is shown without colours: they would take longer than anybody waits."""


def highlights(text: str | None, name: str, look: Look) -> list[list[Span]]:
    """Return the styles of each line of a text; nothing where there is no colour or the language is not known.

    Blocking, and slow the first time.
    """
    if not text or look.colours == "none" or len(text) > MOST_CHARS:
        return []
    from rich.syntax import Syntax

    lexer = Syntax("", Syntax.guess_lexer(PurePath(name).name), tab_size=0).lexer
    if lexer is None:
        return []
    theme = Syntax.get_theme(_theme(look))
    lines: list[list[Span]] = [[]]
    column = 0
    for kind, value in lexer.get_tokens(text):
        found = theme.get_style_for_token(kind)
        style = Style(color=found.color, bold=found.bold, italic=found.italic)
        for number, piece in enumerate(value.split("\n")):
            if number:
                lines.append([])
                column = 0
            if piece.strip() and style:
                lines[-1].append((column, column + len(piece), style))
            column += len(piece)
    return lines


def _theme(look: Look) -> str:
    if look.colours == "ansi":
        return "ansi_dark" if look.is_dark else "ansi_light"
    return "github-dark" if look.is_dark else "default"
