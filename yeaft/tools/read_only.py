"""Which commands only read, by program and by flag; what is not known here is not read-only.

A command that passes names the words that are paths, so that the caller can see where they lead. Short flags are judged
letter by letter and long ones also abbreviated (`--outp` is `--output`), because that is how the programs read them.
"""

from collections.abc import Callable, Mapping
from typing import Literal

from msgspec import Struct

from yeaft.tools.read_only_git import git
from yeaft.tools.read_only_programs import (
    awk,
    command,
    date,
    find,
    printf,
    ps,
    read,
    sed,
    set_options,
    shown_safely,
    test,
)
from yeaft.tools.shell_flags import names_letter, names_long, paths_in, split
from yeaft.tools.shell_script import ShellCommand, Word
from yeaft.tools.word_list import names

Words = tuple[Word, ...]
HARMLESS_ASSIGNMENTS = names("LC_ALL LANG LC_CTYPE LC_COLLATE TZ NO_COLOR FORCE_COLOR CLICOLOR COLUMNS CI")


class Reader(Struct, frozen=True):
    """A program that only reads unless one of the flags `letters` or `longs` (without dashes) is given.

    `operands`: `paths` are files, `text` is anything, `none` must be absent; with `pattern` the first is a pattern and
    the rest are files; `one` is at most one file, because a second would be written; `deep` are files or folders, of
    which the files in them are read, links followed.
    """

    operands: Literal["paths", "text", "none", "pattern", "one", "deep"] = "paths"
    letters: str = ""
    longs: tuple[str, ...] = ()


def _named(programs: str, reader: Reader) -> dict[str, Reader]:
    return dict.fromkeys(names(programs), reader)


READERS: Mapping[str, Reader] = {
    **_named("cat head tail ls nl tac rev cut tr paste join fold expand unexpand fmt od hexdump strings", Reader()),
    **_named(
        "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum", Reader(letters="c", longs=("check",))
    ),
    **_named("stat df realpath readlink cmp comm base64 base32 column tsort", Reader()),
    "wc": Reader(longs=("files0-from",)),
    "du": Reader(letters="LD", longs=("files0-from", "dereference")),
    "sort": Reader(letters="oT", longs=("output", "temporary-directory", "compress-program", "files0-from")),
    "uniq": Reader(operands="one"),
    "file": Reader(letters="CfmzZ", longs=("compile", "files-from", "magic-file", "uncompress")),
    "tree": Reader(letters="oRl", longs=("output", "fromfile", "fromtabfile")),
    "diff": Reader("deep", letters="r", longs=("recursive", "to-file", "from-file")),
    "grep": Reader("pattern", letters="R", longs=("dereference-recursive",)),
    "fgrep": Reader("pattern", letters="R", longs=("dereference-recursive",)),
    "egrep": Reader("pattern", letters="R", longs=("dereference-recursive",)),
    "rg": Reader("pattern", letters="Lz", longs=("pre", "pre-glob", "hostname-bin", "follow", "search-zip", "files")),
    "jq": Reader("pattern"),
    **_named("echo true false : basename dirname seq sleep expr whoami id uname nproc arch groups", Reader("text")),
    **_named("uptime free locale getconf logname which type exit return break continue wait", Reader("text")),
    **_named("pwd hostname tty users", Reader("none")),
}
SPECIAL: Mapping[str, Callable[[Words], Words | None]] = {
    "git": git,
    "find": find,
    "sed": sed,
    "awk": awk,
    "gawk": awk,
    "mawk": awk,
    "date": date,
    "printf": printf,
    "ps": ps,
    "read": read,
    "set": set_options,
    "test": test,
    "command": command,
}
VERSIONED = names(
    "python python3 pip pip3 node npm npx yarn pnpm deno bun ruby gem perl php java javac go rustc cargo gcc g++ clang "
    "make cmake docker kubectl terraform uv ruff mypy pytest git bash zsh tsc dotnet swift curl wget"
)
VERSION_FLAGS = frozenset({"--version", "-V", "-version", "version"})
ONLY_DASHED = frozenset({"make", "docker", "kubectl", "npm", "npx", "yarn", "git", "pytest"})


def reads_only(found: ShellCommand) -> Words | None:
    """The words that are paths if the command does nothing but read; None if it may do more."""
    name, rest = found.name, found.words[1:]
    if name is None or not plainly_run(found):
        return None
    if name in VERSIONED and len(rest) == 1 and _asks_version(name, rest[0].text):
        return ()
    if name in SPECIAL:
        return SPECIAL[name](rest) if all(word.text is not None for word in rest) or name == "printf" else None
    reader = READERS.get(name)
    return _read_by(reader, name, rest) if reader else None


def plainly_run(found: ShellCommand) -> bool:
    """Whether the variables set for the command alone cannot change what it does."""
    return all(one.name in HARMLESS_ASSIGNMENTS for one in found.assignments)


def _asks_version(name: str, flag: str | None) -> bool:
    return flag in ({"--version"} if name in ONLY_DASHED else VERSION_FLAGS)


def _read_by(reader: Reader, name: str, rest: Words) -> Words | None:
    if reader.operands == "text":
        return tuple(word for word in rest if word.glob) if all(map(shown_safely, rest)) else None
    if any(word.text is None for word in rest):
        return None
    flags, operands = split(rest)
    if any(names_long(flag, reader.longs) or names_letter(flag, reader.letters) for flag in flags):
        return None
    if reader.operands == "none":
        return None if operands else ()
    if reader.operands == "one" and len(operands) > 1:
        return None
    if name == "jq" and any("env" in (word.text or "").casefold() for word in rest):
        return None
    skipped = 1 if reader.operands == "pattern" and not _pattern_is_flagged(flags) else 0
    inside = tuple(Word(source=word.source, text=f"{word.text}/*", glob=True) for word in operands)
    return (*paths_in(rest, skip=skipped), *(inside if reader.operands == "deep" else ()))


def _pattern_is_flagged(flags: tuple[str, ...]) -> bool:
    return any(
        flag.startswith(("--r", "--f")) if flag.startswith("--") else ("e" in flag or "f" in flag) for flag in flags
    )
