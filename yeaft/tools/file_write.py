"""Write a whole file, new or in place of what was there."""

from msgspec import Struct

from yeaft.events.call import Intent
from yeaft.tools.files.locks import PathLocks
from yeaft.tools.files.reads import Reads
from yeaft.tools.paths import Paths
from yeaft.tools.tool import Running, Tool, ToolResult, Touches


class FileWrite(Struct, frozen=True, kw_only=True):
    """Arguments."""

    file_path: str
    content: str


def file_write(paths: Paths, reads: Reads, locks: PathLocks) -> Tool[FileWrite]:
    """Let the model write whole files; `locks` are shared by all VPs, `reads` are one VP's."""

    async def run(args: FileWrite, _: Running) -> ToolResult:
        from yeaft.tools.files.guarded_write import guarded_write
        from yeaft.tools.files.write_plan import plan_write

        file = paths.resolve(args.file_path)
        size = len(args.content)
        return await guarded_write(lambda: plan_write(paths, args), [file], paths, reads, locks, size_bytes=size)

    def intend(args: FileWrite) -> tuple[Intent, ...]:
        from yeaft.tools.files.guarded_write import intended
        from yeaft.tools.files.write_plan import plan_write

        return intended(lambda: plan_write(paths, args), paths, reads)

    return Tool(
        name="FileWrite",
        args=FileWrite,
        run=run,
        guard="verify",
        touches=lambda args: Touches(writes=(args.file_path,)),
        intend=intend,
    )
