"""Lays out a paragraph while it grows: what nothing that follows can change is neither parsed nor broken again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.interfaces.tui.transcript.line import Line, Part
from yeaft.interfaces.tui.transcript.markdown.blocks import LEAST_COLUMNS
from yeaft.interfaces.tui.transcript.markdown.inline import inline_parts
from yeaft.interfaces.tui.transcript.markdown.parsing import blocks_of, inline_tokens
from yeaft.interfaces.tui.transcript.wrapping import wrapped
from yeaft.kernel.pattern import Pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it.token import Token

    from yeaft.interfaces.tui.transcript.palette import Palette

STEP_CHARS = 240
"""So much is left to be parsed again; where nothing can be settled, it is tried again after as much more."""
_LETTER = r"\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff"
_SEAM = Pattern(r"(?<=\S) (?=[!-~]|[^\W_])(?!https?:|h(?:t(?:tp?|tps)?)?\Z)")
"""Between words, where no line ends; not before an address, or what may become one."""
_WIDE_SEAM = Pattern(rf"(?<=[{_LETTER}，。、])(?=[{_LETTER}])")
"""Likewise in Chinese and Japanese, but for the addresses in it: a line may be broken here whatever comes."""
_MAY_OPEN = Pattern(r"[*~`\[]|(?<![^\W_])_|_(?![^\W_])")
"""What stands for itself so far, but may yet begin something."""


class Prose:
    """One paragraph at one width."""

    def __init__(self, columns: int, palette: Palette) -> None:
        self._columns = max(columns, LEAST_COLUMNS)
        self._palette = palette
        self._source = ""
        self._lines: list[Line] = []
        self._parts: list[Part] = []
        self._tried = 0

    def lines(self, text: str) -> list[Line] | None:
        """Return the lines of Markdown as it is now; None unless it is one paragraph that goes on from what it was."""
        content = _paragraph(text)
        if content is None or "\t" in content or not content.startswith(self._source):
            return None
        if len(content) - self._tried > STEP_CHARS:
            self._settle(content)
        tail = inline_tokens(content[len(self._source) :])
        return [*self._lines, *self._wrapped(tail)]

    def _settle(self, content: str) -> None:
        """Settle all up to the last seam, if nothing is open there."""
        self._tried = len(content)
        start = len(self._source)
        more = content[start : start + _last_seam(content[start:])]
        tokens = inline_tokens(more)
        if not more or any(map(_is_open, tokens)):
            return
        self._source += more
        parts = self._with(tokens)
        *settled, last = wrapped(parts, self._columns)
        self._lines += settled
        is_cut = more.endswith(" ") and not last.text.endswith(" ")
        self._parts = _end_of(parts, len(last.text) + is_cut)

    def _wrapped(self, tokens: Sequence[Token]) -> list[Line]:
        return wrapped(self._with(tokens), self._columns)

    def _with(self, tokens: Sequence[Token]) -> list[Part]:
        """Return the parts of the last line that is settled and of what follows, as if there were no seam."""
        parts, more = self._parts, inline_parts(tokens, self._palette)
        if parts and more and tokens[0].type == "text" and tokens[0].content:
            return [*parts[:-1], Part(parts[-1].text + more[0].text, more[0].style), *more[1:]]
        return [*parts, *more]


def _paragraph(text: str) -> str | None:
    """Return what stands in a paragraph if a text is nothing else."""
    blocks = blocks_of(text)
    return blocks[0][1].content if len(blocks) == 1 and blocks[0][0].type == "paragraph_open" else None


def _last_seam(text: str) -> int:
    """Return where the last seam of a text ends; 0 if there is none."""
    seams = (_SEAM,) if "://" in text else (_SEAM, _WIDE_SEAM)
    return max((found.end() for seam in seams for found in seam.finditer(text)), default=0)


def _is_open(token: Token) -> bool:
    return token.type in ("text", "text_special", "image") and _MAY_OPEN.search(token.content) is not None


def _end_of(parts: Sequence[Part], chars: int) -> list[Part]:
    """Return the last `chars` characters."""
    end = list[Part]()
    for part in reversed(parts):
        if chars <= 0:
            break
        end.append(part if len(part.text) <= chars else Part(part.text[-chars:], part.style, part.source))
        chars -= len(part.text)
    return end[::-1]
