"""Our own search, for machines without ripgrep: a child process, because a pattern may take for ever.

Run as `python -P -m yeaft.tools.search.native_search REQUEST` in the folder to search; see `SearchRequest` for the
records.
"""

import codecs
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from yeaft.tools.search.globs import compile_glob
from yeaft.tools.search.rust_regex import translated
from yeaft.tools.search.search_request import FILE_BYTES, LINE_BYTES, SearchRequest, from_json
from yeaft.tools.search.walk import Scope, walk

BAD_PATTERN, NOTHING_FOUND = 2, 1


def main() -> int:
    """Print the records of the request in the first argument; the exit code is that of ripgrep."""
    request = from_json(sys.argv[1])
    try:
        regex = translated(
            request.pattern, fixed=request.fixed, ignore_case=request.ignore_case, multiline=request.multiline
        )
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return BAD_PATTERN
    found = False
    for path in _files(request):
        text = _text(Path(request.root, path))
        for record in _records(text, regex, request) if text is not None else ():
            sys.stdout.buffer.write(os.fsencode(path) + b"\0" + record)
            found = True
    return 0 if found else NOTHING_FOUND


def _files(request: SearchRequest) -> Iterator[str]:
    if request.target != ".":
        yield request.target
        return
    scope = Scope(
        root=Path(request.root),
        hidden=request.hidden,
        no_ignore=request.no_ignore,
        skipped=frozenset(request.skipped),
    )
    globs = [compile_glob(name) for name in request.names]

    def named(name: str) -> bool:
        return any(glob.matches(name) for glob in globs)

    below = walk(scope, lambda: False, named)
    for found in sorted(below) if request.in_order else below:
        if not found.is_link and (not globs or named(found.path)):
            yield found.path


def _text(path: Path) -> str | None:
    """The file's text, bytes that are not UTF-8 kept as surrogates; None for binary, large and unreadable files."""
    try:
        if path.stat().st_size > FILE_BYTES:
            return None
        raw = path.read_bytes()
    except OSError:
        return None
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return raw.decode("utf-16", "replace")
    if b"\0" in raw:
        return None
    return raw.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")


def _records(text: str, regex: re.Pattern[str], request: SearchRequest) -> Iterator[bytes]:
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    lines = [line.removesuffix("\r") for line in lines]
    counts = _counts_across(text, regex, lines) if request.multiline else _counts(lines, regex)
    if not counts:
        return
    if request.mode == "files_with_matches":
        yield b""
    elif request.mode == "count":
        yield b"%d\n" % sum(counts.values())
    else:
        hits = list(counts)[: request.max_count or None]
        yield from _shown(lines, hits, request)


def _counts(lines: list[str], regex: re.Pattern[str]) -> dict[int, int]:
    """How often each line that matches does, by its 0-based number."""
    return {index: sum(1 for _ in regex.finditer(line)) for index, line in enumerate(lines) if regex.search(line)}


def _counts_across(text: str, regex: re.Pattern[str], lines: list[str]) -> dict[int, int]:
    """Like `_counts` for matches that may cross lines: the first line of a match counts it, the others count none."""
    counts: dict[int, int] = {}
    number = done = 0
    for found in regex.finditer(text):
        number += text.count("\n", done, found.start())
        done = found.start()
        last = number + text.count("\n", found.start(), max(found.start(), found.end() - 1))
        for index in range(number, min(last + 1, len(lines))):
            counts[index] = counts.get(index, 0) + (index == number)
    return counts


def _shown(lines: list[str], hits: list[int], request: SearchRequest) -> Iterator[bytes]:
    matching = set(hits)
    shown = {
        near for hit in hits for near in range(max(0, hit - request.before), min(len(lines), hit + request.after + 1))
    }
    for index in sorted(shown):
        mark = b":" if index in matching else b"-"
        line = lines[index].encode("utf-8", "surrogateescape")[: LINE_BYTES + 1]
        yield b"%d" % (index + 1) + mark + line + b"\n"


if __name__ == "__main__":
    sys.exit(main())
