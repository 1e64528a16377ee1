"""Patterns of ripgrep (Rust's regex crate) for Python's `re`, refusing what the two do not share."""

import re

CLASSES = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r"\t-\r ",
    "blank": r"\t ",
    "punct": r"!-/:-@\[-`{-~",
    "xdigit": "0-9A-Fa-f",
    "word": r"\w",
    "cntrl": r"\x00-\x1f\x7f",
    "print": " -~",
    "graph": "!-~",
    "ascii": r"\x00-\x7f",
}
FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE, "u": re.UNICODE}
LEADING = re.compile(r"\(\?([imsxu]*)(?:-([imsxu]+))?\)")
REPEAT = re.compile(r"\{(\d+(,\d*)?|,\d+)\}")
POSIX = re.compile(r"\[:(\w+):\]")
LOOKS = ("(?=", "(?!", "(?<=", "(?<!")
ENDS = {r"\<": r"\b(?=\w)", r"\>": r"\b(?<=\w)"}


def translated(pattern: str, *, fixed: bool, ignore_case: bool, multiline: bool) -> re.Pattern[str]:
    """The Python pattern that finds what ripgrep would, lines given without their ends unless `multiline`.

    Raises `ValueError` with a reason for a model.
    """
    flags = re.MULTILINE | (re.IGNORECASE if ignore_case else 0) | (re.DOTALL if multiline else 0)
    if fixed:
        return re.compile(re.escape(pattern), flags)
    if leading := LEADING.match(pattern):
        for letter in leading[1]:
            flags |= FLAGS[letter]
        for letter in leading[2] or "":
            flags &= ~FLAGS[letter]
        pattern = pattern[leading.end() :]
    try:
        return re.compile(_body(pattern, multiline=multiline), flags)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"regex parse error: {error}") from error


def _body(pattern: str, *, multiline: bool) -> str:
    out: list[str] = []
    at = 0
    while at < len(pattern):
        taken, text = _piece(pattern, at, multiline=multiline)
        out.append(text)
        at += taken
    return "".join(out)


def _piece(pattern: str, at: int, *, multiline: bool) -> tuple[int, str]:
    """How many characters of the pattern the next piece has, and its form for Python."""
    char = pattern[at]
    if char == "\\":
        return _escape(pattern, at, multiline=multiline)
    if char == "[":
        return _members(pattern, at)
    if char == "{":
        repeat = REPEAT.match(pattern, at)
        if not repeat:
            raise ValueError("regex parse error: repetition quantifier expects a valid decimal (write \\{ for a brace)")
        return len(repeat[0]), repeat[0]
    if char == "$" and multiline:
        return 1, r"(?=\r?$)"
    if pattern.startswith(LOOKS, at):
        raise ValueError("regex parse error: look-around, including look-ahead and look-behind, is not supported")
    if pattern.startswith("(?<", at):
        return 3, "(?P<"
    if pattern[at : at + 2] in {"*+", "++", "?+"}:
        raise ValueError("this pattern needs ripgrep: a repeated repetition")
    return 1, char


def _escape(pattern: str, at: int, *, multiline: bool) -> tuple[int, str]:
    pair = pattern[at : at + 2]
    if pair in ENDS:
        return 2, ENDS[pair]
    if pair[1:].isdigit():
        raise ValueError("regex parse error: backreferences are not supported")
    if pair == r"\n" and not multiline:
        raise ValueError(r'the literal "\n" is not allowed in a regex')
    if pair in {r"\p", r"\P", r"\A", r"\z", r"\Z"}:
        raise ValueError(f"this pattern needs ripgrep: {pair}")
    if pair == r"\x" and (wide := re.compile(r"\\x\{([0-9A-Fa-f]{1,6})\}").match(pattern, at)):
        return len(wide[0]), re.escape(chr(min(int(wide[1], 16), 0x10FFFF)))
    return 2, pair


def _members(pattern: str, at: int) -> tuple[int, str]:
    """A character class, POSIX names spelled out; nested classes and set operations are Rust's alone."""
    out = ["["]
    here = at + 1
    for first in ("^", "]"):
        if pattern.startswith(first, here):
            out.append("\\]" if first == "]" else first)
            here += 1
    while here < len(pattern) and pattern[here] != "]":
        posix = POSIX.match(pattern, here)
        if posix and posix[1] in CLASSES:
            out.append(CLASSES[posix[1]])
            here += len(posix[0])
            continue
        if pattern[here] == "[" or pattern[here : here + 2] in {"&&", "--", "~~"}:
            raise ValueError("this pattern needs ripgrep: nested classes and set operations")
        taken, text = (1, pattern[here])
        if pattern[here] == "\\":
            taken, text = _escape(pattern, here, multiline=True)
        out.append(text)
        here += taken
    if here >= len(pattern):
        raise ValueError("regex parse error: unclosed character class")
    return here + 1 - at, "".join([*out, "]"])
