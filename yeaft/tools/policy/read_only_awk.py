"""Which awk programs only read their files and print: read token by token, since `>` and `|` mean two things in awk."""

import re
from collections.abc import Iterator

from msgspec import Struct

from yeaft.tools.policy.shell_script import Word
from yeaft.tools.policy.word_list import names

Words = tuple[Word, ...]

_TOKEN = re.compile(
    r"""(?P<space>[ \t]+|\\\n|\#[^\n]*)
    |(?P<end>[;\n{}])
    |(?P<string>"(?:[^"\\\n]|\\.)*")
    |(?P<number>\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<operator>\|\||&&|>>|[-+*/%^=!<>]=|\+\+|--|[-+*/%^=!<>~?:,$()\[\]])
    """,
    re.VERBOSE,
)
_REGEX = re.compile(r'/(?:[^/\\\n"\[]|\\.|\[\^?\]?[^\]\n"]*\])*/')
_FORBIDDEN = names("system getline ENVIRON ARGV ARGC SYMTAB FUNCTAB PROCINFO function func")
_BEFORE_A_REGEX = names("print printf return in else do")
_RESERVED = names(
    "BEGIN END BEGINFILE ENDFILE if while for break continue delete exit next nextfile switch case default length "
    "substr index split sub gsub gensub match sprintf sin cos atan2 exp log sqrt int rand srand tolower toupper fflush "
    "close and or xor compl lshift rshift strftime systime mktime asort asorti isarray typeof strtonum patsplit"
)
"""Words after which different awks read a slash in different ways."""
_CONDITIONAL = frozenset({"if", "while", "for"})
_GOES_ON = frozenset({",", "&&", "||"})
_SAFE_FILES = frozenset({'"/dev/stderr"', '"/dev/stdout"'})


class Token(Struct, frozen=True):
    """A token and what it is; regular expressions are of kind `regex`."""

    kind: str
    text: str


def awk(rest: Words) -> Words | None:
    """The words after `awk` that are paths, if the program starts nothing and writes and reads no file of its own."""
    index = 0
    while index < len(rest) and (rest[index].text or "").startswith("-"):
        flag = rest[index].text or ""
        if not flag.startswith(("-F", "-v")) or flag.startswith("--"):
            return None
        index += 2 if flag in {"-F", "-v"} else 1
    if index >= len(rest) or rest[index].glob or not _only_prints(rest[index].text or "@"):
        return None
    operands = rest[index + 1 :]
    return None if any((word.text or "").startswith("-") for word in operands) else operands


def _only_prints(program: str) -> bool:
    tokens = tuple(_tokens(program))
    return all(token.kind != "unknown" and token.text not in _FORBIDDEN for token in tokens) and not _redirects(tokens)


def _tokens(program: str) -> Iterator[Token]:
    """The tokens of a program; one of kind `unknown`, which is the last, where it cannot be read for certain."""
    at, previous = 0, Token("end", ";")
    parentheses: list[bool] = []
    while at < len(program):
        is_regex = program[at] == "/" and _begins_regex(previous)
        found = (_REGEX if is_regex else _TOKEN).match(program, at)
        if found is None or (program[at] == "/" and _is_unclear_before_slash(previous)):
            yield Token("unknown", program[at])
            return
        token = Token("regex" if is_regex else found.lastgroup or "", found[0])
        at = found.end()
        if token.kind == "space":
            continue
        if token.text == "(" and token.kind == "operator":
            parentheses.append(previous.text in _CONDITIONAL)
        elif token.text == ")" and token.kind == "operator" and parentheses and parentheses.pop():
            token = Token("condition", ")")
        yield token
        previous = token


def _begins_regex(previous: Token) -> bool:
    if previous.kind == "name":
        return previous.text in _BEFORE_A_REGEX
    return previous.kind == "end" or (previous.kind == "operator" and previous.text not in {")", "]", "++", "--"})


def _is_unclear_before_slash(previous: Token) -> bool:
    return previous.kind == "condition" or previous.text == "$" or previous.text in _RESERVED


def _redirects(tokens: tuple[Token, ...]) -> bool:
    """Whether a `print` sends its output into a file; in parentheses, and elsewhere, `>` compares."""
    printing, depth = False, 0
    for place, token in enumerate(tokens):
        goes_on = token.text == "\n" and place > 0 and tokens[place - 1].text in _GOES_ON
        if token.kind == "end" and not goes_on:
            printing, depth = False, 0
        elif token.text in {"print", "printf"}:
            printing, depth = True, 0
        elif token.text in {"(", ")"}:
            depth += 1 if token.text == "(" else -1
        elif token.text in {">", ">>"} and printing and depth <= 0 and not _to_the_terminal(tokens[place + 1 :]):
            return True
    return False


def _to_the_terminal(tokens: tuple[Token, ...]) -> bool:
    return bool(tokens) and tokens[0].text in _SAFE_FILES and (len(tokens) == 1 or tokens[1].kind == "end")
