"""Replace one text of a file by another, leaving every other byte as it is."""

from msgspec import Struct

from yeaft.events.call import Intent
from yeaft.kernel.errors import ToolFailed
from yeaft.tools.change import Change, Planned
from yeaft.tools.file_bytes import read_file
from yeaft.tools.guarded_write import guarded_write, intended
from yeaft.tools.locks import PathLocks
from yeaft.tools.paths import Paths
from yeaft.tools.reads import Reads
from yeaft.tools.text_edit import replaced
from yeaft.tools.text_match import Matches, find, line_of, nearest_line
from yeaft.tools.texts import Text, decode, encode
from yeaft.tools.tool import Running, Tool, ToolResult, Touches

ECHO_CHARS = 100
LISTED_LINES = 8


class FileEdit(Struct, frozen=True, kw_only=True):
    """Arguments."""

    file_path: str
    old_string: str
    new_string: str
    replace_all: bool = False


def file_edit(paths: Paths, reads: Reads, locks: PathLocks) -> Tool[FileEdit]:
    """Let the model change files it can name a unique text of; `locks` are shared by all VPs, `reads` are one VP's."""

    async def run(args: FileEdit, _: Running) -> ToolResult:
        file = paths.resolve(args.file_path)
        return await guarded_write(lambda: plan_edit(paths, args), [file], paths, reads, locks)

    def intend(args: FileEdit) -> tuple[Intent, ...]:
        return intended(lambda: plan_edit(paths, args), paths, reads)

    return Tool(
        name="FileEdit",
        args=FileEdit,
        run=run,
        guard="verify",
        touches=lambda args: Touches(writes=(args.file_path,)),
        intend=intend,
    )


def plan_edit(paths: Paths, args: FileEdit) -> Planned:
    """The change that `args` ask for; raises `ToolFailed` with what to mend."""
    if not args.old_string:
        raise ToolFailed("old_string is empty; use FileWrite for a new file, or quote the line to insert beside.")
    if args.old_string == args.new_string:
        raise ToolFailed("old_string and new_string are the same; nothing to do.")
    path = paths.resolve(args.file_path)
    shown = paths.shown(path)
    raw = read_file(path, shown)
    text = text_of_file(raw, shown)
    found = find(text.text, args.old_string, everywhere=args.replace_all)
    _refuse_unclear(found, text.text, args, shown)
    edited = replaced(text.text, found.spans, args.old_string, args.new_string)
    if edited == text.text:
        raise ToolFailed(f"{shown} already reads like that; nothing was written.")
    after = encoded_like(edited, text, shown)
    return Planned(changes=(Change(path=path, before=raw, after=after),), text=_told(found, text.text, shown))


def text_of_file(raw: bytes, shown: str) -> Text:
    """The decoded file; raises `ToolFailed` for binary content."""
    text = decode(raw)
    if text is None:
        raise ToolFailed(f"{shown} is not text in UTF-8, UTF-16, GB18030 or Latin-1; it cannot be edited as text.")
    return text


def encoded_like(text: str, like: Text, shown: str) -> bytes:
    """The bytes of `text` in the encoding that the file has; raises `ToolFailed` if that cannot hold a character."""
    try:
        return encode(text, like)
    except UnicodeEncodeError as error:
        alien = text[error.start]
        raise ToolFailed(
            f"{shown} is in {like.encoding}, which has no {alien!r}. Write it without that character, or convert the "
            "file to UTF-8 first. Nothing was written."
        ) from error


def _refuse_unclear(found: Matches, text: str, args: FileEdit, shown: str) -> None:
    if not found.spans:
        near = nearest_line(text, args.old_string)
        hint = f" The nearest line is {near[0]}: {near[1][:ECHO_CHARS]!r}." if near else ""
        raise ToolFailed(f"old_string is not in {shown}: {args.old_string[:ECHO_CHARS]!r}.{hint} Nothing was written.")
    if len(found.spans) > 1 and not args.replace_all:
        raise ToolFailed(
            f"old_string occurs {len(found.spans)} times in {shown}, at lines {_lines(found, text)}: add lines around "
            "it to make it unique, or set replace_all. Nothing was written."
        )


def _told(found: Matches, text: str, shown: str) -> str:
    count = len(found.spans)
    loosely = f" (matched without regard to {found.loosely})" if found.loosely else ""
    times = "1 replacement at line" if count == 1 else f"{count} replacements at lines"
    return f"Edited {shown}: {times} {_lines(found, text)}{loosely}."


def _lines(found: Matches, text: str) -> str:
    listed = ", ".join(str(line_of(text, start)) for start, _ in found.spans[:LISTED_LINES])
    return f"{listed}, …" if len(found.spans) > LISTED_LINES else listed
