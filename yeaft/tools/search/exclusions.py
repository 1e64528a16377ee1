"""What the globs with a leading `!` leave out, as ripgrep's do: files they fit, and all below folders they fit."""

import re
from collections.abc import Sequence

from msgspec import Struct

from yeaft.tools.search.glob_regex import translated

ANYWHERE = "**/"
NAME = re.compile(r"[^*?\[{/]+")


class Exclusions(Struct, frozen=True, kw_only=True):
    """Globs with their `!` taken off, compiled.

    `by_name` judges paths below the folder that a search names, `by_place` those below where it begins. `folders` are
    names of folders that are left out wherever they are.
    """

    by_name: re.Pattern[str]
    by_place: re.Pattern[str]
    folders: frozenset[str]

    def hold(self, path: str, folder: str) -> bool:
        """Whether `path`, relative to `folder`, is left out."""
        if self.by_name.fullmatch(path):
            return True
        place = "/".join([*([] if folder == "." else [folder.removeprefix("./").strip("/")]), path])
        return bool(self.by_place.fullmatch(place.removeprefix("/")))


def compile_exclusions(globs: Sequence[str]) -> Exclusions:
    """Compile globs; with a `/` before its last character one is about a place, else about a name in any folder."""
    plain = [glob.removeprefix(".") if glob.startswith("./") else glob for glob in globs if glob.strip("/")]
    by_name = [glob for glob in plain if "/" not in glob.rstrip("/")]
    by_place = [glob.removeprefix("/") for glob in plain if "/" in glob.rstrip("/")]
    anywhere = [glob.removeprefix(ANYWHERE).removesuffix("/**").rstrip("/") for glob in plain if _is_anywhere(glob)]
    return Exclusions(
        by_name=_any_of([f"(?:.*/)?{_with_contents(glob)}" for glob in by_name]),
        by_place=_any_of([_with_contents(glob) for glob in by_place]),
        folders=frozenset(name for name in anywhere if NAME.fullmatch(name)),
    )


def _is_anywhere(glob: str) -> bool:
    return glob.startswith(ANYWHERE) or "/" not in glob.rstrip("/")


def _with_contents(glob: str) -> str:
    return translated(glob.rstrip("/")) + ("/.*" if glob.endswith("/") else "(?:/.*)?")


def _any_of(regexes: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(regexes) or "(?!)", re.DOTALL)
