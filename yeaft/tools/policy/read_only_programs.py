"""Programs that read or write depending on their arguments in ways of their own: find, date, ps and others.

Each function gets the words after the program's name and returns those that are paths, or None if the call may do more
than read. All words have a known text, except for `printf` and `test`.
"""

import re

from yeaft.tools.policy.own_variables import is_harmless
from yeaft.tools.policy.shell_flags import split
from yeaft.tools.policy.shell_script import Word
from yeaft.tools.policy.word_list import names

Words = tuple[Word, ...]

IP_WORDS = names(
    "a addr address r route l link n neigh show list ls -br -brief -c -4 -6 -o -s -j -color=never -d dev eth0 lo"
)
TAR_LISTS = re.compile(r"-?(?=\w*t)[tvzjJ]+f")
WILDCARD = re.compile(r"[*?\[]")
NAME = re.compile(r"[a-z_][a-z0-9_]*")

FIND_ALONE = names(
    "-not ! ( ) -a -and -o -or , -print -print0 -ls -prune -quit -empty -readable -writable -executable -true -false "
    "-depth -d -mount -xdev -daystart -nouser -nogroup -noleaf"
)
FIND_WITH_VALUE = names(
    "-name -iname -path -ipath -wholename -regex -iregex -regextype -lname -ilname -type -xtype -maxdepth -mindepth "
    "-size -mtime -mmin -atime -amin -ctime -cmin -newer -anewer -cnewer -newermt -newerct -perm -user -group -uid "
    "-gid -links -inum -samefile -printf -used -fstype"
)
DATE_FLAGS = re.compile(r"\+.*|-u|-R|-I.*|--iso-8601(?:=.*)?|--rfc-(?:email|3339=.*)|--utc|--date=.*", re.DOTALL)
PS_ARGUMENTS = re.compile(r"aux|ax|-e|-f|-ef|-A|-u|-p|\d+|-eo|-o|[a-z%,=]+")
PS_LONGS = re.compile(r"--sort=[a-z%,+-]+|--no-headers?|--headers|--forest|-ww?|--pid=\d+|-C")
SET_ARGUMENTS = re.compile(r"[-+][eux]+o?|[-+]o|pipefail|errexit|nounset|xtrace")
UNSAFE_TESTS = frozenset({"-v", "-R"})
NUMBER_TESTS = names("-eq -ne -lt -le -gt -ge")


def shown_safely(word: Word) -> bool:
    """Whether a word may be printed: its text is known or depends on nothing that could be secret."""
    return word.text is not None or all(map(is_harmless, word.variables))


def listed(words: Words) -> Words:
    """The folders whose files' names are shown when `words` are only printed."""
    return tuple(folder_of(word) for word in words if word.glob and word.text is not None)


def folder_of(word: Word) -> Word:
    """The folder that holds what a word names, links not followed; the word itself where that is not one step away."""
    folder, slash, name = (word.text or "").rpartition("/")
    if name in {"", ".", ".."} or WILDCARD.search(folder):
        return word
    return Word(source=word.source, text=folder + slash or ".")


def find(rest: Words) -> Words | None:
    """Tests and printing; no -exec, -delete, -fprint or -follow, nor any predicate that is not known."""
    index = 0
    while index < len(rest) and rest[index].text in {"-H", "-P"}:
        index += 1
    first = index
    while index < len(rest) and not (rest[index].text or "").startswith(("-", "(", "!", ",")):
        index += 1
    starts = rest[first:index]
    while index < len(rest):
        predicate = rest[index].text
        if predicate in FIND_WITH_VALUE and index + 1 < len(rest):
            index += 2
        elif predicate in FIND_ALONE:
            index += 1
        else:
            return None
    return starts


def date(rest: Words) -> Words | None:
    """Showing a time, never setting one."""
    index = 0
    while index < len(rest):
        text = rest[index].text or ""
        if text == "-d":
            index += 2
        elif DATE_FLAGS.fullmatch(text):
            index += 1
        else:
            return None
    return ()


def printf(rest: Words) -> Words | None:
    """Printing, not `printf -v`, which evaluates the variable's subscript."""
    if not rest or rest[0].text is None or rest[0].text.startswith("-"):
        return None
    return listed(rest) if all(map(shown_safely, rest)) else None


def ps(rest: Words) -> Words | None:
    """Processes without their environment (BSD `e`)."""
    texts = [word.text or "" for word in rest if not PS_LONGS.fullmatch(word.text or "")]
    if any("env" in text or ("e" in text and text[0] != "-" and "=" not in text and "," not in text) for text in texts):
        return None
    return () if all(map(PS_ARGUMENTS.fullmatch, texts)) else None


def read(rest: Words) -> Words | None:
    """Reading a line into plain variables of the script's own."""
    texts = [word.text or "" for word in rest]
    names = texts[1:] if texts[:1] == ["-r"] else texts
    return () if all(map(NAME.fullmatch, names)) else None


def set_options(rest: Words) -> Words | None:
    """The usual strictness options."""
    return () if rest and all(SET_ARGUMENTS.fullmatch(word.text or "") for word in rest) else None


def test(rest: Words) -> Words | None:
    """Tests of files and strings, and of numbers that are plainly numbers, because some shells evaluate them."""
    if any(word.text in UNSAFE_TESTS for word in rest) or not all(map(_is_one_word, rest)):
        return None
    if any(word.text in NUMBER_TESTS for word in rest) and not all(map(_is_number_or_test, rest)):
        return None
    return tuple(word for word in rest if word.text is not None and not word.text.startswith("-"))


def _is_one_word(word: Word) -> bool:
    quoted = word.source.startswith('"') and word.source.endswith('"')
    return (word.text is not None and not word.splits) or quoted or word.variables in {("?",), ("#",)}


def _is_number_or_test(word: Word) -> bool:
    return (
        word.text in NUMBER_TESTS or word.variables in {("?",), ("#",)} or bool(re.fullmatch(r"-?\d+", word.text or ""))
    )


def command(rest: Words) -> Words | None:
    """Asking where a command is, not running it."""
    return () if len(rest) > 1 and rest[0].text in {"-v", "-V"} else None


def printenv(rest: Words) -> Words | None:
    """Single variables that are no secrets."""
    return () if rest and all(is_harmless(word.text or "") for word in rest) else None


def ip(rest: Words) -> Words | None:
    """Showing addresses, routes, links and neighbours."""
    return () if rest and all(word.text in IP_WORDS for word in rest) else None


def tar(rest: Words) -> Words | None:
    """Listing an archive: `tar tf`, `tar -tvzf`; a name with a colon would be fetched from another machine."""
    texts = [word.text or "" for word in rest]
    if len(texts) < len(("tf", "archive")) or not TAR_LISTS.fullmatch(texts[0]):
        return None
    return None if ":" in texts[1] or any(text.startswith("-") for text in texts[1:]) else rest[1:2]


def unpack(rest: Words) -> Words | None:
    """Unpacking to the output, or listing and testing; of several modes the last wins, and `-d` replaces the file."""
    flags, operands = split(rest)
    letters = "".join(flag[1:] for flag in flags)
    if any(flag.startswith("--") for flag in flags) or not set(letters) <= set("dckltvfq"):
        return None
    shown = "c" in letters or ("d" not in letters and ("l" in letters or "t" in letters))
    return operands if shown else None
