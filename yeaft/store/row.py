"""An event as a back end keeps it: the envelope's fields and the encoded event, before it has a place in a stream."""

import msgspec
from msgspec import Struct

from yeaft.events import codec
from yeaft.events.codec import Recorded

LOST_TYPE = "event.lost"
"""What stands in the place of an event that no file has any more, so that all others keep their numbers."""


class Row(Struct, frozen=True, kw_only=True):
    """One event to be written. `data` is its JSON; it is empty when the content is a blob named by `sha256`."""

    id: str
    type: str
    version: int
    ts: int
    src: str
    cause: str
    corr: str
    data: bytes
    sha256: str = ""


class Payload(Struct, frozen=True, kw_only=True):
    """What must be equal for two events of one id to count as the same event."""

    stream: str
    type: str
    version: int
    data: bytes
    sha256: str


class Taken(Struct, frozen=True, kw_only=True):
    """One `append` as it was called, on its way to being committed."""

    stream: str
    expected_seq: int
    epoch: int
    rows: tuple[Row, ...]
    sync: bool


def row_of(recorded: Recorded) -> Row:
    """Encode an event. Its `stream`, `seq` and `epoch` are left out: the append decides them."""
    return Row(
        id=recorded.id,
        type=recorded.type,
        version=codec.version_of(recorded.event),
        ts=recorded.ts,
        src=recorded.src,
        cause=recorded.cause,
        corr=recorded.corr,
        data=codec.encode(recorded.event),
    )


def payload_of(row: Row, stream: str) -> Payload:
    """What identifies the content of `row` in `stream`."""
    return Payload(stream=stream, type=row.type, version=row.version, data=row.data, sha256=row.sha256)


def recorded_at(row: Row, stream: str, seq: int, epoch: int) -> Recorded:
    """The event of `row` at its place; `row.data` must hold the content."""
    return Recorded(
        id=row.id,
        stream=stream,
        seq=seq,
        ts=row.ts,
        src=row.src,
        cause=row.cause,
        corr=row.corr,
        epoch=epoch,
        event=codec.decode(row.type, row.version, row.data),
    )


def moved_to_blob(row: Row, sha256: str) -> Row:
    """`row` with its content replaced by the name of a blob."""
    return msgspec.structs.replace(row, data=b"", sha256=sha256)


def is_json(content: bytes) -> bool:
    """Whether stored content is whole as far as anybody can tell without knowing its type."""
    try:
        msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True
