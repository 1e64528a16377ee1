"""Text at the edges: surrogates out, bytes counted, cuts on code-point boundaries, what no eye can see found."""

import unicodedata

_SUSPECT_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # drawn as nothing, yet neither spaces nor controls
_HIDDEN_VARIATIONS = range(0xE0100, 0xE01F0)


def without_surrogates(text: str) -> str:
    """`text` with every lone surrogate replaced by U+FFFD, so that it can be encoded as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def head_bytes(text: str, limit_bytes: int) -> str:
    """The longest prefix of `text` whose UTF-8 form has at most `limit_bytes` bytes."""
    raw = text.encode()
    return text if len(raw) <= limit_bytes else raw[:limit_bytes].decode("utf-8", "ignore")


def tail_bytes(text: str, limit_bytes: int) -> str:
    """The longest suffix of `text` whose UTF-8 form has at most `limit_bytes` bytes."""
    raw = text.encode()
    return text if len(raw) <= limit_bytes else raw[len(raw) - limit_bytes :].decode("utf-8", "ignore")


def is_hidden(character: str) -> bool:
    """Whether a character is drawn as nothing or moves others about; line breaks and tabs count, spaces do not."""
    return (
        unicodedata.category(character) in _SUSPECT_CATEGORIES
        or character in _BLANK_LETTERS
        or ord(character) in _HIDDEN_VARIATIONS
    )
