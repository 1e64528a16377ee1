"""What a call changes in files, as a diff: numbered, with signs, and in colours if there are any."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import Struct
from rich.style import Style

from yeaft.interfaces.cli.line_counts import HEADS, MOST_COMPARED_CHARS, counts
from yeaft.interfaces.tui.transcript.code_lines import code_parts, language_of
from yeaft.interfaces.tui.transcript.line import Line, Part, decor, hung
from yeaft.interfaces.tui.transcript.shown import shown
from yeaft.interfaces.tui.transcript.wrapping import wrapped
from yeaft.kernel.pattern import Pattern

if TYPE_CHECKING:
    from yeaft.interfaces.tui.transcript.view import View

MOST_LINES = 200
CONTEXT = 3
GAP = "…"
_HUNK = Pattern(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


class Change(NamedTuple):
    """Lines that begin with ` `, `+`, `-` or `@` (a place), and the file they are in.

    They are numbered if it `is_placed`: if it is known where in the file they stand. If it `is_new_text`, they are the
    whole file, and nobody knows what was there before.
    """

    path: str
    lines: tuple[str, ...]
    is_placed: bool = True
    is_new_text: bool = False


class _Args(Struct, frozen=True):
    file_path: str = ""
    old_string: str = ""
    new_string: str = ""
    content: str = ""
    patch: str = ""


@lru_cache(maxsize=256)
def change_of(tool: str, args_raw: str) -> Change | None:
    """Return what a call changes, as far as its arguments tell; None for one that changes no file."""
    if tool not in ("FileEdit", "FileWrite", "ApplyPatch"):
        return None
    try:
        args = msgspec.json.decode(args_raw or "{}", type=_Args, strict=False)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None
    match tool:
        case "FileEdit":
            return Change(args.file_path, tuple(_compared(args.old_string, args.new_string)), is_placed=False)
        case "FileWrite":
            return Change(args.file_path, tuple(f"+{line}" for line in args.content.splitlines()), is_new_text=True)
        case _:
            return Change("", tuple(_patch(args.patch)))


def change_size(change: Change) -> str:
    """Return how many lines come and how many go, as far as that is known."""
    come, go = (sum(line.startswith(sign) for line in change.lines) for sign in "+-")
    return counts(come, None if change.is_new_text else go)


def diff_lines(change: Change, view: View) -> list[Line]:
    """Return the lines of a diff up to a limit, and how much is left out."""
    language = language_of(change.path) if change.path and view.palette.theme else ""
    lines = list[Line]()
    for old, new, text in _numbered(change.lines[:MOST_LINES]):
        number = f"{old or new:>4} " if change.is_placed else "  "
        lines += _drawn(number, text, language, view)
    if len(change.lines) > MOST_LINES:
        more = view.ui.text("transcript.more_in_pager", count=len(change.lines) - MOST_LINES)
        lines.append(Line((decor(f"    {more}", view.palette.dim),)))
    return lines


def _compared(old: str, new: str) -> Iterator[str]:
    if len(old) + len(new) > MOST_COMPARED_CHARS:
        yield from (f"-{line}" for line in old.splitlines())
        yield from (f"+{line}" for line in new.splitlines())
        return
    import difflib

    found = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=CONTEXT)
    yield from (f"@{GAP}" if line.startswith("@") else line for line in list(found)[3:])


def _patch(patch: str) -> Iterator[str]:
    for line in patch.splitlines():
        if line.startswith(HEADS):
            yield f"@{line}"
        elif line.startswith(("+", "-", "@")):
            yield line
        else:
            yield f" {line.removeprefix(' ')}"


def _numbered(lines: tuple[str, ...]) -> Iterator[tuple[int, int, str]]:
    """Yield lines with their numbers before and after, counted from the start of what is known."""
    old = new = 1
    for line in lines:
        if line.startswith("@"):
            if found := _HUNK.match(line):
                old, new = int(found[1]), int(found[2])
            yield 0, 0, line
            continue
        yield (0 if line[0] == "+" else old), (0 if line[0] == "-" else new), line
        old += line[0] != "+"
        new += line[0] != "-"


def _drawn(number: str, text: str, language: str, view: View) -> list[Line]:
    palette = view.palette
    if text.startswith("@"):
        said = shown(text if _HUNK.match(text) else text[1:])
        return hung(wrapped([decor(said, palette.dim)], view.columns - 4), decor("    "), decor("    "))
    sign, content = text[0], shown(text[1:])
    ground = palette.added if sign == "+" else palette.gone if sign == "-" else Style()
    parts = code_parts(content, language, palette)
    styled = [Part(part.text, ground + part.style) for part in parts] if sign != " " else parts
    indent = len(number) + 2
    head = (decor(f"  {number}", palette.dim), decor(f"{sign} ", ground))
    lines = wrapped(styled, view.columns - indent - 2)
    blank = (decor(" " * indent), decor("  ", ground))
    return [line.after(*(head if not at else blank)) for at, line in enumerate(lines)]
