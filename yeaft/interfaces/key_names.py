"""Keys as people read them: `ctrl+j` is shown as Ctrl+J, `question_mark` as ?."""

NAMES = {
    "escape": "Esc",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "question_mark": "?",
    "slash": "/",
    "underscore": "_",
    "comma": ",",
    "full_stop": ".",
    "minus": "-",
    "plus": "+",
    "equals_sign": "=",
    "at": "@",
    "colon": ":",
    "semicolon": ";",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "backslash": "\\",
    "vertical_line": "|",
}


def chord_text(chord: str) -> str:
    """Return one key as people write it; a letter alone keeps its case, because that says which one it is."""
    *modifiers, key = chord.split("+") if chord != "+" else ["plus"]
    shown = NAMES.get(key) or (key.capitalize() if len(key) > 1 else key)
    if modifiers and len(key) == 1:
        shown = shown.upper()
    return "+".join((*(word.capitalize() for word in modifiers), shown))


def text_code(key_id: str) -> str:
    """Return the code of the text that says what a key does."""
    return f"key.{key_id.replace('.', '_')}"
