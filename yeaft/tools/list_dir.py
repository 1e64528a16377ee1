"""Show what is in one folder."""

import asyncio
import os
import stat
from pathlib import Path

from msgspec import Struct

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.paths import Paths
from yeaft.tools.tool import Running, Tool, Touches

SKIPPED = frozenset({"node_modules", ".git", "__pycache__", ".next", ".nuxt", ".cache"})
LIMIT = 1000
KIB = 1024


class ListDir(Struct, frozen=True, kw_only=True):
    """Arguments."""

    path: str = ""
    show_hidden: bool = True


def list_dir(paths: Paths) -> Tool[ListDir]:
    """Let the model look into folders."""

    async def run(args: ListDir, _: Running) -> str:
        folder = paths.resolve(args.path or ".")
        return await asyncio.to_thread(listing, folder, paths.shown(folder), show_hidden=args.show_hidden)

    return Tool(
        name="ListDir",
        args=ListDir,
        run=run,
        guard="read",
        touches=lambda args: Touches(reads=(args.path or ".",)),
    )


def listing(folder: Path, shown: str, *, show_hidden: bool) -> str:
    """The absolute path, then a line per entry: folders first, by name, files with size, links with target."""
    try:
        with os.scandir(folder) as found:
            entries = [entry for entry in found if show_hidden or not entry.name.startswith(".")]
    except FileNotFoundError as error:
        raise ToolFailed(f"No folder {shown}.") from error
    except NotADirectoryError as error:
        raise ToolFailed(f"{shown} is a file; use FileRead.") from error
    except OSError as error:
        raise ToolFailed(f"Cannot list {shown}: {error.strerror}.") from error
    rows = sorted(
        (not entry.is_dir(follow_symlinks=False), _plain(entry.name), entry)
        for entry in entries
        if not (entry.name in SKIPPED and entry.is_dir(follow_symlinks=False))
    )
    lines = [_row(entry) for _, _, entry in rows[:LIMIT]]
    if not lines:
        lines = ["(empty)"]
    if len(rows) > LIMIT:
        lines.append(f"({LIMIT} of {len(rows)} entries; use Glob with a pattern for the others)")
    return "\n".join([f"{_plain(str(folder)).rstrip('/')}/", "", *lines])


def _row(entry: os.DirEntry[str]) -> str:
    name = _plain(entry.name)
    if entry.is_symlink():
        return f"🔗 {name} -> {_plain(str(Path(entry.path).readlink()))}"
    if entry.is_dir(follow_symlinks=False):
        return f"📁 {name}/"
    status = entry.stat(follow_symlinks=False)
    return f"📄 {name} ({_size(status.st_size)})" if stat.S_ISREG(status.st_mode) else f"📄 {name} (special file)"


def _size(size_bytes: int) -> str:
    if size_bytes < KIB:
        return f"{size_bytes} B"
    if size_bytes < KIB * KIB:
        return f"{size_bytes / KIB:.1f} KB"
    return f"{size_bytes / KIB / KIB:.1f} MB"


def _plain(name: str) -> str:
    """A name without the surrogates that stand for bytes that are not UTF-8."""
    return os.fsencode(name).decode("utf-8", "replace")
