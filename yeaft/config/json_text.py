"""Reads JSON as people write it, with comments, commas too many and keys given twice, and knows where each value is.

Every deviation is told with its line, so that the file can be mended; only what has no sensible meaning is refused.
"""

import json
import re
from typing import TypeAlias

from msgspec import Struct

from yeaft.kernel.text import without_surrogates

MOST_DEEP = 100
# A group that is taken whole, `(...)*+`, goes wrong in Python before 3.11.5 (gh-106052), so none is used here.
_BLANK = re.compile(r"(?:[ \t\r\n\ufeff]++|//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*\*/)*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,300})(?:\.[0-9]{1,300})?(?:[eE][+-]?[0-9]{1,4})?(?![\w.+-])")
_WORD = re.compile(r"\w+")
_WORDS = {"true": True, "false": False, "null": None}
_WHOLE = re.compile(r"-?[0-9]{1,18}")


class Leaf(Struct, frozen=True, kw_only=True):
    """A text, number, truth value or null, and where it stands."""

    value: str | int | float | bool | None
    start: int
    end: int


class Items(Struct, frozen=True, kw_only=True):
    """A list."""

    items: "tuple[Node, ...]"
    start: int
    end: int


class Member(Struct, frozen=True, kw_only=True):
    """One `"key": value` of an object; `comma_at` is where the comma behind it stands, -1 if there is none."""

    key: str
    start: int
    node: "Node"
    comma_at: int = -1


class Members(Struct, frozen=True, kw_only=True):
    """An object. Of a key that is given twice the last one is what counts."""

    members: tuple[Member, ...]
    start: int
    end: int

    def get(self, key: str) -> "Node | None":
        """Return the value of a key."""
        return next((member.node for member in reversed(self.members) if member.key == key), None)

    def at(self, key: str) -> int:
        """Return where a key stands, else where the object begins."""
        return next((member.start for member in reversed(self.members) if member.key == key), self.start)

    def unique(self) -> tuple[Member, ...]:
        """Return the members that count, in their order."""
        last = {member.key: member for member in self.members}
        return tuple(member for member in self.members if last[member.key] is member)


Node: TypeAlias = Leaf | Items | Members
Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"


class Remark(Struct, frozen=True, kw_only=True):
    """What is wrong, and in which line (from 1)."""

    line: int
    reason: str


class Document(Struct, frozen=True, kw_only=True):
    """A text that could be read."""

    text: str
    root: Node
    remarks: tuple[Remark, ...] = ()

    def line(self, offset: int) -> int:
        """Return the line (from 1) of a place in the text."""
        return line_at(self.text, offset)


def read_json(text: str) -> Document | Remark:
    """Return what `text` holds, or the first thing that makes it unreadable; never raises."""
    reader = _Reader(text)
    try:
        root = reader.whole()
    except _BrokenError as error:
        return Remark(line=line_at(text, error.offset), reason=error.reason)
    return Document(text=text, root=root, remarks=tuple(sorted(reader.remarks, key=lambda one: one.line)))


def line_at(text: str, offset: int) -> int:
    """Return the line (from 1) of a place in `text`."""
    return text.count("\n", 0, offset) + 1


def plain(node: Node) -> Json:
    """Return the value without its places, as `json.loads` would."""
    match node:
        case Leaf():
            return node.value
        case Items():
            return [plain(item) for item in node.items]
        case Members():
            return plain_object(node)


def plain_object(members: Members) -> dict[str, Json]:
    """Return an object without its places."""
    return {member.key: plain(member.node) for member in members.members}


def as_json(value: object) -> Json:
    """Return what another format holds as JSON would; what JSON cannot say, such as a date, becomes a text.

    Halves of characters, which can be written with escapes but be kept nowhere, are replaced.
    """
    found: Json = json.loads(without_surrogates(json.dumps(value, default=str, ensure_ascii=False)))
    return found


def table_in(value: Json) -> dict[str, Json]:
    """Return the object that `value` is; an empty one if it is something else."""
    return value if isinstance(value, dict) else {}


def list_in(value: Json) -> list[Json]:
    """Return the list that `value` is; an empty one if it is something else."""
    return value if isinstance(value, list) else []


class _BrokenError(Exception):
    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(reason)
        self.offset = offset
        self.reason = reason


class _Reader:
    """Goes through a text once, from left to right."""

    def __init__(self, text: str) -> None:
        self.remarks: list[Remark] = []
        self._text = text
        self._decoder = json.JSONDecoder(strict=False)
        self._has_comments = False

    def whole(self) -> Node:
        """Return the one value that the text is."""
        root = self.value(self.blank(0), 0)
        end = self.blank(root.end)
        if end < len(self._text):
            raise _BrokenError(end, "something follows the end of the value")
        return root

    def blank(self, at: int) -> int:
        """Return where the next thing begins."""
        found = _BLANK.match(self._text, at)
        end = found.end() if found else at
        if not self._has_comments and "/" in self._text[at:end]:
            self._has_comments = True
            self._remark(
                at + self._text[at:end].index("/"), "comments are not JSON; other programs may refuse the file"
            )
        return end

    def value(self, at: int, depth: int) -> Node:
        """Return the value that begins at `at`."""
        if depth > MOST_DEEP:
            raise _BrokenError(at, f"it is nested more than {MOST_DEEP} deep")
        match self._text[at : at + 1]:
            case "{":
                return self._object(at, depth)
            case "[":
                return self._list(at, depth)
            case '"':
                text, end = self._string(at)
                return Leaf(value=text, start=at, end=end)
            case "":
                raise _BrokenError(at, "the text ends where a value is expected")
            case "/" if self._text.startswith("/*", at):
                raise _BrokenError(at, "a comment is opened here and never closed")
            case _:
                return self._scalar(at)

    def _object(self, at: int, depth: int) -> Members:
        members: list[Member] = []
        seen: set[str] = set()
        place = self.blank(at + 1)
        while self._text[place : place + 1] != "}":
            if self._text[place : place + 1] != '"':
                raise _BrokenError(place, "a key in double quotes or } is expected")
            key, end = self._string(place)
            end = self.blank(end)
            if self._text[end : end + 1] != ":":
                raise _BrokenError(end, f"a colon is missing behind the key {key!r}")
            node = self.value(self.blank(end + 1), depth + 1)
            if key in seen:
                self._remark(place, f"the key {key!r} is there twice; the last one counts")
            comma_at, following = self._comma(node.end, "}")
            seen.add(key)
            members.append(Member(key=key, start=place, node=node, comma_at=comma_at))
            place = following
        return Members(members=tuple(members), start=at, end=place + 1)

    def _list(self, at: int, depth: int) -> Items:
        items: list[Node] = []
        place = self.blank(at + 1)
        while self._text[place : place + 1] != "]":
            items.append(self.value(place, depth + 1))
            _, place = self._comma(items[-1].end, "]")
        return Items(items=tuple(items), start=at, end=place + 1)

    def _comma(self, end: int, closing: str) -> tuple[int, int]:
        """Return where the comma behind a value is, if there is one, and where the next thing begins."""
        place = self.blank(end)
        mark = self._text[place : place + 1]
        if mark == closing:
            return -1, place
        if mark != ",":
            raise _BrokenError(place, f"a comma or {closing} is expected")
        following = self.blank(place + 1)
        if self._text[following : following + 1] == closing:
            self._remark(place, f"a comma before {closing} is not JSON; other programs may refuse the file")
        return place, following

    def _string(self, at: int) -> tuple[str, int]:
        try:
            text, end = self._decoder.raw_decode(self._text, at)
        except json.JSONDecodeError as error:
            raise _BrokenError(at, f"the text in quotes that begins here cannot be read: {error.msg}") from error
        return without_surrogates(text), end

    def _scalar(self, at: int) -> Leaf:
        if number := _NUMBER.match(self._text, at):
            written = number[0]
            value = int(written) if _WHOLE.fullmatch(written) else float(written)
            return Leaf(value=value, start=at, end=number.end())
        word = _WORD.match(self._text, at)
        if word and word[0] in _WORDS:
            return Leaf(value=_WORDS[word[0]], start=at, end=word.end())
        if self._text[at] == "'":
            raise _BrokenError(at, "texts need double quotes")
        raise _BrokenError(at, f"{word[0] if word else self._text[at]!r} is not a value; texts need double quotes")

    def _remark(self, at: int, reason: str) -> None:
        self.remarks.append(Remark(line=line_at(self._text, at), reason=reason))
