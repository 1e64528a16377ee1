"""What a shell command line consists of: its simple commands, words and redirections, as far as they can be known.

The grammar is that of tree-sitter-bash, read with a list of what is understood; everything else becomes a `doubt`. A
command of plain words is split here without loading the parser (13 ms).
"""

import re
from collections.abc import Mapping

from msgspec import Struct

from yeaft.tools.policy.word_list import names

MOST_CHARS = 10_000
STANDARD_FILES = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin"})


class Word(Struct, frozen=True, kw_only=True):
    """A word of a command. `text` is what the shell makes of it, None if that depends on the run.

    `variables` are the variables it depends on; a command substitution counts as the variable `$()`, braces and a
    foreign `~user` as `{}`. `glob` says that the shell will replace it by the names of files, `splits` that each of
    these, or the text itself, is split again at blanks.
    """

    source: str
    text: str | None
    variables: tuple[str, ...] = ()
    glob: bool = False
    splits: bool = False


class Assignment(Struct, frozen=True, kw_only=True):
    """A variable that is set, for one command or for the rest of the script."""

    name: str
    value: Word | None = None


class Redirection(Struct, frozen=True, kw_only=True):
    """A file that is read or written; `operator` is `<`, `>`, `>>`, `&>` and so on."""

    operator: str
    target: Word


class ShellCommand(Struct, frozen=True, kw_only=True):
    """A simple command, the variables that it alone gets, and its own text."""

    words: tuple[Word, ...]
    source: str
    assignments: tuple[Assignment, ...] = ()

    @property
    def name(self) -> str | None:
        """The program or builtin, None if it depends on the run."""
        return self.words[0].text if not self.words[0].glob else None


class Script(Struct, frozen=True, kw_only=True):
    """All that a command line does.

    `listed` are the wildcards that a loop goes through. `chained` says that each command runs only if the one before
    it has succeeded, `sequential` that the folder is changed only between statements. A non-empty `doubt` says why
    there may be more to it than is listed here; `unreadable` that the list is worthless.
    """

    commands: tuple[ShellCommand, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    redirections: tuple[Redirection, ...] = ()
    listed: tuple[Word, ...] = ()
    chained: bool = False
    sequential: bool = False
    doubt: str = ""
    unreadable: bool = False


_PLAIN = re.compile(r"[A-Za-z0-9_./,:@%+-][A-Za-z0-9_./=,:@%+-]*(?: +[A-Za-z0-9_./,:@%+-][A-Za-z0-9_./=,:@%+-]*)*")
_STRANGE = re.compile(r"[^\n\t\x20-\x7e]")
_INVISIBLE = re.compile(r"[^\S\n\t ]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]")
_CONTINUATION = re.compile(r"(?<=[^\s\\])[ \t]+\\\n")
_BROKEN_LINE = re.compile(r"\\\n|\n[ \t]*\\")
_KEYWORDS = names(
    "if then elif else fi for while until do done case esac select function coproc time in nocorrect repeat foreach end"
)


def script(command: str, known: Mapping[str, str]) -> Script:
    """Take a command line apart. `known` are variables whose value is certain, such as HOME. Never raises."""
    stripped = command.strip(" \n\t")
    if not stripped:
        return Script(doubt="the command is empty", unreadable=True)
    if len(command) > MOST_CHARS:
        return Script(doubt=f"the command is longer than {MOST_CHARS} characters", unreadable=True)
    if _STRANGE.search(command) and _INVISIBLE.search(command):
        return Script(doubt="the command contains invisible characters", unreadable=True)
    if "\n" in stripped and _BROKEN_LINE.search(_CONTINUATION.sub(" ", stripped)):
        return Script(doubt="a backslash beside a line break joins what looks apart", unreadable=True)
    if _PLAIN.fullmatch(stripped):
        return _plain(stripped) or _parsed(command, known)
    return _parsed(command, known)


def plain_command(words: tuple[Word, ...]) -> ShellCommand:
    """A command made of words that were found inside another, such as what `timeout` runs."""
    return ShellCommand(words=words, source=" ".join(word.source for word in words))


def _plain(command: str) -> Script | None:
    words = tuple(Word(source=text, text=text) for text in command.split())
    name = words[0].source
    if name in _KEYWORDS or "=" in name:
        return None
    return Script(commands=(ShellCommand(words=words, source=command),))


def _parsed(command: str, known: Mapping[str, str]) -> Script:
    from yeaft.tools.policy.shell_grammar import parsed

    return parsed(command, known)
