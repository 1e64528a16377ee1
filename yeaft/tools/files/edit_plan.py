"""The plan of `FileEdit`: where the old text is, and what the file will be."""

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.file_edit import FileEdit
from yeaft.tools.files.change import Change, Planned
from yeaft.tools.files.file_bytes import read_file
from yeaft.tools.files.text_edit import replaced
from yeaft.tools.files.text_match import Matches, find, line_of, nearest_line
from yeaft.tools.files.texts import encoded_like, text_of_file
from yeaft.tools.paths import Paths

ECHO_CHARS = 100
LISTED_LINES = 8


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
