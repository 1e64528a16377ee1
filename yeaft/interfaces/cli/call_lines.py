"""A tool call as one short line: what is done to what, `·` for work and `⇢` for a hand-off."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import Raw

from yeaft.interfaces.cli.line_counts import compared, counts, patched
from yeaft.interfaces.cli.terminal_text import cut
from yeaft.kernel.pattern import Pattern
from yeaft.tools.policy.visible import visible

USUAL_CHARS = 160
"""How long a line may be where no terminal sets a limit."""
LONGEST_SIDE_CHARS = 40
"""A change whose sides are longer is told as a number of lines."""
INDENT = "  "
_SUBJECTS = (
    "file_path",
    "notebook_path",
    "command",
    "pattern",
    "keyword",
    "query",
    "url",
    "title",
    "topic",
    "agent_id",
    "task_id",
    "name",
    "path",
    "question",
    "prompt",
    "code",
)
"""The arguments that say what a call is about, the telling ones first."""
_PATCHED = Pattern(r"^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ (?:b/)?)(\S+)", re.MULTILINE)
_TOKENS = Pattern(r"[\w.]+|\s+|.", re.DOTALL)
Arguments = Mapping[str, Any]


def call_line(tool: str, args: Raw, *, vp: str = "", columns: int | None = None, tells_change: bool = True) -> str:
    """Return the line for a call that begins; `vp` is named if it is not empty, `columns` is all the line may take.

    Unless it `tells_change`, the line only says which files the call changes.
    """
    given = _decoded(args)
    who = f"@{vp} " if vp else ""
    if tool == "RouteForward":
        line = f"{who}⇢ @{str(given.get('to', '')).lstrip('@')}  {given.get('text', '')}"
    else:
        about = f"{_ABOUT.get(tool, _subject)(given)}{_change(tool, given) if tells_change else ''}"
        line = f"· {who}{tool} {about}"
    return _fitted(line, columns)


def failure_line(tool: str, status: str, text: str, *, columns: int | None = None) -> str:
    """Return the line for a call that came to nothing, with the beginning of its result."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    return _fitted(f"  ✗ {tool} {status}: {first}", columns)


def changed(old: str, new: str) -> str:
    """Return how `old` became `new`, as short as can be: only the words that differ, or how many lines come and go."""
    before, after = _TOKENS.findall(old), _TOKENS.findall(new)
    shared = min(len(before), len(after))
    start = next((place for place in range(shared) if before[place] != after[place]), shared)
    left = shared - start
    end = next((place for place in range(left) if before[-1 - place] != after[-1 - place]), left)
    gone, come = ("".join(side[start : len(side) - end]) for side in (before, after))
    if max(len(gone), len(come)) <= LONGEST_SIDE_CHARS and "\n" not in gone + come:
        return f"{gone.strip() or '∅'} → {come.strip() or '∅'}"
    return counts(*compared(old, new))


def _change(tool: str, given: Arguments) -> str:
    """Return how much a call changes, behind a gap; nothing for one that changes no file."""
    match tool:
        case "FileEdit":
            return f"  {changed(str(given.get('old_string', '')), str(given.get('new_string', '')))}"
        case "FileWrite":
            return f"  {counts(len(str(given.get('content', '')).splitlines()), None)}"
        case "ApplyPatch":
            return f"  {counts(*patched(str(given.get('patch', ''))))}"
        case _:
            return ""


def _patched(given: Arguments) -> str:
    return ", ".join(dict.fromkeys(_PATCHED.findall(str(given.get("patch", "")))))


def _planned(given: Arguments) -> str:
    """Return how far a todo list has come, and what is being done."""
    try:
        todos = msgspec.convert(given.get("todos", ()), list[dict[str, Any]])
    except msgspec.ValidationError:
        return ""
    done = sum(todo.get("status") == "completed" for todo in todos)
    current = next((todo.get("activeForm") for todo in todos if todo.get("status") == "in_progress"), "")
    return f"{done}/{len(todos)} {current}"


def _subject(given: Arguments) -> str:
    named = (given[key] for key in _SUBJECTS if isinstance(given.get(key), str) and given[key])
    return next(named, "")


_ABOUT: Mapping[str, Callable[[Arguments], str]] = {
    "ApplyPatch": _patched,
    "TodoWrite": _planned,
}


def _decoded(args: Raw) -> dict[str, Any]:
    try:
        return msgspec.json.decode(args, type=dict[str, Any])
    except msgspec.DecodeError:
        return {}


def _fitted(line: str, columns: int | None) -> str:
    """Return the text on one line that fits, with nothing in it that could deceive the eye."""
    shown = INDENT + visible(re.sub(r"\s*\n\s*", " ⏎ ", line.rstrip()))
    return cut(shown, USUAL_CHARS if columns is None else columns)
