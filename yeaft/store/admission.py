"""Which events of an append are written, and why an append is refused; the same rules for every back end."""

from collections.abc import Mapping

from msgspec import Struct

from yeaft.kernel.errors import Conflict, Fenced, IdReuse
from yeaft.store.row import Payload, Row, Taken, payload_of


class Head(Struct, frozen=True, kw_only=True):
    """Where a stream stands: the newest `seq` and the highest epoch, both 0 for an empty stream."""

    seq: int = 0
    epoch: int = 0


def follows(taken: Taken, head: Head, owner: Head) -> bool:
    """Whether an append comes right behind `head`, from whom the stream and the Session (`owner`) belong to.

    Then all of its rows may be written, if no id among them is stored already.
    """
    return taken.expected_seq == head.seq and taken.epoch >= head.epoch and taken.epoch >= owner.epoch


def admit(taken: Taken, head: Head, stored: Mapping[str, Payload], owner: Head | None = None) -> tuple[Row, ...]:
    """The rows to write after `head`; none if all of them are stored already.

    `stored` has the payload of every row's id that the journal knows. `owner` is where the stream stands in which
    owners claim the Session: who came after counts for all its streams, from the claim on. Raises `Fenced`, `IdReuse`
    or `Conflict`.
    """
    newest = max(head.epoch, owner.epoch if owner else 0)
    if taken.epoch < newest:
        raise Fenced(
            f"Another process has taken the Session over, so nothing more is written here: stream '{taken.stream}' "
            f"belongs to a newer owner (epoch {newest}, this writer has {taken.epoch}). Open it again to go on."
        )
    rows = _unstored(taken, stored)
    if taken.expected_seq != head.seq and (rows or not taken.rows):
        raise Conflict(
            f"Stream '{taken.stream}' is at event {head.seq}, not {taken.expected_seq}: another writer appended to it; "
            "read it again first."
        )
    return rows


def _unstored(taken: Taken, stored: Mapping[str, Payload]) -> tuple[Row, ...]:
    known = dict(stored)
    rows: list[Row] = []
    for row in taken.rows:
        payload = payload_of(row, taken.stream)
        earlier = known.setdefault(row.id, payload)
        if earlier != payload:
            raise IdReuse(
                f"Event id {row.id} ({row.type}) is already stored with another content ({earlier.type} in stream "
                f"'{earlier.stream}'); an id names one fact."
            )
        if earlier is payload:
            rows.append(row)
    return tuple(rows)
