"""Finds who is addressed with `@name` in what a user wrote."""

import re
from collections.abc import Iterator
from itertools import islice

from msgspec import Struct

from yeaft.artifacts.references import is_reference_at
from yeaft.kernel.effort_prefix import without_effort
from yeaft.kernel.pattern import Pattern
from yeaft.session.at_signs import POSSIBLE, may_begin, name_at, path_at
from yeaft.session.code_ranges import CodeRanges
from yeaft.vp.names import Names, ends_word, is_cjk

MENTION_LIMIT = 1000
"""How many mentions of one text are looked at; nobody writes so many."""
_AT = Pattern("[@\uff20]")
_TOKEN = Pattern(r"[^\W_][\w-]{0,39}")
_DECORATED = Pattern(
    r"""[ \t]*(?:\r?\n[ \t]*(?:@[\w.]+(?:\([^\n]*\))?[ \t]*\r?\n[ \t]*){0,8})?
    (?:(?:async[ \t]+)?def[ \t]+\w+[ \t]*\(
    |(?:export[ \t]+)?(?:abstract[ \t]+)?class[ \t]+\w+[ \t]*(?:[:({<]|extends\b|implements\b)
    |(?:public|private|protected)[ \t]+[\w<>\[\],. \t]+[({;=])""",
    re.VERBOSE,
)


class Mention(Struct, frozen=True):
    """An `@` that addresses somebody: a VP, everyone (`all`), or nobody that is known (empty `vp_id`).

    `token` is the name as written, without `@`. `leads` says that nothing but names, and an effort, stands before it.
    """

    token: str
    vp_id: str
    leads: bool


def may_mention(text: str) -> bool:
    """Whether `text` could address anybody; if not, nobody's names need to be looked up."""
    return _AT.search(text) is not None


def find_mentions(text: str, names: Names) -> tuple[Mention, ...]:
    """Return the mentions in `text`, in order, at most `MENTION_LIMIT`.

    An `@` counts after the start, white space, an opening bracket or quote, Chinese punctuation, or another mention.
    It never counts in code spans and fenced blocks, before a definition (`@cached def f():`), before a path, or as a
    part of an address or a package name.
    """
    return tuple(islice(_mentions(text, names), MENTION_LIMIT))


def _mentions(text: str, names: Names) -> Iterator[Mention]:
    if not may_mention(text):
        return
    code = CodeRanges(text)
    known_end, end, leads = -1, 0, True
    for sign in POSSIBLE.finditer(text):
        at = sign.start()
        if at < end or code.hold(at) or not may_begin(text, at, known_end):
            continue
        match = name_at(text, at + 1, names)
        found = match.end if match else _token_end(text, at + 1)
        if found == at + 1 or _DECORATED.match(text, found):
            continue
        leads = leads and not any(map(str.isalnum, without_effort(text[end:at])))
        yield Mention(text[at + 1 : found], match.vp_id if match else "", leads)
        end = found
        known_end = found if match else -1


def _token_end(text: str, at: int) -> int:
    """Return where an unknown name that begins at `at` ends; `at` itself if it is none (code, a path, an artifact)."""
    token = _TOKEN.match(text, at)
    if token is None or path_at(text, at) is not None or is_reference_at(text, at - 1):
        return at
    whole = is_cjk(text[at]) or ends_word(text, token.end())
    return token.end() if whole else at
