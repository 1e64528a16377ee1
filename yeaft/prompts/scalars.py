"""Reads one value of front matter: quoted text, `[a, b]`, `{key: value}`, or plain text."""

import re

from msgspec import Struct

from yeaft.kernel.pattern import Pattern

Value = str | list["Value"] | dict[str, "Value"]
"""What front matter can hold; every scalar is text, so `no`, `on` and `1.10` stay what was written."""

LIMIT_DEPTH = 16
_QUOTED = Pattern(r"""'((?:[^']|'')*)'|"((?:[^"\\]|\\.)*)\"""", re.DOTALL)
_ESCAPE = Pattern(r'\\(?:([nt"\\/])|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))')
_ESCAPED = {"n": "\n", "t": "\t"}
_COMMENT = Pattern(r"(?:^|[ \t]+)#.*$")
_FLOW_PLAIN = Pattern(r"[^,\[\]{}]+")
_FLOW_KEY = Pattern(r"""[ \t]*(?:"([^"]*)"[ \t]*:|'([^']*)'[ \t]*:|([\w.-]+)[ \t]*:(?=[ \t\[{]|$))""")
_ONLY_YAML = "|>&*!"
_NOTHING = ("~", "null")


class Quoted(Struct, frozen=True):
    """Quoted text without its quotes, and where it ends in what was written."""

    text: str
    end: int


def read_value(text: str) -> Value:
    """Return the value that `text` (one line) writes.

    More lenient than YAML where people are: plain text may contain `: `. Raises `ValueError` for what only YAML has
    (block scalars, anchors, tags) and for brackets or quotes that do not close in the line.
    """
    text = text.strip()
    return read_flow(text) if text[:1] in ("[", "{") else _scalar(text)


def read_flow(text: str) -> Value:
    """Return the list or map in brackets that `text` is. Raises `ValueError` if it is anything else."""
    value, end = _flow(text, 0, LIMIT_DEPTH)
    if without_comment(text[end:]).strip():
        raise ValueError("text after the closing bracket")
    return value


def read_quoted(text: str) -> Quoted | None:
    """Return the quoted text that `text` begins with; None if its quote is not closed."""
    found = _QUOTED.match(text)
    return Quoted(_unquoted(found), found.end()) if found else None


def read_plain(text: str) -> str:
    """Return plain text without the comment behind it; empty for what YAML calls nothing."""
    plain = without_comment(text).strip()
    return "" if plain in _NOTHING else plain


def prose(value: Value) -> str:
    """Return a value that is meant as text as one, also where YAML makes a list or a map of it."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return " ".join(prose(one) for one in value)
    return " ".join(f"{key}: {prose(one)}" for key, one in value.items())


def without_comment(text: str) -> str:
    """Return `text` up to a `#` that begins a comment."""
    return _COMMENT.sub("", text)


def _scalar(text: str) -> str:
    if text[:1] in ("'", '"'):
        quoted = read_quoted(text)
        if quoted is None:
            raise ValueError("the quote is not closed in this line")
        if not without_comment(text[quoted.end :]).strip():
            return quoted.text
    if text[:1] and text[0] in _ONLY_YAML:
        raise ValueError(f"{text[0]} begins something that only YAML has")
    return read_plain(text)


def _unquoted(quoted: re.Match[str]) -> str:
    if quoted[1] is not None:
        return quoted[1].replace("''", "'")
    return _ESCAPE.sub(_unescaped, quoted[2])


def _unescaped(found: re.Match[str]) -> str:
    if found[1]:
        return _ESCAPED.get(found[1], found[1])
    return chr(int(found[2] or found[3], 16))


def _flow(text: str, at: int, depth: int) -> tuple[Value, int]:
    """Return the list, map or scalar that begins at `at`, and where it ends."""
    if depth == 0:
        raise ValueError("brackets are nested too deep")
    at = _skip(text, at)
    if text[at : at + 1] == "[":
        return _flow_list(text, at + 1, depth - 1)
    if text[at : at + 1] == "{":
        return _flow_map(text, at + 1, depth - 1)
    if text[at : at + 1] in ("'", '"') and (quoted := _QUOTED.match(text, at)):
        return _unquoted(quoted), quoted.end()
    plain = _FLOW_PLAIN.match(text, at)
    if plain is None:
        raise ValueError("a value is missing")
    return _scalar(plain[0].strip()), plain.end()


def _flow_list(text: str, at: int, depth: int) -> tuple[Value, int]:
    values: list[Value] = []
    while text[(at := _skip(text, at)) : at + 1] != "]":
        value, at = _flow(text, at, depth)
        values.append(value)
        at = _after_comma(text, at, "]")
    return values, at + 1


def _flow_map(text: str, at: int, depth: int) -> tuple[Value, int]:
    values: dict[str, Value] = {}
    while text[(at := _skip(text, at)) : at + 1] != "}":
        key = _FLOW_KEY.match(text, at)
        if key is None:
            raise ValueError("a key is missing")
        values[key[1] or key[2] or key[3] or ""], at = _flow(text, key.end(), depth)
        at = _after_comma(text, at, "}")
    return values, at + 1


def _after_comma(text: str, at: int, closing: str) -> int:
    at = _skip(text, at)
    if text[at : at + 1] == ",":
        return at + 1
    if text[at : at + 1] != closing:
        raise ValueError(f"{closing} is missing")
    return at


def _skip(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    return at
