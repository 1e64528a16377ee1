"""Brings an entry of which a part stands in an object of its own into the flat form that most programs write."""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from yeaft.config.json_text import Member, Members

LIFTED: Mapping[str, Mapping[str, str]] = {
    "command": {"path": "command"},
    "transport": {},
    "requestInit": {},
}
"""Keys whose object is part of the entry itself, and what is called otherwise in it than elsewhere."""


def lifted(entry: Members) -> Members:
    """Return `entry` with what stands in objects of `LIFTED`; what stands in the entry itself counts more."""
    return replace(entry, members=(*_inner(entry), *_own(entry)))


def _inner(entry: Members) -> Iterator[Member]:
    for member in entry.members:
        if isinstance(member.node, Members) and member.key in LIFTED:
            renamed = LIFTED[member.key]
            yield from (replace(one, key=renamed.get(one.key, one.key)) for one in member.node.members)


def _own(entry: Members) -> Iterator[Member]:
    yield from (one for one in entry.members if not (isinstance(one.node, Members) and one.key in LIFTED))
