"""Writes plain values as YAML that reads back as what it was, in the style in which people write graphs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from yeaft.kernel.lists import is_list
from yeaft.workflows.graphs.plain_values import is_mapping, listing, mapping

_WORD = re.compile(r"[A-Za-z_][\w./-]*(?: [\w./-]+)*", re.ASCII)
_KEY = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_NOT_TEXT = frozenset(("true", "false", "null", "yes", "no", "on", "off", "y", "n", "none", "inf", "nan"))
_PRINTABLE = re.compile(r"[\x20-\x7e\n\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*")
LINE_CHARS = 110
MOST_IN_FOUR_DIGITS = 0xFFFF


def yaml_text(value: Any) -> str:
    """Return a mapping or list of text, numbers, booleans and None, however nested, as a YAML document."""
    return "\n".join(_block(value, 0, "")) + "\n"


def _block(value: Any, indent: int, lead: str) -> Iterator[str]:
    """The lines of a value; `lead` stands before it on its first line, the others are indented by `indent`."""
    flow = flow_text(value)
    if not (is_mapping(value) or is_list(value)) or not value or (lead and _fits(value, flow, lead)):
        if isinstance(value, str) and _is_prose(value):
            yield from _prose(value, indent, lead)
        else:
            yield lead + flow
        return
    pad = " " * indent
    if is_mapping(value):
        for number, (key, one) in enumerate(value.items()):
            start = lead if number == 0 and lead.endswith("- ") else pad
            if number == 0 and lead and start is not lead:
                yield lead.rstrip()
            head = f"{start}{_key(key)}:"
            yield from _below(one, indent + 2, head)
        return
    if lead:
        yield lead.rstrip()
    for item in listing(value):
        yield from _block(item, indent + 2, f"{pad}- ")


def _below(value: Any, indent: int, head: str) -> Iterator[str]:
    """The lines of what stands under a key."""
    yield from _block(value, indent, f"{head} ")


def _fits(value: Any, flow: str, lead: str) -> bool:
    """Whether a value is small enough to stand in one line; what the whole file is made of never does."""
    parts = [*mapping(value).values(), *listing(value)]
    if (is_list(value) or lead[0] not in " -") and any(map(is_mapping, parts)):
        return False
    return len(lead) + len(flow) <= LINE_CHARS and "\\n" not in flow


def _is_prose(text: str) -> bool:
    """Whether a text is best written in lines of its own."""
    body = text.removesuffix("\n")
    is_even = "\n" in body and not body.endswith("\n") and not body.startswith(("\n", " ", "\t"))
    return is_even and _PRINTABLE.fullmatch(text) is not None and not any(line.isspace() for line in body.split("\n"))


def _prose(text: str, indent: int, lead: str) -> Iterator[str]:
    yield lead + ("|" if text.endswith("\n") else "|-")
    for line in text.removesuffix("\n").split("\n"):
        yield " " * max(indent, 2) + line if line else ""


def flow_text(value: Any) -> str:
    """Return a value on one line; a key that could be taken for something else is quoted, as any text is."""
    if is_mapping(value):
        return "{" + ", ".join(f"{_key(key)}: {flow_text(one)}" for key, one in value.items()) + "}"
    if is_list(value):
        return "[" + ", ".join(map(flow_text, value)) + "]"
    return _text(value) if isinstance(value, str) else msgspec.json.encode(value).decode()


def _text(text: str) -> str:
    is_plain = len(text) < LINE_CHARS and _WORD.fullmatch(text) and text.casefold() not in _NOT_TEXT
    return text if is_plain else _quoted(text)


def _key(text: str) -> str:
    return text if _KEY.fullmatch(text) and text.casefold() not in _NOT_TEXT else _quoted(text)


def _quoted(text: str) -> str:
    quoted = msgspec.json.encode(text).decode()
    return "".join(one if _PRINTABLE.fullmatch(one) else _escaped(one) for one in quoted)


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code <= MOST_IN_FOUR_DIGITS else f"\\U{code:08x}"
