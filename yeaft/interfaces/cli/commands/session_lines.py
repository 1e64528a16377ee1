"""A whole Session as JSON values, one for each event, blob, attachment and artifact, and back."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec
from msgspec import Raw, Struct

from yeaft.events.history import AttachmentAdded
from yeaft.kernel.errors import BadData, NotFound, StoreFailed
from yeaft.session.artifacts.recorded import artifacts_of

if TYPE_CHECKING:
    from yeaft.events.codec import Recorded
    from yeaft.session.offline import Reading

BLOB_TYPE = "yeaft.blob"
FILE_TYPE = "yeaft.attachment"
ARTIFACT_TYPE = "yeaft.artifact"
CONTENT_TYPES = (BLOB_TYPE, FILE_TYPE, ARTIFACT_TYPE)
BYTE_ORDER_MARK = "\ufeff"


class BlobLine(Struct, frozen=True, kw_only=True, tag=BLOB_TYPE):
    """One blob that events refer to, as a CloudEvent of its own; its id is its SHA-256."""

    specversion: str = "1.0"
    id: str
    source: str = "//yeaft/blobs"
    datacontenttype: str
    data_base64: bytes


class FileLine(Struct, frozen=True, kw_only=True, tag=FILE_TYPE):
    """One attached file; its id is its SHA-256, its subject the name it has in the Session's folder."""

    specversion: str = "1.0"
    id: str
    source: str = "//yeaft/attachments"
    subject: str
    datacontenttype: str
    data_base64: bytes


class ArtifactLine(Struct, frozen=True, kw_only=True, tag=ARTIFACT_TYPE):
    """The file of one artifact; its id is its SHA-256, its subject its path below the Session's folder `out`."""

    specversion: str = "1.0"
    id: str
    source: str = "//yeaft/artifacts"
    subject: str
    datacontenttype: str
    data_base64: bytes


class _Typed(Struct, frozen=True, kw_only=True):
    """What every line says of itself."""

    type: str = ""


class Parts(Struct, frozen=True, kw_only=True):
    """What an export holds: events as lines that keep their places, blobs with their media types, files by name.

    `artifacts` are contents by their path.
    """

    events: list[str]
    blobs: list[tuple[bytes, str]]
    files: list[tuple[str, bytes]]
    artifacts: list[tuple[str, bytes]]


def lines_of(reading: Reading, *, with_contents: bool) -> Iterator[str]:
    """Yield events, then what they keep in blobs and files; those are opaque, so a redacted export has none."""
    from yeaft.store.attachments import Attachments
    from yeaft.store.blobs import FileBlobs
    from yeaft.store.cloudevents import export_lines
    from yeaft.store.references import blobs_of

    yield from export_lines(reading.records, session_id=reading.paths.session_id)
    if not with_contents:
        return
    blobs, attachments = FileBlobs(reading.paths.blobs), Attachments(reading.paths.attachments)
    refs = {ref.sha256: ref for recorded in reading.records for ref in blobs_of(recorded.event)}
    for ref in refs.values():
        if (content := blobs.get(ref.sha256)) is not None:
            yield _encoded(BlobLine(id=ref.sha256, datacontenttype=ref.mime, data_base64=content))
    for kept in _attached(reading.records):
        if (content := attachments.read(kept.file, kept.sha256)) is not None:
            line = FileLine(id=kept.sha256, subject=kept.file, datacontenttype=kept.mime, data_base64=content)
            yield _encoded(line)
    for path, mime, content in _artifacts(reading):
        digest = hashlib.sha256(content).hexdigest()
        yield _encoded(ArtifactLine(id=digest, subject=path, datacontenttype=mime, data_base64=content))


def parts_of(text: str) -> Parts:
    """Take an export apart: lines, or one JSON array of what the lines are. Raises `BadData` naming the line."""
    parts = Parts(events=[], blobs=[], files=[], artifacts=[])
    for number, line in enumerate(_lines(text), start=1):
        bare = line.removeprefix(BYTE_ORDER_MARK).strip()
        kind = _kind(bare) if any(one in bare for one in CONTENT_TYPES) else ""
        if kind not in CONTENT_TYPES:
            parts.events.append(line)
            continue
        parts.events.append("")
        try:
            content = msgspec.json.decode(bare, type=BlobLine | FileLine | ArtifactLine)
        except msgspec.DecodeError as error:
            what = {BLOB_TYPE: "a blob", FILE_TYPE: "an attachment"}.get(kind, "an artifact")
            raise BadData(f"Line {number} is not {what} of a yeaft journal: {error}.") from error
        match content:
            case BlobLine():
                parts.blobs.append((content.data_base64, content.datacontenttype))
            case FileLine():
                parts.files.append((content.subject, content.data_base64))
            case ArtifactLine():
                parts.artifacts.append((content.subject, content.data_base64))
    return parts


def _lines(text: str) -> Iterable[str]:
    if not text.lstrip(f"{BYTE_ORDER_MARK} \t\r\n").startswith("["):
        return text.split("\n")
    try:
        return [bytes(raw).decode() for raw in msgspec.json.decode(text.lstrip(BYTE_ORDER_MARK), type=list[Raw])]
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadData(f"This is no JSON array of the events of a Session: {error}.") from error


def _attached(records: Iterable[Recorded]) -> list[AttachmentAdded]:
    found = (recorded.event for recorded in records)
    return list({one.file: one for one in found if isinstance(one, AttachmentAdded)}.values())


def _artifacts(reading: Reading) -> Iterator[tuple[str, str, bytes]]:
    """Yield path, media type and content of the artifacts that the journal knows; damaged ones stay behind."""
    from yeaft.artifacts.store import ArtifactStore

    store = ArtifactStore(reading.paths.out)
    for artifact in artifacts_of(reading.records):
        with contextlib.suppress(NotFound, BadData, StoreFailed):
            yield artifact.path, artifact.mime, store.read(artifact)


def _encoded(line: BlobLine | FileLine | ArtifactLine) -> str:
    return msgspec.json.encode(line).decode()


def _kind(line: str) -> str:
    """What a line calls itself, however it is written; what is no JSON calls itself nothing."""
    try:
        return msgspec.json.decode(line, type=_Typed).type
    except (msgspec.DecodeError, RecursionError):
        return ""
