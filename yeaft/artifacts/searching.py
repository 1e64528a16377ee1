"""What a search looks through of a Session's artifacts: names, descriptions, and how their texts begin."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from yeaft.artifacts.index import INDEX_NAME
from yeaft.artifacts.kinds import TEXTUAL
from yeaft.artifacts.store import ArtifactStore
from yeaft.kernel import ids
from yeaft.kernel.errors import BadData, NotFound
from yeaft.kernel.text import head_bytes
from yeaft.store.filesystem import stamp_of
from yeaft.store.search_sources import Source
from yeaft.store.spoken import Spoken

if TYPE_CHECKING:
    from yeaft.artifacts.artifact import Artifact
    from yeaft.store.directory import SessionPaths

PART = "artifacts"
MARK_CHARS = 8
"""Of an entry that was described anew another one is made."""
TEXT_BYTES = 64 * 1024
"""So much of each text is looked through."""


def artifact_sources(paths: SessionPaths) -> Iterator[Source]:
    """Yield the one source that a Session's artifacts are, if it has any; for the `more` of a search."""
    index = paths.out / INDEX_NAME
    if index.is_file():
        yield Source(key=(paths.session_id, PART), stamp=stamp_of((index,)), read=lambda: _kept(paths))


def _kept(paths: SessionPaths) -> list[Spoken]:
    store = ArtifactStore(paths.out)
    return [_as_said(store, place, one) for place, one in enumerate(store.all(), start=1)]


def _as_said(store: ArtifactStore, place: int, one: Artifact) -> Spoken:
    parts = (one.name, one.description, " ".join(column.name for column in one.columns), _text(store, one))
    return Spoken(
        message_id=f"{one.path}#{ids.derive('', one.artifact_id, one.description)[:MARK_CHARS]}",
        seq=place,
        ts=_ms(one.created_at),
        source=f"artifact:{one.artifact_id}",
        text="\n".join(part for part in parts if part),
        within=one.path,
    )


def _text(store: ArtifactStore, one: Artifact) -> str:
    """Return how a text begins; nothing of one that was changed or is gone, because that is not what was kept."""
    if one.type not in TEXTUAL:
        return ""
    try:
        return head_bytes(store.read(one).decode("utf-8", "replace"), TEXT_BYTES)
    except (BadData, NotFound):
        return ""


def _ms(moment: str) -> int:
    try:
        return int(datetime.fromisoformat(moment).timestamp() * 1000)
    except ValueError:
        return 0
