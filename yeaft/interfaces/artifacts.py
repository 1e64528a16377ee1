"""Artifacts in an open Session: a file becomes one, and what VPs name is told with what it is."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from yeaft.artifacts.references import may_refer
from yeaft.events.codec import Recorded
from yeaft.events.ops import StoreArtifact
from yeaft.events.turn import ReplyCompleted, TurnEnded
from yeaft.kernel.messages import text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from yeaft.artifacts.artifact import Artifact
    from yeaft.artifacts.store import ArtifactStore
    from yeaft.events.codec import Transient
    from yeaft.interfaces.assemble import Opened
    from yeaft.prompts.ui import Ui


async def keep_file(here: Opened, path: str) -> StoreArtifact:
    """Keep a file as an artifact of the Session, and return the op that lets it know. Raises `YeaftError`."""
    from yeaft.artifacts.artifact import stored
    from yeaft.artifacts.keeping import keep
    from yeaft.session.artifacts.storing import draft_of

    def kept() -> Artifact:
        return keep(here.artifacts, draft_of(here.folder / Path(path).expanduser(), here.state))

    return StoreArtifact(stored=stored(await asyncio.to_thread(kept)))


class NamedArtifacts:
    """Listens to answers, and tells of each artifact that one names what it is: names of ids mean nothing to people."""

    def __init__(self, store: ArtifactStore, ui: Ui, tell: Callable[[str], None]) -> None:
        self._store = store
        self._ui = ui
        self._tell = tell
        self._said: dict[str, str] = {}

    def hear(self, heard: Recorded | Transient) -> None:
        """Take in one event; what was named is told when the turn has ended, below the whole answer."""
        if not isinstance(heard, Recorded):
            return
        match heard.event:
            case ReplyCompleted(turn_id=turn_id, items=items):
                if may_refer(text := text_of(items)):
                    self._said[turn_id] = f"{self._said.get(turn_id, '')}\n{text}"
            case TurnEnded(turn_id=turn_id):
                for line in named_lines(self._store, self._ui, self._said.pop(turn_id, "")):
                    self._tell(line)
            case _:
                pass


def named_lines(store: ArtifactStore, ui: Ui, text: str) -> list[str]:
    """Return a line for each artifact that a text names and that is kept here."""
    from yeaft.artifacts.references import named_ids
    from yeaft.artifacts.store import one_of
    from yeaft.kernel.errors import NotFound, StoreFailed

    if not (ids := named_ids(text)):
        return []
    try:
        known = store.all()
    except StoreFailed:
        return []
    lines: list[str] = []
    for one_id in ids:
        try:
            one = one_of(known, one_id)
        except NotFound:
            continue
        lines.append(
            ui.text("artifact.named", type=ui.text(f"artifact.is_{one.type}"), name=one.name, id=one.artifact_id)
        )
    return list(dict.fromkeys(lines))
