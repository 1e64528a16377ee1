"""Finds the files that a user names in a message with `@path`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.kernel.errors import ToolFailed
from yeaft.kernel.nearness import nearest
from yeaft.session.at_signs import POSSIBLE, PathToken, before_words, may_begin, name_at, path_at, whole_path
from yeaft.session.code_ranges import CodeRanges
from yeaft.tools.policy.sensitive import spellings

if TYPE_CHECKING:
    from yeaft.tools.paths import Paths
    from yeaft.vp.names import Names

REFERENCE_LIMIT = 64
"""How many of one text are looked for on the disk."""
NEIGHBOURS = 2000


class Located(Struct, frozen=True, kw_only=True):
    """Where a reference leads: an absolute path, links followed, and the part that is wanted (0: all of it).

    `spelled` is the path as it was written, made absolute: rules may name a link.
    """

    path: Path
    spelled: Path
    first: int = 0
    last: int = 0


class Missing(Struct, frozen=True, kw_only=True):
    """A reference that leads nowhere, and the name beside it that was probably meant."""

    text: str
    nearest: str = ""


def find_references(text: str, names: Callable[[], Names]) -> tuple[PathToken, ...]:
    """Return what looks like a path behind an `@`, in order, each only once.

    An `@` counts where it would address a VP; a VP that is called so (`names`) goes before a file.
    """
    return tuple(islice({token.text: token for token in _tokens(text, names)}.values(), REFERENCE_LIMIT))


def locate(token: PathToken, paths: Paths) -> Located | Missing | None:
    """Look where a reference leads; None if there is nothing and it need not have been meant as a file."""
    for text, first, last in _readings(token):
        try:
            spelled, path = spellings(text, paths)
        except ToolFailed:
            continue
        if os.path.lexists(path):
            return Located(path=path, spelled=spelled, first=first, last=last)
    try:
        wanted = paths.resolve(token.path)
    except ToolFailed:
        return Missing(text=token.text) if token.is_explicit else None
    near = _nearest(wanted)
    if near or token.is_explicit or token.first or ("/" in token.path.strip("/") and wanted.parent.is_dir()):
        return Missing(text=token.text, nearest=near)
    return None


def locate_file(path: Path, paths: Paths) -> Located | Missing:
    """Look where the name of a file leads that was given as such, whatever characters it has."""
    if not str(path).startswith("~/") and os.path.lexists(path):
        return Located(path=Path(os.path.realpath(path)), spelled=Path(os.path.normpath(path)))
    return locate(whole_path(str(path)), paths) or Missing(text=str(path))


def _tokens(text: str, names: Callable[[], Names]) -> Iterator[PathToken]:
    code: CodeRanges | None = None
    end = 0
    for sign in POSSIBLE.finditer(text):
        at = sign.start()
        if at < end or not may_begin(text, at) or (token := path_at(text, at + 1)) is None:
            continue
        code = code or CodeRanges(text)
        if not code.hold(at) and name_at(text, at + 1, names()) is None:
            end = token.end
            yield token


def _readings(token: PathToken) -> Sequence[tuple[str, int, int]]:
    """What a reference may stand for: the whole text, without the part at its end, without the words after it."""
    found = [(token.text, 0, 0)]
    if token.first:
        found.append((token.path, token.first, token.last))
    if shorter := before_words(token.text):
        cut = path_at(shorter, 0)
        found += [(shorter, 0, 0), *([(cut.path, cut.first, cut.last)] if cut and cut.first else [])]
    return found


def _nearest(wanted: Path) -> str:
    """The name beside `wanted` that is most like it; only one with the same ending."""
    try:
        with os.scandir(wanted.parent) as entries:
            names = {entry.name.casefold(): entry.name for entry in islice(entries, NEIGHBOURS)}
    except OSError:
        return ""
    suffix = wanted.suffix.casefold()
    near = nearest(wanted.name.casefold(), (name for name in names if suffix and name.endswith(suffix)))
    return names[near] if near else ""
