"""What a call that waits for the user's yes would change, as a diff: worked out by the same code that would do it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from yeaft.interfaces.cli.terminal_text import unmasked
from yeaft.kernel.errors import ToolFailed

if TYPE_CHECKING:
    from yeaft.kernel.messages import Call
    from yeaft.tools.files.change import Change, Planned
    from yeaft.tools.paths import Paths

MOST_BYTES = 1024 * 1024
"""A file that is larger is not compared line by line: that could take minutes."""


def change_preview(call: Call, paths: Paths) -> list[str]:
    """Return the lines of a unified diff of what `call` would change now; none for a call that changes no file.

    What cannot be shown says so in one line. Blocking; reads the files.
    """
    try:
        planned = _planned(call, paths)
        return [line for change in planned.changes for line in _diff(change, paths)] if planned else []
    except (ToolFailed, msgspec.ValidationError, msgspec.DecodeError, OSError) as error:
        return [str(error)]


def _planned(call: Call, paths: Paths) -> Planned | None:
    raw = call.args_raw or "{}"
    match call.tool:
        case "FileEdit":
            from yeaft.tools.file_edit import FileEdit
            from yeaft.tools.files.edit_plan import plan_edit

            return plan_edit(paths, msgspec.json.decode(raw, type=FileEdit, strict=False))
        case "FileWrite":
            from yeaft.tools.file_write import FileWrite
            from yeaft.tools.files.write_plan import plan_write

            return plan_write(paths, msgspec.json.decode(raw, type=FileWrite, strict=False))
        case "ApplyPatch":
            from yeaft.tools.apply_patch import ApplyPatch
            from yeaft.tools.patches.patch_plan import parse_patch, plan_patch

            return plan_patch(paths, parse_patch(msgspec.json.decode(raw, type=ApplyPatch, strict=False).patch))
        case "NotebookEdit":
            from yeaft.tools.notebook_edit import NotebookEdit
            from yeaft.tools.notebooks.notebook_plan import plan_notebook

            return plan_notebook(paths, msgspec.json.decode(raw, type=NotebookEdit, strict=False))
        case _:
            return None


def _diff(change: Change, paths: Paths) -> Iterator[str]:
    shown = paths.shown(change.path)
    before, after = change.before or b"", change.after or b""
    if b"\0" in before + after or len(before) + len(after) > MOST_BYTES:
        yield f"{shown}: {len(before):,} → {len(after):,} bytes"
        return
    names = ("/dev/null" if change.before is None else shown, "/dev/null" if change.after is None else shown)
    old, new = (side.decode("utf-8", "replace").splitlines() for side in (before, after))
    for line in difflib.unified_diff(old, new, *names, lineterm=""):
        yield unmasked(line)
