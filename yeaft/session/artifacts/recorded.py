"""The artifacts that a journal knows: for exports and imports, and for copies that go back to an earlier state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from yeaft.artifacts.artifact import Artifact, artifact_id, from_stored, sha256_of
from yeaft.artifacts.index import INDEX_NAME
from yeaft.artifacts.places import checked_path
from yeaft.artifacts.store import ArtifactStore
from yeaft.events.artifact import ArtifactStored
from yeaft.kernel.errors import BadData

if TYPE_CHECKING:
    from yeaft.events.codec import Recorded


def artifacts_of(records: Iterable[Recorded]) -> tuple[Artifact, ...]:
    """Return the artifacts that the events tell of, as they were described last, in the order of their first."""
    found: dict[str, Artifact] = {}
    for recorded in records:
        if isinstance(recorded.event, ArtifactStored):
            found[recorded.event.path] = from_stored(recorded.event, recorded.ts)
    return tuple(found.values())


def checked_artifacts(records: Iterable[Recorded], contents: Sequence[tuple[str, bytes]]) -> Mapping[Artifact, bytes]:
    """Pair artifacts with their contents, where these came along; an export may have been edited.

    Raises `BadData` for a path that leads elsewhere, and for content that is not what the journal tells of.
    """
    known = {one.path: one for one in artifacts_of(records)}
    found: dict[Artifact, bytes] = {}
    for path, content in contents:
        artifact = known.get(checked_path(path))
        digest = sha256_of(content)
        if artifact is None or (artifact.sha256, artifact.artifact_id) != (digest, artifact_id(artifact.type, digest)):
            raise BadData(f"The artifact {path!r} is not the one that was kept: its name or content differs.")
        found[artifact] = content
    return found


def leave_artifacts(out: Path, records: Iterable[Recorded]) -> None:
    """Take away what was kept later than `records` tell of. Raises `StoreFailed`."""
    if (out / INDEX_NAME).exists():
        ArtifactStore(out).keep_only(one.path for one in artifacts_of(records))
