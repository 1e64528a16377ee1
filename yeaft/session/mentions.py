"""Finds who is addressed with `@name` in what a user wrote."""

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice

from msgspec import Struct

from yeaft.session.code_ranges import CodeRanges
from yeaft.vp.names import Names, ends_word, is_cjk

MENTION_LIMIT = 1000
"""How many mentions of one text are looked at; nobody writes so many."""
_AT = re.compile("[@\uff20]")
_POSSIBLE = re.compile("(?<![A-Za-z0-9_@])[@\uff20]")  # after these it never counts, as in a million addresses
_TOKEN = re.compile(r"[^\W_][\w-]{0,39}")
_SPACES = "\ufeff\u200b"  # invisible, and not white space for Python
_OPENING = "\"'<"
_CJK_DASHES_AND_QUOTES = "\u00b7\u2014\u2018\u2019\u201c\u201d\u2026"
_CJK_JOINING = "\uff0d\uff0e\uff0f\uff20\uff3c\uff3f"  # the wide forms of - . / @ \ _ stand inside words, too
_BETWEEN = ",;/&+|"
_DECORATED = re.compile(
    r"""[ \t]*(?:\r?\n[ \t]*(?:@[\w.]+(?:\([^\n]*\))?[ \t]*\r?\n[ \t]*){0,8})?
    (?:(?:async[ \t]+)?def[ \t]+\w+[ \t]*\(
    |(?:export[ \t]+)?(?:abstract[ \t]+)?class[ \t]+\w+[ \t]*(?:[:({<]|extends\b|implements\b)
    |(?:public|private|protected)[ \t]+[\w<>\[\],. \t]+[({;=])""",
    re.VERBOSE,
)


class Mention(Struct, frozen=True):
    """An `@` that addresses somebody: a VP, everyone (`all`), or nobody that is known (empty `vp_id`).

    `token` is the name as written, without `@`. `leads` says that nothing but names stands before it.
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
    It never counts in code spans and fenced blocks, before a definition (`@cached def f():`), or as a part of an
    address, a path or a package name.
    """
    return tuple(islice(_mentions(text, names), MENTION_LIMIT))


def _mentions(text: str, names: Names) -> Iterator[Mention]:
    if not may_mention(text):
        return
    code = CodeRanges(text)
    known_end, end, leads = -1, 0, True
    for sign in _POSSIBLE.finditer(text):
        at = sign.start()
        if at < end or code.hold(at) or not _may_begin(text, at, known_end):
            continue
        match = names.match(text, at + 1)
        found = match.end if match else _token_end(text, at + 1)
        if found == at + 1 or _DECORATED.match(text, found):
            continue
        leads = leads and not any(map(str.isalnum, text[end:at]))
        yield Mention(text[at + 1 : found], match.vp_id if match else "", leads)
        end = found
        known_end = found if match else -1


def _may_begin(text: str, at: int, known_end: int) -> bool:
    if at in (0, known_end):
        return True
    before = text[at - 1]
    if before.isspace() or before in _OPENING or before in _SPACES:
        return True
    if unicodedata.category(before) in ("Ps", "Pi") or _is_cjk_punctuation(before):
        return True
    return at == known_end + 1 and before in _BETWEEN


def _is_cjk_punctuation(char: str) -> bool:
    if char in _CJK_DASHES_AND_QUOTES:
        return True
    wide = "\u3000" <= char <= "\u303f" or "\uff01" <= char <= "\uff65"
    return wide and not char.isalnum() and char not in _CJK_JOINING


def _token_end(text: str, at: int) -> int:
    """Return where an unknown name that begins at `at` ends; `at` itself if it looks like code or is no name."""
    token = _TOKEN.match(text, at)
    if token is None:
        return at
    whole = is_cjk(text[at]) or ends_word(text, token.end())
    return token.end() if whole else at
