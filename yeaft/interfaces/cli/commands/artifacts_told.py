"""What is told of the artifacts of a Session where the Session itself is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.interfaces.cli.commands.artifact_rows import speaker
from yeaft.session.artifacts.recorded import artifacts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yeaft.session.offline import Reading


class ArtifactTold(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An artifact that the journal knows; `path` is below the Session's folder `out`."""

    id: str
    type: str
    path: str
    by: str
    size_bytes: int
    description: str = ""


def artifacts_told(reading: Reading) -> tuple[ArtifactTold, ...]:
    """Return the artifacts in the order in which they were kept."""
    return tuple(
        ArtifactTold(
            id=one.artifact_id,
            type=one.type,
            path=one.path,
            by=one.created_by,
            size_bytes=one.size_bytes,
            description=one.description,
        )
        for one in artifacts_of(reading.records)
    )


def artifact_blocks(reading: Reading) -> Iterator[str]:
    """Yield the blocks of a Markdown document that list them; none where there are none."""
    told = artifacts_told(reading)
    if told:
        yield "## Artifacts"
        yield "\n".join(f"- {line_of(one)}" for one in told)


def line_of(one: ArtifactTold) -> str:
    """Return one line for people."""
    said = f": {one.description}" if one.description else ""
    return f"{one.path} ({one.type}, {one.size_bytes} bytes, {speaker(one.by)}, {one.id}){said}"
