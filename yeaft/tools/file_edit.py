"""Replace one text of a file by another, leaving every other byte as it is."""

from msgspec import Struct

from yeaft.events.call import Intent
from yeaft.tools.files.locks import PathLocks
from yeaft.tools.files.reads import Reads
from yeaft.tools.paths import Paths
from yeaft.tools.tool import Running, Tool, ToolResult, Touches


class FileEdit(Struct, frozen=True, kw_only=True):
    """Arguments."""

    file_path: str
    old_string: str
    new_string: str
    replace_all: bool = False


def file_edit(paths: Paths, reads: Reads, locks: PathLocks) -> Tool[FileEdit]:
    """Let the model change files it can name a unique text of; `locks` are shared by all VPs, `reads` are one VP's."""

    async def run(args: FileEdit, _: Running) -> ToolResult:
        from yeaft.tools.files.edit_plan import plan_edit
        from yeaft.tools.files.guarded_write import guarded_write

        file = paths.resolve(args.file_path)
        return await guarded_write(lambda: plan_edit(paths, args), [file], paths, reads, locks)

    def intend(args: FileEdit) -> tuple[Intent, ...]:
        from yeaft.tools.files.edit_plan import plan_edit
        from yeaft.tools.files.guarded_write import intended

        return intended(lambda: plan_edit(paths, args), paths, reads)

    return Tool(
        name="FileEdit",
        args=FileEdit,
        run=run,
        guard="verify",
        touches=lambda args: Touches(writes=(args.file_path,)),
        intend=intend,
    )
