"""Which artifacts a command means, in which Sessions, and what lists say of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.artifacts.artifact import Artifact
from yeaft.artifacts.store import ArtifactStore, newest, one_of
from yeaft.events.artifact import Column
from yeaft.kernel.errors import NotFound, StoreFailed
from yeaft.store.directory import SessionPaths, find_session, list_session_ids, session_paths

if TYPE_CHECKING:
    from collections.abc import Iterable

    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.prompts.ui import Ui

SHOWN_ID_CHARS = 12
"""So much of an id is shown to people; it is enough for other commands."""


class Kept(Struct, frozen=True, kw_only=True):
    """An artifact in its Session; `is_current` says that no newer revision has its name."""

    paths: SessionPaths
    artifact: Artifact
    is_current: bool

    @property
    def store(self) -> ArtifactStore:
        """The artifacts of that Session."""
        return ArtifactStore(self.paths.out, session_id=self.paths.session_id)

    @property
    def file(self) -> str:
        """The path of the file."""
        return str(self.paths.out / self.artifact.path)


class ArtifactRow(Struct, frozen=True, kw_only=True):
    """What a list says of an artifact; `created` is ISO 8601, `file` a path, `current` as in `Kept`."""

    id: str
    type: str
    name: str
    revision: int
    current: bool
    path: str
    session: str
    description: str
    created_by: str
    created: str
    mime: str
    bytes: int
    sha256: str
    columns: tuple[Column, ...]
    rows: int
    step: str
    run: str
    tool: str
    call: str
    source: str
    supersedes: str
    file: str


def kept_in(paths: SessionPaths) -> list[Kept]:
    """Return all artifacts of a Session, the oldest first. Raises `StoreFailed` if their list is damaged."""
    artifacts = ArtifactStore(paths.out).all()
    current = {one.path for one in newest(artifacts)}
    return [Kept(paths=paths, artifact=one, is_current=one.path in current) for one in artifacts]


def all_kept(desk: Desk, resume: str) -> list[Kept]:
    """Return the artifacts of the Session that is meant or, if none is, of all Sessions, the oldest first.

    Of several Sessions one whose list is damaged is told of and left out; if that leaves nothing, it is an error.
    Raises `NotFound`, `StoreFailed`.
    """
    if wanted := resume or desk.options.resume:
        return kept_in(find_session(desk.home, wanted, folder=str(desk.folder)))
    found: list[Kept] = []
    failures: dict[str, StoreFailed] = {}
    for session_id in list_session_ids(desk.home):
        try:
            found += kept_in(session_paths(desk.home, session_id))
        except StoreFailed as error:
            failures[session_id] = error
    if failures and not found:
        raise next(iter(failures.values()))
    for session_id, failure in failures.items():
        desk.note("artifact.unreadable", session=session_id, reason=desk.ui.retold(str(failure)))
    return sorted(found, key=lambda one: one.artifact.created_at)


def one_kept(desk: Desk, reference: str, resume: str) -> Kept:
    """Return the one that is meant by an id, its beginning, a path or a name; of equal ones the last kept.

    Raises `NotFound`, which names the candidates.
    """
    found = all_kept(desk, resume)
    artifact = one_of(_apart(found, reference), reference)
    return next(one for one in reversed(found) if one.artifact == artifact)


def row_of(kept: Kept) -> ArtifactRow:
    """Return what programs are told."""
    one = kept.artifact
    return ArtifactRow(
        id=one.artifact_id,
        type=one.type,
        name=one.name,
        revision=one.revision,
        current=kept.is_current,
        path=one.path,
        session=kept.paths.session_id,
        description=one.description,
        created_by=one.created_by,
        created=one.created_at,
        mime=one.mime,
        bytes=one.size_bytes,
        sha256=one.sha256,
        columns=one.columns,
        rows=one.rows,
        step=one.step,
        run=one.run,
        tool=one.tool,
        call=one.call_id,
        source=one.source,
        supersedes=one.supersedes,
        file=kept.file,
    )


def speaker(created_by: str) -> str:
    """Return who made it: `user`, or `@skeptic`."""
    return f"@{created_by[3:]}" if created_by.startswith("vp:") else created_by


def made_by(created_by: str, ui: Ui) -> str:
    """Return who made it as the user is told."""
    return ui.text("artifact.by_user") if created_by == "user" else speaker(created_by)


def _apart(found: Iterable[Kept], reference: str) -> list[Artifact]:
    """Return the artifacts to choose from; a name that several Sessions have is refused, with where they are."""
    found = list(found)
    same = [one for one in found if one.is_current and reference in (one.artifact.name, one.artifact.path)]
    if len({one.paths.session_id for one in same}) > 1 and len({one.artifact.artifact_id for one in same}) > 1:
        shown = ", ".join(f"{one.artifact.artifact_id[:SHOWN_ID_CHARS]} ({one.paths.session_id})" for one in same[-5:])
        raise NotFound(f"{reference!r} is kept in several Sessions: {shown}. Give the id, or --session.")
    return [one.artifact for one in found]
