"""From a patch to the changes of files: every file is checked before any is written."""

import re
from pathlib import Path

import msgspec
from msgspec import Struct

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.files.change import Change, Planned
from yeaft.tools.files.file_bytes import read_if_there
from yeaft.tools.files.texts import encoded_like, text_of_file
from yeaft.tools.patches.patch import FilePatch
from yeaft.tools.patches.patch_envelope import BEGIN, parse_envelope
from yeaft.tools.patches.patch_place import created, patched
from yeaft.tools.patches.patch_unified import parse_unified
from yeaft.tools.paths import Paths

FENCE = re.compile(r"\A```[a-z]*\r?\n(.*?)\r?\n?```\s*\Z", re.DOTALL)


class FileResult(Struct, frozen=True, kw_only=True):
    """One file as the model is told of it; `hunks` is the number that was applied."""

    file: str
    success: bool
    hunks: int


class PatchResult(Struct, frozen=True, kw_only=True):
    """What the model is told: all files, because a patch is applied whole or not at all."""

    results: tuple[FileResult, ...]
    summary: str


def parse_patch(text: str) -> tuple[FilePatch, ...]:
    """The files of a patch in either format. Raises `ToolFailed` when there are none."""
    fenced = FENCE.match(text.strip())
    plain = fenced[1] if fenced else text
    is_envelope = any(line.strip() == BEGIN for line in plain.splitlines()[:5])
    files = parse_envelope(plain) if is_envelope else parse_unified(plain)
    if not files:
        raise ToolFailed(
            f"No file to patch was found. Send a unified diff ('--- a/FILE', '+++ b/FILE', '@@ -1,2 +1,2 @@') or a "
            f"'{BEGIN}' block. The text begins {text[:80]!r}."
        )
    return files


def written_paths(files: tuple[FilePatch, ...]) -> tuple[str, ...]:
    """Every path that the patch writes, as it has them."""
    return tuple(path for file in files for path in file.paths)


class _Folder:
    """The files as they will be while the parts of a patch are applied one after the other."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._before: dict[Path, bytes | None] = {}
        self._after: dict[Path, bytes | None] = {}
        self._executable: set[Path] = set()
        self._moved_from: dict[Path, Path] = {}

    def read(self, path: Path) -> bytes | None:
        if path not in self._after:
            self._before[path] = self._after[path] = read_if_there(path, self._paths.shown(path))
        return self._after[path]

    def write(self, path: Path, content: bytes | None, *, executable: bool = False) -> None:
        self._after[path] = content
        if executable:
            self._executable.add(path)

    def move(self, path: Path, target: Path, content: bytes) -> None:
        self._after[path] = None
        self._after[target] = content
        self._moved_from[target] = path

    def changes(self) -> tuple[Change, ...]:
        """What differs in the end; files are removed last, so that a crash never leaves a move without both names."""
        changes = [
            Change(
                path=path,
                before=self._before[path],
                after=after,
                executable=path in self._executable,
                like=self._moved_from.get(path),
            )
            for path, after in self._after.items()
            if after != self._before[path]
        ]
        return tuple(sorted(changes, key=lambda change: change.after is None))


def plan_patch(paths: Paths, files: tuple[FilePatch, ...]) -> Planned:
    """All changes of the patch. Raises `ToolFailed` for the first file that does not fit; then nothing is written."""
    folder = _Folder(paths)
    for file in files:
        _apply(folder, paths, file)
    changes = folder.changes()
    if not changes:
        raise ToolFailed("The patch changes nothing: every file already reads as it would afterwards.")
    results = tuple(FileResult(file=file.paths[-1], success=True, hunks=len(file.hunks)) for file in files)
    summary = f"Applied patch to {len(files)}/{len(files)} files"
    told = msgspec.json.encode(PatchResult(results=results, summary=summary)).decode()
    return Planned(changes=changes, text=told)


def _apply(folder: _Folder, paths: Paths, file: FilePatch) -> None:
    path = paths.resolve(file.path)
    shown = paths.shown(path)
    raw = folder.read(path)
    if file.kind == "add":
        if raw is not None:
            raise ToolFailed(f"{shown} already exists; update it instead of adding it. Nothing was written.")
        folder.write(path, created(file.hunks).encode(), executable=file.executable)
        return
    if raw is None:
        raise ToolFailed(
            f"{shown} does not exist, so it cannot be patched (a rename needs 'rename from', 'rename to' lines). "
            "Nothing was written."
        )
    if file.kind == "delete" and not file.hunks:
        folder.write(path, None)
        return
    text = text_of_file(raw, shown)
    edited = patched(text.text, file.hunks, shown)
    if file.kind == "delete":
        if edited:
            raise ToolFailed(f"{shown} has more lines than the patch that deletes it. Nothing was written.")
        folder.write(path, None)
        return
    after = encoded_like(edited, text, shown)
    if file.target is None:
        folder.write(path, after)
        return
    target = paths.resolve(file.target)
    if folder.read(target) is not None:
        raise ToolFailed(f"{paths.shown(target)} already exists; {shown} cannot move there. Nothing was written.")
    folder.move(path, target, after)
