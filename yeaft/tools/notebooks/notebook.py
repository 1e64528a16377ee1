"""A Jupyter notebook as it stands in its file: its cells, and where in the text each of them is."""

import json
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import Struct

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.notebooks.json_spans import Span, elements, first_value, members

CellType = Literal["code", "markdown", "raw"]
Lines = str | list[str]
FORMAT, FIRST_MINOR_WITH_IDS = 4, 5
T = TypeVar("T")


class CellContent(Struct, frozen=True, kw_only=True):
    """What is read of a cell; everything else in it stays as it is."""

    cell_type: CellType
    source: Lines
    id: str = ""
    execution_count: int | None = None
    outputs: list[Any] = []


class Cell(Struct, frozen=True, kw_only=True):
    """A cell, its place in the text, and the places of its own values."""

    content: CellContent
    span: Span
    values: dict[str, Span]

    @property
    def source(self) -> str:
        """The source as one text."""
        return joined(self.content.source)


class Notebook(Struct, frozen=True, kw_only=True):
    """A notebook with its text; `array` is the place of the list of cells."""

    text: str
    minor: int
    array: Span
    cells: tuple[Cell, ...]


class _Header(Struct):
    nbformat: int
    nbformat_minor: int = 0


class _Whole(Struct):
    metadata: dict[str, Any]
    cells: list[CellContent]


def joined(lines: Lines) -> str:
    """A text of a notebook, which may be kept as a list of lines."""
    return lines if isinstance(lines, str) else "".join(lines)


def parse(text: str, shown: str) -> Notebook:
    """The notebook of a file named `shown`; raises `ToolFailed` for what is broken or of another format."""
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ToolFailed(f"{shown} is broken: it is not valid JSON ({error}). Nothing was written.") from error
    header = _checked(found, _Header, shown)
    if header.nbformat < FORMAT:
        raise ToolFailed(
            f"{shown} is in notebook format {header.nbformat}, which only Jupyter itself can bring up to date: run "
            f"`jupyter nbconvert --to notebook --inplace {shown}` first. Nothing was written."
        )
    if header.nbformat > FORMAT:
        raise ToolFailed(f"{shown} is in notebook format {header.nbformat}; only 4 is known. Nothing was written.")
    whole = _checked(found, _Whole, shown)
    array = members(text, first_value(text))["cells"]
    spans = elements(text, array[0])
    cells = tuple(
        Cell(content=content, span=span, values=members(text, span[0]))
        for content, span in zip(whole.cells, spans, strict=True)
    )
    return Notebook(text=text, minor=header.nbformat_minor, array=array, cells=cells)


def _checked(found: Any, wanted: type[T], shown: str) -> T:
    try:
        return msgspec.convert(found, wanted)
    except msgspec.ValidationError as error:
        raise ToolFailed(f"{shown} is no notebook as Jupyter writes them: {error}. Nothing was written.") from error
