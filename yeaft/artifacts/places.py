"""Where artifacts are below `out`: names that are safe everywhere, and paths that lead nowhere else."""

import os
import stat
import unicodedata
from pathlib import Path

from yeaft.kernel.errors import BadData
from yeaft.kernel.pattern import Pattern
from yeaft.kernel.text import head_bytes, is_hidden, without_surrogates

STEM_CHARS, STEM_BYTES = 80, 160
NAME_BYTES = 255
UNNAMED = "artifact"
_PARTS = 2
_NOT_IN_NAMES = Pattern(r'[\s/\\:*?"<>|]+')
_SUFFIX = Pattern(r"\.[A-Za-z0-9]{1,12}")


def plain_name(name: str) -> str:
    """Return the last part of `name` as a file name that is safe everywhere; letters of all scripts stay."""
    plain = unicodedata.normalize("NFC", without_surrogates(name)).replace("\\", "/").rstrip("/").rpartition("/")[2]
    plain = "".join(char for char in plain if not is_hidden(char))
    stem, suffix = _split(plain)
    stem = _NOT_IN_NAMES.sub("_", stem).strip("._- ")
    stem = head_bytes(stem[:STEM_CHARS], STEM_BYTES).rstrip("._- ")
    return f"{stem or UNNAMED}{suffix}"


def numbered(name: str, number: int) -> str:
    """Return a file name for the `number`-th of those that want `name`; the first has it as it is."""
    stem, suffix = _split(name)
    return name if number == 1 else f"{stem}-{number}{suffix}"


def schema_name(name: str) -> str:
    """Return what the schema of a table is called that lies beside it."""
    return f"{_split(name)[0]}.schema.json"


def checked_path(path: str) -> str:
    """Return `path` if it is one that `keep` makes: a folder and a name. Raises `BadData` for any other."""
    parts = path.split("/")
    if len(parts) != _PARTS or not all(map(_is_safe, parts)):
        raise BadData(f"{path!r} cannot be the place of an artifact: it must be FOLDER/NAME below out")
    return path


def content_at(out: Path, path: str, limit_bytes: int) -> bytes:
    """Read an ordinary file below `out`, following no link on the way. Raises `OSError`, also if it is too large."""
    folder, name = checked_path(path).split("/")
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    root = os.open(out, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        inner = os.open(folder, flags | os.O_DIRECTORY, dir_fd=root)
        try:
            descriptor = os.open(name, flags | os.O_NONBLOCK, dir_fd=inner)
        finally:
            os.close(inner)
    finally:
        os.close(root)
    with os.fdopen(descriptor, "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(0, "it is no ordinary file")
        if status.st_size > limit_bytes:
            raise OSError(0, f"it has more than {limit_bytes:,} bytes")
        return stream.read(limit_bytes + 1)


def _is_safe(part: str) -> bool:
    """Whether a name has only what `plain_name` and `numbered` leave in it."""
    is_odd = _NOT_IN_NAMES.search(part) or any(map(is_hidden, part)) or part.startswith((".", "-"))
    return bool(part) and not is_odd and len(part.encode()) <= NAME_BYTES


def _split(name: str) -> tuple[str, str]:
    dot = name.rfind(".")
    if dot > 0 and _SUFFIX.fullmatch(name[dot:]):
        return name[:dot], name[dot:]
    return name, ""
