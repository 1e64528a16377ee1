"""Which files of a tree are ignored, by the rules of `.gitignore` and in the order of precedence of ripgrep."""

import contextlib
import re
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

KINDS = (".rgignore", ".ignore", ".gitignore")
"""Names of ignore files; an earlier kind wins over a later one, and within a kind the nearest folder wins."""

GIT_KIND = KINDS.index(".gitignore")
PIECES = re.compile(r"(/\*\*/)|(^\*\*/)|(/\*\*$)|(\*+)|(\?)|\[([!^]?)(\]?(?:\\.|[^\]\\])*)\]|\\(.)", re.DOTALL)


class Pattern(NamedTuple):
    """One line of an ignore file, or several that follow each other and say the same.

    `regex` is about names, or if `anchored` about paths below the ignore file's folder.
    """

    regex: str
    anchored: bool
    only_folders: bool
    ignored: bool


class Rules(Struct, frozen=True, kw_only=True):
    """The patterns of one ignore file, later ones first; `cut` is where paths below its folder begin."""

    cut: int
    patterns: tuple[tuple[re.Pattern[str], Pattern], ...]

    def says(self, path: str, name: str, *, is_folder: bool) -> bool | None:
        """True to ignore the absolute `path`, False to keep it, None if no pattern is about it."""
        below = path[self.cut :]
        for regex, pattern in self.patterns:
            if (is_folder or not pattern.only_folders) and regex.fullmatch(below if pattern.anchored else name):
                return pattern.ignored
        return None


class Ignores(Struct, frozen=True):
    """The rules that hold in one folder: for each of `KINDS`, nearest first."""

    kinds: tuple[tuple[Rules, ...], ...] = ((), (), ())

    def below(self, folder: str, names: frozenset[str]) -> "Ignores":
        """The rules that hold in `folder`, which has entries `names`, when these hold in its parent."""
        is_repository = ".git" in names
        if not is_repository and names.isdisjoint(KINDS):
            return self
        kinds = [list(rules) for rules in self.kinds]
        if is_repository:
            kinds[GIT_KIND] = []  # rules of a repository end at its root
            _put(kinds[GIT_KIND], folder, ".git/info/exclude")
        for kind, name in zip(kinds, KINDS, strict=True):
            if name in names:
                _put(kind, folder, name)
        return Ignores(tuple(map(tuple, kinds)))

    def says(self, path: str, name: str, *, is_folder: bool) -> bool | None:
        """True to ignore the absolute `path`, False to keep it even if hidden, None if there is no rule for it."""
        for kind in self.kinds:
            for rules in kind:
                said = rules.says(path, name, is_folder=is_folder)
                if said is not None:
                    return said
        return None


def ignores_above(folder: Path) -> Ignores:
    """The rules that hold in the parent of `folder`."""
    found = Ignores()
    for parent in reversed(folder.parents):
        names = frozenset(name for name in (".git", *KINDS) if (parent / name).exists())
        found = found.below(str(parent), names)
    return found


def parse_ignores(text: str, folder: str) -> Rules:
    """The rules of an ignore file in `folder`; lines that are no valid pattern are passed over, as git does."""
    patterns = [found for line in text.removeprefix("\ufeff").split("\n") if (found := _pattern(line.rstrip("\r")))]
    merged: list[Pattern] = []
    for pattern in reversed(patterns):
        if merged and merged[-1][1:] == pattern[1:]:
            merged[-1] = pattern._replace(regex=f"{merged[-1].regex}|{pattern.regex}")
        else:
            merged.append(pattern)
    compiled = tuple((re.compile(pattern.regex, re.DOTALL), pattern) for pattern in merged)
    return Rules(cut=len(folder.rstrip("/")) + 1, patterns=compiled)


def _put(kind: list[Rules], folder: str, name: str) -> None:
    with contextlib.suppress(OSError):
        kind.insert(0, parse_ignores(Path(folder, name).read_bytes().decode("utf-8", "replace"), folder))


def _pattern(line: str) -> Pattern | None:
    text = re.sub(r"(?<!\\) +\Z", "", line)
    ignored = not text.startswith("!")
    text = text.removeprefix("!")
    if ignored and text.startswith("#"):
        return None
    only_folders = text.endswith("/")
    text = text.rstrip("/") if only_folders else text
    anchored = "/" in text
    regex = _regex(text.removeprefix("/"))
    try:
        re.compile(regex)
    except re.error:
        return None
    return Pattern(regex, anchored, only_folders, ignored) if regex else None


def _regex(text: str) -> str:
    out: list[str] = []
    done = 0
    for found in PIECES.finditer(text):
        out += [re.escape(text[done : found.start()]), _piece(found)]
        done = found.end()
    return "".join([*out, re.escape(text[done:])])


def _piece(found: re.Match[str]) -> str:
    between, before, inside, stars, one, negation, members, literal = found.groups()
    if between:
        return "/(?:.*/)?"
    if before:
        return "(?:.*/)?"
    if inside:
        return "/.+"
    if stars:
        return "[^/]*"
    if one:
        return "[^/]"
    if members is not None:
        return f"(?!/)[{'^' if negation else ''}{members.replace('[', chr(92) + '[')}]"
    return re.escape(literal)
