"""What an artifact is: the entry of the index, what is asked to be kept, and how an id follows from the content."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

from msgspec import Struct, field
from msgspec.structs import replace

from yeaft.events.artifact import ArtifactStored, ArtifactType, Column, Provenance
from yeaft.kernel import ids

PREFIX = "a_"


class Artifact(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An artifact as the index has it. `path` is below `out`; in the index it is the key, so it is not said again.

    `created_at` is ISO 8601; all else is as in the fact that it was stored.
    """

    artifact_id: str = field(name="id")
    type: ArtifactType
    name: str
    sha256: str
    size_bytes: int = field(name="bytes")
    mime: str
    created_by: str
    created_at: str
    description: str = ""
    revision: int = 1
    session_id: str = field(name="session", default="")
    step: str = ""
    run: str = ""
    tool: str = ""
    call_id: str = field(name="call", default="")
    source: str = ""
    supersedes: str = ""
    columns: tuple[Column, ...] = ()
    rows: int = 0
    path: str = ""


class Draft(Struct, frozen=True, kw_only=True):
    """What is to be kept.

    Without a `type` it follows from name and content. `columns` are the schema that a table must have, empty for the
    one that its cells have. What `provenance` supersedes is found out when it is kept.
    """

    name: str
    content: bytes
    type: ArtifactType | None = None
    description: str = ""
    provenance: Provenance = Provenance()
    columns: tuple[Column, ...] = ()


def artifact_id(kind: ArtifactType, sha256: str) -> str:
    """Return the id of content with that SHA-256: the same content of the same type is the same artifact everywhere."""
    return ids.derive(PREFIX, kind, sha256)


def sha256_of(content: bytes) -> str:
    """Return the SHA-256 as hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def stored(artifact: Artifact) -> ArtifactStored:
    """Return the fact that it is kept."""
    return ArtifactStored(
        artifact_id=artifact.artifact_id,
        artifact_type=artifact.type,
        path=artifact.path,
        name=artifact.name,
        sha256=artifact.sha256,
        size_bytes=artifact.size_bytes,
        mime=artifact.mime,
        provenance=Provenance(
            created_by=artifact.created_by,
            session_id=artifact.session_id,
            step=artifact.step,
            run=artifact.run,
            tool=artifact.tool,
            call_id=artifact.call_id,
            source=artifact.source,
            supersedes=artifact.supersedes,
        ),
        revision=artifact.revision,
        description=artifact.description,
        columns=artifact.columns,
        rows=artifact.rows,
    )


def from_stored(fact: ArtifactStored, stored_ms: int) -> Artifact:
    """Return the entry that the index had when the fact was recorded, which was at `stored_ms` UTC."""
    came = fact.provenance
    return Artifact(
        artifact_id=fact.artifact_id,
        type=fact.artifact_type,
        name=fact.name,
        sha256=fact.sha256,
        size_bytes=fact.size_bytes,
        mime=fact.mime,
        created_by=came.created_by,
        created_at=iso(stored_ms),
        description=fact.description,
        revision=fact.revision,
        session_id=came.session_id,
        step=came.step,
        run=came.run,
        tool=came.tool,
        call_id=came.call_id,
        source=came.source,
        supersedes=came.supersedes,
        columns=fact.columns,
        rows=fact.rows,
        path=fact.path,
    )


def described(artifact: Artifact, description: str) -> Artifact:
    """Return the artifact with another description, unless there is none."""
    return replace(artifact, description=description) if description else artifact


def iso(time_ms: int) -> str:
    """Return a time in UTC milliseconds as ISO 8601."""
    return datetime.fromtimestamp(time_ms / 1000, UTC).isoformat(timespec="milliseconds")
