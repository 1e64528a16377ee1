"""Reads the `key: value` lines of front matter: the everyday part of YAML, and what people write that is almost YAML.

Whatever is understood otherwise than YAML would have it gets a remark with its line; nothing is dropped in silence.
"""

import re

from msgspec import Struct

from yeaft.kernel.pattern import Pattern
from yeaft.prompts.scalars import LIMIT_DEPTH, Value, read_flow, read_plain, read_quoted, without_comment

KEY = Pattern(r"""(?:"([^"]+)"|'([^']+)'|([A-Za-z_][\w.-]*))[ \t]*:(?:[ \t]+(.*))?$""")
_CARELESS_KEY = Pattern(r"([a-z][a-z_-]*)(?:(?P<wide>[ \t]*\uff1a)|:(?!//))[ \t]*(.+)$")
_ITEM = Pattern(r"-(?:[ \t]+(.*))?$")
_BLOCK_HEAD = Pattern(r"([|>])(?:([+-])?([1-9])?|([1-9])([+-]))[ \t]*(?:#.*)?$")
_SHARP = Pattern(r"[ \t]#[^\s#!]")
_COLON = Pattern(r":(?:[ \t]|$)")
_RESERVED = "&*!|>%@`]},"
_FIELDS = frozenset(
    {
        "name",
        "description",
        "tools",
        "model",
        "color",
        "license",
        "version",
        "metadata",
        "allowed-tools",
        "argument-hint",
    }
)
"""What cannot be meant as words of a text that goes on over several lines."""
_TAB_WIDTH = 2
LIMIT_QUOTED_LINES = 200
LIMIT_STRAY_CHARS = 16 * 1024
"""How long a text may be to which lines that stand outside of it are still added."""
CUT_OFF = "is cut off at ` #`, which begins a comment; put the value in quotes to keep it"


class Remark(Struct, frozen=True, order=True):
    """What is understood otherwise than YAML would have it; `line` counts from 1 within the file."""

    line: int
    reason: str


class Understood(Struct, frozen=True, kw_only=True):
    """The fields, the line each begins in, and what there is to remark."""

    fields: dict[str, Value]
    lines: dict[str, int]
    remarks: tuple[Remark, ...]


def read_lines(text: str, first_line: int) -> Understood:
    """Return what the lines of `text` say; its first one is line `first_line` of the file.

    Raises `ValueError` if it is nested deeper than any front matter needs to be.
    """
    reader = _Reader(text, first_line)
    fields = reader.mapping(0, LIMIT_DEPTH, is_top=True)
    return Understood(fields=fields, lines=reader.key_lines, remarks=tuple(sorted(reader.remarks)))


class _Line(Struct, frozen=True):
    number: int
    indent: int
    text: str


class _Reader:
    """Goes through the lines once; `at` is the next one."""

    def __init__(self, text: str, first_line: int) -> None:
        self._raw = text.split("\n")
        self._first = first_line
        self._at = 0
        self._has_tabs = False
        self.remarks: set[Remark] = set()
        self.key_lines: dict[str, int] = {}

    def mapping(self, indent: int, depth: int, *, is_top: bool = False) -> dict[str, Value]:
        """Read `key: value` lines that stand at `indent`, or at any indent at the top."""
        _check(depth)
        fields: dict[str, Value] = {}
        last = strayed = ""
        while (line := self._peek()) is not None and (is_top or line.indent >= indent):
            key, written = self._key(line, is_top=is_top)
            self._at += 1
            if not key or (line.indent > indent and fields):
                self._stray(fields, last, line, is_told=strayed == (last or line.text))
                strayed = last or line.text
                continue
            if is_top:
                indent = line.indent
            value = self._value(written, line, line.indent, depth) if written else self._below(line.indent, depth)
            if key in fields:
                self._remark(line.number, f"the key {key!r} stands here again; the first one counts")
                continue
            fields[key], last = value, key
            if is_top:
                self.key_lines[key] = line.number
        return fields

    def _key(self, line: _Line, *, is_top: bool) -> tuple[str, str]:
        """Return the key of a line and what is written beside it; an empty key if it has none."""
        if found := KEY.match(line.text):
            written = found[4] or ""
            is_empty = not without_comment(written).strip()
            if is_empty and _SHARP.match(f" {written}"):
                self._remark(line.number, CUT_OFF)
            return found[1] or found[2] or found[3], "" if is_empty else written
        if is_top and (found := _CARELESS_KEY.match(line.text)):
            slip = "a full-width colon" if found["wide"] else "no space behind its colon"
            self._remark(line.number, f"the key {found[1]!r} has {slip}; write `{found[1]}: …`")
            return found[1], found[3]
        return "", ""

    def _stray(self, fields: dict[str, Value], last: str, line: _Line, *, is_told: bool) -> None:
        """Add a line that is no field to the text before it; only the first of several is remarked."""
        value = fields.get(last)
        reason = "is no `key: value` line and is ignored"
        if isinstance(value, str) and len(value) < LIMIT_STRAY_CHARS:
            fields[last] = f"{value} {line.text}".strip()
            reason = f"is taken as more of {last!r}; indent it, or write the whole in one line"
        if not is_told:
            self._remark(line.number, reason)

    def _value(self, written: str, line: _Line, indent: int, depth: int) -> Value:
        """Read a value that begins with `written` in `line`; what goes on below is deeper than `indent`."""
        written = written.strip()
        if head := _BLOCK_HEAD.match(written):
            return self._block_text(head, indent)
        if written[0] in "'\"":
            return self._quoted(written, line, indent)
        if written[0] in "[{":
            return self._bracketed(written, line, indent, depth)
        return self._plain(written, line, indent)

    def _below(self, indent: int, depth: int) -> Value:
        """Read what stands below a key: a list, a map, text, or nothing."""
        line = self._peek()
        if line is None or line.indent < indent:
            return ""
        if _ITEM.match(line.text):
            return self._items(line.indent, depth - 1)
        if line.indent == indent:
            return ""
        if KEY.match(line.text):
            return dict(self.mapping(line.indent, depth - 1))
        self._at += 1
        return self._value(line.text, line, indent, depth - 1)

    def _items(self, indent: int, depth: int) -> list[Value]:
        _check(depth)
        values: list[Value] = []
        while (line := self._peek()) is not None and line.indent == indent and (item := _ITEM.match(line.text)):
            written = (item[1] or "").strip()
            if _ITEM.match(written) or KEY.match(written):  # what follows the sign stands deeper, as if below it
                self._raw[self._at] = " " * (indent + 2) + written
                values.append(self._below(indent, depth))
                continue
            self._at += 1
            is_empty = not without_comment(written).strip()
            values.append(self._below(indent + 1, depth) if is_empty else self._value(written, line, indent, depth))
        return values

    def _block_text(self, head: re.Match[str], indent: int) -> str:
        lines = self._deeper(indent)
        explicit = head[3] or head[4]
        filled = [line for line in lines if line.strip()]
        own = indent + int(explicit) if explicit else min((_indent(line) for line in filled[:1]), default=0)
        texts = [line.expandtabs(_TAB_WIDTH)[min(own, _indent(line)) :].rstrip() for line in lines]
        while texts and not texts[-1]:
            texts.pop()
        if not texts:
            return ""
        text = "\n".join(texts) if head[1] == "|" else _folded(texts)
        return text if (head[2] or head[5]) == "-" else text + "\n"

    def _quoted(self, written: str, line: _Line, indent: int) -> str:
        quoted = read_quoted(written)
        if quoted is None:
            start = self._at
            whole = _folded([written, *(text.strip() for text in self._deeper(indent))])
            quoted = read_quoted(whole)
            if quoted is None or without_comment(whole[quoted.end :]).strip():
                self._at = start
                if indent == 0 and (text := self._careless_quoted(written)) is not None:
                    self._remark(line.number, "its quoted text goes on in lines that are not indented; indent them")
                    return text
                self._remark(line.number, "opens a quote that is not closed; quotes go around the whole value")
                return self._plain(written[1:], line, indent) if written[1:].strip() else ""
            return quoted.text
        if without_comment(written[quoted.end :]).strip():
            self._remark(line.number, "has text behind its closing quote; quotes go around the whole value")
            return self._plain(written, line, indent)
        return quoted.text

    def _careless_quoted(self, written: str) -> str | None:
        """Read quoted text whose further lines are not indented; None if it is not closed before the next field."""
        texts = [written]
        for place in range(self._at, min(self._at + LIMIT_QUOTED_LINES, len(self._raw))):
            text = self._raw[place].strip()
            key = KEY.match(self._raw[place].rstrip())
            if key and key[3] in _FIELDS:
                return None
            texts.append(text)
            if text.endswith(written[0]):
                whole = _folded(texts)
                quoted = read_quoted(whole)
                if quoted is not None and quoted.end == len(whole):
                    self._at = place + 1
                    return quoted.text
        return None

    def _bracketed(self, written: str, line: _Line, indent: int, depth: int) -> Value:
        _check(depth)
        start = self._at
        texts = [written, *(text.strip() for text in self._deeper(indent))]
        closing = self._peek()
        if closing is not None and closing.text[0] in "]}":
            texts.append(closing.text)
            self._at += 1
        whole = " ".join(without_comment(text) for text in texts if text)
        for text, end in ((whole, self._at), (without_comment(written), start)):
            try:
                value = read_flow(text)
            except ValueError:
                continue
            self._at = end
            return value
        self._at = start
        what = "list" if written[0] == "[" else "map"
        self._remark(
            line.number, f"begins with {written[0]} and is no {what}; it is taken as text, so put it in quotes"
        )
        return self._plain(written, line, indent)

    def _plain(self, written: str, line: _Line, indent: int) -> str:
        self._remark_plain(written, line.number)
        texts = [read_plain(written)]
        first = self._first + self._at
        for number, below in enumerate(self._deeper(indent), first):
            text = below.strip()
            if text.startswith("#"):
                continue
            self._remark_plain(text, number, begins=False)
            texts.append(without_comment(text).strip())
        return _folded(texts).strip()

    def _remark_plain(self, text: str, number: int, *, begins: bool = True) -> None:
        if begins and text[0] in _RESERVED:
            self._remark(number, f"begins with {text[0]}, which means something else in YAML; put the value in quotes")
        if _SHARP.search(text):
            self._remark(number, CUT_OFF)
        if _COLON.search(without_comment(text)):
            self._remark(number, "holds `: ` without quotes, which other programs refuse; put the value in quotes")

    def _deeper(self, indent: int) -> list[str]:
        """Take the lines that follow up to one that is not deeper than `indent`, blank ones between them included."""
        end = self._at
        for place in range(self._at, len(self._raw)):
            raw = self._raw[place]
            if not raw.strip():
                continue
            if _indent(raw) <= indent:
                break
            end = place + 1
        taken, self._at = self._raw[self._at : end], end
        return taken

    def _peek(self) -> _Line | None:
        """Return the next line that is not blank and no comment."""
        while self._at < len(self._raw):
            raw = self._raw[self._at]
            text = raw.strip()
            if text and not text.startswith("#"):
                number = self._first + self._at
                if not self._has_tabs and "\t" in raw[: len(raw) - len(raw.lstrip())]:
                    self._has_tabs = True
                    self._remark(number, "is indented with a tab; YAML wants spaces")
                return _Line(number, _indent(raw), text)
            self._at += 1
        return None

    def _remark(self, line: int, reason: str) -> None:
        self.remarks.add(Remark(line, reason))


def _check(depth: int) -> None:
    if depth <= 0:
        raise ValueError("holds values nested too deep")


def _indent(raw: str) -> int:
    return len(raw[: len(raw) - len(raw.lstrip())].expandtabs(_TAB_WIDTH))


def _folded(texts: list[str]) -> str:
    """Join lines as YAML does: one line end is a space, and each blank line a line end."""
    joined: list[str] = []
    for text in texts:
        if text and joined and joined[-1] != "\n":
            joined.append(" ")
        joined.append(text or "\n")
    return "".join(joined)
