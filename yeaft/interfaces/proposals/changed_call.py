"""The arguments with which the same tool does what the human has made of its proposal, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from yeaft.interfaces.proposals.hunks import Row, hunks, lines_of, rows
from yeaft.interfaces.proposals.proposal import Part, Proposal, plain_arguments, planned_change
from yeaft.kernel.errors import ToolFailed
from yeaft.tools.files.texts import encoded_like

if TYPE_CHECKING:
    from yeaft.tools.paths import Paths

IMPOSSIBLE = (
    "The tool of this call cannot do just that. Allow it as it is, or say no and tell in words what you want instead."
)
_ODD = re.compile(r'[\x00-\x1f"\\\x7f]|^\s|\s$')
_ODD_BYTE = re.compile(rb'[\x00-\x1f"\\\x7f-\xff]')


def changed_call(proposal: Proposal, taken: Sequence[Part], paths: Paths) -> str:
    """Return arguments, as a JSON object, that do to files what these parts say, and nothing to others.

    What they would do is worked out with the tool's own plan and compared byte for byte; raises `ToolFailed` if none
    do exactly what is wanted. Blocking; reads the files.
    """
    wanted = {path: content for part in taken for path, content in _contents(part)}
    for args in _candidates(proposal, taken):
        raw = msgspec.json.encode(args)
        try:
            planned = planned_change(proposal.tool, raw, paths)
        except (ToolFailed, msgspec.ValidationError):
            continue
        if proposal.tool == "NotebookEdit" or {one.path: one.after for one in planned.changes} == wanted:
            return raw.decode()
    raise ToolFailed(IMPOSSIBLE)


def _contents(part: Part) -> Iterator[tuple[Path, bytes | None]]:
    """Yield what files will hold."""
    yield part.path, None if part.after is None else encoded_like(part.after, part.like, part.name)
    if part.source is not None:
        yield part.source, None


def _candidates(proposal: Proposal, taken: Sequence[Part]) -> Iterator[dict[str, object]]:
    args, part = plain_arguments(proposal.args), taken[0]
    match proposal.tool:
        case "FileWrite":
            yield {**args, "content": part.after}
            yield {**args, "content": f"\ufeff{part.after}"}
        case "NotebookEdit":
            yield {**args, "source": part.after}
        case "FileEdit":
            for old, new in _edits(str(args["old_string"]), part.before or "", part.after or ""):
                yield {**args, "old_string": old, "new_string": new, "replace_all": False}
        case "ApplyPatch":
            yield {**args, "patch": "".join(f"{line}\n" for one in taken for line in _patch(one))}


def _edits(old: str, before: str, after: str) -> Iterator[tuple[str, str]]:
    """Yield texts to replace and their replacements: the one that was named, the lines that differ, the whole file."""
    start = before.find(old)
    tail = len(before) - start - len(old)
    if start >= 0 and after.startswith(before[:start]) and after.endswith(before[start + len(old) :]):
        yield old, after[start : len(after) - tail]
    old_lines, new_lines = lines_of(before), lines_of(after)
    found = hunks(old_lines, new_lines)
    if found:
        first, last = found[0], found[-1]
        for around in (0, 1, 3, 10):
            head = max(0, first.old_start - around)
            end = min(len(old_lines), last.old_end + around)
            shift = first.new_start - first.old_start, last.new_end - last.old_end
            yield "".join(old_lines[head:end]), "".join(new_lines[head + shift[0] : end + shift[1]])
    yield before, after


def _patch(part: Part) -> Iterator[str]:
    """Yield the lines of a unified diff of one file."""
    old, new = part.written, part.target or part.written
    yield f"diff --git {_name('a/', old)} {_name('b/', new)}"
    if part.target:
        yield f"rename from {_name('', old)}"
        yield f"rename to {_name('', new)}"
    elif part.before is None:
        yield f"new file mode {'100755' if part.executable else '100644'}"
    elif part.after is None:
        yield "deleted file mode 100644"
    before, after = lines_of(part.before), lines_of(part.after)
    if found := hunks(before, after):
        yield f"--- {'/dev/null' if part.before is None else _name('a/', old)}"
        yield f"+++ {'/dev/null' if part.after is None else _name('b/', new)}"
        for own in _apart(rows(before, after, found)):
            yield from _hunk(own)


def _apart(found: Iterator[list[Row]]) -> list[list[Row]]:
    """Return rows with those together that nothing lies between: a hunk without old lines would have no place."""
    apart: list[list[Row]] = []
    for own in found:
        begins = _first([row.old for row in own if row.old])
        if apart and begins in (0, max(row.old for row in apart[-1]) + 1):
            apart[-1] += own
        else:
            apart.append(own)
    return apart


def _hunk(own: Sequence[Row]) -> Iterator[str]:
    old, new = [row.old for row in own if row.old], [row.new for row in own if row.new]
    yield f"@@ -{_first(old)},{len(old)} +{_first(new)},{len(new)} @@"
    for row in own:
        yield row.sign + row.line.rstrip("\r\n")
        if not row.line.endswith(("\r", "\n")):
            yield "\\ No newline at end of file"


def _first(numbers: Sequence[int]) -> int:
    return numbers[0] if numbers else 0


def _name(prefix: str, path: str) -> str:
    """Return a path as it stands in the header of a diff, in C quotes if it could not be read back otherwise."""
    return f'"{prefix}{_ODD_BYTE.sub(_octal, path.encode()).decode()}"' if _ODD.search(path) else prefix + path


def _octal(found: re.Match[bytes]) -> bytes:
    return b"\\%03o" % found[0][0]
