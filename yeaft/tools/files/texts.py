"""Bytes to text and back without changing a byte: UTF-8, UTF-16 with a mark, GB18030, Latin-1."""

import codecs

from msgspec import Struct

from yeaft.kernel.errors import ToolFailed
from yeaft.kernel.pattern import Pattern

UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
HAN_PAIR = Pattern(rb"[\x81-\xfe][\xa1-\xfe]")
HIGH = Pattern(rb"[\x80-\xff]")
C1 = Pattern(rb"[\x80-\x9f]")
HAN_SHARE = 0.8


class Text(Struct, frozen=True, kw_only=True):
    """A decoded file: `bom` are the bytes before the text, which `encoding` (a Python codec) does not cover."""

    text: str
    encoding: str = "utf-8"
    bom: bytes = b""


def decode(raw: bytes) -> Text | None:
    """The text of a file, or None when it is not text in a known encoding, so that encoding it back is exact."""
    bom, encoding = _marked(raw)
    body = raw[len(bom) :]
    found = _exactly(body, encoding)
    if found is None and not bom:
        encoding = _guessed(body)
        found = _exactly(body, encoding) if encoding else None
    return None if found is None or "\0" in found else Text(text=found, encoding=encoding, bom=bom)


def encode(text: str, like: Text) -> bytes:
    """`text` in the encoding of `like`; raises `UnicodeEncodeError` when that encoding cannot hold it."""
    return like.bom + text.encode(like.encoding)


def text_of_file(raw: bytes, shown: str) -> Text:
    """The decoded file; raises `ToolFailed` for binary content."""
    text = decode(raw)
    if text is None:
        raise ToolFailed(f"{shown} is not text in UTF-8, UTF-16, GB18030 or Latin-1; it cannot be edited as text.")
    return text


def encoded_like(text: str, like: Text, shown: str) -> bytes:
    """The bytes of `text` in the encoding that the file has; raises `ToolFailed` if that cannot hold a character."""
    try:
        return encode(text, like)
    except UnicodeEncodeError as error:
        alien = text[error.start]
        raise ToolFailed(
            f"{shown} is in {like.encoding}, which has no {alien!r}. Write it without that character, or convert the "
            "file to UTF-8 first. Nothing was written."
        ) from error


def _marked(raw: bytes) -> tuple[bytes, str]:
    if raw.startswith(codecs.BOM_UTF8):
        return codecs.BOM_UTF8, "utf-8"
    mark = raw[:2]
    return (mark, UTF16[mark]) if mark in UTF16 else (b"", "utf-8")


def _exactly(body: bytes, encoding: str) -> str | None:
    try:
        text = body.decode(encoding)
        return text if encoding == "utf-8" or text.encode(encoding) == body else None
    except UnicodeError:
        return None


def _guessed(body: bytes) -> str:
    """The legacy encoding of bytes that are not UTF-8; empty when none is likely.

    Chinese text is almost only pairs of high bytes; Western text has single ones between ASCII letters, and never
    the C1 controls, which Windows-1252 uses for quotes and dashes.
    """
    if b"\0" in body:
        return ""
    high = len(HIGH.findall(body))
    if 2 * len(HAN_PAIR.findall(body)) >= HAN_SHARE * high and _exactly(body, "gb18030") is not None:
        return "gb18030"
    return "cp1252" if C1.search(body) else "latin-1"
