"""The instruction files of a work folder (`AGENTS.md`, else `CLAUDE.md`), from the repository's root down to it."""

from pathlib import Path

from yeaft.kernel.text import head_bytes
from yeaft.prompts.system import Note

NAMES = ("AGENTS.md", "CLAUDE.md")


def project_notes(folder: Path, limit_bytes: int) -> tuple[Note, ...]:
    """Return the notes that hold for `folder`, the farthest first, `limit_bytes` in all; 0 means none.

    One file per folder, never the same file twice; without a repository only `folder` itself is looked at. The
    nearest file is the last to be cut short.
    """
    found: list[Note] = []
    seen: set[tuple[int, int]] = set()
    left_bytes = limit_bytes
    for place in _from_nearest(folder):
        path = next((place / name for name in NAMES if (place / name).is_file()), None)
        if path is None or left_bytes <= 0:
            continue
        try:
            stat = path.stat()
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        if (stat.st_dev, stat.st_ino) in seen:
            continue
        seen.add((stat.st_dev, stat.st_ino))
        text = head_bytes(text.removeprefix("\ufeff"), left_bytes)
        left_bytes -= len(text.encode())
        found.append(Note(path=str(path), text=text))
    return tuple(reversed(found))


def _from_nearest(folder: Path) -> list[Path]:
    for depth, place in enumerate((folder, *folder.parents)):
        if (place / ".git").exists():
            return [folder, *folder.parents][: depth + 1]
    return [folder]
