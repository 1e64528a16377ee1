"""What screens and the command line say to the user, by code, in the user's language."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from yeaft.prompts.fill import fill
from yeaft.prompts.find import FALLBACK_LANG, templates_dir
from yeaft.prompts.ui_texts import UiTexts

_PLACE = re.compile(r"\{\{(\w+)\}\}")
_PLACED = re.compile(r"[^\n]*?:\d+: ")
"""How a sentence begins that says in which line of a file something is."""
SAID = "said."
"""The codes of sentences that layers without a language say in English."""


class Ui:
    """Words for codes such as `mention.unknown`; the file of the language is read when the first one is asked for."""

    def __init__(self, lang: str) -> None:
        self.lang = lang

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
        lines = text.split("\n")
        if len(lines) > 1 and all(_PLACED.match(line) for line in lines[:-1]):
            return "\n".join(map(self.retold, lines))
        for code, pattern in self._said:
            if found := pattern.fullmatch(text):
                return fill(self.texts[code], {name: self.retold(value) for name, value in found.groupdict().items()})
        placed = _PLACED.match(text)
        return placed[0] + self.retold(text[placed.end() :]) if placed else text

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """All texts of the language by code, with `{{name}}` places."""
        folder = templates_dir() / "ui"
        own = folder / f"{self.lang}.toml"
        return UiTexts(own if own.is_file() else folder / f"{FALLBACK_LANG}.toml")

    @cached_property
    def _said(self) -> tuple[tuple[str, re.Pattern[str]], ...]:
        """The sentences with a code, those with the most words of their own first: `writes to` before `writes`."""
        english = UiTexts(templates_dir() / "ui" / f"{FALLBACK_LANG}.toml")
        said = [(code, english[code]) for code in english if code.startswith(SAID)]
        said.sort(key=lambda one: -len(_PLACE.sub("", one[1])))
        return tuple((code, _pattern(text)) for code, text in said)


def _pattern(template: str) -> re.Pattern[str]:
    """Return what matches the texts that `template` can be filled to."""
    return re.compile("".join(_pieces(template)), re.DOTALL)


def _pieces(template: str) -> Iterator[str]:
    for number, piece in enumerate(_PLACE.split(template)):
        yield f"(?P<{piece}>.+?)" if number % 2 else re.escape(piece)


def _bare(code: str, values: Mapping[str, str]) -> str:
    given = ", ".join(f"{key}={value}" for key, value in values.items())
    return f"{code} ({given})" if given else code
