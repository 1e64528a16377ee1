"""Find files by the pattern of their names, newest first."""

from typing import Annotated

from msgspec import Meta, Struct

from yeaft.tools.paths import Paths
from yeaft.tools.policy.read_denials import Withholding, nothing_withheld
from yeaft.tools.tool import Running, Tool, Touches

LIMIT = 500


class Glob(Struct, frozen=True, kw_only=True):
    """Arguments."""

    pattern: str
    path: str = ""
    limit: Annotated[int, Meta(ge=1)] = LIMIT
    hidden: bool = True
    no_ignore: bool = False


def glob_files(paths: Paths, withholding: Withholding = nothing_withheld) -> Tool[Glob]:
    """Let the model find files but for those withheld."""

    async def run(args: Glob, _: Running) -> str:
        from yeaft.tools.search.glob_search import list_files

        return await list_files(paths, args, withholding=withholding)

    return Tool(name="Glob", args=Glob, run=run, guard="read", touches=touches)


def touches(args: Glob) -> Touches:
    """The folder below which files are looked for."""
    from yeaft.tools.search.search_scope import written_folder

    return Touches(reads=(written_folder(args.path, args.pattern),))
