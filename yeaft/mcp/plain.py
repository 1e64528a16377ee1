"""Texts of servers as a model or a list may show them: one line, nothing hidden, not too long."""

from yeaft.kernel.text import is_hidden, without_surrogates

LIMIT_CHARS = 256


def one_line(text: str, limit_chars: int = LIMIT_CHARS) -> str:
    """`text` on one line, without characters that the eye cannot see, cut to `limit_chars`."""
    head = without_surrogates(text[: 4 * limit_chars])
    shown = "".join(character for character in head if character.isspace() or not is_hidden(character))
    line = " ".join(shown.split())
    is_whole = len(line) <= limit_chars and len(text) <= 4 * limit_chars
    return line if is_whole else line[: limit_chars - 1].rstrip() + "…"
