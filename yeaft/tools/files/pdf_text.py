"""The text of PDF documents, page by page, as far as there is any: nothing is drawn and nothing in them is run."""

from __future__ import annotations

import logging
import struct
import time
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.kernel.errors import ToolFailed
from yeaft.kernel.text import head_bytes, without_surrogates

if TYPE_CHECKING:
    from pypdf import PdfReader

MAGIC = b"%PDF-"
LIMIT_PAGES = 100
LIMIT_BYTES = 256 * 1024
WITHIN_S = 20.0
"""After this time no further page is begun: a small document can take hours to read, and a thread cannot be ended."""
BROKEN = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, NotImplementedError, OSError, RecursionError),
    *(RuntimeError, StopIteration, TypeError, ValueError, struct.error, zlib.error),
)
"""What pypdf raises for damaged files, besides its own errors."""


class PdfText(Struct, frozen=True, kw_only=True):
    """The text of the pages `first` to `last` (counted from 1) of `total`; empty if they have none.

    `cut` says that more was asked for than is here.
    """

    text: str
    first: int
    last: int
    total: int
    cut: bool = False


def is_pdf(raw: bytes) -> bool:
    """Whether a file begins like a PDF document."""
    return raw.removeprefix(BOM_UTF8).lstrip().startswith(MAGIC)


def pdf_text(
    raw: bytes,
    shown: str,
    first: int = 0,
    last: int = 0,
    limit_bytes: int = LIMIT_BYTES,
    *,
    within_s: float = WITHIN_S,
) -> PdfText:
    """Read the pages `first` to `last`, or all if `first` is 0: at most `LIMIT_PAGES` and `limit_bytes` of text.

    At least one page is read, however long that takes.

    Raises `ToolFailed`, naming the document as `shown`, if it is damaged or encrypted or has no such page.
    """
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it tells of every oddity, which nobody here can mend
    try:
        reader = _opened(raw, shown)
        total = len(reader.pages)
        first, wanted = _asked(first, last, total, shown)
        most = min(wanted, first + LIMIT_PAGES - 1)
        return _read(_pages(reader, first, most, within_s), first, wanted, total, limit_bytes)
    except (PyPdfError, *BROKEN) as error:
        raise ToolFailed(f"{shown} is damaged: it cannot be read as a PDF document ({_reason(error)}).") from error


def _opened(raw: bytes, shown: str) -> PdfReader:
    from pypdf import PasswordType, PdfReader
    from pypdf.errors import DependencyError

    reader = PdfReader(BytesIO(raw))
    if not reader.is_encrypted:
        return reader
    try:
        is_open = reader.decrypt("") != PasswordType.NOT_DECRYPTED
    except DependencyError:
        is_open = False
    if not is_open:
        raise ToolFailed(f"{shown} is encrypted; make a copy without a password first, e.g. `qpdf --decrypt IN OUT`.")
    return reader


def _asked(first: int, last: int, total: int, shown: str) -> tuple[int, int]:
    """The first and last page that are wanted, as far as they exist."""
    if total == 0:
        raise ToolFailed(f"{shown} has no pages.")
    if first > total or (last and last < first):
        raise ToolFailed(f"{shown} has {total} pages; there are no pages {first}-{last}.")
    return (first, min(last, total)) if first else (1, total)


def _read(found: Iterator[tuple[int, str]], first: int, wanted: int, total: int, limit_bytes: int) -> PdfText:
    """Read whole pages as far as they fit; only a first one that does not is cut."""
    pages: list[str] = []
    has_text = False
    left_bytes = limit_bytes
    for number, text in found:
        page = f"--- page {number} ---\n{text}".rstrip() + "\n"
        size_bytes = len(page.encode())
        if size_bytes > left_bytes:
            pages += [] if pages else [head_bytes(page, left_bytes)]
            return PdfText(
                text="\n".join(pages).rstrip(), first=first, last=first + len(pages) - 1, total=total, cut=True
            )
        pages.append(page)
        has_text |= bool(text)
        left_bytes -= size_bytes
    last = first + len(pages) - 1
    text = "\n".join(pages).rstrip() if has_text else ""
    return PdfText(text=text, first=first, last=last, total=total, cut=last < wanted)


def _pages(reader: PdfReader, first: int, last: int, within_s: float) -> Iterator[tuple[int, str]]:
    until_s = time.monotonic() + within_s
    for number in range(first, last + 1):
        if number > first and time.monotonic() >= until_s:
            return
        yield number, without_surrogates(reader.pages[number - 1].extract_text()).replace("\0", "").strip()


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
