"""Finds the artifacts that a text names, as `@a_…` or `<artefact type='table'>a_…</artefact>`."""

import re
from collections.abc import Iterator

from msgspec import Struct

from yeaft.kernel.ids import CROCKFORD, DERIVED_LENGTH
from yeaft.kernel.pattern import Pattern

LEAST_DIGITS = 6
"""A shorter word behind `@a_` may be somebody's name."""
MOST_REFERENCES = 64
_DIGITS = f"[{CROCKFORD}]{{{LEAST_DIGITS},{DERIVED_LENGTH}}}"
_SIGN = Pattern(rf"(?<![A-Za-z0-9_@\uff20])[@\uff20](a_{_DIGITS})(?![A-Za-z0-9_/-])")
_TAG = Pattern(
    r"<(art[ei]fact)\b(?:[^<>\n]{0,200}?\btype\s*=\s*['\"]?(\w{1,20})['\"]?)?[^<>\n]{0,200}>"
    rf"\s{{0,20}}@?((?:a_)?{_DIGITS})\s{{0,20}}</\1\s*>",
    re.IGNORECASE,
)
_BARE = Pattern(rf"(?<![A-Za-z0-9_])a_[{CROCKFORD}]{{{DERIVED_LENGTH}}}(?![A-Za-z0-9_])")


class Reference(Struct, frozen=True, kw_only=True):
    """A place in a text that names an artifact: its id or the beginning of it, and the type that the text says."""

    start: int
    end: int
    id: str
    type: str = ""


def may_refer(text: str) -> bool:
    """Whether `text` could name an artifact; cheap, and sometimes wrongly yes."""
    lowered = text.lower()
    return "a_" in lowered or "<artefact" in lowered or "<artifact" in lowered


def find_references(text: str) -> tuple[Reference, ...]:
    """Return the references in a text in order, at most `MOST_REFERENCES`; code is not told from other text here."""
    if not may_refer(text):
        return ()
    found = sorted((*_tags(text), *_signs(text)), key=lambda one: one.start)
    apart: list[Reference] = []
    for one in found[: 2 * MOST_REFERENCES]:
        if not apart or one.start >= apart[-1].end:
            apart.append(one)
    return tuple(apart[:MOST_REFERENCES])


def is_reference_at(text: str, at: int) -> bool:
    """Whether the `@` at `at` names an artifact rather than somebody."""
    return _SIGN.match(text, at) is not None


def named_ids(text: str) -> tuple[str, ...]:
    """Return what a VP's answer names, each once: in references, or whole ids as they are."""
    if not may_refer(text):
        return ()
    bare = (found[0] for found in _BARE.finditer(text))
    return tuple(dict.fromkeys((*(one.id for one in find_references(text)), *bare)))


def _signs(text: str) -> Iterator[Reference]:
    for found in _SIGN.finditer(text):
        yield Reference(start=found.start(), end=found.end(), id=found[1])


def _tags(text: str) -> Iterator[Reference]:
    for found in _TAG.finditer(text):
        digits = found[3].lower().removeprefix("a_")
        yield Reference(start=found.start(), end=found.end(), id=f"a_{digits}", type=(found[2] or "").lower())
