"""The globs of the search tools: which paths they fit, where these can be, and what they leave out."""

import re
from collections.abc import Sequence

from msgspec import Struct

from yeaft.tools.search.exclusions import Exclusions, compile_exclusions
from yeaft.tools.search.glob_regex import between_commas, translated

MAGIC = re.compile(r"[*?\[{]")
BRACE_WITH_FOLDERS = re.compile(r"\{[^}]*/")
PLAIN_NAME = re.compile(r"[\w.*?{},+@ -]+")
OUTSIDE = ("/", "~", "..")


class PathGlob(Struct, frozen=True, kw_only=True):
    """A compiled pattern.

    `folder` is its literal beginning (may be absolute or begin with `~` or `..`), below which `matches` judges
    relative paths with `/`. `depth` is how many levels below `folder` a match can be, None if any. `names` are globs
    of which one fits the last part of every match, for tools that can filter by name; empty if there are none.
    """

    folder: str
    regex: re.Pattern[str]
    depth: int | None
    names: tuple[str, ...]
    words: frozenset[str]
    exclusions: Exclusions

    def matches(self, path: str) -> bool:
        """Whether `path`, relative to `folder`, fits."""
        return bool(self.regex.fullmatch(path)) and not self.exclusions.hold(path, self.folder)


class Fit(Struct, frozen=True, kw_only=True):
    """One of the patterns that a path may fit, below the folder of all; fields as in `PathGlob`."""

    regex: str
    depth: int | None
    name: str
    words: frozenset[str]


def compile_glob(pattern: str) -> PathGlob:
    """Compile a pattern, or several with commas between them, of which a path must fit one.

    Without `/` a pattern is about names in any folder, with a leading `!` about what to leave out. Backslashes count
    as `/`. Brackets and braces that are never closed stand for themselves. A name with commas fits as a whole, too.
    """
    parts = between_commas(pattern.replace("\\", "/"))
    wanted = _wanted([part for part in parts if not part.lstrip().startswith("!")]) or ["**"]
    folder, rest = _split(wanted[0]) if len(wanted) == 1 else ("", "")
    fits = [_fit(rest or part.removeprefix("./"), anywhere="/" not in part) for part in wanted]
    depths = [fit.depth for fit in fits if fit.depth is not None]
    return PathGlob(
        folder=folder,
        regex=re.compile("|".join(fit.regex for fit in fits), re.DOTALL),
        depth=max(depths) if len(depths) == len(fits) else None,
        names=tuple(fit.name for fit in fits) if all(fit.name for fit in fits) else (),
        words=frozenset(word for fit in fits for word in fit.words),
        exclusions=compile_exclusions([part.strip()[1:] for part in parts if part.lstrip().startswith("!")]),
    )


def _wanted(parts: Sequence[str]) -> list[str]:
    """The alternatives: the parts, and all of them as one name; only that if a part is about another place."""
    whole = ",".join(parts)
    if not parts[1:] or any(part.strip().startswith(OUTSIDE) for part in parts):
        return [whole] if whole else []
    return [whole, *(part.strip() for part in parts)]


def _fit(rest: str, *, anywhere: bool) -> Fit:
    rest = f"{rest}**" if rest.endswith("/") else rest
    name = rest.rpartition("/")[2]
    unbounded = anywhere or "**" in rest or BRACE_WITH_FOLDERS.search(rest)
    return Fit(
        regex=("(?:.*/)?" if anywhere else "") + translated(rest),
        depth=None if unbounded else rest.count("/") + 1,
        name=name if "**" not in name and name.strip("*") and _is_plain(name) else "",
        words=frozenset(part for part in re.split(r"[/{},]", rest) if part and not MAGIC.search(part)),
    )


def _split(pattern: str) -> tuple[str, str]:
    """The literal folders a pattern begins with, and the rest, which is never empty."""
    magic = MAGIC.search(pattern)
    cut = pattern.rfind("/", 0, magic.start() if magic else len(pattern.rstrip("/")))
    return (pattern[:cut] or "/", pattern[cut + 1 :]) if cut >= 0 else ("", pattern)


def _is_plain(name: str) -> bool:
    """Whether other programs read the name glob as we do."""
    return bool(PLAIN_NAME.fullmatch(name)) and name.count("{") == name.count("}") <= 1
