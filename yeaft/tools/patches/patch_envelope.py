"""Patches between `*** Begin Patch` and `*** End Patch`, which name files by action and places by lines."""

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.patches.patch import FilePatch, Hunk, HunkLine, PatchLines, Sign

BEGIN, END = "*** Begin Patch", "*** End Patch"
ADD, DELETE, UPDATE = "*** Add File: ", "*** Delete File: ", "*** Update File: "
MOVE, END_OF_FILE = "*** Move to: ", "*** End of File"
SIGNS: dict[str, Sign] = {" ": " ", "-": "-", "+": "+", "": " "}


def parse_envelope(text: str) -> tuple[FilePatch, ...]:
    """The files of such a patch, in order. Raises `ToolFailed` if a line has no place in it or the end is missing."""
    lines = PatchLines(text)
    while not lines.is_over and lines.take().strip() != BEGIN:
        pass
    files: list[FilePatch] = []
    while not lines.is_over:
        line = lines.take()
        if line.strip() == END:
            return tuple(files)
        if line.startswith(ADD):
            files.append(FilePatch(kind="add", path=line.removeprefix(ADD).strip(), hunks=_added(lines)))
        elif line.startswith(DELETE):
            files.append(FilePatch(kind="delete", path=line.removeprefix(DELETE).strip()))
        elif line.startswith(UPDATE):
            files.append(_updated(lines, line.removeprefix(UPDATE).strip()))
        elif line.strip():
            raise lines.refuse(f"expected '{ADD}', '{UPDATE}', '{DELETE}' or '{END}'")
    raise ToolFailed(f"The patch has no '{END}' line, so it may be cut off. Nothing was written; send it whole.")


def _added(lines: PatchLines) -> tuple[Hunk, ...]:
    body: list[HunkLine] = []
    while not lines.is_over and not lines.peek().startswith("*** "):
        line = lines.take()
        if not line.startswith("+"):
            raise lines.refuse("every line of an added file must start with +")
        body.append(HunkLine("+", line[1:]))
    return (Hunk(lines=tuple(body)),) if body else ()


def _updated(lines: PatchLines, path: str) -> FilePatch:
    target = lines.take().removeprefix(MOVE).strip() if lines.peek().startswith(MOVE) else None
    hunks: list[Hunk] = []
    while not lines.is_over and not _starts_file(lines.peek()):
        hunks.append(_hunk(lines))
    if not hunks and target is None:
        raise lines.refuse("an update without changes")
    return FilePatch(kind="update", path=path, target=target, hunks=tuple(hunks))


def _starts_file(line: str) -> bool:
    return line.startswith((ADD, DELETE, UPDATE)) or line.strip() == END


def _hunk(lines: PatchLines) -> Hunk:
    anchors: list[str] = []
    while lines.peek().startswith("@@"):
        anchor = lines.take()[2:].strip()
        anchors += [anchor] if anchor else []
    body: list[HunkLine] = []
    at_end = False
    while not lines.is_over and not at_end and not lines.peek().startswith("@@") and not _starts_file(lines.peek()):
        line = lines.take()
        at_end = line.strip() == END_OF_FILE
        sign = SIGNS.get(line[:1])
        if at_end:
            continue
        if sign is None:
            raise lines.refuse("a line of a change must start with a blank, + or -")
        body.append(HunkLine(sign, line[1:]))
    while body and body[-1] == HunkLine(" ", ""):
        body.pop()  # blank lines before the next marker are layout
    if not body:
        raise lines.refuse("a change without lines")
    return Hunk(lines=tuple(body), anchors=tuple(anchors), at_end=at_end)
