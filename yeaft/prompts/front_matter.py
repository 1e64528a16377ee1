"""Reads the block between `---` lines that opens a VP file.

The everyday subset of YAML is read here, because loading a YAML library takes longer than a whole start; what is
beyond it (anchors, block scalars, values over several lines in quotes) goes to that library.
"""

import re
from collections.abc import Sequence

from msgspec import Struct

from yeaft.prompts.scalars import Value, read_value, without_comment

LIMIT_CHARS = 256 * 1024
_LEADING_COMMENT = re.compile(r"\s*<!--(?!\s*lang:).*?-->", re.DOTALL)
_OPENING = re.compile(r"\s*?---[ \t]*\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_KEY = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(.*))?$")
_ITEM = re.compile(r"-(?:[ \t]+(.*))?$")


class Problem(Struct, frozen=True, kw_only=True):
    """What is wrong with a file that a person wrote; a `fatal` one means that the file cannot be used."""

    path: str
    line: int
    reason: str
    fatal: bool = True

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


class FrontMatter(Struct, frozen=True, kw_only=True):
    """The fields at the top of a file, the line (from 1) each stands in, and the text below."""

    fields: dict[str, Value]
    lines: dict[str, int]
    body: str


class Head(Struct, frozen=True, kw_only=True):
    """Front matter before it is understood: its text, the line (from 1) it begins in, and the text below."""

    text: str
    first_line: int
    body: str


def read_front_matter(text: str, path: str) -> FrontMatter | Problem:
    """Return the front matter of `text`, which may begin with a BOM, blank lines and HTML comments.

    A text without front matter has no fields. `path` is only for the messages.
    """
    if len(text) > LIMIT_CHARS:
        return Problem(path=path, line=1, reason=f"longer than {LIMIT_CHARS // 1024} Ki characters")
    head = split_head(text)
    if head is None:
        return FrontMatter(fields={}, lines={}, body=_normal(text))
    if head.first_line == 0:
        return Problem(path=path, line=1, reason="the front matter has no closing --- line")
    try:
        fields, lines = _subset(head)
    except ValueError:
        found = _yaml(head, path)
        if isinstance(found, Problem):
            return found
        fields = found
        lines = _key_lines(head)
    return FrontMatter(fields=fields, lines=lines, body=head.body)


def split_head(text: str) -> Head | None:
    """Return the front matter of `text` and what is below; None if there is none.

    `first_line` 0 means that it is opened and never closed.
    """
    text = _normal(text)
    start = 0
    while comment := _LEADING_COMMENT.match(text, start):
        start = comment.end()
    opening = _OPENING.match(text, start)
    if opening is None:
        return None
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        return Head(text=text[opening.end() :], first_line=0, body="")
    return Head(
        text=text[opening.end() : closing.start()],
        first_line=text.count("\n", 0, opening.end()) + 1,
        body=text[closing.end() :].removeprefix("\n"),
    )


def _normal(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


class _Line(Struct, frozen=True):
    number: int
    indent: int
    text: str


def _subset(head: Head) -> tuple[dict[str, Value], dict[str, int]]:
    lines = [
        _Line(number, len(line) - len(line.lstrip()), line.strip())
        for number, line in enumerate(head.text.expandtabs(2).split("\n"), head.first_line)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    fields, end = _mapping(lines, 0, 0)
    if end < len(lines):
        raise ValueError("indented differently from the lines above")
    return fields, {key[1]: line.number for line in lines if not line.indent and (key := _KEY.match(line.text))}


def _mapping(lines: Sequence[_Line], at: int, indent: int) -> tuple[dict[str, Value], int]:
    fields: dict[str, Value] = {}
    while at < len(lines) and lines[at].indent == indent:
        found = _KEY.match(lines[at].text)
        if found is None or found[1] in fields:
            raise ValueError("not a new `key: value`")
        written = found[2] or ""
        if without_comment(written).strip():
            fields[found[1]], at = _inline(lines, at, written)
        else:
            fields[found[1]], at = _block(lines, at + 1, indent)
    return fields, at


def _inline(lines: Sequence[_Line], at: int, written: str) -> tuple[Value, int]:
    """Return a value that begins beside its key; deeper lines below go on with a plain text."""
    indent, value = lines[at].indent, read_value(written)
    at += 1
    while at < len(lines) and lines[at].indent > indent:
        if not isinstance(value, str) or written[0] in "'\"":
            raise ValueError("the value goes on below")
        value = f"{value} {without_comment(lines[at].text).strip()}"
        at += 1
    return value, at


def _block(lines: Sequence[_Line], at: int, indent: int) -> tuple[Value, int]:
    """Return what stands below a key: a list, a map, or nothing."""
    if at >= len(lines) or lines[at].indent < indent:
        return "", at
    if _ITEM.match(lines[at].text):
        return _items(lines, at)
    if lines[at].indent == indent:
        return "", at
    return _mapping(lines, at, lines[at].indent)


def _items(lines: Sequence[_Line], at: int) -> tuple[Value, int]:
    indent, values = lines[at].indent, list[Value]()
    while at < len(lines) and lines[at].indent == indent and (item := _ITEM.match(lines[at].text)):
        values.append(read_value(item[1] or ""))
        at += 1
    return values, at


def _key_lines(head: Head) -> dict[str, int]:
    numbered = enumerate(head.text.split("\n"), head.first_line)
    return {key[1]: number for number, line in numbered if (key := _KEY.match(line.rstrip()))}


def _yaml(head: Head, path: str) -> dict[str, Value] | Problem:
    from yeaft.prompts.yaml_reader import Mistake, read_yaml  # 30 ms, and hardly any file needs it

    found = read_yaml(head.text)
    if isinstance(found, Mistake):
        return Problem(path=path, line=head.first_line + found.line, reason=found.reason)
    return found
