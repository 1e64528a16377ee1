"""Unified diffs: with or without git headers, new, deleted and renamed files, wrong line counts tolerated."""

import re

from yeaft.tools.patches.patch import FilePatch, Hunk, HunkLine, PatchLines, Sign

RANGE = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
NO_FILE = "/dev/null"
ESCAPE = re.compile(r'\\([0-7]{3}|[abtnvfr"\\])')
ESCAPED = dict(zip("abtnvfr", "\a\b\t\n\v\f\r", strict=True))
SIGNS: dict[str, Sign] = {" ": " ", "-": "-", "+": "+", "": " "}
RENAMED_FROM, RENAMED_TO = "rename from ", "rename to "
NEW_MODE, DELETED_MODE = "new file mode ", "deleted file mode "
SAID = (RENAMED_FROM, RENAMED_TO, NEW_MODE, DELETED_MODE)
UNSUPPORTED = ("GIT binary patch", "Binary files ", "copy from ")


def parse_unified(text: str) -> tuple[FilePatch, ...]:
    """The files of a unified diff, in order. Raises `ToolFailed` for what cannot be applied as text."""
    lines = PatchLines(text)
    files: list[FilePatch] = []
    while not lines.is_over:
        if lines.peek().startswith("diff --git ") or _is_file_header(lines):
            found = _file(lines)
            files += [found] if found else []
        elif lines.peek().startswith("@@ "):
            lines.take()
            raise lines.refuse("a hunk without '--- a/FILE' and '+++ b/FILE' lines before it")
        elif files and lines.peek().startswith(("+", "-")) and lines.peek().rstrip() != "--":
            lines.take()
            raise lines.refuse("a change outside of a hunk; lines that stay must begin with a blank")
        else:
            lines.take()
    return tuple(files)


def _is_file_header(lines: PatchLines, ahead: int = 0) -> bool:
    return lines.peek(ahead).startswith("--- ") and lines.peek(ahead + 1).startswith("+++ ")


def _file(lines: PatchLines) -> FilePatch | None:
    """One file with its git header, if it has one; None when the header says nothing that can be done."""
    names, git = _git_header(lines) if lines.peek().startswith("diff --git ") else (("", ""), {})
    hunks: tuple[Hunk, ...] = ()
    if _is_file_header(lines):
        names = _plain(_path(lines, "--- "), _path(lines, "+++ "))
        hunks = _hunks(lines)
    if RENAMED_TO in git:
        old, new = _unquoted(git[RENAMED_FROM]), _unquoted(git[RENAMED_TO])
        if hunks and names != (old, new):
            raise lines.refuse(f"the hunks are for {names[0]} and {names[1]}, but {old} is renamed to {new}")
        return FilePatch(kind="update", path=old, target=new, hunks=hunks)
    old, new = names
    if NEW_MODE in git or old == NO_FILE:
        return FilePatch(kind="add", path=new, hunks=hunks, executable=git.get(NEW_MODE, "").endswith("755"))
    if DELETED_MODE in git or new == NO_FILE:
        return FilePatch(kind="delete", path=old, hunks=hunks)
    return FilePatch(kind="update", path=new, hunks=hunks) if hunks else None


def _git_header(lines: PatchLines) -> tuple[tuple[str, str], dict[str, str]]:
    """Both names, and what the lines up to the file header or the next file say, by how they begin."""
    names = _names_of_git(lines.take())
    said: dict[str, str] = {}
    while not (lines.is_over or _is_file_header(lines) or lines.peek().startswith("diff --git ")):
        line = lines.take()
        if line.startswith(UNSUPPORTED):
            raise lines.refuse("only text files can be patched")
        said |= {key: line.removeprefix(key).strip() for key in SAID if line.startswith(key)}
    if (RENAMED_FROM in said) != (RENAMED_TO in said):
        raise lines.refuse("a rename needs both 'rename from' and 'rename to'")
    return names, said


def _names_of_git(header: str) -> tuple[str, str]:
    """Old and new name of `diff --git a/x b/x`; both halves are the same path unless the file is renamed."""
    both = header.removeprefix("diff --git ").strip()
    middle = (len(both) - 1) // 2
    return _plain(_unquoted(both[:middle]), _unquoted(both[middle + 1 :]))


def _path(lines: PatchLines, marker: str) -> str:
    name = lines.take().removeprefix(marker).partition("\t")[0].strip()
    if not name:
        raise lines.refuse("no file name")
    return _unquoted(name)


def _plain(old: str, new: str) -> tuple[str, str]:
    """Without the a/ and b/ of git; when both start alike they are real folders."""
    if old.startswith("b/") and new.startswith("b/"):
        return old, new
    return old.removeprefix("a/"), new.removeprefix("b/")


def _unquoted(name: str) -> str:
    """A path that git wrote in C quotes, as octal bytes of UTF-8."""
    if not (len(name) > 1 and name.startswith('"') and name.endswith('"')):
        return name

    def byte(found: re.Match[str]) -> str:
        code = found[1]
        return chr(int(code, 8) & 0xFF) if code.isdigit() else ESCAPED.get(code, code)

    return ESCAPE.sub(byte, name[1:-1]).encode("latin-1", "replace").decode("utf-8", "replace")


def _hunks(lines: PatchLines) -> tuple[Hunk, ...]:
    hunks: list[Hunk] = []
    while lines.peek().startswith("@@"):
        hunks.append(_hunk(lines))
    return tuple(hunks)


def _hunk(lines: PatchLines) -> Hunk:
    """One hunk. Its counts only decide where the lines alone leave it open, because models often miscount."""
    head = RANGE.match(lines.take())
    start, old, new = (int(head[1]), int(head[2] or 1), int(head[4] or 1)) if head else (None, 0, 0)
    body: list[HunkLine] = []
    while not lines.is_over and not _ends(lines, counted=old <= 0 and new <= 0):
        line = lines.take()
        if line.startswith("\\"):
            body[-1:] = [HunkLine(last.sign, last.text, bare=True) for last in body[-1:]]
            continue
        sign = SIGNS.get(line[:1])
        if sign is None:
            raise lines.refuse("a line of a hunk must start with a blank, + or -")
        body.append(HunkLine(sign, line[1:]))
        old -= sign != "+"
        new -= sign != "-"
    while (old or new) and body and body[-1] == HunkLine(" ", ""):
        body.pop()  # miscounted, so a blank line at the end is layout
    if not body:
        raise lines.refuse("a hunk without lines")
    return Hunk(lines=tuple(body), start=start)


def _ends(lines: PatchLines, *, counted: bool) -> bool:
    """Whether the next line no longer belongs to the hunk; `counted` when it has all the lines it announced."""
    ahead = 0
    while counted and lines.has(ahead) and not lines.peek(ahead):
        ahead += 1
    line = lines.peek(ahead)
    if line.startswith(("diff --git ", "@@ ")) or line == "@@":
        return True
    if _is_file_header(lines, ahead) and (counted or lines.peek(2).startswith("@@")):
        return True
    return counted and (line.rstrip() == "--" or not line.startswith((" ", "+", "-", "\\")))
