"""Which commands only read, by program and by flag; what is not known here is not read-only.

A command that passes names the words that are paths, so that the caller can see where they lead. Short flags are judged
letter by letter and long ones also abbreviated (`--outp` is `--output`), because that is how the programs read them.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Literal

from msgspec import Struct

from yeaft.tools.policy.read_only_awk import awk
from yeaft.tools.policy.read_only_exact import exactly
from yeaft.tools.policy.read_only_git import git
from yeaft.tools.policy.read_only_programs import (
    command,
    date,
    find,
    folder_of,
    ip,
    listed,
    printenv,
    printf,
    ps,
    read,
    set_options,
    shown_safely,
    tar,
    test,
    unpack,
)
from yeaft.tools.policy.read_only_sed import sed
from yeaft.tools.policy.shell_flags import names_letter, names_long, paths_in, split, without_values
from yeaft.tools.policy.shell_script import STANDARD_FILES, Assignment, ShellCommand, Word
from yeaft.tools.policy.word_list import names

Words = tuple[Word, ...]
READS_MORE = re.compile(r"(?<![\w.\"'])env\b|\$ENV|\bstrenv\b|\bload|\benvsubst\b|\$__")
HARMLESS_ASSIGNMENTS = names(
    "LC_ALL LANG LC_CTYPE LC_COLLATE LC_NUMERIC TZ NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS CI "
    "GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT"
)
HARMLESS_VALUES = {"PAGER": {"cat", ""}, "GIT_PAGER": {"cat", ""}, "TERM": {"dumb", "xterm", "xterm-256color"}}


class Reader(Struct, frozen=True):
    """A program that only reads unless one of the flags `letters` or `longs` (without dashes) is given.

    `operands`: `paths` are files, `names` files whose links are not followed, `text` is anything, `none` must be
    absent; with `pattern` the first is a pattern and the rest are files; `one` is at most one file, because a second
    would be written; `deep` are files or folders, of which the files in them are read, links followed. The word after
    a flag of `valued` is its value and never a file.
    """

    operands: Literal["paths", "names", "text", "none", "pattern", "one", "deep"] = "paths"
    letters: str = ""
    longs: tuple[str, ...] = ()
    valued: frozenset[str] = frozenset()


def _named(programs: str, reader: Reader) -> dict[str, Reader]:
    return dict.fromkeys(names(programs), reader)


_GREP_VALUES = names("-A -B -C -m -e --include --exclude --exclude-dir --regexp --context")
_RG_VALUES = names("-A -B -C -m -e -g -t -T -j -M -r --glob --iglob --type --type-add --type-not --regexp --context")
_FD_VALUES = names("-e -t -E -d --extension --type --exclude --max-depth --min-depth")
READERS: Mapping[str, Reader] = {
    **_named("cat head tail ls nl tac rev cut paste join fold expand unexpand fmt od hexdump strings", Reader()),
    **_named(
        "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum", Reader(letters="c", longs=("check",))
    ),
    "stat": Reader("names", letters="L", longs=("dereference",)),
    "readlink": Reader("names"),
    **_named("df realpath cmp comm base64 base32 column tsort", Reader()),
    "wc": Reader(longs=("files0-from",)),
    "du": Reader("names", letters="LDH", longs=("files0-from", "dereference")),
    "sort": Reader(letters="oT", longs=("output", "temporary-directory", "compress-program", "files0-from")),
    "uniq": Reader(operands="one"),
    "file": Reader("names", "CfmzZL", ("compile", "files-from", "magic-file", "uncompress", "dereference")),
    "tree": Reader(letters="oRl", longs=("output", "fromfile", "fromtabfile")),
    "diff": Reader("deep", longs=("to-file", "from-file")),
    **_named("grep fgrep egrep", Reader("pattern", "R", ("dereference-recursive",), _GREP_VALUES)),
    "rg": Reader("pattern", "Lz", ("pre", "pre-glob", "hostname-bin", "follow", "search-zip"), _RG_VALUES),
    **_named("fd fdfind", Reader("pattern", "xXL", ("exec", "exec-batch", "follow", "list-details"), _FD_VALUES)),
    "jq": Reader("pattern", "f", ("from-file",)),
    "yq": Reader("pattern", "isnf", ("inplace", "in-place", "split-exp", "from-file", "null-input")),
    **_named("echo tr true false : basename dirname seq sleep expr whoami id uname nproc arch groups", Reader("text")),
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
    "ip": ip,
    "printenv": printenv,
    "printf": printf,
    "ps": ps,
    "read": read,
    "set": set_options,
    "tar": tar,
    "gzip": unpack,
    "gunzip": unpack,
    "xz": unpack,
    "test": test,
    "command": command,
}
VERSIONED = names(
    "python python3 pip pip3 node npm npx deno bun ruby gem perl php java javac gcc g++ clang make cmake docker "
    "kubectl uv ruff mypy git bash zsh tsc curl wget gh helm conda sqlite3 psql redis-cli tmux vim code jq rg fd ssh "
    "openssl aws gcloud az black eslint prettier tar gzip zip unzip rsync sed awk gawk grep find less tree ninja meson "
    "ffmpeg nginx docker-compose podman nvim nano emacs lua julia pandoc mysql mongosh ghc pre-commit shellcheck "
    "hadolint yamllint rollup esbuild"
)
"""Programs that show their version and run nothing of the project for it.

Not here: yarn, pnpm, cargo, rustc, rustup, go, dotnet, swift, bazel, mvn, gradle, sbt, which let a file of the project
choose the program to run; pytest, tox, nox, flake8, pylint, poetry, pdm, hatch, ansible, which load plugins from it;
and jest, webpack, turbo, nx, lerna, which hand over to a copy in it.
"""
VERSION_FLAGS = frozenset({"--version", "-V", "-version", "version"})
ARGUMENT_FILES = names("strings nm objdump readelf size")
"""Programs that take options, such as plugins to load, from the file in an operand `@file`."""
BY_SMALL_V = names("node npm ruby php perl gcc g++ clang tsc deno nginx")
ONLY_DASHED = names(
    "make docker kubectl npm npx git tar zip unzip rsync sed awk gawk grep find less tree code vim nginx "
    "mypy tmux psql redis-cli sqlite3 jq rg fd gzip ninja"
)
HELPED = names("git npm node python python3 pip pip3 docker kubectl make cmake gh uv ruff rg fd tar curl wget")


def reads_only(found: ShellCommand) -> Words | None:
    """The words that are paths if the command does nothing but read; None if it may do more."""
    paths = _paths_of(found)
    if paths is None or _prints(found.name):
        return paths
    patterns = [word for word in found.words[1:] if word.glob]
    if any(_is_dashed(word) and not _stays_a_flag(word) for word in patterns):
        return None
    return tuple(dict.fromkeys((*paths, *(_looked_at(found, word) for word in patterns if not _is_dashed(word)))))


def plainly_run(found: ShellCommand) -> bool:
    """Whether the variables set for the command alone cannot change what it does."""
    return all(_is_harmless(found.name, one) for one in found.assignments)


def _paths_of(found: ShellCommand) -> Words | None:
    name, rest = found.name, found.words[1:]
    if name is None or not plainly_run(found):
        return None
    if name in ARGUMENT_FILES and any(map(_may_be_argument_file, rest)):
        return None
    if name in VERSIONED and len(rest) == 1 and _asks_version(name, rest[0].text):
        return ()
    if name in SPECIAL:
        return (
            SPECIAL[name](rest) if name in {"printf", "test"} or all(word.text is not None for word in rest) else None
        )
    reader = READERS.get(name)
    return _read_by(reader, name, rest) if reader else exactly(name, rest)


def _prints(name: str | None) -> bool:
    """Whether the words are only shown, whatever they say."""
    reader = READERS.get(name or "")
    return name == "printf" or (reader is not None and reader.operands == "text")


def _looked_at(found: ShellCommand, word: Word) -> Word:
    """The word or, for a program that does not follow links, the folder that it is in."""
    reader = READERS.get(found.name or "")
    return folder_of(word) if reader is not None and reader.operands == "names" else word


def _is_dashed(word: Word) -> bool:
    return (word.text or "").startswith("-")


def _stays_a_flag(word: Word) -> bool:
    """Whether a flag with wildcards, such as `--include=*.py`, is that flag whatever files there are."""
    return re.match(r"--[a-z][a-z-]*=", word.text or "") is not None


def _is_harmless(name: str | None, one: Assignment) -> bool:
    value = one.value.text if one.value is not None else ""
    if name == "read" and one.name == "IFS":
        return value is not None
    return one.name in HARMLESS_ASSIGNMENTS or value in HARMLESS_VALUES.get(one.name, set())


def _may_be_argument_file(word: Word) -> bool:
    return word.text is None or word.text.startswith("@") or (word.glob and word.text[:1] in {"*", "?", "["})


def _asks_version(name: str, flag: str | None) -> bool:
    if flag == "--help" and name in HELPED:
        return True
    if flag == "-v" and name in BY_SMALL_V:
        return True
    return flag in ({"--version"} if name in ONLY_DASHED else VERSION_FLAGS)


def _read_by(reader: Reader, name: str, rest: Words) -> Words | None:
    if reader.operands == "text":
        return listed(rest) if all(map(shown_safely, rest)) else None
    if any(word.text is None for word in rest):
        return None
    flags, operands = split(without_values(rest, reader.valued))
    if any(names_long(flag, reader.longs) or names_letter(flag, reader.letters) for flag in flags):
        return None
    if reader.operands == "none":
        return None if operands else ()
    if reader.operands == "one" and len(operands) > 1:
        return None
    if name in {"jq", "yq"} and any(READS_MORE.search(word.text or "") for word in rest):
        return None
    skipped = 1 if reader.operands == "pattern" and not _pattern_is_flagged(name, flags) else 0
    found = paths_in(rest, skip=skipped, valued=reader.valued)
    if reader.operands == "names":
        return tuple(map(folder_of, found))
    return (*found, *_below(operands, flags)) if reader.operands == "deep" else found


def _below(folders: Words, flags: tuple[str, ...]) -> Iterator[Word]:
    """What `diff` reads in the folders among its operands."""
    recursive = any(names_long(flag, ("recursive",)) or names_letter(flag, "r") for flag in flags)
    for word in folders:
        if word.text not in STANDARD_FILES:
            yield Word(source=word.source, text=f"{word.text}/{'**/*' if recursive else '*'}", glob=True)


def _pattern_is_flagged(name: str, flags: tuple[str, ...]) -> bool:
    if name in {"fd", "fdfind"}:
        return False
    return any(
        names_long(flag, ("regexp", "file", "files")) if flag.startswith("--") else ("e" in flag or "f" in flag)
        for flag in flags
    )
