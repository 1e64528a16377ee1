"""What a call that waits for the human's yes would do to files, worked out by the same code that would do it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import UNSET, Raw, Struct
from msgspec.structs import replace

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.files.texts import Text, decode

if TYPE_CHECKING:
    from yeaft.tools.files.change import Change, Planned
    from yeaft.tools.paths import Paths

MOST_BYTES = 1024 * 1024
"""A file that is larger is not compared line by line: that could take minutes."""
Writer = Literal["FileEdit", "FileWrite", "ApplyPatch", "NotebookEdit"]
WRITERS: Mapping[str, Writer] = {
    "FileEdit": "FileEdit",
    "FileWrite": "FileWrite",
    "ApplyPatch": "ApplyPatch",
    "NotebookEdit": "NotebookEdit",
}


class Part(Struct, frozen=True, kw_only=True):
    """One text that would change: a file's, or that of a notebook's cell. None stands for no file.

    `name` is for people, `written` the path as the model has it, `target` likewise where the file would move to from
    `source`. `like` says how the file is encoded.
    """

    name: str
    path: Path
    written: str
    before: str | None
    after: str | None
    like: Text = Text(text="")
    source: Path | None = None
    target: str = ""
    executable: bool = False


class Proposal(Struct, frozen=True, kw_only=True):
    """The parts of one call, and `remarks` on what cannot be shown as text; with such it can only be taken whole."""

    tool: Writer
    args: Raw
    parts: tuple[Part, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def is_divisible(self) -> bool:
        """Whether the human can take some of it, or write it otherwise."""
        return bool(self.parts) and not self.remarks


def proposal(tool: str, args: Raw, paths: Paths) -> Proposal | None:
    """Return what a call would change now; None for one that writes no file by itself. Blocking; reads the files."""
    if tool not in WRITERS:
        return None
    writer = WRITERS[tool]
    try:
        if writer == "NotebookEdit":
            return _of_notebook(args, paths)
        planned = planned_change(writer, args, paths)
        names = _names(writer, args, paths)
        made = [_part(change, planned, names, paths) for change in planned.changes]
    except (ToolFailed, msgspec.ValidationError, msgspec.DecodeError, OSError) as error:
        reason = str(error).removesuffix(" Nothing was written.")
        return Proposal(tool=writer, args=args, remarks=(f"It would fail as things are: {reason}",))
    moved = {change.like for change in planned.changes if change.like is not None and change.after is not None}
    parts = tuple(part for part in made if isinstance(part, Part) and part.path not in moved)
    return Proposal(tool=writer, args=args, parts=parts, remarks=tuple(one for one in made if isinstance(one, str)))


def planned_change(tool: Writer, args: Raw | bytes, paths: Paths) -> Planned:
    """Return what the tool itself would do. Raises what it raises, `ToolFailed` or a `msgspec` error; blocking."""
    match tool:
        case "FileEdit":
            from yeaft.tools.file_edit import FileEdit
            from yeaft.tools.files.edit_plan import plan_edit

            return plan_edit(paths, msgspec.json.decode(args, type=FileEdit, strict=False))
        case "FileWrite":
            from yeaft.tools.file_write import FileWrite
            from yeaft.tools.files.write_plan import plan_write

            return plan_write(paths, msgspec.json.decode(args, type=FileWrite, strict=False))
        case "ApplyPatch":
            from yeaft.tools.apply_patch import ApplyPatch
            from yeaft.tools.patches.patch_plan import parse_patch, plan_patch

            return plan_patch(paths, parse_patch(msgspec.json.decode(args, type=ApplyPatch, strict=False).patch))
        case "NotebookEdit":
            from yeaft.tools.notebook_edit import NotebookEdit
            from yeaft.tools.notebooks.notebook_plan import plan_notebook

            return plan_notebook(paths, msgspec.json.decode(args, type=NotebookEdit, strict=False))


def plain_arguments(args: Raw) -> dict[str, Any]:
    """Return the arguments of a call as the JSON object they are."""
    return msgspec.json.decode(args, type=dict[str, Any])


def _part(change: Change, planned: Planned, names: Mapping[Path, str], paths: Paths) -> Part | str:
    """Return a change of a text file, or a remark on one of another."""
    before, after = change.before, change.after
    if change.like is not None:
        before = next((one.before for one in planned.changes if one.path == change.like), before)
    shown = paths.shown(change.path)
    old = _text(before)
    new = None if old is None else _text_after(after, old)
    if old is None or new is None or len(before or b"") + len(after or b"") > MOST_BYTES:
        return f"{shown}: {len(before or b''):,} → {len(after or b''):,} bytes"
    return Part(
        name=f"{paths.shown(change.like)} → {shown}" if change.like is not None else shown,
        path=change.path,
        written=names[change.like or change.path],
        before=None if before is None else old.text,
        after=None if after is None else new.text,
        like=old if after is None else new,
        source=change.like,
        target="" if change.like is None else names[change.path],
        executable=change.executable,
    )


def _text(raw: bytes | None) -> Text | None:
    return Text(text="") if not raw else decode(raw)


def _text_after(raw: bytes | None, old: Text) -> Text | None:
    """Return a text in the encoding it had, which is not always the one that would be guessed now."""
    if not raw or not raw.startswith(old.bom):
        return _text(raw)
    try:
        return replace(old, text=raw[len(old.bom) :].decode(old.encoding))
    except UnicodeError:
        return decode(raw)


def _names(tool: Writer, args: Raw, paths: Paths) -> dict[Path, str]:
    """Return how the model has written each path."""
    return {paths.resolve(name): name for name in _written(tool, args)}


def _written(tool: Writer, args: Raw) -> Iterator[str]:
    if tool != "ApplyPatch":
        yield str(plain_arguments(args)["file_path"])
        return
    from yeaft.tools.patches.patch_plan import parse_patch, written_paths

    yield from written_paths(parse_patch(str(plain_arguments(args)["patch"])))


def _of_notebook(raw: Raw, paths: Paths) -> Proposal | None:
    """Return the source of the cell that would be written; what is done to the cells themselves is taken whole."""
    from yeaft.tools.files.file_bytes import read_if_there
    from yeaft.tools.notebook_edit import NotebookEdit
    from yeaft.tools.notebooks.notebook import parse
    from yeaft.tools.notebooks.notebook_plan import wanted_cell

    args = msgspec.json.decode(raw, type=NotebookEdit, strict=False)
    if args.action == "read":
        return None
    planned = planned_change("NotebookEdit", raw, paths)
    path = paths.resolve(args.notebook_path)
    shown = paths.shown(path)
    if args.action == "delete" or args.source is UNSET:
        return Proposal(tool="NotebookEdit", args=raw, remarks=(planned.text,))
    content = read_if_there(path, shown)
    text = None if content is None else _text(content)
    before: str | None = None
    if text is not None and args.action == "replace":
        notebook = parse(text.text, shown)
        index = wanted_cell(notebook, args, shown)
        before = notebook.cells[index].source if index is not None and index >= 0 else None
    part = Part(
        name=f"{shown}: {planned.text}", path=path, written=args.notebook_path, before=before, after=args.source
    )
    return Proposal(tool="NotebookEdit", args=raw, parts=(part,))
