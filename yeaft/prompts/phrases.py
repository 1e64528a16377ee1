"""The short texts that stand inside requests: what a model is told of cut replies, lost calls, hand-offs and limits."""

import re

from yeaft.kernel.pattern import Pattern
from yeaft.prompts.find import read_template

_HEADING = Pattern(r"^## +([\w-]+)[ \t]*$", re.MULTILINE)


def load_phrases(lang: str) -> dict[str, str]:
    """Return the phrases of `lang` by key; a language without a file of its own gets the English ones.

    They are plain values, because the settings of a request keep a copy. Some hold `{{name}}` places for `fill`.
    """
    return sections(read_template("prompts/phrases", lang))


def sections(text: str) -> dict[str, str]:
    """Return the text under each `## key` heading, without surrounding blank lines; text before the first is a note."""
    _, *pairs = _HEADING.split(text)
    return {key: body.strip() for key, body in zip(pairs[::2], pairs[1::2], strict=True)}
