"""A piece of an answer without the signs of Markdown, each letter where it was, so that marks into it stay right."""

from __future__ import annotations

import re

LEFT_OUT = "\0"
"""Stands for each sign that is not shown."""
RULE = re.compile(r"[|:\s-]*--[|:\s-]*")
FENCE = re.compile(r"\s*(```|~~~)[^`]*")
HEADING = re.compile(r"\s*#{1,6}\s")
STRONG = re.compile(r"\*\*(\S(?:[^*]*\S)?)\*\*")
EMPHASIS = re.compile(r"(?<![\w*])\*([^\s*](?:[^*]*[^\s*])?)\*(?![\w*])")
BAR = "·"


def plain(snippet: str) -> str:
    """Return the snippet, as long as it was: no fences, no rules of tables, dots for the bars between their cells."""
    return "".join(map(_plain, snippet.splitlines(keepends=True)))


def _plain(line: str) -> str:
    if FENCE.fullmatch(line) or ("|" in line and RULE.fullmatch(line)):
        return _nothing(line)
    if line.lstrip().startswith("|"):
        line = _cells(line)
    heading = HEADING.match(line)
    if heading:
        line = _nothing(heading[0]) + line[heading.end() :]
    line = STRONG.sub(lambda found: f"{LEFT_OUT * 2}{found[1]}{LEFT_OUT * 2}", line)
    line = EMPHASIS.sub(lambda found: f"{LEFT_OUT}{found[1]}{LEFT_OUT}", line)
    return line.replace("`", LEFT_OUT)


def _cells(line: str) -> str:
    """Return a row of a table with a dot between its cells."""
    begin, end = line.index("|"), len(line.rstrip())
    is_closed = end - 1 > begin and line[end - 1] == "|"
    inner = line[begin + 1 : end - 1 if is_closed else end].replace("|", BAR)
    return f"{line[:begin]}{LEFT_OUT}{inner}{LEFT_OUT * is_closed}{line[end:]}"


def _nothing(text: str) -> str:
    return "".join(letter if letter.isspace() else LEFT_OUT for letter in text)
