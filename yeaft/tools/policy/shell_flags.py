"""Flags and operands of a command, as programs that use getopt read them."""

import re
from collections.abc import Iterable, Iterator

from yeaft.tools.policy.shell_script import Word

_LETTERS = re.compile(r"[A-Za-z0-9]{1,20}")
_LEADS_AWAY = re.compile(r"[/~]|\.\.")


def split(rest: tuple[Word, ...]) -> tuple[tuple[str, ...], tuple[Word, ...]]:
    """Flags and operands; after `--` everything is an operand, and so is `-`."""
    flags: list[str] = []
    operands: list[Word] = []
    only_operands = False
    for word in rest:
        text = word.text or ""
        if text == "--" and not only_operands:
            only_operands = True
        elif text.startswith("-") and text != "-" and not only_operands:
            flags.append(text)
        else:
            operands.append(word)
    return tuple(flags), tuple(operands)


def names_long(flag: str, longs: Iterable[str]) -> bool:
    """Whether `--flag` is, perhaps abbreviated, one of `longs` (without dashes)."""
    name = flag[2:].partition("=")[0]
    return flag.startswith("--") and flag != "--" and any(long.startswith(name) for long in longs)


def names_letter(flag: str, letters: str) -> bool:
    """Whether one of `letters` is among the letters of a short flag, or of its value, which looks the same."""
    return not flag.startswith("--") and any(letter in letters for letter in flag[1:])


def paths_in(rest: tuple[Word, ...], *, skip: int = 0, valued: frozenset[str] = frozenset()) -> tuple[Word, ...]:
    """All that may name a file: operands (without the first `skip`) and values inside flags that look like paths.

    The word after a flag of `valued` is its value and no file.
    """
    flags, operands = split(without_values(rest, valued))
    values = dict.fromkeys(value for flag in flags for value in _values_in(flag))
    inner = tuple(Word(source=value, text=value) for value in values if _LEADS_AWAY.search(value))
    return (*operands[skip:], *inner)


def _values_in(flag: str) -> Iterator[str]:
    """What may be the value in a flag: of short ones any rest, since `-rf/x` can be `-r -f /x`."""
    if flag.startswith("--"):
        yield flag.partition("=")[2]
        return
    bundled = _LETTERS.match(flag, 1)
    for start in range(2, (bundled.end() if bundled else 1) + 1):
        yield flag[start:].removeprefix("=")
    yield flag[2:].removeprefix("=")


def without_values(rest: tuple[Word, ...], valued: frozenset[str]) -> tuple[Word, ...]:
    """The words without those that are values of a flag of `valued` before them."""
    kept: list[Word] = []
    is_value = only_operands = False
    for word in rest:
        if not is_value:
            kept.append(word)
        is_value = not is_value and not only_operands and word.text in valued
        only_operands = only_operands or (word.text == "--" and kept[-1] is word)
    return tuple(kept)
