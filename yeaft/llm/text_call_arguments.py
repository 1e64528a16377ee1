"""The arguments of a call that a model wrote as text, read leniently, and written as such a model is to write them.

The form is one JSON object, after which texts of several lines may follow in fenced blocks under their names.
"""

import ast
import re
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from yeaft.kernel.pattern import Pattern
from yeaft.llm import wire_json

LABELLED = Pattern(
    r"^[ \t>*_#`]*(?:thought|action(?: input)?|observation|final answer)[*_` \t]*[:：]", re.IGNORECASE | re.MULTILINE
)
"""A line on which something else begins, which the model should not have written before it knew the result."""
_FIELD = Pattern(r"[ \t]*[*_`\"']*([A-Za-z_][\w-]*)[*_`\"']*[ \t]*[:：][*_`\"']*[ \t]*(?:((`{3,})|(~{3,}))[^`\n]*)?")
_FENCE = Pattern(r"[ \t]*(`{3,}|~{3,})[ \t]*([^`\n]*?)[ \t]*")
_PLAIN_NAME = Pattern(r"[A-Za-z_][\w-]*")
_RUN = Pattern(r"^[ \t]*(`{3,})", re.MULTILINE)
_ESCAPE = Pattern(r"\\(.)", re.DOTALL)
_TRAILING_COMMA = Pattern(r",(\s*[}\]])")
TOOL_KEYS = ("name", "tool", "action")
ARGUMENTS_KEYS = ("arguments", "parameters", "args", "input", "action_input")
LONGEST_NAME_LINE = 200
NOTHING = frozenset({"", "none", "null", "n/a", "{}"})


class Arguments(Struct, frozen=True, kw_only=True):
    """`raw` is a JSON object where what was written could be read, else what was written.

    `is_whole` is False when it breaks off in the middle.
    """

    raw: str
    is_whole: bool = True


def read(text: str) -> Arguments:
    """The arguments at the beginning of `text`; what follows them is ignored."""
    text = _without_fence(text)
    if text.startswith("{"):
        return _from_object(text)
    first = text.partition("\n")[0]
    if (found := _field(first)) and LABELLED.match(first) is None and _has_fence(found, text):
        return _joined({}, text)
    label = LABELLED.search(text)
    said = (text[: label.start()] if label else text).strip().removesuffix("```").strip()
    return Arguments(raw="{}" if said.lower() in NOTHING else said)


def named(arguments: Arguments, name: str) -> Arguments:
    """The arguments; a text that stands in their place is the argument of this `name`, if that is not empty."""
    raw = arguments.raw
    if not name or not arguments.is_whole or raw[:1] in ("{", "["):
        return arguments
    try:
        found = wire_json.decode(raw)
    except ValueError:
        found = raw
    return Arguments(raw=wire_json.encode({name: found if isinstance(found, str) else raw}).decode())


def tagged(text: str) -> tuple[str, Arguments]:
    """The tool and the arguments of a call that is one JSON object with both, as many models were taught to write.

    The tool is empty if there is no such object at the beginning of `text`.
    """
    found = _object_in(read(text).raw) or {}
    name = next((found[key] for key in TOOL_KEYS if isinstance(found.get(key), str)), "")
    raw = next((_as_json(found[key]) for key in ARGUMENTS_KEYS if key in found), "{}")
    return name, Arguments(raw=raw, is_whole=bool(name))


def _as_json(value: Any) -> str:
    return value if isinstance(value, str) else wire_json.encode(value).decode()


def written(args_raw: str) -> str:
    """Arguments in the form that `read` reads back; such as are no object are left as they are."""
    try:
        found = wire_json.decode_object(args_raw.strip() or "{}")
    except ValueError:
        return args_raw
    long = {key: value for key, value in found.items() if _is_long(key, value)}
    short = {key: value for key, value in found.items() if key not in long}
    return "\n".join((wire_json.encode(short).decode(), *(_block(key, value) for key, value in long.items())))


def _is_long(key: str, value: object) -> bool:
    has_lines = isinstance(value, str) and value.endswith("\n") and "\r" not in value
    return has_lines and _PLAIN_NAME.fullmatch(key) is not None and LABELLED.match(f"{key}:") is None


def _block(key: str, text: str) -> str:
    longest = max((len(run[1]) for run in _RUN.finditer(text)), default=2)
    fence = "`" * max(longest + 1, 3)
    return f"{key}:\n{fence}\n{text}{fence}"


def _without_fence(text: str) -> str:
    text = text.lstrip()
    first, _, rest = text.partition("\n")
    return rest.lstrip() if _FENCE.fullmatch(first) else text.lstrip("` \t\n") if text.startswith("`{") else text


def _from_object(text: str) -> Arguments:
    end = _end_of_object(text)
    if end is None:
        label = LABELLED.search(text)
        raw = (text[: label.start()] if label else text).rstrip().removesuffix("```").rstrip()
        return Arguments(raw=raw, is_whole=label is not None)
    found = _object_in(text[:end])
    return Arguments(raw=text[:end]) if found is None else _joined(found, text[end:])


def _end_of_object(text: str) -> int | None:
    """Where the object that begins `text` ends, or None. Single quotes count if the first key has such."""
    quotes = "\"'" if text[1:].lstrip()[:1] == "'" else '"'
    depth, quote, is_escaped = 0, "", False
    for place, char in enumerate(text):
        if is_escaped:
            is_escaped = False
        elif char == "\\":
            is_escaped = bool(quote)
        elif quote:
            quote = "" if char == quote else quote
        elif char in quotes:
            quote = char
        elif char in "{[":
            depth += 1
        elif char in "}]":
            depth -= 1
            if depth == 0:
                return place + 1
    return None


def _object_in(raw: str) -> dict[str, Any] | None:
    """The object that `raw` holds: JSON, JSON with the usual slips, or a literal of Python."""
    for candidate in dict.fromkeys((raw, _TRAILING_COMMA.sub(r"\1", _ESCAPE.sub(_escaped, raw)))):
        try:
            return wire_json.decode_object(candidate)
        except ValueError:
            continue
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes that Python does not know either
            found = ast.literal_eval(raw)
        return wire_json.decode_object(wire_json.encode(found))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _escaped(found: re.Match[str]) -> str:
    return found[0] if found[1] in '"\\/bfnrtu' else "\\" + found[0]


def _joined(found: dict[str, Any], text: str) -> Arguments:
    """The arguments with those whose blocks come next in `text`."""
    blocks, is_whole = _Blocks(text.split("\n")).read()
    return Arguments(raw=wire_json.encode({**found, **blocks}).decode(), is_whole=is_whole)


def _has_fence(found: re.Match[str], text: str) -> bool:
    second = text.partition("\n")[2].partition("\n")[0]
    return found[2] is not None or _FENCE.fullmatch(second) is not None


def _field(line: str) -> re.Match[str] | None:
    return _FIELD.fullmatch(line) if len(line) <= LONGEST_NAME_LINE else None


class _Blocks:
    """Reads the named blocks at the beginning of some lines; a fence on its own, or blank lines, may come first."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._place = 0

    def read(self) -> tuple[Mapping[str, str], bool]:
        """The blocks by name, and whether the last of them was closed."""
        blocks: dict[str, str] = {}
        while (name_and_fence := self._opening()) is not None:
            name, fence = name_and_fence
            inside, is_closed = self._inside(fence)
            blocks[name] = "".join(line + "\n" for line in inside)
            if not is_closed:
                return blocks, False
        return blocks, True

    def _opening(self) -> tuple[str, str] | None:
        while self._place < len(self._lines) and not self._lines[self._place].strip("` \t\r"):
            self._place += 1
        if self._place >= len(self._lines):
            return None
        line = self._lines[self._place]
        found = _field(line.rstrip())
        if found is None or LABELLED.match(line):
            return None
        self._place += 1
        if found[2] is not None:
            return found[1], found[3] or found[4]
        following = self._lines[self._place] if self._place < len(self._lines) else ""
        fence = _FENCE.fullmatch(following.rstrip())
        if fence is None:
            return None
        self._place += 1
        return found[1], fence[1]

    def _inside(self, fence: str) -> tuple[list[str], bool]:
        """The lines up to the fence that closes the block; fences inside that have a word after them open others."""
        inside: list[str] = []
        depth = 0
        for line in self._rest():
            found = _FENCE.fullmatch(line.rstrip())
            if found is not None and found[1][0] == fence[0] and len(found[1]) >= len(fence):
                if found[2]:
                    depth += 1
                elif depth == 0:
                    return inside, True
                else:
                    depth -= 1
            inside.append(line)
        return inside, False

    def _rest(self) -> Iterator[str]:
        while self._place < len(self._lines):
            self._place += 1
            yield self._lines[self._place - 1]


def is_object(args_raw: str) -> bool:
    """Whether these arguments can be read at all."""
    try:
        wire_json.decode_object(args_raw.strip() or "{}")
    except ValueError:
        return False
    return True
