"""Commands that run another command given as arguments, and the commands inside them."""

import re
from collections.abc import Iterator, Mapping

from yeaft.tools.policy.shell_script import ShellCommand, Word, plain_command, script
from yeaft.tools.policy.word_list import names

SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish", "eval"})
CARRIERS = names(
    "env command builtin exec nohup nice time timeout stdbuf setsid sudo doas su xargs parallel ionice chronic watch "
    "strace ltrace chroot unshare nsenter flock script busybox find fd entr ssh trap coproc noglob nocorrect"
)
UNSEEN = frozenset({"eval", "source", ".", "xargs", "parallel", "trap", "alias", "exec", *SHELLS})
"""What they run is decided while they run."""
MOST_NESTED = 4
MOST_WORDS = 50


def carried(found: ShellCommand, known: Mapping[str, str], depth: int = 0) -> Iterator[ShellCommand]:
    """Every command that `found` might run besides itself: too many rather than too few.

    A carrier's flags are not understood, so each of its words may begin a command (of at most 50 words, which is more
    than any rule has). What a shell gets is read as a script. The caller bounds how many it takes.
    """
    if program(found) in SHELLS:
        yield from _in_scripts(found, known, depth)
    if program(found) not in CARRIERS:
        return
    for index in range(1, len(found.words)):
        text = found.words[index].text
        if text is None or text.startswith("-"):
            continue
        inner = plain_command(found.words[index : index + MOST_WORDS])
        yield inner
        if program(inner) in SHELLS:
            yield from _in_scripts(inner, known, depth)


def passed_through(found: ShellCommand) -> ShellCommand:
    """The command itself, or what `time`, `nice -n 5`, `timeout 5` or `stdbuf -oL` runs; no other flags of these."""
    words = found.words
    while not found.assignments and (skip := _own_words(words)) and len(words) > skip:
        words = words[skip:]
    return found if words is found.words else plain_command(words)


def _own_words(words: tuple[Word, ...]) -> int:
    """How many of the words belong to a program that only runs the rest; 0 if it is none or its flags do more."""
    texts = tuple(word.text or "-" for word in words[:4])
    if any(word.glob for word in words[:4]):
        return 0
    match texts:
        case ("nice", "-n", level, *_) if re.fullmatch(r"-?\d+", level):
            return 3
        case ("timeout", limit, *_) if re.fullmatch(r"[\d.]+[smhd]?", limit):
            return 2
        case ("stdbuf", buffers, *_) if re.fullmatch(r"-[ioe][L\d]+", buffers):
            return 2
        case ("time", "-p", *_):
            return 2
        case ("time" | "nice", following, *_) if not following.startswith("-"):
            return 1
        case _:
            return 0


def program(found: ShellCommand) -> str:
    """The program's name without its folder; empty if it depends on the run."""
    return (found.name or "").rpartition("/")[2]


def runs_unseen(found: ShellCommand) -> bool:
    """Whether what it runs cannot be seen from its words."""
    if program(found) == "find":
        return any(
            (word.text or "-exec").startswith(("-exec", "-ok", "-delete", "-fprint", "-fls")) for word in found.words
        )
    if program(found) in CARRIERS and any((word.text or "").rpartition("/")[2] in UNSEEN for word in found.words[1:]):
        return True
    return found.name is None or program(found) in UNSEEN


def _in_scripts(found: ShellCommand, known: Mapping[str, str], depth: int) -> Iterator[ShellCommand]:
    """The commands in the arguments of a shell or `eval`, taken together and one by one."""
    if depth >= MOST_NESTED:
        return
    texts = [word.text for word in found.words[1:] if word.text is not None]
    for text in dict.fromkeys((" ".join(texts), *texts)):
        for inner in script(text, known).commands:
            yield inner
            yield from carried(inner, known, depth + 1)
