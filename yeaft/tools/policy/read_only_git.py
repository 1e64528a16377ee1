"""Which git commands only read: by sub-command and flag, without options that run programs or write files."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from yeaft.tools.policy.shell_flags import names_letter, names_long, paths_in
from yeaft.tools.policy.shell_script import Word
from yeaft.tools.policy.word_list import names

Words = tuple[Word, ...]

WRITING_LONGS = ("output", "ext-diff", "textconv", "filters", "open-files-in-pager", "exec", "contents")
GLOBAL_ALONE = frozenset({"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"})


class Listing(Struct, frozen=True):
    """A sub-command that only lists when all its flags are of `flags` and it has no operands except after `asking`."""

    flags: tuple[str, ...]
    asking: tuple[str, ...] = ()


FREE = names(
    "status log diff show blame annotate rev-parse rev-list ls-files ls-tree cat-file describe shortlog name-rev "
    "merge-base show-branch diff-tree diff-index diff-files for-each-ref show-ref whatchanged count-objects cherry "
    "range-diff grep check-ignore check-attr version"
)
LISTINGS: Mapping[str, Listing] = {
    "branch": Listing(
        (
            "-a",
            "-l",
            "-r",
            "-v",
            "-vv",
            "-av",
            "-avv",
            "--all",
            "--remotes",
            "--verbose",
            "--show-current",
            "--color",
            "--no-color",
            "--sort",
            "--format",
            "--column",
            "--no-column",
            "--ignore-case",
            "-i",
            "--abbrev",
            "--no-abbrev",
        ),
        ("--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"),  # old gits create by -l
    ),
    "tag": Listing(
        ("--sort", "--format", "--column", "--no-column", "-i", "--ignore-case"),
        ("-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at", "-n"),
    ),
    "remote": Listing(("-v", "--verbose"), ("get-url",)),
    "stash": Listing(("-p", "-n", "--stat", "--patch", "--oneline"), ("list", "show")),
    "worktree": Listing(("--porcelain", "-v", "-z"), ("list",)),
    "config": Listing(
        ("--global", "--local", "--system", "--show-origin", "--show-scope"), ("--get", "--get-all", "get")
    ),
    "bisect": Listing((), ("log",)),
    "notes": Listing((), ("list", "show")),
    "submodule": Listing(("--recursive", "--cached"), ("status", "summary")),
    "fsck": Listing(("--full", "--no-dangling", "--no-progress", "--connectivity-only")),
    "reflog": Listing(("-n", "--oneline", "--all", "--date", "--format"), ("show",)),
}
BARE_IS_LISTING = frozenset({"branch", "tag", "remote", "reflog", "fsck", "submodule"})
ASKING_FLAGS = names("--short -q --quiet --global --local --system --show-origin --show-scope")
SECRET_SETTINGS = ("token", "password", "secret", "header", "credential", "helper", "url")


def git(rest: Words) -> Words | None:
    """The words that are paths if the git command only reads; None if it may do more."""
    folders, index = _after_globals(rest)
    if index is None or index >= len(rest):
        return None
    name, arguments = rest[index].text or "", rest[index + 1 :]
    if name in FREE:
        return (*folders, *paths_in(arguments)) if not any(map(_may_write, arguments)) else None
    if name in {"symbolic-ref", "var", "config"} and _names_one(arguments):
        return folders
    listing = LISTINGS.get(name)
    if listing is None or not _lists(name, listing, arguments):
        return None
    return (*folders, *paths_in(arguments))


def _after_globals(rest: Words) -> tuple[Words, int | None]:
    """The folders of `-C` and the place of the sub-command; None for an option that changes what git runs."""
    folders: list[Word] = []
    index = 0
    while index < len(rest) and (rest[index].text or "").startswith("-"):
        if rest[index].text == "-C" and index + 1 < len(rest):
            folders.append(rest[index + 1])
            index += 2
        elif rest[index].text in GLOBAL_ALONE:
            index += 1
        else:
            return (), None
    return tuple(folders), index


def folders_of(rest: Words) -> Words:
    """The folders of `-C`, in order; each starts from the one before."""
    return _after_globals(rest)[0]


def _may_write(word: Word) -> bool:
    text = word.text or ""
    return names_long(text, WRITING_LONGS) or (text.startswith("-") and names_letter(text, "O"))


def _counts(name: str, flag: str) -> bool:
    """Whether the flag says how much is shown, such as `-n3` or `-10`."""
    return (name in {"tag", "reflog", "stash"} and flag[1:2] == "n") or (
        name in {"reflog", "stash"} and flag[1:].isdigit()
    )


def _names_one(arguments: Words) -> bool:
    """Whether one thing is named, which is then shown; a second would be its new value."""
    texts = [word.text or "" for word in arguments]
    named = [text for text in texts if text not in ASKING_FLAGS]
    return len(named) == 1 and not named[0].startswith("-") and not _is_secret(texts)


def _is_secret(texts: Sequence[str]) -> bool:
    return any(secret in text.casefold() for text in texts for secret in SECRET_SETTINGS)


def _lists(name: str, listing: Listing, arguments: Words) -> bool:
    texts = [word.text or "" for word in arguments]
    if not texts:
        return name in BARE_IS_LISTING
    if name == "config" and _is_secret(texts):
        return False
    asking = False
    for position, text in enumerate(texts):
        flag = text.partition("=")[0]
        if flag in listing.asking and (text.startswith("-") or position == 0):
            asking = True
        elif text.startswith("-"):
            if flag not in listing.flags and not _counts(name, text):
                return False
        elif not asking and not (text.isdigit() and texts[position - 1] == "-n"):
            return False
    return asking or name in BARE_IS_LISTING
