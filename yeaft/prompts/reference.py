"""Text that somebody brought along (a file, a pipe, an older message), in a block that nothing in it can close."""

import re
from collections.abc import Mapping
from typing import Literal

from yeaft.kernel.pattern import Pattern
from yeaft.kernel.text import head_bytes, without_surrogates

Tag = Literal["attached", "quote"]

QUOTE_BYTES = 100_000
QUOTE_CUT = "[… the rest of this quote is left out …]"
_TAGS = Pattern(r"<(?=\s*/?\s*(?:message|attached|quote|project-notes|skill)\b)", re.IGNORECASE)
_LINE_BREAKS = Pattern(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def reference_block(tag: Tag, text: str, attributes: Mapping[str, str]) -> str:
    """Return `text` between `<tag …>` and `</tag>`; attributes that are empty are left out.

    What looks like the beginning or end of such a block in the text, or of a message, is defused: nothing in it can
    end the block or be taken for something that somebody said in this conversation.
    """
    named = "".join(f' {name}="{in_attribute(value)}"' for name, value in attributes.items() if value)
    return f"<{tag}{named}>\n{without_tags(text)}\n</{tag}>"


def quote_block(text: str, *, sender: str, message_id: str = "", limit_bytes: int = QUOTE_BYTES) -> str:
    """Return an older message as a quote, cut to `limit_bytes` of UTF-8 with a line that says so."""
    plain = without_surrogates(text)
    kept = head_bytes(plain, limit_bytes)
    if kept != plain:
        kept = f"{kept.rstrip()}\n{QUOTE_CUT}"
    return reference_block("quote", kept, {"from": sender, "message": message_id})


def without_tags(text: str) -> str:
    """Return `text` in which nothing begins or ends a block of ours."""
    return _TAGS.sub("&lt;", without_surrogates(text))


def in_attribute(value: str) -> str:
    """Return `value` so that it can stand between double quotes on one line."""
    return on_one_line(value).replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")


def on_one_line(value: str) -> str:
    """Return `value` without line breaks and other control characters."""
    return _LINE_BREAKS.sub(" ", without_surrogates(value))
