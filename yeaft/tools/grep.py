"""Find lines of files by regular expression."""

from collections.abc import Callable
from typing import Annotated

from msgspec import Meta, Struct

from yeaft.tools.paths import Paths
from yeaft.tools.policy.read_denials import Withholding, nothing_withheld
from yeaft.tools.search.search_request import TIMEOUT_S, SearchMode, SearchRequest
from yeaft.tools.tool import Running, Tool, Touches

LIMIT, MOST = 250, 10_000

Backend = Callable[[SearchRequest], list[str]]
"""The command line that answers a request."""


class Grep(Struct, frozen=True, kw_only=True):
    """Arguments."""

    pattern: str
    path: str = ""
    output_mode: SearchMode = "files_with_matches"
    glob: str = ""
    type: str = ""
    case_insensitive: bool = False
    fixed_strings: bool = False
    context: Annotated[int, Meta(ge=0)] = 0
    before: Annotated[int, Meta(ge=0)] = 0
    after: Annotated[int, Meta(ge=0)] = 0
    multiline: bool = False
    head_limit: Annotated[int, Meta(ge=1, le=MOST)] = LIMIT
    hidden: bool = False
    no_ignore: bool = False


def grep(
    paths: Paths,
    backend: Backend | None = None,
    timeout_s: float = TIMEOUT_S,
    withholding: Withholding = nothing_withheld,
) -> Tool[Grep]:
    """Let the model search file contents but for what is withheld; `backend` None is ripgrep where there is one."""
    found: Backend | None = backend

    async def run(args: Grep, _: Running) -> str:
        from yeaft.tools.search.grep_search import search_text
        from yeaft.tools.search.ripgrep import best_backend

        nonlocal found
        found = found or best_backend()
        return await search_text(paths, args, found, timeout_s, withholding)

    return Tool(name="Grep", args=Grep, run=run, guard="read", touches=touches)


def touches(args: Grep) -> Touches:
    """The folder or file that a search reads."""
    from yeaft.tools.search.search_scope import written_folder

    return Touches(reads=(written_folder(args.path, args.glob) if args.glob else args.path or ".",))
