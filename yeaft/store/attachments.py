"""Files that the user gave to a Session: kept in its `attachments` folder, and read from nowhere else."""

import contextlib
import hashlib
import os
import secrets
import stat
import unicodedata
from pathlib import Path

from yeaft.kernel.errors import StoreFailed
from yeaft.kernel.pattern import Pattern
from yeaft.kernel.text import head_bytes, is_hidden, without_surrogates
from yeaft.store.filesystem import make_private

STEM_CHARS = 80
STEM_BYTES = 160
SUFFIX_CHARS = 10
MARK_BYTES = 8
LIMIT_BYTES = 64 * 1024 * 1024
"""More than this is never read, whatever lies in the folder."""
UNNAMED = "file"
_NOT_IN_NAMES = Pattern(r'[\s/\\:*?"<>|]+')
_SUFFIX = Pattern(rf"\.[A-Za-z0-9]{{1,{SUFFIX_CHARS}}}")


class Attachments:
    """The `attachments` folder of one Session; it is made when the first file is kept.

    Reading takes a bare name and the hash of what must be there: no other folder, no link, no altered content.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, name: str, content: bytes) -> str:
        """Keep `content` and return the name it has here, made of `name` and its hash; the same again is kept once.

        Raises `StoreFailed` when the disk does not take it.
        """
        sha256 = hashlib.sha256(content).hexdigest()
        file = kept_name(name, sha256)
        try:
            make_private(self._folder)
            if self.read(file, sha256) is None:
                _write(self._folder / file, content)
        except OSError as error:
            raise StoreFailed(
                f"{name} could not be kept in {self._folder}: {error.strerror}. Check free space and permissions."
            ) from error
        return file

    def read(self, file: str, sha256: str) -> bytes | None:
        """Return the content of `file`; None if it is gone, no ordinary file of this folder, or not what was kept."""
        if file in ("", ".", "..") or "/" in file or "\0" in file:
            return None
        try:
            content = _content_in(self._folder, file)
        except OSError:
            return None
        return content if content is not None and hashlib.sha256(content).hexdigest() == sha256 else None


def kept_name(name: str, sha256: str) -> str:
    """Return a file name that is safe everywhere: the readable part of `name`, the beginning of the hash, the ending.

    Letters of all scripts stay; separators, control and invisible characters and leading dots and dashes go.
    """
    plain = unicodedata.normalize("NFC", without_surrogates(name)).rpartition("/")[2]
    plain = "".join(char for char in plain if not is_hidden(char))
    stem, suffix = plain, ""
    dot = plain.rfind(".")
    if dot > 0 and _SUFFIX.fullmatch(plain[dot:]):
        stem, suffix = plain[:dot], plain[dot:].lower()
    stem = _NOT_IN_NAMES.sub("_", stem).strip("._- ")
    stem = head_bytes(stem[:STEM_CHARS], STEM_BYTES).rstrip("._- ")
    return f"{stem or UNNAMED}-{sha256[: 2 * MARK_BYTES]}{suffix}"


def _content_in(folder: Path, file: str) -> bytes | None:
    """Read an ordinary file of `folder` without following a link to it or to the folder."""
    directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
    finally:
        os.close(directory)
    with os.fdopen(descriptor, "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > LIMIT_BYTES:
            return None
        return stream.read(LIMIT_BYTES + 1)


def _write(path: Path, content: bytes) -> None:
    """Write beside the place and move there, so that a crash leaves no half file under the name."""
    temporary = path.with_name(f".{secrets.token_hex(MARK_BYTES)}")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
