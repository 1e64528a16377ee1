"""The blocks of Markdown as lines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from yeaft.interfaces.tui.transcript.code_lines import code_parts
from yeaft.interfaces.tui.transcript.line import PLAIN, Line, Part, decor, hung
from yeaft.interfaces.tui.transcript.markdown.inline import inline_parts
from yeaft.interfaces.tui.transcript.markdown.parsing import parsed
from yeaft.interfaces.tui.transcript.markdown.table import table_lines
from yeaft.interfaces.tui.transcript.shown import shown
from yeaft.interfaces.tui.transcript.wrapping import wrapped

if TYPE_CHECKING:
    from markdown_it.token import Token
    from rich.style import Style

    from yeaft.interfaces.tui.transcript.palette import Palette

LEAST_COLUMNS = 8
"""What is nested so deep that it would have less is not indented any further."""


def markdown_lines(text: str, columns: int, palette: Palette) -> list[Line]:
    """Return the lines of a whole text, with an empty one between the blocks."""
    return _lines(parsed(text), columns, palette)


def _lines(tokens: Sequence[Token], columns: int, palette: Palette, *, is_tight: bool = False) -> list[Line]:
    columns = max(columns, LEAST_COLUMNS)
    lines = list[Line]()
    for number, block in enumerate(_parted(tokens)):
        if number and not (is_tight and _is_close(block[0])):
            lines.append(Line())
        lines += _block(block, columns, palette)
    return lines


def _parted(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    """Return the tokens of each block of the outermost level."""
    blocks: list[Sequence[Token]] = []
    start = depth = 0
    for number, token in enumerate(tokens):
        depth += token.nesting
        if not depth:
            blocks.append(tokens[start : number + 1])
            start = number + 1
    return blocks


def _is_close(token: Token) -> bool:
    return token.hidden or token.type in ("bullet_list_open", "ordered_list_open")


def _block(block: Sequence[Token], columns: int, palette: Palette) -> list[Line]:
    first, inner = block[0], block[1:-1]
    match first.type:
        case "heading_open":
            mark = decor(f"{first.markup} " if first.markup[0] == "#" else "", palette.dim)
            style = palette.heading
            return hung(_text(inner, columns - len(mark.text), palette, style), mark, decor(" " * len(mark.text)))
        case "paragraph_open":
            return _text(inner, columns, palette)
        case "fence" | "code_block":
            return _code(first, columns, palette)
        case "bullet_list_open" | "ordered_list_open":
            return _list(block, columns, palette)
        case "blockquote_open":
            bar = decor("> " if palette.is_plain else "▎ ", palette.dim)
            if columns - 2 < LEAST_COLUMNS:
                return _lines(inner, columns, palette)
            return hung(_lines(inner, columns - 2, palette), bar, bar)
        case "table_open":
            return table_lines(block, columns, palette)
        case "hr":
            return [Line((decor(("-" if palette.is_plain else "─") * min(columns, 40), palette.dim),))]
        case _:
            return _text(block, columns, palette)


def _text(tokens: Sequence[Token], columns: int, palette: Palette, style: Style = PLAIN) -> list[Line]:
    children = [child for token in tokens for child in token.children or ()]
    return wrapped(inline_parts(children, palette, style), columns)


def _code(token: Token, columns: int, palette: Palette) -> list[Line]:
    language = token.info.split(maxsplit=1)[0] if token.info.strip() else ""
    code = shown(token.content.removesuffix("\n"))
    bar = decor("| " if palette.is_plain else "│ ", palette.dim)
    return hung(wrapped(code_parts(code, language, palette), columns - 2), bar, bar)


def _list(block: Sequence[Token], columns: int, palette: Palette) -> list[Line]:
    """Return the lines of a list; items stand close to each other unless one has several blocks apart."""
    is_ordered = block[0].type == "ordered_list_open"
    number = int(block[0].attrs.get("start", 1)) if is_ordered else 0
    lines = list[Line]()
    for item in _parted(block[1:-1]):
        sign = f"{number}." if is_ordered else "-" if palette.is_plain else "•"
        source = f"{number}. " if is_ordered else f"{block[0].markup or '-'} "
        indent = len(sign) + 1
        mark = Part(f"{sign} ", palette.dim, source)
        if columns - indent < LEAST_COLUMNS:
            lines += [Line((mark,)), *_lines(item[1:-1], columns, palette, is_tight=True)]
        else:
            inner = _lines(item[1:-1], columns - indent, palette, is_tight=True) or [Line()]
            lines += _indented(inner, mark, indent)
        number += 1
    return lines


def _indented(lines: Sequence[Line], mark: Part, indent: int) -> list[Line]:
    """Return the lines of an item; the indent of a line that only the width has made is not in the source."""
    drawn = [lines[0].after(mark)]
    for before, line in pairwise(lines):
        drawn.append(line.after(Part(" " * indent, PLAIN, " " * indent if before.joint == "\n" else "")))
    return drawn
