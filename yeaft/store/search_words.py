"""The words of a search: whether a text has them all, where, and how an index of letter groups is asked for them."""

import re
import sys

SNIPPET_CHARS = 1000
MOST_GRAMS = 64
GRAM_CHARS = 3
_WORDS = re.compile(r'"([^"]+)"|(\S+)')
_IDEOGRAPHS = re.compile(
    "[\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3040-\ua4cf\uac00-\ud7ff\uf900-\ufaff"
    "\U00020000-\U0003ffff]+"
)
"""Runs of letters that are written without spaces, where two make a word."""
_END = "\n\n"
"""What stands behind a text in the index of letter groups, so that each of its letters begins a group."""


class Query:
    """Words that must all occur, in any case; words in double quotes belong together. There must be at least one."""

    def __init__(self, keyword: str) -> None:
        found = (quoted.strip() or bare for quoted, bare in _WORDS.findall(keyword))
        words = tuple(dict.fromkeys(word for word in found if word)) or tuple(keyword.split())
        self._words = tuple(word.casefold() for word in words)
        longest_first = sorted(words, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE)

    @property
    def grams(self) -> str:
        """What to ask the index of three letters in a row; empty if all words are shorter."""
        grams = [word[at : at + GRAM_CHARS] for word in self._words for at in range(len(word) - GRAM_CHARS + 1)]
        return " ".join(map(_quoted, list(dict.fromkeys(grams))[:MOST_GRAMS]))

    @property
    def pairs(self) -> str:
        """What to ask the index of two ideographs in a row, for the words that are too short for the other index."""
        runs = (run for word in self._words if len(word) < GRAM_CHARS for run in _IDEOGRAPHS.findall(word))
        return " ".join(_quoted(run) + ("*" if len(run) == 1 else "") for run in dict.fromkeys(runs))

    @property
    def beginnings(self) -> tuple[str, str] | None:
        """Between which groups of letters, the second excluded, there must be one, for a word too short to be one."""
        short = max((word for word in self._words if len(word) < GRAM_CHARS), key=len, default="")
        return (_unbroken(short), _unbroken(short) + chr(sys.maxunicode)) if short else None

    def matches(self, text: str) -> bool:
        """Whether all words are in `text`."""
        folded = text.casefold()
        return all(word in folded for word in self._words)

    def snippet(self, text: str, chars: int = SNIPPET_CHARS) -> str | None:
        """Up to `chars` characters of `text` around the first hit; None if a word is missing."""
        if not self.matches(text):
            return None
        first = self._pattern.search(text)  # none where only the folded text has the word, such as "ß" for "ss"
        return _around(text, (first.start() + first.end()) // 2 if first else 0, chars)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where the words stand in `text`, in order, without overlaps."""
        return [found.span() for found in self._pattern.finditer(text)]


def pairs_in(text: str) -> str:
    """All pairs of neighbouring ideographs in a text, and each last one of a run alone, with spaces between."""
    return " ".join([run[at : at + 2] for run in _IDEOGRAPHS.findall(text) for at in range(len(run))])


def letters_in(text: str) -> str:
    """A text as the index of letter groups takes it: without case, and up to its end."""
    return _unbroken(text.casefold()) + _END


def _quoted(gram: str) -> str:
    gram = _unbroken(gram).replace('"', '""')
    return f'"{gram}"'


def _unbroken(text: str) -> str:
    return text.replace("\0", "\ufffd")  # SQLite would stop there


def _around(text: str, centre: int, chars: int) -> str:
    if len(text) <= chars:
        return text
    inner = chars - 2  # room for an ellipsis at each end
    start = max(0, min(centre - inner // 2, len(text) - inner))
    end = start + inner
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
