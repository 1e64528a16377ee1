"""The plan of `FileWrite`: which bytes the content becomes, and what that changes besides the text."""

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.file_write import FileWrite
from yeaft.tools.files.change import Change, Planned
from yeaft.tools.files.file_bytes import LIMIT_BYTES, read_if_there
from yeaft.tools.files.line_ends import kinds_of_ends, split_lines
from yeaft.tools.files.texts import Text, decode, encode
from yeaft.tools.paths import Paths

NAMES = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}


def plan_write(paths: Paths, args: FileWrite) -> Planned:
    """The change that `args` ask for.

    The content's own line ends are kept, because it can say which it wants; it cannot say an encoding, so the one of
    the file that is overwritten stays, as long as it can hold the content.
    """
    if args.file_path.endswith("/"):
        raise ToolFailed(f"{args.file_path} names a folder; give the file's name too.")
    path = paths.resolve(args.file_path)
    shown = paths.shown(path)
    before = read_if_there(path, shown)
    old = (decode(before) if before else None) or Text(text="")
    after, encoding = _encoded(args.content, old)
    if len(after) > LIMIT_BYTES:
        raise ToolFailed(f"The content has {len(after):,} bytes, the limit is {LIMIT_BYTES:,}.")
    count = len(split_lines(args.content)) - (args.content[-1:] in {"", "\n", "\r"})
    verb = "Created" if before is None else "Overwrote"
    sizes = f"{count} {'line' if count == 1 else 'lines'}, {len(after)} bytes"
    text = f"{verb} {shown} ({sizes}{encoding}).{_ends_note(old.text, args.content)}"
    return Planned(changes=(Change(path=path, before=before, after=after),), text=text)


def _encoded(content: str, old: Text) -> tuple[bytes, str]:
    """The bytes to write, and a remark for the model if they are not plain UTF-8."""
    try:
        after = encode(content.removeprefix("\ufeff") if old.bom else content, old)
    except UnicodeEncodeError:
        return content.encode(), f", now UTF-8 because {old.encoding} cannot hold it"
    if old.encoding == "utf-8":
        return after, ", with byte order mark" if old.bom else ""
    return after, f", in {old.encoding} as before"


def _ends_note(old: str, new: str) -> str:
    was, now = kinds_of_ends(old), kinds_of_ends(new)
    if not was or not now or was == now:
        return ""
    before, after = (" and ".join(sorted(NAMES[end] for end in ends)) for ends in (was, now))
    return f" Its line ends were {before} and are now {after}."
