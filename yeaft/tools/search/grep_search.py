"""The search of `Grep`: from its arguments to a request, from what a backend prints to what the model is told."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.files.binary import BINARY_SUFFIXES, refuse_binary_name
from yeaft.tools.grep import Backend, Grep
from yeaft.tools.paths import Paths
from yeaft.tools.policy.read_denials import Withheld, Withholding, nothing_withheld
from yeaft.tools.search.search_output import parse_records, rendered
from yeaft.tools.search.search_request import SearchRequest
from yeaft.tools.search.search_run import Printed, run_search
from yeaft.tools.search.search_scope import STOPPED, place_of

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


class Search(Struct, frozen=True, kw_only=True):
    """A request and which of the files it finds (relative to its root) are wanted; some may be withheld."""

    request: SearchRequest
    wanted: Callable[[str], bool]
    withheld: Withheld = Withheld()


async def search_text(
    paths: Paths, args: Grep, backend: Backend, timeout_s: float, withholding: Withholding = nothing_withheld
) -> str:
    """What the model is told; raises `ToolFailed` for a bad pattern and a place or type that does not exist."""
    search = _without_withheld(plan_search(paths, args), withholding)
    printed = await run_search(backend(search.request), search.request.root, timeout_s)
    if printed.ended == "size":
        in_order = replace(search.request, in_order=True)
        printed = await run_search(backend(in_order), search.request.root, timeout_s)
    if len(printed.stdout) > THREAD_BYTES:
        return await asyncio.to_thread(_told, printed, search, args, paths)
    return _told(printed, search, args, paths)


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

    def wanted(path: str) -> bool:
        suffix = "." + path.rpartition("/")[2].rpartition(".")[2].lower()
        return place.glob.matches(path) and suffix not in BINARY_SUFFIXES and (not suffixes or suffix in suffixes)

    skipped = tuple(sorted(place.scope.skipped))
    below = replace(request, root=str(place.scope.root), skipped=skipped, names=names or place.glob.names)
    return Search(request=below, wanted=wanted)


def _without_withheld(search: Search, withholding: Withholding) -> Search:
    """The search without the files that may not be read; a single file has been judged before."""
    root = search.request.root
    found = withholding(Path(root)) if search.request.target == "." else Withheld()
    if not found.rules:
        return search

    def wanted(path: str) -> bool:
        return search.wanted(path) and not found.holds(f"{root.rstrip('/')}/{path}")

    return replace(search, wanted=wanted, withheld=found)


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
    notes += [search.withheld.note] if search.withheld.rules else []
    return rendered(records, args.output_mode, args.head_limit, lambda path: paths.shown(root / path), notes)
