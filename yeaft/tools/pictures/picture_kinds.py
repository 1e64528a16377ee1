"""What kind of picture a file holds, by its first bytes, never by its name."""

import re
from typing import Literal

from yeaft.kernel.errors import ToolFailed
from yeaft.kernel.pattern import Pattern

Kind = Literal["png", "jpeg", "gif", "webp"]

_SHOWN: tuple[tuple[Kind, Pattern[bytes]], ...] = (
    ("png", Pattern(rb"\x89PNG\r\n\x1a\n")),
    ("jpeg", Pattern(rb"\xff\xd8\xff")),
    ("gif", Pattern(rb"GIF8[79]a")),
    ("webp", Pattern(rb"RIFF....WEBP", re.DOTALL)),
)
_NOT_SHOWN = (
    (Pattern(rb"....ftyp(?:hei|hev|mif1|msf1|avi)", re.DOTALL), "a HEIC or AVIF picture", "heif-convert IN OUT.jpg"),
    (Pattern(rb"BM....\0\0\0\0", re.DOTALL), "a BMP picture", "magick IN OUT.png"),
    (Pattern(rb"II\*\0|MM\0\*"), "a TIFF picture", "magick IN OUT.png"),
    (Pattern(rb"%PDF-"), "a PDF document", "pdftoppm -png IN OUT"),
)
_SVG = Pattern(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*(?:<!DOCTYPE svg[^>]*>\s*)?<svg[\s>]", re.DOTALL
)
HEAD_BYTES = 4096


def shown_kind(raw: bytes) -> Kind | None:
    """The kind of the picture that begins with `raw`; None if it is none that a model can be shown."""
    return next((kind for kind, magic in _SHOWN if magic.match(raw[:HEAD_BYTES])), None)


def kind_of(raw: bytes, shown: str) -> Kind:
    """The kind of the picture; raises `ToolFailed` with a way out for what cannot be shown."""
    if (kind := shown_kind(raw)) is not None:
        return kind
    why_not = why_not_shown(raw, shown)
    raise ToolFailed(why_not or f"{shown} is not a picture: it begins like neither PNG, JPEG, GIF nor WebP.")


def why_not_shown(raw: bytes, shown: str) -> str:
    """What a picture or document of another kind is, and what to do about it; empty for anything else."""
    head = raw[:HEAD_BYTES]
    for magic, what, command in _NOT_SHOWN:
        if magic.match(head):
            return f"{shown} is {what}, which cannot be shown; convert it first, for example `{command}`."
    if _SVG.match(head):
        return f"{shown} is an SVG picture, which is text: use FileRead, or convert it to PNG to see it."
    return ""
