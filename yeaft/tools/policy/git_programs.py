"""Whether a repository's own configuration makes git run programs when it only reads; what runs is never tried out.

A user's configuration outside the repository is the user's own and not looked at. `core.pager` and `core.editor` do not
matter because commands have no terminal; programs that fetch matter only where objects are fetched when they are read.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from yeaft.tools.paths import Paths
from yeaft.tools.policy.git_repository import Repository, inner_tops, repositories
from yeaft.tools.policy.git_settings import Setting, settings
from yeaft.tools.policy.word_list import names

MOST_FILES = 50
SWITCHES = names("true false yes no on off 0 1") | {""}
RUN = frozenset(
    {
        *(("diff", "external"), ("diff", "command"), ("diff", "textconv")),
        *(("filter", "clean"), ("filter", "smudge"), ("filter", "process")),
        *(("gpg", "program"), ("gpg", "defaultkeycommand"), ("core", "alternaterefscommand")),
        *(("lfs", "clean"), ("lfs", "smudge"), ("lfs", "path")),
        *(("help", "browser"), ("help", "format"), ("web", "browser"), ("alias", "whatchanged")),
    }
)
"""Sections and keys whose values are programs that reading commands run, whatever stands between the two."""
RUN_WHOLE = names("man browser")
FETCH = frozenset(
    {
        *(("core", "sshcommand"), ("core", "gitproxy"), ("core", "askpass"), ("credential", "helper")),
        *(("remote", "uploadpack"), ("remote", "vcs"), ("protocol", "allow"), ("ssh", "variant")),
    }
)
PARTIAL = frozenset({("remote", "promisor"), ("remote", "partialclonefilter"), ("extensions", "partialclone")})
USUAL = {
    "clean": "git-lfs clean -- %f",
    "smudge": "git-lfs smudge -- %f",
    "process": "git-lfs filter-process",
}
"""What `git lfs install --local` writes."""


def objection(folders: Sequence[Path], paths: Paths) -> str:
    """Why git may not simply be run in these folders (absolute, links followed); empty if it may."""
    waiting, seen = list(folders), set[Path]()
    while waiting:
        folder = Path(os.path.realpath(waiting.pop()))
        if folder in seen:
            continue
        seen.add(folder)
        if len(seen) > MOST_FILES:
            return "It has too many submodules to see what git would run in them."
        for found in repositories(folder):
            if reason := _about(found, paths):
                return reason
            inner = inner_tops(found)
            if inner is None:
                return f"The submodules of {paths.shown(found.top)} cannot be told, nor what git would run in them."
            waiting.extend(inner)
    return ""


def _about(found: Repository, paths: Paths) -> str:
    where = paths.shown(found.top)
    if found.is_bare and found.top.name != ".git":
        return f"{where} looks like a bare repository, whose files could make git run programs."
    hooks = [found.common / "hooks"]
    known: list[Setting] = []
    for one in _all_settings(found, paths):
        if one is None:
            return f"What git would run in {where} cannot be told from its configuration."
        if _runs(one) or (one.section == "core" and one.key == "worktree" and not _is_top(one.value, found)):
            return f"The configuration of the repository {where} sets {one.name}, which git would obey or run."
        if (one.section, one.key) == ("core", "hookspath"):
            hooks += [place / _at_home(one.value, paths) for place in (found.top, found.git)]
        known.append(one)
    if any((one.section, one.key) in PARTIAL for one in known):
        fetching = next((one.name for one in known if (one.section, one.key) in FETCH), "")
        if fetching:
            return f"The repository {where} fetches what it lacks, and its configuration sets {fetching}."
    if any((folder / "post-index-change").exists() for folder in hooks):
        return f"The repository {where} has a hook post-index-change, which git would run."
    return ""


def _all_settings(found: Repository, paths: Paths) -> Iterator[Setting | None]:
    """All settings of the repository and of the files it includes; None for what cannot be told."""
    waiting = [found.common / "config", found.common / "config.worktree", found.git / "config.worktree"]
    seen: set[Path] = set()
    while waiting:
        file = Path(os.path.realpath(waiting.pop()))
        if file in seen:
            continue
        seen.add(file)
        known = settings(file)
        if known is None or len(seen) > MOST_FILES:
            yield None
            return
        for one in known:
            if one.section in {"include", "includeif"} and one.key == "path":
                included = _included(one.value, file, paths)
                if included is None or paths.inside(included):  # a file of the folder could change until git runs
                    yield None
                    return
                waiting.append(included)
            yield one


def _at_home(text: str, paths: Paths) -> str:
    return f"{paths.home}{text[1:]}" if text.startswith("~/") else text


def _included(text: str, file: Path, paths: Paths) -> Path | None:
    text = _at_home(text, paths)
    if not text or text[0] in '~%"' or any(odd in text for odd in "\\#;"):
        return None
    return file.parent / text


def _runs(one: Setting) -> bool:
    if one.section in RUN_WHOLE:
        return True
    if (one.section, one.key) == ("core", "fsmonitor"):
        return one.value.casefold() not in SWITCHES
    if (one.section, one.key) not in RUN:
        return False
    return not (one.section == "filter" and one.part == "lfs" and USUAL.get(one.key) == one.value)


def _is_top(worktree: str, found: Repository) -> bool:
    return os.path.realpath(found.git / worktree) == os.path.realpath(found.top)
