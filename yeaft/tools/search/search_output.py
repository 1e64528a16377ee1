"""From the records of a search program to the text a model reads: sorted, bounded, matches before context."""

import os
import re
from collections.abc import Callable, Sequence

from msgspec import Struct

from yeaft.kernel.text import head_bytes
from yeaft.tools.search.search_request import LINE_BYTES, SearchMode

OUTPUT_BYTES = 32 * 1024
TRUNCATED = "[Output truncated]"
MORE = "... (more results omitted)"
NOTHING = "(no matches)"
LINE = re.compile(rb"(\d+)([:-])(.*)", re.DOTALL)


class Record(Struct, frozen=True):
    """One line of one file; `path` are bytes relative to the root, `number` is 0 or a count in the other modes."""

    path: bytes
    number: int = 0
    text: str = ""
    matches: bool = True


def parse_records(stdout: bytes, mode: SearchMode, wanted: Callable[[str], bool]) -> list[Record]:
    """The records of the files that are `wanted`, sorted by path and line; what is no record is passed over."""
    if mode == "files_with_matches":
        found = [Record(_relative(path)) for path in stdout.split(b"\0")[:-1]]
    else:
        found = [record for line in stdout.split(b"\n")[:-1] if (record := _record(line, mode))]
    judged = {path: wanted(os.fsdecode(path)) for path in {record.path for record in found}}
    return sorted((record for record in found if judged[record.path]), key=lambda record: (record.path, record.number))


def rendered(
    records: Sequence[Record], mode: SearchMode, limit: int, shown: Callable[[str], str], notes: Sequence[str] = ()
) -> str:
    """The first `limit` files or matching lines, at most `OUTPUT_BYTES` of UTF-8 with notes.

    `shown` turns a path relative to the root into the one to print. Context lines go first when space is short.
    """
    if not records:
        return "\n".join([NOTHING, *notes])
    kept, more = _first(records, limit)
    closing = [*([MORE] if more else []), *notes]
    rows = _rows(kept, mode, shown)
    if _size([*rows, *closing]) > OUTPUT_BYTES:
        rows = _rows([record for record in kept if record.matches], mode, shown)
    if _size([*rows, *closing]) <= OUTPUT_BYTES:
        return "\n".join([*rows, *closing])
    closing = [TRUNCATED, *notes]
    budget = OUTPUT_BYTES - _size(closing)
    fitting = head_bytes("\n".join([*rows, ""]), budget)
    whole = fitting.rpartition("\n")[0] or fitting
    return "\n".join([whole, *closing])


def _relative(path: bytes) -> bytes:
    return path.removeprefix(b"./")


def _record(line: bytes, mode: SearchMode) -> Record | None:
    path, mark, rest = line.partition(b"\0")
    if not mark:
        return None
    if mode == "count":
        return Record(_relative(path), int(rest))
    found = LINE.fullmatch(rest)
    if not found:
        return None
    return Record(_relative(path), int(found[1]), _line(found[3]), found[2] == b":")


def _line(raw: bytes) -> str:
    """The line without CR, in UTF-8 or else GB18030, cut at `LINE_BYTES`."""
    whole = raw.removesuffix(b"\r")
    cut = whole[:LINE_BYTES]
    try:
        text = cut.decode("utf-8") if len(cut) == len(whole) else cut.decode("utf-8", "ignore")
    except UnicodeDecodeError:
        text = cut.decode("gb18030", "replace")
    return text if len(cut) == len(whole) else f"{text} [line cut at {LINE_BYTES} bytes]"


def _first(records: Sequence[Record], limit: int) -> tuple[list[Record], bool]:
    """The records up to the `limit`-th match, with the context directly behind it, and whether more matches follow."""
    kept: list[Record] = []
    matches = 0
    for record in records:
        matches += record.matches
        if matches > limit:
            return _without_orphans(kept), True
        kept.append(record)
    return kept, False


def _without_orphans(kept: list[Record]) -> list[Record]:
    """Without context lines at the end that are not next to a kept match: they belong to the first one left out."""
    last = max(index for index, record in enumerate(kept) if record.matches)
    end = last + 1
    while end < len(kept) and _follows(kept[end - 1], kept[end]):
        end += 1
    return kept[:end]


def _follows(before: Record, after: Record) -> bool:
    return before.path == after.path and after.number == before.number + 1


def _rows(records: Sequence[Record], mode: SearchMode, shown: Callable[[str], str]) -> list[str]:
    names = {path: shown(os.fsdecode(path)) for path in {record.path for record in records}}
    if mode == "files_with_matches":
        return [names[record.path] for record in records]
    if mode == "count":
        return [f"{names[record.path]}:{record.number}" for record in records]
    has_context = not all(record.matches for record in records)
    rows: list[str] = []
    for index, record in enumerate(records):
        if has_context and index and not _follows(records[index - 1], record):
            rows.append("--")
        mark = ":" if record.matches else "-"
        rows.append(f"{names[record.path]}{mark}{record.number}{mark}{record.text}")
    return rows


def _size(rows: Sequence[str]) -> int:
    return sum(len(row.encode()) + 1 for row in rows)
