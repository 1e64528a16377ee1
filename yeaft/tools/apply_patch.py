"""Apply a patch to many files at once: all of it or nothing."""

from typing import Annotated

from msgspec import Meta, Struct

from yeaft.events.call import Intent
from yeaft.kernel.errors import ToolFailed
from yeaft.tools.files.locks import PathLocks
from yeaft.tools.files.reads import Reads
from yeaft.tools.paths import Paths
from yeaft.tools.tool import Running, Tool, ToolResult, Touches


class ApplyPatch(Struct, frozen=True, kw_only=True):
    """Arguments."""

    patch: Annotated[str, Meta(description="Unified diff, or *** Begin Patch block.")]


def apply_patch(paths: Paths, reads: Reads, locks: PathLocks) -> Tool[ApplyPatch]:
    """Let the model patch files; `locks` are shared by all VPs, `reads` are one VP's."""

    async def run(args: ApplyPatch, _: Running) -> ToolResult:
        from yeaft.tools.files.guarded_write import guarded_write
        from yeaft.tools.patches.patch_plan import parse_patch, plan_patch, written_paths

        files = parse_patch(args.patch)
        written = [paths.resolve(path) for path in written_paths(files)]
        size = len(args.patch)
        return await guarded_write(lambda: plan_patch(paths, files), written, paths, reads, locks, size_bytes=size)

    def intend(args: ApplyPatch) -> tuple[Intent, ...]:
        from yeaft.tools.files.guarded_write import intended
        from yeaft.tools.patches.patch_plan import parse_patch, plan_patch

        return intended(lambda: plan_patch(paths, parse_patch(args.patch)), paths, reads)

    return Tool(name="ApplyPatch", args=ApplyPatch, run=run, guard="verify", touches=touches, intend=intend)


def touches(args: ApplyPatch) -> Touches:
    """The files a patch writes; none for one that cannot be parsed, because it is never applied."""
    from yeaft.tools.patches.patch_plan import parse_patch, written_paths

    try:
        return Touches(writes=written_paths(parse_patch(args.patch)))
    except ToolFailed:
        return Touches()
