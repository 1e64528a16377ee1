"""Reads events out of the bytes of a journal's files, page by page, where SQLite itself cannot or does not.

SQLite gives up at a bad page and loses all that is reached through it, and it silently ends a write-ahead log at the
first frame whose checksum is wrong. But events never change, so any copy of one will do, wherever it lies.
https://www.sqlite.org/fileformat2.html
"""

import struct
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from yeaft.store.database import PAGE_BYTES, STREAM_SPAN
from yeaft.store.filesystem import read_if_file
from yeaft.store.row import is_json

LEAF = 0x0D
LEAF_HEADER_BYTES = 8
INDEX_PAGES = {0x0A: (8, 0), 0x02: (12, 4)}
"""Leaves and inner pages of an index: how long the header is, and what stands before each entry."""
WAL_HEADER_BYTES, FRAME_HEADER_BYTES = 32, 24
COLUMNS = 12
LONGEST_VARINT = 9
INT_BYTES = (0, 1, 2, 3, 4, 6, 8)
ROWS_PER_PAGE = 12
"""More events than a page can hold; a place beyond all pages was read from a damaged one."""
TableRow = tuple[int, str, str, str, int, int, str, str, str, int, bytes, str]
"""All columns of an event: at, stream, id, type, v, ts, src, cause, corr, epoch, data, sha256."""

Pages = dict[int, list[bytes]]
"""All versions of each page, the newest first."""


class Left(Struct, frozen=True):
    """What is left of a journal: events by their `at`, and each `at` at which there is or was one."""

    rows: dict[int, TableRow]
    places: tuple[int, ...]


def recovered(path: Path) -> Left:
    """Every committed event of a journal that is still somewhere in its files.

    Where there are copies, one with whole content is taken. Raises `OSError` if a file cannot be read.
    """
    pages = _pages(read_if_file(path), read_if_file(path.with_name(path.name + "-wal")))
    found: dict[int, TableRow] = {}
    places: set[int] = set()
    whole: set[int] = set()
    for page in (page for versions in pages.values() for page in versions):
        places.update(_indexed(page))
        for row in _rows(page, pages):
            at = row[0]
            if at not in whole and (at not in found or _is_whole(row)):
                found[at] = row
                whole.update((at,) if _is_whole(row) else ())
    return _plausible(found, places, len(pages) * ROWS_PER_PAGE)


def _pages(base: bytes, log: bytes) -> Pages:
    pages: Pages = {}
    for number, page in _committed(log):
        pages.setdefault(number, []).insert(0, page)
    for place in range(0, len(base) - PAGE_BYTES + 1, PAGE_BYTES):
        pages.setdefault(place // PAGE_BYTES + 1, []).append(base[place : place + PAGE_BYTES])
    return pages


def _committed(log: bytes) -> list[tuple[int, bytes]]:
    """The pages in a write-ahead log up to its last commit, oldest first, whatever their checksums say."""
    size = FRAME_HEADER_BYTES + PAGE_BYTES
    frames: list[tuple[int, int, bytes, bytes]] = []
    for place in range(WAL_HEADER_BYTES, len(log) - size + 1, size):
        number, pages_after_commit, salt = struct.unpack_from(">II8s", log, place)
        frames.append((number, pages_after_commit, salt, log[place + FRAME_HEADER_BYTES : place + size]))
    salts = Counter(salt for _, _, salt, _ in frames)
    current = log[16:24] if log[16:24] in salts else next(iter(salts), b"")  # others are left from before a checkpoint
    frames = [frame for frame in frames if frame[2] == current]
    end = max((place for place, (_, commits, *_) in enumerate(frames, start=1) if commits), default=0)
    return [(number, page) for number, _, _, page in frames[:end]]


def _rows(page: bytes, pages: Pages) -> Iterator[TableRow]:
    """The events in a page, if it is a leaf of a table."""
    if page[0] != LEAF:
        return
    count = int.from_bytes(page[3:5], "big")
    for place in range(LEAF_HEADER_BYTES, min(LEAF_HEADER_BYTES + 2 * count, PAGE_BYTES - 1), 2):
        try:
            yield _row(page, int.from_bytes(page[place : place + 2], "big"), pages)
        except (IndexError, ValueError):  # no event, or one that is damaged
            continue


def _indexed(page: bytes) -> Iterator[int]:
    """The `at` of each event that a page of the index of ids names."""
    header_bytes, child_bytes = INDEX_PAGES.get(page[0], (0, 0))
    count = int.from_bytes(page[3:5], "big") if header_bytes else 0
    for place in range(header_bytes, min(header_bytes + 2 * count, PAGE_BYTES - 1), 2):
        try:
            size, start = _varint(page, int.from_bytes(page[place : place + 2], "big") + child_bytes)
            _, at = _record(page[start : start + size], 2)
        except (IndexError, ValueError):
            continue
        if isinstance(at, int):
            yield at


def _row(page: bytes, place: int, pages: Pages) -> TableRow:
    """The event in the cell at `place`. Raises `IndexError` or `ValueError` if there is none."""
    size, place = _varint(page, place)
    at, place = _varint(page, place)
    held = _held_bytes(size)
    payload = page[place : place + held]
    if held < size:
        payload += _overflow(int.from_bytes(page[place + held : place + held + 4], "big"), size - held, pages)
    if len(payload) < size:
        raise ValueError(size)
    _, *values = _record(payload, COLUMNS)
    try:
        row: TableRow = msgspec.convert((at, *values), TableRow)
    except msgspec.ValidationError as error:
        raise ValueError(at) from error
    return row


def _held_bytes(size: int) -> int:
    """How much of a payload stands in its leaf."""
    most, least = PAGE_BYTES - 35, (PAGE_BYTES - 12) * 32 // 255 - 23
    if size <= most:
        return size
    held = least + (size - least) % (PAGE_BYTES - 4)
    return held if held <= most else least


def _overflow(number: int, size: int, pages: Mapping[int, list[bytes]]) -> bytes:
    """What follows of a payload in its chain of pages, as far as there is one."""
    content = b""
    seen: set[int] = set()
    while len(content) < size and number in pages and number not in seen:
        seen.add(number)
        page = pages[number][0]
        number = int.from_bytes(page[:4], "big")
        content += page[4 : 4 + size - len(content)]
    return content


def _record(payload: bytes, columns: int) -> list[int | str | bytes | None]:
    """The columns of a row. Raises `ValueError` for another number of them."""
    header_bytes, place = _varint(payload, 0)
    kinds: list[int] = []
    while place < header_bytes:
        kind, place = _varint(payload, place)
        kinds.append(kind)
    if len(kinds) != columns:
        raise ValueError(len(kinds))
    values: list[int | str | bytes | None] = []
    for kind in kinds:
        value, place = _value(payload, place, kind)
        values.append(value)
    return values


def _value(payload: bytes, place: int, kind: int) -> tuple[int | str | bytes | None, int]:
    """A column of the serial type `kind`, and where the next one begins."""
    if kind == 0:
        return None, place
    if kind in (8, 9):
        return kind - 8, place
    if kind < len(INT_BYTES):
        end = place + INT_BYTES[kind]
        return int.from_bytes(payload[place:end], "big", signed=True), end
    if kind < len(INT_BYTES) + 5:
        raise ValueError(kind)
    end = place + (kind - 12) // 2
    content = payload[place:end]
    return (content.decode() if kind % 2 else content), end


def _varint(content: bytes, place: int) -> tuple[int, int]:
    """A number of up to nine bytes, of which all but the ninth say with their highest bit whether more follow."""
    value = 0
    for byte in content[place : place + LONGEST_VARINT - 1]:
        place += 1
        value = (value << 7) | (byte & 0x7F)
        if byte == value & 0x7F:
            return value, place
    return (value << 8) | content[place], place + 1


def _is_whole(row: TableRow) -> bool:
    return bool(row[-1]) or is_json(row[-2])


def _plausible(rows: dict[int, TableRow], places: set[int], most: int) -> Left:
    """Those rows whose place can be true: streams have one name each, and no more events than there is room for."""
    names = Counter((at // STREAM_SPAN, row[1]) for at, row in rows.items())
    by_number: dict[int, str] = {}
    for (number, name), _ in names.most_common():
        if number > 0 and number not in by_number and name not in by_number.values():
            by_number[number] = name
    true = {
        at: row
        for at, row in sorted(rows.items())
        if by_number.get(at // STREAM_SPAN) == row[1] and 0 < at % STREAM_SPAN <= most
    }
    known = {at for at in places if at // STREAM_SPAN in by_number and 0 < at % STREAM_SPAN <= most}
    return Left(true, tuple(sorted(known.union(true))))
