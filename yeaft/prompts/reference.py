"""Text that somebody brought along (a file, a pipe, an artifact), in a block that nothing in it can close."""

import re
from collections.abc import Mapping

from yeaft.kernel.pattern import Pattern
from yeaft.kernel.text import without_surrogates

_TAGS = Pattern(r"<(?=\s*/?\s*(?:message|attached|quote|project-notes|skill)\b)", re.IGNORECASE)
_LINE_BREAKS = Pattern(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def attached_block(text: str, attributes: Mapping[str, str]) -> str:
    """Return `text` between `<attached …>` and `</attached>`; attributes that are empty are left out.

    What looks like the beginning or end of such a block in the text, or of a message, is defused: nothing in it can
    end the block or be taken for something that somebody said in this conversation.
    """
    named = "".join(f' {name}="{in_attribute(value)}"' for name, value in attributes.items() if value)
    return f"<attached{named}>\n{without_tags(text)}\n</attached>"


def without_tags(text: str) -> str:
    """Return `text` in which nothing begins or ends a block of ours."""
    return _TAGS.sub("&lt;", without_surrogates(text))


def in_attribute(value: str) -> str:
    """Return `value` so that it can stand between double quotes on one line."""
    return on_one_line(value).replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")


def on_one_line(value: str) -> str:
    """Return `value` without line breaks and other control characters."""
    return _LINE_BREAKS.sub(" ", without_surrogates(value))
