"""Text as a human must see it before saying yes: nothing hidden, nothing reordered, nothing pushed off the screen."""

import unicodedata

from yeaft.kernel.pattern import Pattern
from yeaft.kernel.text import is_hidden

MOST_BLANKS = 8
_BLANKS = Pattern(rf"[ \t]{{{MOST_BLANKS + 1},}}")


def visible(text: str) -> str:
    """`text` with control, bidi, zero-width and other invisible characters written as `⟨U+202E⟩`.

    Line breaks stay; a tab is shown as `⇥`, a long run of blanks as `⟨40 blanks⟩`.
    """
    counted = _BLANKS.sub(lambda run: f"⟨{len(run[0])} blanks⟩", text)
    return "".join(map(_shown, counted))


def visible_on_one_line(text: str) -> str:
    """`text` likewise, with line breaks written out as well: a name must not pass for a line of its own."""
    return visible(text).replace("\n", "⟨U+000A⟩")


def _shown(character: str) -> str:
    if " " <= character <= "~" or character == "\n":
        return character
    if character == "\t":
        return "⇥"
    hidden = is_hidden(character) or unicodedata.category(character) == "Zs"
    return f"⟨U+{ord(character):04X}⟩" if hidden else character
