"""Text of others as it may stand on the screen: nothing in it steers the terminal, and nothing is hidden."""

from __future__ import annotations

from yeaft.interfaces.cli.terminal_text import unmasked
from yeaft.kernel.pattern import Pattern

TAB_COLUMNS = 4
_SURROGATES = Pattern("[\ud800-\udfff]")


def shown(text: str) -> str:
    """Return `text` with control, bidi and zero-width characters written out and tabs as spaces; line ends stay.

    Lone surrogates, which no terminal can be sent, become U+FFFD.
    """
    if text.isascii() and text.isprintable():
        return text
    safe = _SURROGATES.sub("\ufffd", unmasked(text))
    return "\n".join(map(_without_tabs, safe.split("\n"))) if "\t" in safe else safe


def shown_on_one_line(text: str) -> str:
    """Return `text` likewise, with `⏎` for line ends."""
    return " ⏎ ".join(line.strip() for line in shown(text).splitlines() if line.strip())


def _without_tabs(line: str) -> str:
    return line.expandtabs(TAB_COLUMNS) if line.isascii() else line.replace("\t", " " * TAB_COLUMNS)
