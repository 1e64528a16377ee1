"""What VPs are called: from any of their names to the one, in any case, width and script."""

import unicodedata
from collections.abc import Iterable
from functools import cached_property

from msgspec import Struct

from yeaft.kernel.nearness import nearest
from yeaft.vp.persona import Vp

EVERYONE = "all"
EVERYONE_LABELS = ("all", "所有人", "全体")
_CJK = (
    (0x2E80, 0x9FFF),  # radicals, kana, Han
    (0xAC00, 0xD7AF),  # Hangul
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),  # half-width kana
    (0x20000, 0x3FFFF),
)


class Match(Struct, frozen=True):
    """A name found in a text: whose it is (`all` for everyone), and where it ends."""

    vp_id: str
    end: int


class Names:
    """The names of `vps`; where two share one, an id goes before a name, and an earlier VP before a later."""

    def __init__(self, vps: Iterable[Vp] = ()) -> None:
        everyone = tuple(vps)
        self._ids: dict[str, str] = dict.fromkeys(EVERYONE_LABELS, EVERYONE)
        for vp in everyone:
            self._ids.setdefault(fold(vp.id), vp.id)
        for vp in everyone:
            for label in vp.labels:
                self._ids.setdefault(fold(label), vp.id)

    def id_of(self, label: str) -> str | None:
        """Return the id of the VP that is called exactly `label`, with or without `@`; None if there is none."""
        found = self._ids.get(fold(label.strip().lstrip("@\uff20")))
        return None if found == EVERYONE else found

    def nearest(self, label: str) -> str | None:
        """Return the id of the VP that was probably meant by `label`; None if there is none like it.

        In scripts without spaces the name may be followed by other words.
        """
        word = fold(label)
        starts = (word[:end] for end in self._lengths if end < len(word)) if word and is_cjk(word[0]) else ()
        found = next((near for text in (word, *starts) if (near := nearest(text, self._ids))), None)
        return None if found is None or self._ids[found] == EVERYONE else self._ids[found]

    def match(self, text: str, at: int) -> Match | None:
        """Return the longest name that stands at `at` and ends there, as `ends_word` has it."""
        if at >= len(text) or fold(text[at])[:1] not in self._firsts:
            return None
        window = text[at : at + 2 * self._lengths[0]].partition("\n")[0]
        lengths = self._lengths if window.isascii() else range(len(window), 0, -1)
        for length in lengths:
            if length > len(window) or (vp_id := self._ids.get(fold(window[:length]))) is None:
                continue
            if ends_word(text, at + length):
                return Match(vp_id, at + length)
        return None

    @cached_property
    def _lengths(self) -> tuple[int, ...]:
        return tuple(sorted({len(label) for label in self._ids}, reverse=True))

    @cached_property
    def _firsts(self) -> frozenset[str]:
        return frozenset(label[0] for label in self._ids)


def fold(label: str) -> str:
    """Return `label` so that two ways to write the same name become equal: case, width, composed or not."""
    if label.isascii():
        return label.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", label).casefold())


def is_cjk(char: str) -> bool:
    """Whether `char` belongs to a script that puts no spaces between words."""
    code = ord(char)
    return any(first <= code <= last for first, last in _CJK)


def ends_word(text: str, end: int) -> bool:
    """Whether a name that ends at `end` is whole there, rather than the beginning of a longer word or of code.

    A name that ends in Chinese, Japanese or Korean is always whole. Others are not before a letter, digit or `_`;
    before `-`, `.`, `/` with a word behind (`@scope/pkg`, `@app.route`); or before `(`, `[`, `{`, `=`, `@`.
    """
    following = text[end : end + 2]
    if not following:
        return True
    if unicodedata.combining(following[0]):
        return False
    if is_cjk(text[end - 1]) or is_cjk(following[0]):
        return True
    if following[0] in "-./\\":
        return not (following[1:].isalnum() or following[1:] == "_")
    return not (following[0].isalnum() or following[0] in "_([{=@")
