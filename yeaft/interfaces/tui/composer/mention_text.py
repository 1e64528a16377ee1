"""How a VP or a file is written behind an `@` so that the Session reads it as just that."""

from __future__ import annotations

from yeaft.session.at_signs import name_at, path_at
from yeaft.session.mentions import find_mentions
from yeaft.vp.names import Names


def file_mention(path: str, names: Names, *, part: str = "") -> str:
    """Return the mention of a file or folder; `part` is a range of lines such as `:10-40`.

    A name without `/` and `.` could be anything, so it is written with `./`; blanks want quotes.
    """
    for written in (path, f"./{path}"):
        if _reads_as(f"@{written}{part} ", written, part, names):
            return f"@{written}{part}"
    quote = "'" if '"' in path else '"'
    return f"@{quote}{path}{quote}{part}"


def _reads_as(text: str, path: str, part: str, names: Names) -> bool:
    if name_at(text, 1, names) is not None or find_mentions(text, names):
        return False
    found = path_at(text, 1)
    return found is not None and found.text == path + part and found.path == path
