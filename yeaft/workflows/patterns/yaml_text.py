"""YAML for people to read and change: steps as blocks, long texts as they are, edges on one line each, with remarks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from yeaft.workflows.graphs.files.yaml_text import flow_text

REMARK = "#"
"""A key that begins so is no key: what it holds is a remark above what follows."""
_ODD = re.compile(r"[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|[\x85\u2028\u2029]")
_ONE_LINE = ("edges", "joins")


def yaml_text(graph: Mapping[str, Any], remarks: str = "") -> str:
    """Return `graph: ...` as YAML that reads back as the same values; `remarks` stand above it.

    Values are texts, numbers, booleans, lists and mappings.
    """
    lines = [f"# {line}".rstrip() for line in remarks.splitlines()]
    return "\n".join([*lines, "graph:", *_block(graph, 1)]) + "\n"


def _block(values: Mapping[str, Any], depth: int) -> Iterator[str]:
    margin = "  " * depth
    for key, value in values.items():
        if key.startswith(REMARK):
            yield from (f"{margin}# {line}".rstrip() for line in str(value).splitlines())
        elif key in _ONE_LINE:
            yield f"{margin}{key}:"
            yield from (line for one in value for line in _row(one, depth + 1))
        elif key == "steps":
            yield f"{margin}steps:"
            for one in value:
                yield from _item(one, depth + 1)
        elif isinstance(value, str) and _is_long(value):
            yield f"{margin}{flow_text(key)}: |-"
            yield from (f"{margin}  {line}".rstrip() for line in value.split("\n"))
        else:
            yield f"{margin}{flow_text(key)}: {flow_text(value)}"


def _row(edge: Mapping[str, Any], depth: int) -> Iterator[str]:
    """An edge or a join on one line, its remarks above it."""
    margin = "  " * depth
    kept = {key: value for key, value in edge.items() if not key.startswith(REMARK)}
    for key, value in edge.items():
        if key.startswith(REMARK):
            yield from (f"{margin}# {line}" for line in str(value).splitlines())
    yield f"{margin}- {flow_text(kept)}"


def _item(step: Mapping[str, Any], depth: int) -> Iterator[str]:
    margin = "  " * depth
    is_first = True
    for line in _block(step, depth + 1):
        is_remark = line.lstrip().startswith(REMARK)
        if is_first and is_remark:
            yield margin + line.lstrip()
        elif is_first:
            yield f"{margin}- {line.lstrip()}"
            is_first = False
        else:
            yield line


def _is_long(text: str) -> bool:
    """Whether a text of several lines can stand as it is."""
    starts_well = not text.startswith((" ", "\n"))
    ends_well = not any(line.endswith(" ") for line in text.split("\n")) and not text.endswith("\n")
    return "\n" in text and starts_well and ends_well and _ODD.search(text) is None
