"""Show the model a text file, by numbered lines and in portions it can ask on from."""

import asyncio
from typing import Annotated

from msgspec import Meta, Struct

from yeaft.events.call import Facts, FileFact
from yeaft.kernel.errors import ToolFailed
from yeaft.kernel.text import head_bytes
from yeaft.tools.files.binary import refuse_binary_name
from yeaft.tools.files.file_bytes import INLINE_BYTES, read_file, sha256_of, size_of
from yeaft.tools.files.reads import Reads
from yeaft.tools.files.texts import decode
from yeaft.tools.paths import Paths
from yeaft.tools.tool import Running, Tool, ToolResult, Touches

LIMIT_LINES = 3000
OUTPUT_BYTES = 30 * 1024
NOTE_BYTES = 300  # kept free for the closing note


class FileRead(Struct, frozen=True, kw_only=True):
    """Arguments."""

    file_path: str
    offset: Annotated[int, Meta(ge=0, description="Lines to skip.")] = 0
    column_offset: Annotated[int, Meta(ge=0)] = 0
    limit: Annotated[int, Meta(ge=1)] = LIMIT_LINES


def file_read(paths: Paths, reads: Reads) -> Tool[FileRead]:
    """Let the model read text files; `reads` remembers what this VP has seen."""

    def read(args: FileRead) -> ToolResult:
        path = paths.resolve(args.file_path)
        shown = paths.shown(path)
        refuse_binary_name(path, shown)
        raw = read_file(path, shown)
        text = decode(raw)
        if text is None:
            raise ToolFailed(f"{shown} is binary ({len(raw):,} bytes); use Bash to look inside.")
        fact = FileFact(path=str(path), sha256=sha256_of(raw))
        return ToolResult(text=portion(text.text, args, shown), facts=Facts(files=(fact,)))

    async def run(args: FileRead, _: Running) -> ToolResult:
        path = paths.resolve(args.file_path)
        small = size_of(path) <= INLINE_BYTES
        result = read(args) if small else await asyncio.to_thread(read, args)
        reads.note(path, result.facts.files[0].sha256)
        return result

    return Tool(
        name="FileRead",
        args=FileRead,
        run=run,
        guard="read",
        touches=lambda args: Touches(reads=(args.file_path,)),
    )


def portion(text: str, args: FileRead, shown: str) -> str:
    r"""The lines asked for as `<number>\t<text>`, at most `OUTPUT_BYTES` of UTF-8, with a note how to go on.

    Lines are split at LF only, so a CR stays visible. Raises `ToolFailed` for a place behind the end.
    """
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    total = len(lines)
    if args.offset > total:
        raise ToolFailed(f"{shown} has {total} lines; offset {args.offset} is behind its end.")
    if args.offset == total:
        return f"[at end of file: {shown} has {total} lines]"
    wanted = lines[args.offset : args.offset + args.limit]
    return _fitted(wanted, args, total)


def _fitted(wanted: list[str], args: FileRead, total: int) -> str:
    first, column = wanted[0], args.column_offset
    if column > len(first):
        raise ToolFailed(
            f"Line {args.offset + 1} has {len(first)} characters; column_offset {column} is behind its end."
        )
    tag = f"[column {column}]" if column else ""
    rows = [f"{args.offset + 1}\t{tag}{first[column:]}"]
    rows += [f"{number}\t{line}" for number, line in enumerate(wanted[1:], args.offset + 2)]
    budget = OUTPUT_BYTES - NOTE_BYTES
    if len(rows[0].encode()) > budget:
        cut = head_bytes(rows[0], budget)
        reached = column + len(cut) - len(f"{args.offset + 1}\t{tag}")
        on = f"continue with offset={args.offset} column_offset={reached}"
        return f"{cut}\n[line {args.offset + 1} of {total}, columns {column}-{reached} of {len(first)}; {on}]"
    shown_rows = _whole_rows(rows, budget)
    end = args.offset + len(shown_rows)
    note = "" if end == total else f"\n[lines {args.offset + 1}-{end} of {total}; continue with offset={end}]"
    return "\n".join(shown_rows) + note


def _whole_rows(rows: list[str], budget_bytes: int) -> list[str]:
    used = 0
    for count, row in enumerate(rows):
        used += len(row.encode()) + 1
        if used - 1 > budget_bytes:
            return rows[:count]
    return rows
