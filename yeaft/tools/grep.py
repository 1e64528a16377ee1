"""Find lines of files by regular expression."""

import asyncio
from collections.abc import Callable
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.binary import BINARY_SUFFIXES, refuse_binary_name
from yeaft.tools.paths import Paths
from yeaft.tools.ripgrep import Backend, BestBackend
from yeaft.tools.search_output import parse_records, rendered
from yeaft.tools.search_request import SearchMode, SearchRequest
from yeaft.tools.search_run import Printed, run_search
from yeaft.tools.search_scope import STOPPED, TIMEOUT_S, place_of, written_folder
from yeaft.tools.tool import Running, Tool, Touches

LIMIT, MOST = 250, 10_000
THREAD_BYTES = 256 * 1024
CAPPED = "(too many matches to collect them all: results are partial; narrow pattern, path or glob)"
TYPES = {
    "js": "js jsx mjs cjs",
    "ts": "ts tsx mts cts",
    "py": "py pyi",
    "rust": "rs",
    "go": "go",
    "java": "java",
    "json": "json jsonl",
    "yaml": "yaml yml",
    "markdown": "md markdown mdx",
    "html": "html htm",
    "css": "css scss sass less",
    "shell": "sh bash zsh fish",
}


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


class Search(Struct, frozen=True, kw_only=True):
    """A request and which of the files it finds (relative to its root) are wanted."""

    request: SearchRequest
    wanted: Callable[[str], bool]


def grep(paths: Paths, backend: Backend | None = None, timeout_s: float = TIMEOUT_S) -> Tool[Grep]:
    """Let the model search file contents; `backend` None takes the best there is."""
    ask = backend or BestBackend()

    async def run(args: Grep, _: Running) -> str:
        search = plan_search(paths, args)
        printed = await run_search(ask(search.request), search.request.root, timeout_s)
        if printed.ended == "size":
            in_order = replace(search.request, in_order=True)
            printed = await run_search(ask(in_order), search.request.root, timeout_s)
        if len(printed.stdout) > THREAD_BYTES:
            return await asyncio.to_thread(_told, printed, search, args, paths)
        return _told(printed, search, args, paths)

    return Tool(name="Grep", args=Grep, run=run, guard="read", touches=touches)


def touches(args: Grep) -> Touches:
    """The folder or file that a search reads."""
    return Touches(reads=(written_folder(args.path, args.glob) if args.glob else args.path or ".",))


def plan_search(paths: Paths, args: Grep) -> Search:
    """The request for a backend; raises `ToolFailed` for a place or type that does not exist."""
    if not args.pattern:
        raise ToolFailed("pattern is empty; use Glob to list files.")
    if "\n" in args.pattern and not args.multiline:
        raise ToolFailed("The pattern has a line break; set multiline to match across lines.")
    request = SearchRequest(
        root="/",
        target=".",
        pattern=args.pattern,
        mode=args.output_mode,
        fixed=args.fixed_strings,
        ignore_case=args.case_insensitive,
        multiline=args.multiline,
        before=args.before or args.context if args.output_mode == "content" else 0,
        after=args.after or args.context if args.output_mode == "content" else 0,
        max_count=args.head_limit + 1,
        hidden=args.hidden,
        no_ignore=args.no_ignore,
    )
    file = paths.resolve(args.path) if args.path else None
    if file is not None and file.is_file():
        refuse_binary_name(file, paths.shown(file))
        return Search(request=replace(request, root=str(file.parent), target=file.name), wanted=lambda _: True)
    return _search_below(paths, args, request)


def _search_below(paths: Paths, args: Grep, request: SearchRequest) -> Search:
    suffixes = _suffixes(args.type)
    place = place_of(paths, args.path, args.glob or "**/*", hidden=args.hidden, no_ignore=args.no_ignore)
    names = tuple(f"*{suffix}" for suffix in sorted(suffixes))
    if not names and place.glob.name.strip("*"):
        names = (place.glob.name,)

    def wanted(path: str) -> bool:
        suffix = "." + path.rpartition("/")[2].rpartition(".")[2].lower()
        return place.glob.matches(path) and suffix not in BINARY_SUFFIXES and (not suffixes or suffix in suffixes)

    skipped = tuple(sorted(place.scope.skipped))
    return Search(request=replace(request, root=str(place.scope.root), skipped=skipped, names=names), wanted=wanted)


def _suffixes(kind: str) -> frozenset[str]:
    if not kind:
        return frozenset()
    if kind not in TYPES:
        raise ToolFailed(f"No file type {kind!r}; known are {', '.join(TYPES)}. Use glob for others.")
    return frozenset(f".{name}" for name in TYPES[kind].split())


def _told(printed: Printed, search: Search, args: Grep, paths: Paths) -> str:
    if printed.exit_code not in {None, 0, 1} and not printed.stdout:
        raise ToolFailed(
            f"The search failed: {printed.errors or f'exit code {printed.exit_code}'}\nPatterns are those of ripgrep: "
            "no look-around or backreferences, braces escaped as \\{. Set fixed_strings to search for plain text."
        )
    root = paths.resolve(search.request.root)
    records = parse_records(printed.stdout, args.output_mode, search.wanted)
    notes = {"exit": [], "time": [STOPPED], "size": [CAPPED]}[printed.ended]
    return rendered(records, args.output_mode, args.head_limit, lambda path: paths.shown(root / path), notes)
