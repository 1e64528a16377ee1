"""How a notebook's file is written: indentation, line ends, escapes; new parts are written like the rest."""

import json
import re

from msgspec import Struct

from yeaft.tools.notebooks.json_spans import first_value, members
from yeaft.tools.notebooks.notebook import Lines, Notebook

ESCAPED = re.compile(r"(?<!\\)\\u(?!00[01])[0-9a-fA-F]{4}")
CELL_LEVEL, VALUE_LEVEL = 2, 3


class Style(Struct, frozen=True, kw_only=True):
    """`newline` is empty for a notebook on one line; `unit` is what a level is indented by."""

    newline: str = "\n"
    unit: str = " "
    colon: str = ": "
    comma: str = ","
    escapes: bool = False

    def written(self, value: object, level: int) -> str:
        """`value` as JSON whose first line begins somewhere on `level`."""
        indent = self.unit if self.newline else None
        text = json.dumps(value, indent=indent, ensure_ascii=self.escapes, separators=(self.comma, self.colon))
        return text.replace("\n", self.newline + self.unit * level)

    def line(self, level: int) -> str:
        """The beginning of a new line on `level`."""
        return self.newline + self.unit * level if self.newline else ""


def style_of(notebook: Notebook) -> Style:
    """The style of the file, as far as its outermost object shows it."""
    text = notebook.text
    start = first_value(text)
    blank = text[start + 1 : text.index('"', start)]
    places = sorted(members(text, start).values())
    after_key = text[text.rindex('"', 0, places[0][0]) + 1 : places[0][0]]
    lines = "\n" in blank
    apart = text[places[0][1] : text.index('"', places[0][1])] if len(places) > 1 else ","
    return Style(
        newline=("\r\n" if "\r\n" in blank else "\n") if lines else "",
        unit=blank.rpartition("\n")[2] if lines else "",
        colon=after_key,
        comma="," if lines else apart,
        escapes=text.isascii() and ESCAPED.search(text) is not None,
    )


def in_form(source: str, like: Lines) -> Lines:
    """`source` as one text, or as a list of lines with their ends, as `like` is."""
    return source if isinstance(like, str) else source.splitlines(keepends=True)
