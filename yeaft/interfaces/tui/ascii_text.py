"""Any text in ASCII, in as many columns: for terminals of a locale that knows nothing else."""

from __future__ import annotations

from yeaft.interfaces.cli.terminal_text import width

LIKENESSES = {
    **dict.fromkeys("─━═┄┈╌‐‑‒–—−▔▁▂", "-"),
    **dict.fromkeys("│┃║▏▎▍▌▐▊▋▉█▕", "|"),
    **dict.fromkeys("╭╮╰╯┌┐└┘├┤┬┴┼╞╡╪╔╗╚╝╠╣╦╩╬", "+"),
    **dict.fromkeys("▸▶❯›»→", ">"),
    **dict.fromkeys("◀‹«←", "<"),
    **dict.fromkeys("▀▃▄▅▆▇", " "),
    **dict.fromkeys("•●○◆◇■□★✦◈▼▲◉✚✱", "*"),
    "↑": "^",
    "↓": "v",
    "·": "-",
    "↵": "/",
    "…": "~",
    "✓": "v",
    "✗": "x",
    "×": "x",
    "“": '"',
    "”": '"',
    "‘": "'",
    "’": "'",
    "\u00a0": " ",
}
"""What can stand for a sign without anybody missing it."""


def in_ascii(text: str) -> str:
    """Return `text` with a likeness or a question mark for each column of what is not ASCII."""
    if text.isascii():
        return text
    return "".join(one if one.isascii() else LIKENESSES.get(one) or "?" * width(one) for one in text)
