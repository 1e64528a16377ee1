"""Text as a human must see it before saying yes: nothing hidden, nothing reordered, nothing pushed off the screen."""

import re
import unicodedata

MOST_BLANKS = 8
_BLANKS = re.compile(rf"[ \t]{{{MOST_BLANKS + 1},}}")
_SUSPECT_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # drawn as nothing, yet neither spaces nor controls
_HIDDEN_VARIATIONS = range(0xE0100, 0xE01F0)


def visible(text: str) -> str:
    """`text` with control, bidi, zero-width and other invisible characters written as `⟨U+202E⟩`.

    Line breaks stay; a tab is shown as `⇥`, a long run of blanks as `⟨40 blanks⟩`.
    """
    counted = _BLANKS.sub(lambda run: f"⟨{len(run[0])} blanks⟩", text)
    return "".join(map(_shown, counted))


def _shown(character: str) -> str:
    if " " <= character <= "~" or character == "\n":
        return character
    if character == "\t":
        return "⇥"
    hidden = (
        unicodedata.category(character) in _SUSPECT_CATEGORIES
        or unicodedata.category(character) == "Zs"
        or character in _BLANK_LETTERS
        or ord(character) in _HIDDEN_VARIATIONS
    )
    return f"⟨U+{ord(character):04X}⟩" if hidden else character
