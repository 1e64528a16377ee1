"""What screens and the command line say to the user, by code, in the user's language."""

import re
from collections.abc import Mapping
from functools import cached_property

from yeaft.prompts.fill import fill
from yeaft.prompts.find import FALLBACK_LANG, templates_dir
from yeaft.prompts.sentence import Sentence
from yeaft.prompts.ui_texts import UiTexts

_PLACED = re.compile(r"[^\n]*?:\d+: ")
"""How a sentence begins that says in which line of a file something is."""
_LISTED = re.compile(r"[^\n]*?(?::|, line )\d+: ")
"""How each line of several begins that say what is wrong with files."""
KEPT_TEXTS = 256
"""So many texts are kept in the user's language."""
MOST_DEEP = 8
"""So deep do sentences stand within one another; a server may answer with anything."""
SAID = "said."
"""The codes of sentences that layers without a language say in English."""


class Ui:
    """Words for codes such as `mention.unknown`; the file of the language is read when the first one is asked for."""

    def __init__(self, lang: str) -> None:
        self.lang = lang
        self._told: dict[str, str] = {}

    def text(self, code: str, /, **params: str | float) -> str:
        """Return the words for `code`, with `params` in their places.

        Never fails: a code that is not known, or that wants a parameter which is not there (a journal may be newer
        than the program), gives the code and all parameters.
        """
        values = {key: str(value) for key, value in params.items()}
        try:
            return fill(self.texts[code], values)
        except KeyError:
            return _bare(code, values)

    def retold(self, text: str) -> str:
        """Return in the user's language what an error or a reason says in English, if it is among the `said` ones.

        What stands in its places is retold as well, and so is each of several lines that begin with a file and line.
        Any other text comes back as it is.
        """
        if self.lang == FALLBACK_LANG:
            return text
        if (told := self._told.get(text)) is None:
            if len(self._told) >= KEPT_TEXTS:  # screens ask for the same ones whenever they draw
                self._told.clear()
            told = self._told[text] = self._retold(text, MOST_DEEP)
        return told

    def _retold(self, text: str, deep: int) -> str:
        """Return `text` retold with what it is made of, as far as that is not nested more than `deep`."""
        lines = text.split("\n")
        if deep and len(lines) > 1 and all(_LISTED.match(line) for line in lines[:-1]):
            return "\n".join(self._retold(line, deep - 1) for line in lines)
        if deep and (placed := _PLACED.match(text)):
            reason = text[placed.end() :]
            if (told := self._retold(reason, deep - 1)) != reason:
                return placed[0] + told
        fitting = [(code, found) for code, one in self._said if (found := one.found_in(text)) is not None]
        for code, found in fitting:
            if code in self._frames and (inner := self._all_retold(found, deep)) != found:
                return fill(self.texts[code], inner)
        return fill(self.texts[fitting[0][0]], self._all_retold(fitting[0][1], deep)) if fitting else text

    def _all_retold(self, found: Mapping[str, str], deep: int) -> dict[str, str]:
        return {name: self._retold(value, deep - 1) if deep else value for name, value in found.items()}

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """All texts of the language by code, with `{{name}}` places."""
        folder = templates_dir() / "ui"
        own = folder / f"{self.lang}.toml"
        return UiTexts(own if own.is_file() else folder / f"{FALLBACK_LANG}.toml")

    @cached_property
    def _said(self) -> tuple[tuple[str, Sentence], ...]:
        """The sentences with a code, those with the most words of their own first: `writes to` before `writes`."""
        english = UiTexts(templates_dir() / "ui" / f"{FALLBACK_LANG}.toml")
        said = [(code, Sentence(english[code])) for code in english if code.startswith(SAID)]
        return tuple(sorted(said, key=lambda one: -one[1].own_chars))

    @cached_property
    def _frames(self) -> frozenset[str]:
        """The codes of sentences around another one, such as `Step 'a' failed: …`, which is told apart from them."""
        return frozenset(code for code, sentence in self._said if sentence.is_frame)


def _bare(code: str, values: Mapping[str, str]) -> str:
    given = ", ".join(f"{key}={value}" for key, value in values.items())
    return f"{code} ({given})" if given else code
