"""Checks that what is to be kept is what its type says, before anything of it is written."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from msgspec import Struct

from yeaft.artifacts.kinds import LIMITS_BYTES, TEXTUAL, image_mime, is_text, mime_of, type_of, with_ending
from yeaft.artifacts.places import plain_name
from yeaft.artifacts.tables import read_table, write_table
from yeaft.events.artifact import ArtifactType, Column
from yeaft.kernel.errors import BadData

if TYPE_CHECKING:
    from yeaft.artifacts.artifact import Draft

MOST_PIXELS = 50_000_000
MOST_DESCRIPTION_CHARS = 2000
SCHEMES = ("http", "https", "ftp", "ftps")
_DIFF_LINE = re.compile(r"^(?:diff --git |--- |\+\+\+ |@@ |Index: |Binary files )", re.MULTILINE)


class Checked(Struct, frozen=True, kw_only=True):
    """What will be kept: of a table as CSV, of an address without white space, of all else as it came."""

    type: ArtifactType
    name: str
    content: bytes
    mime: str
    columns: tuple[Column, ...] = ()
    rows: int = 0


def checked(draft: Draft) -> Checked:
    """Check a draft. Raises `BadData`, which names the draft, what is wrong, and what would be right."""
    kind = draft.type or type_of(draft.name, draft.content)
    shown = plain_name(draft.name)
    limit = LIMITS_BYTES[kind]
    if len(draft.content) > limit:
        raise BadData(
            f"{shown} has {len(draft.content):,} bytes; an artifact of the type {kind} may have {limit:,}. "
            "Keep a part of it, or only its address as a url."
        )
    if len(draft.description) > MOST_DESCRIPTION_CHARS:
        raise BadData(
            f"The description of {shown} has {len(draft.description):,} characters; at most {MOST_DESCRIPTION_CHARS:,} "
            "are kept. Say it shorter, or keep it as an artifact of its own."
        )
    if kind in TEXTUAL and not is_text(draft.content):
        raise BadData(f"{shown} is no UTF-8 text, so it cannot be kept as {kind}. `--type file` keeps it as it is.")
    try:
        return _of_type(kind, shown, draft)
    except BadData as error:
        raise BadData(f"{shown} cannot be kept as {kind}: {error}") from error


def _of_type(kind: ArtifactType, shown: str, draft: Draft) -> Checked:
    content, columns, rows = draft.content, tuple[Column, ...](), 0
    match kind:
        case "json":
            _check_json(content)
        case "table":
            delimiter = "\t" if shown.lower().endswith(".tsv") else ","
            table = read_table(content.decode(), delimiter=delimiter, columns=draft.columns)
            columns, rows = table.columns, len(table.rows)
            content = write_table(table).encode() if delimiter != "," else content
        case "image":
            _check_image(content)
        case "diff":
            if _DIFF_LINE.search(content.decode()) is None:
                raise BadData("There is no line of a diff in it (such as `@@ -1 +1 @@`).")
        case "url":
            content = _address(content.decode()).encode() + b"\n"
        case "text" | "file" | "model":
            pass
    name = plain_name(with_ending(kind, shown, content))
    mime = mime_of(kind, name, content)
    return Checked(type=kind, name=name, content=content, mime=mime, columns=columns, rows=rows)


def _check_json(content: bytes) -> None:
    try:
        json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BadData(f"It is no JSON: {error}.") from error


def _check_image(content: bytes) -> None:
    if not image_mime(content):
        raise BadData("It is no PNG, JPEG, GIF or WebP picture.")
    import warnings

    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about damaged metadata, and pictures that are counted here
            with Image.open(io.BytesIO(content), formats=("PNG", "JPEG", "GIF", "WEBP")) as picture:
                if picture.width * picture.height > MOST_PIXELS:
                    raise BadData(f"It has {picture.width}x{picture.height} pixels; at most {MOST_PIXELS:,} are shown.")
                picture.verify()
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise BadData(f"The picture is broken: {error}.") from error


def _address(text: str) -> str:
    """Return the one address in `text`, which may be a shortcut file of a desktop (`URL=…`)."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    named = [line.removeprefix("URL=") for line in lines if line.startswith("URL=")]
    found = named or lines
    address = found[0] if len(found) == 1 else ""
    try:
        parts = urlsplit(address)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in SCHEMES or not parts.hostname or any(char.isspace() for char in address):
        raise BadData(f"It must be one address that begins with {', '.join(f'{one}://' for one in SCHEMES)}.")
    return address
