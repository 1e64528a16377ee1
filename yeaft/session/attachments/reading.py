"""Reads what a user attaches or names, once, behind one guard, into what a model is told and what is kept of it."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from yeaft.kernel.errors import ToolFailed
from yeaft.kernel.text import head_bytes, without_surrogates
from yeaft.prompts.reference import attached_block, in_attribute, on_one_line
from yeaft.session.attachments.references import Located
from yeaft.tools.files.file_bytes import read_file
from yeaft.tools.files.pdf_text import is_pdf, pdf_text
from yeaft.tools.files.texts import decode
from yeaft.tools.list_dir import listing
from yeaft.tools.pictures.picture_kinds import Kind, shown_kind, why_not_shown

if TYPE_CHECKING:
    from yeaft.tools.paths import Paths
    from yeaft.tools.policy.read_denials import Withholding

FILE_BYTES = 10 * 1024 * 1024
TEXT_BYTES = 256 * 1024
PDF_MIME = "application/pdf"
TEXT_MIME = "text/plain"
WHOLE = (0, 0)
Part = tuple[int, int]
"""The first and last line or page that is wanted, counted from 1."""


class Given(Struct, frozen=True, kw_only=True):
    """Something that goes with a message: `block` is what the model is told of it, `content` what is kept of it.

    A picture is kept as it will be shown; of a folder nothing is kept. `read_bytes` is what it took to read it.
    """

    name: str
    block: str
    source: str
    content: bytes | None = None
    mime: str = ""
    note: str = ""
    read_bytes: int = 0


def read_located(located: Located, paths: Paths, withholding: Withholding) -> Given:
    """Read a file or folder that was found. Blocks; raises `ToolFailed` with a reason for the user.

    `withholding` are the rules that deny reading: they hold for what the user names, too.
    """
    path, shown = located.path, on_one_line(paths.shown(located.path))
    source = without_surrogates(str(path))
    for spelling in (path, located.spelled):
        if (rules := withholding(spelling)).holds(str(spelling)):
            raise ToolFailed(f"{shown} stays closed: {', '.join(rules.rules)} denies reading it.")
    try:
        status = path.lstat()
    except OSError as error:
        raise ToolFailed(f"{shown} cannot be read: {error.strerror}.") from error
    if stat.S_ISDIR(status.st_mode):
        name = f"{shown.rstrip('/')}/"
        block = attached_block(listing(path, shown, show_hidden=False), {"folder": name})
        return Given(name=name, block=block, source=source)
    if status.st_size > FILE_BYTES:
        raise ToolFailed(f"{shown} has {status.st_size:,} bytes; at most {FILE_BYTES:,} can be attached.")
    given = read_content(read_file(path, shown, FILE_BYTES), shown, source, (located.first, located.last))
    if given.note and given.mime == TEXT_MIME and paths.inside(path):
        return replace(given, block=f"{given.block[:-1]} FileRead shows the rest.]")
    return given


def read_content(raw: bytes, name: str, source: str, part: Part = WHOLE) -> Given:
    """Read the content of a file; `part` are lines of a text or pages of a PDF document. Raises `ToolFailed`."""
    if is_pdf(raw):
        return _document(raw, name, source, part)
    if (kind := shown_kind(raw)) is not None:
        return _picture(raw, kind, name, source)
    text = decode(raw)
    if text is None:
        reason = why_not_shown(raw, name)
        raise ToolFailed(reason or f"{name} is binary; only text, pictures and PDF documents can be attached.")
    return _text(text.text, raw, name, source, part)


def _picture(raw: bytes, kind: Kind, name: str, source: str) -> Given:
    from yeaft.tools.pictures.picture import prepare

    prepared = prepare(raw, kind, name)
    changes: list[str] = []
    if prepared.scaled:
        changes.append(f"scaled down to {prepared.shown_width}x{prepared.shown_height}")
    if prepared.moves:
        changes.append("only the first frame of an animation")
    about = "; ".join((f"{kind}, {prepared.width}x{prepared.height}", *changes))
    return Given(
        name=name,
        block=f"[Attached picture: {in_attribute(name)} ({about})]",
        source=source,
        content=prepared.picture.content,
        mime=prepared.picture.mime,
        note="; ".join(changes),
        read_bytes=len(raw),
    )


def _text(text: str, raw: bytes, name: str, source: str, part: Part) -> Given:
    first, last = part
    lines = text.removesuffix("\n").split("\n")
    if first > len(lines) or (last and last < first):
        raise ToolFailed(f"Lines in {name}: {len(lines)}. There are none from {first} to {last}.")
    begin, end = (first, min(last, len(lines))) if first else (1, len(lines))
    wanted = "\n".join(lines[begin - 1 : end])
    kept = head_bytes(wanted, TEXT_BYTES)
    note = ""
    if kept != wanted:
        kept = kept.rpartition("\n")[0] or kept
        end = begin + kept.count("\n")
        note = f"only lines {begin}-{end} of {len(lines)}"
    is_whole = (begin, end) == (1, len(lines))
    attributes = {"file": name, "lines": "" if is_whole else f"{begin}-{end} of {len(lines)}"}
    block = attached_block(kept, attributes)
    if note:
        block += f"\n[{in_attribute(name)} is long: {note} are here.]"
    return Given(name=name, block=block, source=source, content=raw, mime=TEXT_MIME, note=note, read_bytes=len(raw))


def _document(raw: bytes, name: str, source: str, part: Part) -> Given:
    found = pdf_text(raw, name, *part, TEXT_BYTES)
    pages = f"{found.first}-{found.last} of {found.total}"
    note = ""
    if not found.text:
        note = "no text"
        block = (
            f"[Attached document: {in_attribute(name)} (PDF, pages {pages}). There is no text on these pages: they "
            "are probably scanned, and cannot be read here.]"
        )
    else:
        is_whole = (found.first, found.last) == (1, found.total)
        attributes = {"file": name, "pages": str(found.total) if is_whole else pages}
        block = attached_block(found.text, attributes)
        if found.cut:
            note = f"only pages {pages}"
            following = f"{min(found.last + 1, found.total)}-{found.total}"
            block += f"\n[{in_attribute(name)} is long: {note} are here. The user can add others with `:{following}`.]"
    return Given(name=name, block=block, source=source, content=raw, mime=PDF_MIME, note=note, read_bytes=len(raw))
