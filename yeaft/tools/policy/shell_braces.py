"""What the shell makes of braces: `{a,b}.txt`, `{1..5}`; only where nothing in the word is quoted or expanded."""

import re
from collections.abc import Iterator

MOST_WORDS, MOST_BRACES = 100, 4
_PLAIN = r"[\w./:@%+=*?-]*"
_PLAIN_BRACES = re.compile(
    rf"(?:{_PLAIN}\{{(?:{_PLAIN}(?:,{_PLAIN})+|\d{{1,3}}\.\.\d{{1,3}}|[a-z]\.\.[a-z]|[A-Z]\.\.[A-Z])\}})+{_PLAIN}"
)
_ONE_BRACE = re.compile(r"\{([^{}]*)\}")


def can_expand(source: str) -> bool:
    """Whether the word has braces that are understood."""
    return source.count("{") <= MOST_BRACES and _PLAIN_BRACES.fullmatch(source) is not None


def expanded(source: str) -> Iterator[str]:
    """The words that braces make of one, in order; the caller stops where it has enough."""
    found = _ONE_BRACE.search(source)
    if found is None:
        yield source
        return
    first, dots, last = found[1].partition("..")
    if dots and first.isdigit() and last.isdigit():
        step = 1 if int(first) <= int(last) else -1
        choices = [str(number) for number in range(int(first), int(last) + step, step)]
    elif dots and len(first) == len(last) == 1:
        step = 1 if first <= last else -1
        choices = [chr(code) for code in range(ord(first), ord(last) + step, step)]
    else:
        choices = found[1].split(",")
    for choice in choices:
        yield from expanded(source[: found.start()] + choice + source[found.end() :])
