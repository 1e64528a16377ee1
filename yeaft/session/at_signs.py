"""Where an `@` in what a user wrote may stand for somebody or for a file, and where a path behind it ends."""

import re
import unicodedata

from msgspec import Struct

from yeaft.kernel.pattern import Pattern
from yeaft.vp.names import Match, Names, is_cjk

POSSIBLE = Pattern("(?<![A-Za-z0-9_@])[@\uff20]")  # after these it never counts, as in a million addresses
_SPACES = "\ufeff\u200b"  # invisible, and not white space for Python
_OPENING = "\"'<"
_CJK_DASHES_AND_QUOTES = "\u00b7\u2014\u2018\u2019\u201c\u201d\u2026"
_CJK_JOINING = "\uff0d\uff0e\uff0f\uff20\uff3c\uff3f"  # the wide forms of - . / @ \ _ stand inside words, too
_BETWEEN = ",;/&+|"
_PATH = Pattern("[^\\s\"'`<>|@\ufeff\u200b]{1,1000}")
_QUOTED = Pattern("\"([^\"\n]{1,1000})\"|'([^'\n]{1,1000})'")
_PART = Pattern(r"(?::|#L)(\d{1,9})(?:-L?(\d{1,9}))?")
_TRAILING = ".,;:!?*"
_PAIRS = {")": "(", "]": "[", "}": "{"}
_PLAIN_DOTS = frozenset({".", ".."})


class PathToken(Struct, frozen=True, kw_only=True):
    """Something behind an `@` that looks like a path.

    `text` is the path as written, with what might be a part of the file (`:10-40`) at its end, which stands in
    `first` and `last` as well (0 if nothing is said). `is_explicit` says that it can be meant for nothing else.
    """

    text: str
    end: int
    is_explicit: bool
    first: int = 0
    last: int = 0

    @property
    def path(self) -> str:
        """The path without the part."""
        return _PART.sub("", self.text) if self.first else self.text


def may_begin(text: str, at: int, known_end: int = -1) -> bool:
    """Whether an `@` counts at `at`; `known_end` is where a name that it may follow directly has ended."""
    if at in (0, known_end):
        return True
    before = text[at - 1]
    if before.isspace() or before in _OPENING or before in _SPACES:
        return True
    if unicodedata.category(before) in ("Ps", "Pi") or is_cjk_punctuation(before):
        return True
    return at == known_end + 1 and before in _BETWEEN


def is_cjk_punctuation(char: str) -> bool:
    """Whether `char` separates words in Chinese or Japanese."""
    if char in _CJK_DASHES_AND_QUOTES:
        return True
    wide = "\u3000" <= char <= "\u303f" or "\uff01" <= char <= "\uff65"
    return wide and not char.isalnum() and char not in _CJK_JOINING


def name_at(text: str, start: int, names: Names) -> Match | None:
    """Return the name of a VP that stands at `start`; `docs/` is a folder, whoever is called so."""
    found = names.match(text, start)
    after = text[found.end : found.end + 2] if found else ""
    return None if after.startswith("/") and after[1:] not in ("@", "\uff20") else found


def path_at(text: str, start: int) -> PathToken | None:
    """Return the path that begins at `start`, right behind an `@`: in quotes, or with a `/` or `.` in it.

    Punctuation at its end belongs to the sentence. It may be followed at once by Chinese words.
    """
    if quoted := _QUOTED.match(text, start):
        part = _PART.match(text, quoted.end())
        end = part.end() if part else quoted.end()
        path = quoted[1] or quoted[2]
        return _token(path + (part[0] if part else ""), end, part, is_explicit=True)
    found = _PATH.match(text, start)
    if found is None:
        return None
    word = _trimmed(found[0], before_at=text[found.end() : found.end() + 1] in ("@", "\uff20"))
    if not word.strip("/") or not ("/" in word or "." in word.strip(".")):
        return None
    is_explicit = word.startswith(("./", "../", "~/"))  # `@/x` is how many a program names its own modules
    part = re.search(f"{_PART.pattern}$", word)
    return _token(word, start + len(word), part, is_explicit=is_explicit)


def whole_path(text: str) -> PathToken:
    """Return a path that is all of `text`, as from somewhere else than a sentence."""
    return _token(text, len(text), re.search(f"{_PART.pattern}$", text), is_explicit=True)


def before_words(path: str) -> str:
    """Return the beginning of a path up to where Chinese words follow Latin ones; empty if there is no such place."""
    for place in range(1, len(path)):
        if is_cjk(path[place]) and path[place - 1].isascii() and path[place - 1] not in "/_-":
            return path[:place]
    return ""


def _token(text: str, end: int, part: re.Match[str] | None, *, is_explicit: bool) -> PathToken:
    if part is None:
        return PathToken(text=text, end=end, is_explicit=is_explicit)
    first = int(part[1])
    return PathToken(text=text, end=end, is_explicit=is_explicit, first=first, last=int(part[2] or first))


def _trimmed(word: str, *, before_at: bool) -> str:
    """Leave out what ends a sentence or a bracket around the path, and Chinese punctuation with all that follows."""
    end = next((place for place, char in enumerate(word) if is_cjk_punctuation(char)), len(word))
    word = word[:end]
    while word:
        last = word[-1]
        is_unpaired = last in _PAIRS and word.count(last) > word.count(_PAIRS[last])
        if not (last in _TRAILING or is_unpaired) or word in _PLAIN_DOTS:
            break
        word = word[:-1]
    return word.rstrip("/") if before_at else word
