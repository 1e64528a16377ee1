"""`yeaft artifact diff`: what differs between two artifacts, or between one and its earlier revision."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.artifacts.kinds import TEXTUAL
from yeaft.interfaces.cli.commands.artifact_files import ARTIFACT, SESSION
from yeaft.interfaces.cli.commands.artifact_preview import pretty
from yeaft.interfaces.cli.commands.artifact_rows import Kept, kept_in, one_kept
from yeaft.interfaces.cli.commands.parsing import Action, argument
from yeaft.interfaces.cli.commands.printing import put, put_json
from yeaft.kernel.errors import BadData, NotFound
from yeaft.kernel.outcome import EXIT_ANSWERED

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk

MOST_LINES = 50_000


class DiffTold(Struct, frozen=True, kw_only=True):
    """Two artifacts compared; `diff` is a unified diff, empty if they are the same or no text."""

    old: str
    new: str
    same: bool
    diff: str


def diff(desk: Desk, *, artifact: str, other: str, resume: str) -> int:
    """Show what differs between the earlier revision of an artifact, or another one, and it."""
    first = one_kept(desk, artifact, resume)
    old, new = (first, one_kept(desk, other, resume)) if other else (_earlier(first), first)
    before, after = old.store.read(old.artifact), new.store.read(new.artifact)
    is_text = {old.artifact.type, new.artifact.type} <= TEXTUAL
    lines = _unified(old, before, new, after) if is_text and before != after else []
    if desk.as_json:
        text = "".join(f"{line}\n" for line in lines)
        ids = {"old": old.artifact.artifact_id, "new": new.artifact.artifact_id}
        put_json(DiffTold(**ids, same=before == after, diff=text))
        return EXIT_ANSWERED
    for line in lines:
        put(line)
    if not lines:
        names = {"old": old.artifact.path, "new": new.artifact.path}
        put(desk.text("artifact.same" if before == after else "artifact.differ", **names))
    return EXIT_ANSWERED


def _earlier(kept: Kept) -> Kept:
    """Return the revision before. Raises `NotFound` if there is none."""
    one = kept.artifact
    for earlier in reversed(kept_in(kept.paths)):
        if earlier.artifact.artifact_id == one.supersedes and earlier.artifact.name == one.name:
            return earlier
    raise NotFound(f"{one.name} ({one.artifact_id}) has no earlier revision. Name another artifact to compare it with.")


def _unified(old: Kept, before: bytes, new: Kept, after: bytes) -> list[str]:
    old_lines, new_lines = _lines(old, before), _lines(new, after)
    if len(old_lines) + len(new_lines) > MOST_LINES:
        raise BadData(f"They have more than {MOST_LINES:,} lines together; export both, and compare the files.")
    return list(difflib.unified_diff(old_lines, new_lines, old.artifact.path, new.artifact.path, lineterm=""))


def _lines(kept: Kept, content: bytes) -> list[str]:
    is_json = kept.artifact.type == "json"
    return (pretty(content) if is_json else content.decode("utf-8", "replace")).splitlines()


DIFFS: Mapping[str, Action] = {
    "diff": Action(run=diff, params=(ARTIFACT, argument("OTHER", default=""), SESSION)),
}
