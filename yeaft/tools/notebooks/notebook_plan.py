"""The plan of `NotebookEdit`: which cell is meant, and what the file will be."""

from pathlib import Path

from msgspec import UNSET, Struct

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.files.change import Change, Planned
from yeaft.tools.files.file_bytes import LIMIT_BYTES, read_file, read_if_there
from yeaft.tools.files.texts import encoded_like, text_of_file
from yeaft.tools.notebook_edit import BEFORE_THE_FIRST, NotebookEdit
from yeaft.tools.notebooks.json_spans import Span
from yeaft.tools.notebooks.notebook import Notebook, parse
from yeaft.tools.notebooks.notebook_cells import new_cell, new_notebook, turned
from yeaft.tools.notebooks.notebook_style import CELL_LEVEL, VALUE_LEVEL, Style, in_form, style_of
from yeaft.tools.paths import Paths


class Edited(Struct, frozen=True, kw_only=True):
    """The new text of a notebook, and what the model is told of it."""

    text: str
    told: str


def plan_notebook(paths: Paths, args: NotebookEdit) -> Planned:
    """The change that `args` ask for; raises `ToolFailed` with what to mend.

    The same arguments on the same file give the same bytes, also those of a new cell's id.
    """
    path = paths.resolve(args.notebook_path)
    shown = paths.shown(path)
    before = read_if_there(path, shown)
    if before is None and args.action != "delete":
        return _created(path, shown, args)
    raw = read_file(path, shown) if before is None else before
    file = text_of_file(raw, shown)
    notebook = parse(file.text, shown)
    match args.action:
        case "insert":
            edited = _inserted(notebook, args, shown)
        case "delete":
            edited = _deleted(notebook, args, shown)
        case _:
            edited = _replaced(notebook, args, shown)
    if edited.text == file.text:
        raise ToolFailed(f"{shown} already reads like that; nothing was written.")
    return _planned(path, raw, encoded_like(edited.text, file, shown), edited.told)


def wanted_cell(notebook: Notebook, args: NotebookEdit, shown: str) -> int | None:
    """The index that `args` name, -1 for before the first; None if they name none. Raises `ToolFailed`."""
    total = len(notebook.cells)
    index = None if args.cell_index is UNSET else args.cell_index
    if args.cell_id:
        ids = [cell.content.id for cell in notebook.cells]
        if args.cell_id not in ids:
            raise ToolFailed(f"{shown} has no cell with the id {args.cell_id!r}; action read lists them.")
        if index not in {None, ids.index(args.cell_id)}:
            raise ToolFailed(f"Cell {args.cell_id!r} has the index {ids.index(args.cell_id)}, not {index}; give one.")
        return ids.index(args.cell_id)
    if index is not None and index >= total:
        there = f"{total} cells, 0 to {total - 1}" if total else "no cells"
        raise ToolFailed(f"cell_index {index} is out of range: {shown} has {there}.")
    return index


def _named_cell(notebook: Notebook, args: NotebookEdit, shown: str) -> int:
    index = wanted_cell(notebook, args, shown)
    if index is None or index == BEFORE_THE_FIRST:
        total = len(notebook.cells)
        raise ToolFailed(f"Say which cell to {args.action}, by cell_index or cell_id; {shown} has {total} cells.")
    return index


def _replaced(notebook: Notebook, args: NotebookEdit, shown: str) -> Edited:
    index = _named_cell(notebook, args, shown)
    cell, style = notebook.cells[index], style_of(notebook)
    if args.source is UNSET and args.cell_type is UNSET:
        raise ToolFailed("Give the new source (or cell_type) of the cell; action delete removes it.")
    source = cell.source if args.source is UNSET else args.source
    if args.cell_type is not UNSET and args.cell_type != cell.content.cell_type:
        other = style.written(turned(notebook, cell, args.cell_type, source), CELL_LEVEL)
        told = f"Replaced cell {index} of {shown}; it is now a {args.cell_type} cell."
        return Edited(text=_spliced(notebook, cell.span, other), told=told)
    lines = style.written(in_form(source, cell.content.source), VALUE_LEVEL)
    stale = " Its outputs are still those of the old source." if cell.content.outputs else ""
    told = f"Replaced the source of cell {index} of {shown}.{stale}"
    return Edited(text=_spliced(notebook, cell.values["source"], lines), told=told)


def _inserted(notebook: Notebook, args: NotebookEdit, shown: str) -> Edited:
    if args.source is UNSET:
        raise ToolFailed("Give the source of the new cell.")
    found = wanted_cell(notebook, args, shown)
    after = len(notebook.cells) - 1 if found is None else found
    kind = "code" if args.cell_type is UNSET else args.cell_type
    style = style_of(notebook)
    cell, line = style.written(new_cell(notebook, kind, args.source, after), CELL_LEVEL), style.line(CELL_LEVEL)
    told = f"Inserted {kind} cell {after + 1} into {shown}."
    if not notebook.cells:
        text = _spliced(notebook, notebook.array, f"[{line}{cell}{style.line(CELL_LEVEL - 1)}]")
    elif after == BEFORE_THE_FIRST:
        start = notebook.cells[0].span[0]
        text = _spliced(notebook, (start, start), f"{cell}{style.comma}{line}")
    else:
        stop = notebook.cells[after].span[1]
        text = _spliced(notebook, (stop, stop), f"{style.comma}{line}{cell}")
    return Edited(text=text, told=told)


def _deleted(notebook: Notebook, args: NotebookEdit, shown: str) -> Edited:
    index, cells = _named_cell(notebook, args, shown), notebook.cells
    if len(cells) == 1:
        text = _spliced(notebook, notebook.array, "[]")
    elif index + 1 < len(cells):
        text = _spliced(notebook, (cells[index].span[0], cells[index + 1].span[0]), "")
    else:
        text = _spliced(notebook, (cells[index - 1].span[1], cells[index].span[1]), "")
    return Edited(text=text, told=f"Deleted cell {index} of {shown}.")


def _created(path: Path, shown: str, args: NotebookEdit) -> Planned:
    if path.suffix != ".ipynb":
        raise ToolFailed(f"No file {shown}, and a new notebook needs a name that ends in .ipynb.")
    if args.source is UNSET or args.cell_id or args.cell_index not in {UNSET, BEFORE_THE_FIRST, 0}:
        raise ToolFailed(f"No notebook {shown}. To make one, insert its first cell with a source and no cell_index.")
    whole = new_notebook("code" if args.cell_type is UNSET else args.cell_type, args.source)
    after = (Style().written(whole, 0) + "\n").encode()
    return _planned(path, None, after, f"Created {shown}, a Python 3 notebook with this one cell.")


def _planned(path: Path, before: bytes | None, after: bytes, told: str) -> Planned:
    if len(after) > LIMIT_BYTES:
        raise ToolFailed(f"The notebook would have {len(after):,} bytes, the limit is {LIMIT_BYTES:,}.")
    return Planned(changes=(Change(path=path, before=before, after=after),), text=told)


def _spliced(notebook: Notebook, span: Span, new: str) -> str:
    return notebook.text[: span[0]] + new + notebook.text[span[1] :]
