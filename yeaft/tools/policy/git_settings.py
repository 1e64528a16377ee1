"""Reads a git configuration file without running git: sections, keys and values, line by line, rather too many."""

import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

MOST_BYTES = 1024 * 1024
_SECTION = re.compile(r'\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*')
_KEY = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?")
_QUOTED = re.compile(r'"([^"\\]*)"')


class Setting(Struct, frozen=True, kw_only=True):
    """One setting; `section` and `key` are in lower case, a key without a value is `true`."""

    section: str
    part: str
    key: str
    value: str

    @property
    def name(self) -> str:
        """The setting as git names it."""
        return ".".join(piece for piece in (self.section, self.part, self.key) if piece)


def settings(file: Path) -> tuple[Setting, ...] | None:
    """What the file sets, empty where there is no file; None if that cannot be told for certain.

    A value that goes on in the next line is such a case: what follows could be a setting or not.
    """
    try:
        if not file.exists():
            return ()
        if not file.is_file():
            return None
        with file.open("rb") as opened:
            raw = opened.read(MOST_BYTES + 1)
    except OSError:
        return None
    text = raw.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
    if len(raw) > MOST_BYTES or "\\\n" in text or "\0" in text:
        return None
    found = tuple(_read(text))
    return None if None in found else tuple(one for one in found if one is not None)


def _read(text: str) -> Iterator[Setting | None]:
    section = part = ""
    for line in text.split("\n"):
        rest = line.strip()
        while header := _SECTION.match(rest):
            section, dot, inner = header[1].casefold().partition(".")
            part = header[2] or (inner if dot else "")
            rest = rest[header.end() :]
        if not rest or rest[0] in "#;":
            continue
        found = _KEY.fullmatch(rest)
        if found is None and (bare := _KEY.match(rest)) and rest[bare.end() :][:1] in {"#", ";"}:
            found = bare
        yield (Setting(section=section, part=part, key=found[1].casefold(), value=_value(found[2])) if found else None)


def _value(text: str | None) -> str:
    if text is None:
        return "true"
    quoted = _QUOTED.fullmatch(text.strip())
    return quoted[1] if quoted else text.strip()
