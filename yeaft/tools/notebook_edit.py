"""Read and change Jupyter notebooks cell by cell, leaving every byte that was not asked for as it is."""

import asyncio
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from yeaft.events.call import Intent
from yeaft.tools.files.file_bytes import INLINE_BYTES, size_of
from yeaft.tools.files.locks import PathLocks
from yeaft.tools.files.reads import Reads
from yeaft.tools.paths import Paths
from yeaft.tools.tool import Running, Tool, ToolResult, Touches

BEFORE_THE_FIRST = -1


class NotebookEdit(Struct, frozen=True, kw_only=True):
    """Arguments."""

    notebook_path: str
    action: Literal["replace", "insert", "delete", "read"] = "replace"
    cell_index: Annotated[int, Meta(ge=BEFORE_THE_FIRST)] | UnsetType = UNSET
    cell_id: str = ""
    cell_type: Literal["code", "markdown"] | UnsetType = UNSET
    source: str | UnsetType = UNSET


def notebook_edit(paths: Paths, reads: Reads, locks: PathLocks) -> Tool[NotebookEdit]:
    """Let the model work on notebooks; `locks` are shared by all VPs, `reads` are one VP's."""

    async def run(args: NotebookEdit, _: Running) -> ToolResult:
        from yeaft.tools.files.guarded_write import guarded_write
        from yeaft.tools.notebooks.notebook_plan import plan_notebook
        from yeaft.tools.notebooks.notebook_view import view_notebook

        file = paths.resolve(args.notebook_path)
        if args.action != "read":
            return await guarded_write(lambda: plan_notebook(paths, args), [file], paths, reads, locks)
        small = size_of(file) <= INLINE_BYTES
        result = view_notebook(paths, args) if small else await asyncio.to_thread(view_notebook, paths, args)
        reads.note(file, result.facts.files[0].sha256)
        return result

    def intend(args: NotebookEdit) -> tuple[Intent, ...]:
        from yeaft.tools.files.guarded_write import intended
        from yeaft.tools.notebooks.notebook_plan import plan_notebook

        return () if args.action == "read" else intended(lambda: plan_notebook(paths, args), paths, reads)

    return Tool(name="NotebookEdit", args=NotebookEdit, run=run, guard="verify", touches=_touches, intend=intend)


def _touches(args: NotebookEdit) -> Touches:
    path = (args.notebook_path,)
    return Touches(reads=path) if args.action == "read" else Touches(writes=path)
