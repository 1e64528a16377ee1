"""YAML with the place of everything in it: plain values, and the line of each key, for messages people can act on."""

from __future__ import annotations

import re
import warnings as python_warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol, cast

from msgspec import Struct
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.reader import ReaderError

from yeaft.kernel.lists import is_list
from yeaft.kernel.text import without_surrogates
from yeaft.workflows.graphs.plain_values import is_mapping, mapping

Path = tuple[str | int, ...]
LIMIT_BYTES, LIMIT_DEPTH, LIMIT_VALUES = 256 * 1024, 50, 50_000
"""How large a text may be, how deep its values may be nested, and how many there may be, aliases counted in full."""
LONGEST_LIST = 5000
CORE_TAG = "tag:yaml.org,2002:"
_CORE_TAGS = frozenset(("", "!", "str", "int", "float", "bool", "null", "map", "seq", "timestamp", "merge"))
INCLUDE_TAG = "!include"
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9_]*)")
_FLOAT = re.compile(r"[-+]?(?:[0-9][0-9_]*)?\.?[0-9]+(?:[eE][-+]?[0-9]+)?")
_LONGEST_NUMBER = 300
_BOOLS = {"true": True, "false": False}
_TAB = repr("\t")
_HALF = re.compile("[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]")


class Mistake(Struct, frozen=True, order=True):
    """Something wrong at a line, counted from 1; 0 for the whole text."""

    line: int
    text: str


class Located:
    """What a text holds. `data` is plain; `line` finds where a path begins; `warnings` are worth saying, no more."""

    def __init__(self, data: Any, lines: Mapping[Path, int], warnings: tuple[Mistake, ...]) -> None:
        self.data = data
        self.warnings = warnings
        self._lines = lines

    def line(self, path: Path) -> int:
        """Return the line of a path, or of the nearest thing around it."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)

    def above(self, below: Mapping[str, Any], line: int) -> Located:
        """Return this with all that it lacks taken from `below`, a mapping that is brought in at `line`."""
        own = mapping(self.data)
        lines = {(key,): line for key in below} | dict(self._lines)
        return Located(_merged(below, own), lines, self.warnings)


class Unreadable(Exception):
    """The text is no YAML that could be meant."""

    def __init__(self, mistake: Mistake) -> None:
        super().__init__(mistake.text)
        self.mistake = mistake


class _Mark(Protocol):
    line: int


class _Marked(Protocol):
    problem_mark: _Mark | None
    problem: str | None


class _Misread(Protocol):
    position: int


class _Event(Protocol):
    """What ruamel.yaml's parser yields; which attributes there are depends on the kind of event."""

    start_mark: _Mark
    anchor: str | None
    tag: object
    value: str
    style: str | None


class _Parser(Protocol):
    def parse(self, stream: str, /) -> Iterator[_Event]: ...


class _Anchored(Struct, frozen=True):
    """A value that can be named again, with how many values it comes to and how deep it goes."""

    value: Any
    size: int
    depth: int


Include = Callable[[str], Any]
"""Returns what a file holds that a text includes by name. Raises `ValueError`."""


def read_located(text: str, include: Include | None = None) -> Located:
    """Read one YAML document. A key that stands twice with mappings is merged, with a warning. Raises `Unreadable`.

    A text that stops being reasonable is not read to its end.
    """
    size = len(text.encode("utf-8", "replace"))
    if size > LIMIT_BYTES:
        raise Unreadable(Mistake(0, f"it has {size} bytes; {LIMIT_BYTES} are the most"))
    parser = cast("_Parser", YAML(typ="safe", pure=True))  # ruamel.yaml has hints for half of its methods
    try:
        with python_warnings.catch_warnings(action="ignore"):
            reader = _Reader(parser.parse(text), include)
            return Located(reader.document(), reader.lines, tuple(reader.warnings))
    except MarkedYAMLError as error:
        marked = cast("_Marked", error)
        line = marked.problem_mark.line + 1 if marked.problem_mark else 0
        problem = marked.problem or str(error)
        said = "a tab stands where only blanks may" if _TAB in problem else problem
        raise Unreadable(Mistake(line, f"it is no YAML: {said}")) from error
    except ReaderError as error:
        place = cast("_Misread", error).position
        said = f"the character U+{ord(text[place]):04X} may not stand in it"
        raise Unreadable(Mistake(text.count("\n", 0, place) + 1, f"it is no YAML: {said}")) from error
    except (YAMLError, ValueError, AttributeError, TypeError, LookupError, AssertionError, RecursionError) as error:
        # the parser trips over some texts that are no YAML instead of refusing them
        raise Unreadable(Mistake(0, f"it is no YAML: {str(error).partition(chr(10))[0]}")) from error


class _Reader:
    """Makes values of the events of one document, depth first, counting all the while."""

    def __init__(self, events: Iterator[_Event], include: Include | None) -> None:
        self.lines: dict[Path, int] = {}
        self.warnings: list[Mistake] = []
        self._events = map(_with_text, events)
        self._include = include
        self._anchors: dict[str, _Anchored | None] = {}
        self._size = 0
        self._depth = 0

    def document(self) -> Any:
        """What the one document holds that holds something, None for none. Raises `Unreadable` if there are two."""
        found: Any = None
        line = begun = 0
        for event in self._events:
            match _kind(event):
                case "StreamStart" | "StreamEnd" | "DocumentEnd":
                    continue
                case "DocumentStart":
                    line = _line(event)
                case "Scalar" if not event.value and event.style is None and event.anchor is None:
                    continue
                case _ if begun:
                    text = "it holds a second document; only one can be meant, so keep each in a file of its own"
                    raise Unreadable(Mistake(line, text))
                case _:
                    begun = line
                    found = self._value(event, ())
        return found

    def _value(self, event: _Event, path: Path) -> Any:
        line, kind = _line(event), _kind(event)
        self.lines.setdefault(path, line)
        if kind == "Alias":
            return self._again(event, path, line)
        before, outer, self._depth = self._size, self._depth, 0
        self._count(1, len(path), line)
        anchor = event.anchor
        if anchor is not None:
            self._anchors[anchor] = None
        match kind:
            case "MappingStart":
                value: Any = self._mapping(path)
            case "SequenceStart":
                value = self._sequence(path)
            case _:
                value = _scalar(event)
        value = self._tagged(event, value, line)
        if anchor is not None:
            self._anchors[anchor] = _Anchored(value, self._size - before, self._depth)
        self._depth = max(outer, self._depth + 1)
        return value

    def _again(self, event: _Event, path: Path, line: int) -> Any:
        """The value that an alias stands for; all of it counts once more."""
        name = event.anchor or ""
        if name not in self._anchors:
            raise Unreadable(Mistake(line, f"nothing before has the anchor {name!r}"))
        anchored = self._anchors[name]
        if anchored is None:
            raise Unreadable(Mistake(line, f"the alias {name!r} stands within what it names"))
        self._count(anchored.size, len(path) + anchored.depth, line)
        self._depth = max(self._depth, anchored.depth + 1)
        return anchored.value

    def _count(self, size: int, depth: int, line: int) -> None:
        self._size += size
        if self._size > LIMIT_VALUES or depth > LIMIT_DEPTH:
            raise Unreadable(Mistake(line, "it holds too many values, or values nested too deep"))

    def _sequence(self, path: Path) -> list[Any]:
        found: list[Any] = []
        for event in self._events:
            if _kind(event) == "SequenceEnd":
                break
            if len(found) >= LONGEST_LIST:
                raise Unreadable(Mistake(_line(event), "it holds too many values, or values nested too deep"))
            found.append(self._value(event, (*path, len(found))))
        return found

    def _mapping(self, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for event in self._events:
            if _kind(event) == "MappingEnd":
                break
            line = _line(event)
            if _kind(event) != "Scalar":
                raise Unreadable(Mistake(line, "a key must be text"))
            key = event.value
            if key == "<<" and event.style is None:
                merged = {**self._merged(self._value(next(self._events), path), line), **merged}
                continue
            if not key:
                raise Unreadable(Mistake(line, "a key must be text"))
            self._count(1, len(path), line)
            self.lines.setdefault((*path, key), line)
            value = self._value(next(self._events), (*path, key))
            found[key] = self._twice(key, found[key], value, line) if key in found else value
        return {**merged, **found}

    def _merged(self, value: Any, line: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for source in value if is_list(value) else [value]:
            if not is_mapping(source):
                raise Unreadable(Mistake(line, "`<<` takes a mapping, or a list of them"))
            found = {**source, **found}
        return found

    def _twice(self, key: str, before: Any, value: Any, line: int) -> Any:
        if is_mapping(before) and is_mapping(value):
            self.warnings.append(Mistake(line, f"{key!r} stands here a second time; both are merged"))
            return _merged(before, value)
        raise Unreadable(Mistake(line, f"{key!r} stands here a second time"))

    def _tagged(self, event: _Event, value: Any, line: int) -> Any:
        tag = str(event.tag or "")
        if tag.removeprefix(CORE_TAG).removeprefix("!!") in _CORE_TAGS:
            return value
        if tag == INCLUDE_TAG and isinstance(value, str) and self._include is not None:
            try:
                return self._include(value)
            except ValueError as error:
                raise Unreadable(Mistake(line, str(error))) from error
        self.warnings.append(Mistake(line, f"the tag {tag!r} means nothing here; what it stands at is taken as it is"))
        return value


def _kind(event: _Event) -> str:
    return type(event).__name__.removesuffix("Event")


def _with_text(event: _Event) -> _Event:
    """Return an event whose text can be written down: an escape can leave half a character."""
    if _kind(event) == "Scalar":
        if half := _HALF.search(event.value):
            text = f"it is no YAML: the character U+{ord(half[0]):04X} may not stand in it"
            raise Unreadable(Mistake(_line(event), text))
        event.value = without_surrogates(event.value)
    return event


def _line(event: _Event) -> int:
    return event.start_mark.line + 1


def _scalar(event: _Event) -> Any:
    text = event.value
    if event.style is not None or str(event.tag or "") in ("!", "!!str", f"{CORE_TAG}str"):
        return text
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text.lower() in _BOOLS:
        return _BOOLS[text.lower()]
    if len(text) > _LONGEST_NUMBER:
        return text
    if _INT.fullmatch(text):
        return int(text.replace("_", ""))
    if _FLOAT.fullmatch(text):
        return float(text.replace("_", ""))
    return text


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Both, mappings within them joined; `above` wins."""
    found = dict(below)
    for key, value in above.items():
        lower = found.get(key)
        if is_mapping(lower) and is_mapping(value):
            found[key] = _merged(lower, value)
        else:
            found[key] = value
    return found
