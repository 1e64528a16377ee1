"""What every event is made of: the two bases, durable and transient."""

from typing import ClassVar

from msgspec import Struct


class Fact(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type"):
    """A durable event: it is journaled before anything acts on it.

    `identity` names the fields from which the event's id is derived; empty means that the event came from outside
    and gets a random id. `version` is the schema version of its fields.
    """

    identity: ClassVar[tuple[str, ...]] = ()
    version: ClassVar[int] = 1


class Passing(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type"):
    """A transient event: shown, never journaled."""


class BlobRef(Struct, frozen=True, kw_only=True):
    """Content kept beside the journal, found by the SHA-256 of its bytes."""

    sha256: str
    size_bytes: int
    mime: str
