"""What a model is shown of a notebook: its cells with their outputs, as plain text, in portions."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from yeaft.events.call import Facts, FileFact
from yeaft.kernel.text import head_bytes, tail_bytes, without_surrogates
from yeaft.tools.files.file_bytes import read_file, sha256_of
from yeaft.tools.files.texts import text_of_file
from yeaft.tools.notebook_edit import NotebookEdit
from yeaft.tools.notebooks.notebook import Cell, Lines, joined, parse
from yeaft.tools.notebooks.notebook_plan import wanted_cell
from yeaft.tools.paths import Paths
from yeaft.tools.shell.captured import cleaned
from yeaft.tools.tool import ToolResult

VIEW_BYTES = 30 * 1024
OUTPUT_BYTES = 2 * 1024
AS_TEXT = ("text/plain", "text/markdown", "text/latex")


class Output(Struct, frozen=True, kw_only=True):
    """What running a cell gave; which fields are there depends on the type."""

    output_type: str
    name: str = ""
    text: Lines = ""
    data: dict[str, Any] = {}
    ename: str = ""
    evalue: str = ""
    traceback: list[str] = []


def view_notebook(paths: Paths, args: NotebookEdit) -> ToolResult:
    """The cells from `cell_index` on, or the one with `cell_id`, as far as they fit; raises `ToolFailed`."""
    path = paths.resolve(args.notebook_path)
    shown = paths.shown(path)
    raw = read_file(path, shown)
    notebook = parse(text_of_file(raw, shown).text, shown)
    first = max(wanted_cell(notebook, args, shown) or 0, 0)
    stop = first + 1 if args.cell_id else len(notebook.cells)
    parts: list[str] = []
    room = VIEW_BYTES
    for index, cell in enumerate(notebook.cells[first:stop], first):
        part = _cell(index, cell)
        size = len(part.encode()) + 2
        if parts and size > room:
            parts.append(f"[cells {first}-{index - 1} of {len(notebook.cells)}; read on with cell_index={index}]")
            break
        parts.append(_shortened(part, VIEW_BYTES))
        room -= size
    fact = FileFact(path=str(path), sha256=sha256_of(raw))
    return ToolResult(text="\n\n".join(parts) or f"{shown} has no cells.", facts=Facts(files=(fact,)))


def _cell(index: int, cell: Cell) -> str:
    content = cell.content
    ran = "" if content.execution_count is None else f" ran={content.execution_count}"
    head = f"[{index}] {content.cell_type}" + (f" id={content.id}" if content.id else "") + ran
    return "\n".join((head, without_surrogates(cell.source), *_outputs(content.outputs)))


def _outputs(found: list[Any]) -> Iterator[str]:
    for one in found:
        try:
            yield _output(msgspec.convert(one, Output))
        except msgspec.ValidationError:
            yield "--- output of an unknown kind"


def _output(output: Output) -> str:
    match output.output_type:
        case "stream":
            return f"--- {output.name}\n{_printed(output.text)}"
        case "error":
            trace = "\n".join(output.traceback) or f"{output.ename}: {output.evalue}"
            return f"--- error\n{_printed(trace)}"
        case _:
            kind = next((kind for kind in AS_TEXT if kind in output.data), "")
            text = [_printed(msgspec.convert(output.data[kind], Lines))] if kind else []
            others = [f"[{other}]" for other in output.data if other not in AS_TEXT]
            return "\n".join(["--- output", *text, *others])


def _printed(lines: Lines) -> str:
    return _shortened(without_surrogates(cleaned(joined(lines))).rstrip("\n"), OUTPUT_BYTES)


def _shortened(text: str, limit_bytes: int) -> str:
    size, half = len(text.encode()), limit_bytes // 2
    if size <= limit_bytes:
        return text
    return f"{head_bytes(text, half)}\n[… {size - limit_bytes} bytes …]\n{tail_bytes(text, half)}"
