"""The Markdown that is understood: CommonMark with tables and strikethrough, without HTML and reference links.

A reference may stand anywhere and change what was drawn long before; HTML is shown as what it is.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

OFF = ("reference", "html_block", "html_inline")


@cache
def _parser(*, is_whole: bool) -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": 30}).enable(["table", "strikethrough"]).disable(list(OFF))
    return parser if is_whole else parser.disable("inline")


def parsed(text: str) -> list[Token]:
    """Return the tokens of a text, with what is inside of its lines."""
    return _parser(is_whole=True).parse(text)


def inline_tokens(text: str) -> list[Token]:
    """Return the tokens inside of the lines of a paragraph."""
    return [child for token in _parser(is_whole=True).parseInline(text) for child in token.children or ()]


def blocks_of(text: str) -> list[list[Token]]:
    """Return the tokens of each block that stands at the top, without what is inside of lines; each has a `map`."""
    blocks: list[list[Token]] = []
    for token in _parser(is_whole=False).parse(text):
        if token.level == 0 and token.nesting >= 0:
            blocks.append([])
        blocks[-1].append(token)
    return [block for block in blocks if block[0].map]
