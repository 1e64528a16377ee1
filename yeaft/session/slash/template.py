"""Takes the text of a command apart: words, arguments, shell commands to run, files to put in. Pure.

What the user gives as arguments is only ever put in place: nothing in it is run, read or filled in again.
"""

import re
import shlex
from collections.abc import Iterator
from heapq import merge

from msgspec import Struct

from yeaft.session.at_signs import path_at

ARGUMENTS = "$ARGUMENTS"
_ARGUMENT = re.compile(
    r"(?P<escaped>\\)?\$(?:ARGUMENTS\[(?P<index>\d{1,2})\]|(?P<all>ARGUMENTS)\b|(?P<number>[1-9])(?!\d))"
)
RUN = re.compile(r"(?<![^\s(\"'>:])(?P<escaped>\\)?!`(?P<command>[^`\n]*[^`\s][^`\n]*)`")
"""Everything in a text that may be run, also where it is escaped or only shown."""
_FILE = re.compile(r"(?<![^\s(\"'>:])(?P<escaped>\\)?@(?P<given>\$(?:ARGUMENTS\[\d{1,2}\]|ARGUMENTS\b|[1-9](?!\d)))?")
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})(.*)$")


class Words(Struct, frozen=True, tag="words"):
    """Text that is said as it stands."""

    text: str


class Run(Struct, frozen=True, tag="run"):
    """A shell command whose output takes this place; `line` counts from 1 within the body."""

    command: str
    line: int


class Insert(Struct, frozen=True, tag="insert"):
    """A file whose content goes along; `is_needed` is False where the text may mean something else than a file."""

    path: str
    line: int
    is_needed: bool


Piece = Words | Run | Insert


def pieces(body: str, arguments: str) -> tuple[Piece, ...]:
    """Return the pieces of `body` with `arguments` in place of `$ARGUMENTS`, and its words in place of `$1` to `$9`.

    Of `$ARGUMENTS[0]`, 0 is the first word.
    Arguments that `body` has no place for stand at its end. Fenced code is not run and names no files. A backslash
    before `$1`, `` !` `` and `@` takes their meaning away.
    """
    values = _Values(arguments)
    found: list[Piece] = []
    fence = ""
    for number, line in enumerate(body.split("\n"), 1):
        marks = _FENCE.match(line)
        if fence or marks:
            fence = _fence_after(fence, marks)
            found.append(Words(f"{values.put_into(line)}\n"))
            continue
        found += _line(line, number, values)
        found.append(Words("\n"))
    if arguments and not values.are_used:
        found.append(Words(f"\nArguments: {arguments}"))
    return tuple(_joined(found))


class _Values:
    """The arguments, whole and word by word; `are_used` says whether any place for them was found."""

    def __init__(self, arguments: str) -> None:
        self._whole = arguments
        self._words = _split(arguments)
        self.are_used = False

    def put_into(self, text: str) -> str:
        """Return `text` with its places filled, in one go."""
        return _ARGUMENT.sub(self._value, text)

    def _value(self, found: re.Match[str]) -> str:
        if found["escaped"]:
            return found[0][1:]
        self.are_used = True
        if found["all"]:
            return self._whole
        number = int(found["number"]) if found["number"] else int(found["index"]) + 1
        return self._words[number - 1] if number <= len(self._words) else ""


def _split(arguments: str) -> list[str]:
    """Split as a shell would; words with a quote of their own (`it's`) are left as they are."""
    try:
        return shlex.split(arguments)
    except ValueError:
        return arguments.split()


def _line(line: str, number: int, values: _Values) -> Iterator[Piece]:
    done = at = 0
    for found in _signs(line):
        if found.start() < at:
            continue  # within what was taken already
        if found["escaped"]:
            yield Words(values.put_into(line[done : found.start()]))
            done, at = found.start() + 1, found.end()
            continue
        piece, end = _meant(found, line, number, values)
        if piece is not None:
            yield Words(values.put_into(line[done : found.start()]))
            yield piece
            done = end
        at = max(end, found.end())
    yield Words(values.put_into(line[done:]))


def _signs(line: str) -> Iterator[re.Match[str]]:
    """Yield all places where something may be run or put in, in order."""
    yield from merge(RUN.finditer(line), _FILE.finditer(line), key=lambda found: found.start())


def _meant(found: re.Match[str], line: str, number: int, values: _Values) -> tuple[Piece | None, int]:
    """Return what is to be done at a sign, None if it is only text, and where that ends."""
    if found.re is RUN:
        return Run(values.put_into(found["command"]), number), found.end()
    if found["given"]:
        path = values.put_into(found["given"]).strip().removeprefix("@")
        return (Insert(path, number, is_needed=True) if path else None), found.end()
    token = path_at(line, found.end())
    if token is None:
        return None, found.end()
    return Insert(values.put_into(token.text), number, is_needed=token.is_explicit), token.end


def _fence_after(fence: str, marks: re.Match[str] | None) -> str:
    """Return the marks of the fence that a line leaves open; empty for none."""
    if marks is None:
        return fence
    if not fence:
        return "" if marks[1][0] == "`" and "`" in marks[2] else marks[1]
    return "" if marks[1].startswith(fence) and not marks[2].strip() else fence


def _joined(found: list[Piece]) -> Iterator[Piece]:
    """Join neighbouring words; the line end behind the last line is none."""
    texts: list[str] = []
    for piece in found:
        if isinstance(piece, Words):
            texts.append(piece.text)
            continue
        if any(texts):
            yield Words("".join(texts))
        texts = []
        yield piece
    if rest := "".join(texts).removesuffix("\n"):
        yield Words(rest)
