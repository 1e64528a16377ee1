"""A journal as JSON lines of CloudEvents 1.0, without loss, and back.

https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md; `sequence` is the extension of that name.
"""

import datetime as dt
from collections.abc import Iterable, Iterator
from typing import Annotated
from urllib.parse import quote, unquote

import msgspec
from msgspec import Meta, Raw, Struct

from yeaft.events import codec
from yeaft.events.codec import Recorded
from yeaft.kernel.errors import BadData

SPEC_VERSION = "1.0"
TYPE_PREFIX = "yeaft."
JSON_TYPE = "application/json"
BYTE_ORDER_MARK = "\ufeff"
ABSENT = Raw()  # left out only where it is this very object
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


class CloudEvent(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The attributes of one line. Content that is no JSON text of one line travels as `data_base64`."""

    specversion: str
    id: str
    source: str
    type: str
    subject: str
    time: Annotated[dt.datetime, Meta(tz=True)]
    dataschema: str
    sequence: str
    version: int
    epoch: int = 0
    causationid: str = ""
    correlationid: str = ""
    datacontenttype: str = ""
    data: Raw = ABSENT
    data_base64: bytes = b""


_decoder = msgspec.json.Decoder(CloudEvent)


def export_lines(records: Iterable[Recorded], *, session_id: str = "") -> Iterator[str]:
    """One line, without its end, per event; `session_id` becomes part of `source`."""
    for recorded in records:
        yield msgspec.json.encode(_cloud_event(recorded, session_id)).decode()


def import_lines(lines: Iterable[str]) -> Iterator[Recorded]:
    """The events of exported lines; blank lines are skipped. Raises `BadData` naming the line, counted from 1."""
    for number, line in enumerate(lines, 1):
        bare = line.removeprefix(BYTE_ORDER_MARK).strip()  # without what other systems put around it
        if not bare:
            continue
        try:
            yield _recorded(_decoder.decode(bare))
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise BadData(f"Line {number} is not an event of a yeaft journal: {error}.") from error


def _cloud_event(recorded: Recorded, session_id: str) -> CloudEvent:
    content = codec.encode(recorded.event)
    inline = _fits_in_line(content)
    return CloudEvent(
        specversion=SPEC_VERSION,
        id=recorded.id,
        source=f"//yeaft/{quote(session_id)}/{quote(recorded.src, safe=':')}",
        type=TYPE_PREFIX + recorded.type,
        subject=recorded.stream,
        time=EPOCH + dt.timedelta(milliseconds=recorded.ts),
        dataschema=f"yeaft:/schema/{recorded.type}/{codec.version_of(recorded.event)}",
        sequence=str(recorded.seq),
        version=codec.version_of(recorded.event),
        epoch=recorded.epoch,
        causationid=recorded.cause,
        correlationid=recorded.corr,
        datacontenttype=JSON_TYPE if inline else "",
        data=Raw(content) if inline else ABSENT,
        data_base64=b"" if inline else content,
    )


def _recorded(line: CloudEvent) -> Recorded:
    if line.specversion != SPEC_VERSION:
        raise ValueError(f"specversion is '{line.specversion}', not '{SPEC_VERSION}'")
    if not line.type.startswith(TYPE_PREFIX):
        raise ValueError(f"type '{line.type}' does not begin with '{TYPE_PREFIX}'")
    content = bytes(line.data) or line.data_base64
    return Recorded(
        id=line.id,
        stream=line.subject,
        seq=int(line.sequence),
        ts=(line.time - EPOCH) // dt.timedelta(milliseconds=1),
        src=unquote(line.source.rpartition("/")[2]),
        cause=line.causationid,
        corr=line.correlationid,
        epoch=line.epoch,
        event=codec.decode(line.type.removeprefix(TYPE_PREFIX), line.version, content),
    )


def _fits_in_line(content: bytes) -> bool:
    if content != content.strip() or b"\n" in content or b"\r" in content:
        return False
    try:
        msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True
