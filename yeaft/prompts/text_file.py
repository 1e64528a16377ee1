"""Reads text files that people wrote with whatever editor they have, and says what is not as it should be."""

import codecs
import errno
from pathlib import Path

from msgspec import Struct

from yeaft.config.regular import MIB, read_regular
from yeaft.kernel.pattern import Pattern
from yeaft.prompts.front_matter import Problem

UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
NUL = "holds a NUL, so it is no text"
_HIGH_RUNS = Pattern(rb"[\x80-\xff]+")
_HAN_PAIRS = Pattern(rb"(?:[\xa1-\xf7][\xa1-\xfe])+")
_WESTERN = Pattern(rb"[\xa0-\xbf\xc0-\xd6\xd8-\xf6\xf8-\xfd]{1,2}")


class TextFile(Struct, frozen=True, kw_only=True):
    """The text of a file; `problems` are none of them fatal."""

    text: str
    problems: tuple[Problem, ...] = ()


def read_text_file(path: Path, most_bytes: int = MIB) -> TextFile | Problem:
    """Return the text of a regular file of at most `most_bytes`; what is no pipe or device is never waited for.

    UTF-8 is what it should be. UTF-16, GB18030 and Latin-1 are read as well where they cannot be anything else.
    """
    try:
        raw = read_regular(path, most_bytes)
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
        if error.errno == errno.EFBIG:
            reason = (
                f"is larger than {most_bytes // MIB} MiB" if most_bytes >= MIB else f"is larger than {most_bytes} B"
            )
        return Problem(path=str(path), line=1, reason=reason)
    return decoded(raw, str(path))


def decoded(raw: bytes, path: str) -> TextFile | Problem:
    """Return the text that `raw` is; a byte order mark at its beginning is left out."""
    encoding, start = _encoding(raw)
    try:
        text = raw[start:].decode(encoding or "utf-8")
    except UnicodeDecodeError as error:
        if b"\0" in raw:
            return Problem(path=path, line=_line(raw, raw.index(b"\0")), reason=NUL)
        line = _line(raw, start + error.start)
        return Problem(path=path, line=line, reason="is not UTF-8 text; save it as UTF-8")
    if "\0" in text:
        return Problem(path=path, line=text.count("\n", 0, text.index("\0")) + 1, reason=NUL)
    if encoding == "utf-8":
        return TextFile(text=text)
    reason = f"is read as {encoding.upper()}; save it as UTF-8, which is what other programs expect"
    return TextFile(text=text, problems=(Problem(path=path, line=1, reason=reason, fatal=False),))


def _encoding(raw: bytes) -> tuple[str, int]:
    """Return the encoding, empty if there is none that it must be, and how long the mark before the text is."""
    if raw.startswith(codecs.BOM_UTF8):
        return "utf-8", len(codecs.BOM_UTF8)
    if raw[:2] in UTF16:
        return UTF16[raw[:2]], 2
    if b"\0" in raw:
        return _unmarked_utf16(raw), 0
    if _is_text_in(raw, "utf-8"):
        return "utf-8", 0
    runs = _HIGH_RUNS.findall(raw)
    if all(_WESTERN.fullmatch(run) for run in runs):
        return ("latin-1" if any(len(run) == 1 for run in runs) else ""), 0
    is_han = all(_HAN_PAIRS.fullmatch(run) for run in runs) and _is_text_in(raw, "gb18030")
    return ("gb18030" if is_han else ""), 0


def _unmarked_utf16(raw: bytes) -> str:
    """Tell UTF-16 that is mostly ASCII by its NULs: all at odd places, or all at even ones."""
    even, odd = raw[::2].count(0), raw[1::2].count(0)
    if len(raw) % 2 or (even and odd):
        return "utf-8"
    most = len(raw) // 4
    return "utf-16-le" if odd > most else "utf-16-be" if even > most else "utf-8"


def _is_text_in(raw: bytes, encoding: str) -> bool:
    try:
        raw.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _line(raw: bytes, at: int) -> int:
    return raw.count(b"\n", 0, at) + 1
