"""A search of file contents as a value that any backend can be asked."""

from typing import Literal

import msgspec
from msgspec import Struct

SearchMode = Literal["files_with_matches", "count", "content"]

TIMEOUT_S = 20.0
LINE_BYTES = 16 * 1024
FILE_BYTES = 16 * 1024 * 1024


class SearchRequest(Struct, frozen=True, kw_only=True):
    """What to look for below `root`; `target` is `.` or the one file to search.

    `pattern` is in ripgrep's regular expressions unless `fixed`. `max_count` bounds the matching lines per file.
    `names` are globs of file names, of which one must fit: a hint that may let more through. `in_order` wants
    the records by path, however slow, so that the first of too many are always the same. A backend prints
    records to stdout: `path NUL LF?` for files, `path NUL count LF`, or `path NUL number : line LF`, with `-` in
    place of `:` for context lines. It exits with 0 or 1, and with 2 and a reason on stderr for a bad pattern.
    """

    root: str
    target: str
    pattern: str
    mode: SearchMode
    fixed: bool = False
    ignore_case: bool = False
    multiline: bool = False
    before: int = 0
    after: int = 0
    max_count: int = 0
    hidden: bool = False
    no_ignore: bool = False
    skipped: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    in_order: bool = False


def to_json(request: SearchRequest) -> str:
    """The request for the command line of a child process."""
    return msgspec.json.encode(request).decode()


def from_json(text: str) -> SearchRequest:
    """Undo `to_json`."""
    return msgspec.json.decode(text, type=SearchRequest)
