"""Finds the line of a TOML file on which a key stands; used only to tell the user where a mistake is."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from yeaft.config.tables import Table

Parts = tuple[str | int, ...]


def line_of(text: str, wanted: Sequence[str | int]) -> int:
    """The line (from 1) of the key with these parts, or of the closest table around it; 1 if there is none.

    Positions in an array of tables are integers. A value inside an inline table is found by the key that holds it.
    """
    best_length, best_line = 0, 1
    for number, parts in _keys(text):
        if len(parts) > best_length and tuple(wanted[: len(parts)]) == parts:
            best_length, best_line = len(parts), number
    return best_line


def _keys(text: str) -> Iterator[tuple[int, Parts]]:
    """Each line that opens a table or sets a key, with the whole key."""
    table: Parts = ()
    counts: dict[Parts, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if stripped.startswith("["):
            table = _opened(stripped, table, counts)
            yield number, table
        elif "=" in stripped and (parts := _key(stripped.partition("=")[0] + "= 0")):
            yield number, (*table, *parts)


def _opened(line: str, before: Parts, counts: dict[Parts, int]) -> Parts:
    """The key of a table header; the tables of an array are numbered in `counts`, and so are tables inside them."""
    plain = _key(line)
    if not plain:
        return before  # a line of a list, not a header
    parts: Parts = ()
    for part in plain[:-1]:
        parts = (*parts, part)
        parts = (*parts, counts[parts]) if parts in counts else parts
    parts = (*parts, plain[-1])
    if not line.startswith("[["):
        return parts
    counts[parts] = counts.get(parts, -1) + 1
    return (*parts, counts[parts])


def _key(line: str) -> Parts:
    """The parts of the only key in a line of TOML; none if it is not one."""
    import tomllib

    try:
        table: Table = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return ()
    parts: list[str] = []
    while table:
        part, inner = next(iter(table.items()))
        parts.append(part)
        inside = inner[0] if isinstance(inner, list) else inner
        table = inside if isinstance(inside, dict) else {}
    return tuple(parts)
