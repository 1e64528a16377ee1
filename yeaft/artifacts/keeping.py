"""Keeps an artifact: its file first, then its entry in the list, so that a crash leaves at most a file too many."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from yeaft.artifacts.artifact import Artifact, Draft, artifact_id, described, iso, sha256_of
from yeaft.artifacts.checking import Checked, checked
from yeaft.artifacts.index import clear_unfinished, write_index, write_whole
from yeaft.artifacts.places import numbered, plain_name, schema_name
from yeaft.artifacts.store import maker
from yeaft.events.artifact import Provenance
from yeaft.kernel.errors import BadData, YeaftError
from yeaft.store.filesystem import make_private

if TYPE_CHECKING:
    from yeaft.artifacts.store import ArtifactStore

MOST_ARTIFACTS = 10_000
MOST_TOTAL_BYTES = 2 * 1024 * 1024 * 1024


def keep(store: ArtifactStore, draft: Draft) -> Artifact:
    """Keep a draft and return what it has become, which is on the disk then. Blocks.

    The same content under the same name is kept once; other content under it is a new revision, and the earlier one
    stays. Raises `BadData` for a draft that is not what its type says or too much, `StoreFailed`, `SessionBusy`.
    """
    check = checked(draft)
    sha256 = sha256_of(check.content)
    folder = plain_name(draft.provenance.step or draft.provenance.created_by.removeprefix("vp:"))
    with store.locked() as artifacts:
        revisions = [one for one in artifacts.values() if (maker(one.path), one.name) == (folder, check.name)]
        earlier = max(revisions, key=lambda one: one.revision, default=None)
        identity = artifact_id(check.type, sha256)
        if earlier is not None and earlier.artifact_id == identity:
            return _again(store, artifacts, earlier, check, draft.description)
        _refuse_too_much(artifacts, check)
        artifact = Artifact(
            artifact_id=identity,
            type=check.type,
            name=check.name,
            sha256=sha256,
            size_bytes=len(check.content),
            mime=check.mime,
            created_at=iso(store.now_ms()),
            description=draft.description,
            revision=earlier.revision + 1 if earlier else 1,
            columns=check.columns,
            rows=check.rows,
            **_came_from(draft.provenance, store.session_id, earlier.artifact_id if earlier else ""),
        )
        artifact = replace(artifact, path=_free_path(store.out, artifacts, f"{folder}/{check.name}", check))
        _write_files(store.out, artifact, check.content)
        write_index(store.out, {**artifacts, artifact.path: artifact})
        return artifact


def restore(store: ArtifactStore, kept: Mapping[Artifact, bytes]) -> None:
    """Put artifacts back as they were, such as those of an import. Raises `BadData` for content that does not fit."""
    for artifact, content in kept.items():
        digest = sha256_of(content)
        if digest != artifact.sha256 or artifact_id(artifact.type, digest) != artifact.artifact_id:
            raise BadData(f"The content of the artifact {artifact.path!r} is not the one that was kept.")
    with store.locked() as artifacts:
        for artifact, content in kept.items():
            _write_files(store.out, artifact, content)
        write_index(store.out, {**artifacts, **{one.path: one for one in kept}})


def _again(
    store: ArtifactStore, artifacts: Mapping[str, Artifact], known: Artifact, check: Checked, description: str
) -> Artifact:
    """Return what is kept already, its file mended if it was lost and its description renewed."""
    try:
        store.read(known)
    except YeaftError:
        _write_files(store.out, known, check.content)
    renewed = described(known, description)
    if renewed != known:
        write_index(store.out, {**artifacts, known.path: renewed})
    return renewed


def _came_from(provenance: Provenance, session_id: str, supersedes: str) -> dict[str, str]:
    found = msgspec.structs.asdict(provenance)
    return {**found, "session_id": provenance.session_id or session_id, "supersedes": supersedes}


def _free_path(out: Path, artifacts: Mapping[str, Artifact], path: str, check: Checked) -> str:
    """Return a place that nothing has: no entry, and no file that a process left behind, unless it is just this."""
    folder, name = path.split("/")
    for number in range(1, MOST_ARTIFACTS * 2):
        candidate = f"{folder}/{numbered(name, number)}"
        if candidate in artifacts:
            continue
        file = out / candidate
        if not _is_taken(file, check.content) and not (check.type == "table" and _has_other_schema(file, artifacts)):
            return candidate
    raise BadData(f"There are too many artifacts called {name}; give it another name.")


def _has_other_schema(file: Path, artifacts: Mapping[str, Artifact]) -> bool:
    """Whether a table's schema would lie where something else does."""
    beside = file.with_name(schema_name(file.name))
    return f"{file.parent.name}/{beside.name}" in artifacts or (beside.exists() and not file.exists())


def _is_taken(file: Path, content: bytes) -> bool:
    """Whether there is something else at a place: what a dead process wrote of this very content is no obstacle."""
    if file.is_symlink() or (file.exists() and not file.is_file()):
        return True
    return file.is_file() and (file.stat().st_size != len(content) or file.read_bytes() != content)


def _write_files(out: Path, artifact: Artifact, content: bytes) -> None:
    file = out / artifact.path
    make_private(file.parent)
    clear_unfinished(file.parent)
    write_whole(file, content)
    if artifact.type == "table":
        schema = {"columns": artifact.columns, "rows": artifact.rows}
        write_whole(file.with_name(schema_name(file.name)), msgspec.json.encode(schema) + b"\n")


def _refuse_too_much(artifacts: Mapping[str, Artifact], check: Checked) -> None:
    if len(artifacts) >= MOST_ARTIFACTS:
        raise BadData(f"A Session may have {MOST_ARTIFACTS:,} artifacts, and this one has them. Use a new Session.")
    if sum(one.size_bytes for one in artifacts.values()) + len(check.content) > MOST_TOTAL_BYTES:
        raise BadData(
            f"The artifacts of a Session may have {MOST_TOTAL_BYTES:,} bytes together; {check.name} "
            f"({len(check.content):,}) does not fit any more. Use a new Session."
        )
