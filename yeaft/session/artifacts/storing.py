"""Makes artifacts of files, and finds out who wrote them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from yeaft.artifacts.artifact import Draft, sha256_of, stored
from yeaft.artifacts.keeping import keep
from yeaft.artifacts.kinds import LIMITS_BYTES
from yeaft.artifacts.store import ArtifactStore
from yeaft.events.artifact import ArtifactType, Provenance
from yeaft.events.session import OwnerReleased
from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.errors import BadData, NotFound, ToolFailed
from yeaft.kernel.text import without_surrogates
from yeaft.session.ledger import Ledger
from yeaft.session.passing import Tell, nothing, open_in_passing
from yeaft.tools.files.file_bytes import read_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yeaft.artifacts.artifact import Artifact
    from yeaft.engine.state import CallState
    from yeaft.session.state import SessionState

MOST_BYTES = max(LIMITS_BYTES.values())


def draft_of(
    path: Path, state: SessionState, *, kind: ArtifactType | None = None, name: str = "", description: str = ""
) -> Draft:
    """Read a file as what is to be kept; whoever wrote it last in this Session, as it is now, has made it. Blocks.

    Raises `NotFound` if there is no such file, `BadData` if it cannot be read.
    """
    place = path.resolve()
    if not place.is_file():
        raise NotFound(f"There is no file {path} to keep as an artifact.")
    if (size_bytes := place.stat().st_size) > MOST_BYTES:
        raise BadData(f"{path} has {size_bytes:,} bytes; an artifact may have {MOST_BYTES:,}.")
    try:
        content = read_file(place, str(path), MOST_BYTES)
    except ToolFailed as error:
        raise BadData(str(error)) from error
    found = written_by(state, place, sha256_of(content)) or Provenance()
    return Draft(
        name=without_surrogates(name or path.name),
        content=content,
        type=kind,
        description=without_surrogates(" ".join(description.split())),
        provenance=replace(found, source=without_surrogates(str(place))),
    )


def written_by(state: SessionState, path: Path, sha256: str) -> Provenance | None:
    """Return which call of a VP wrote this content to `path` last; None if nobody here did."""
    for vp_id, turn_id, call in _calls(state):
        files = call.finished.facts.files if call.finished else ()
        if any(fact.written and fact.sha256 == sha256 and Path(fact.path) == path for fact in files):
            return Provenance(created_by=f"vp:{vp_id}", run=turn_id, tool=call.call.tool, call_id=call.call.call_id)
    return None


async def keep_offline(
    home: Path, session_id: str, draft: Draft, *, take_over: bool = False, tell: Tell = nothing
) -> Artifact:
    """Keep an artifact in a Session that no conversation is going on in, and note it in its journal.

    Who else only keeps one is waited for, which `tell` hears of if it takes long. Raises `SessionBusy` before anything
    is written if another process owns the Session, and what `keep` raises.
    """
    room = await open_in_passing(home, session_id, take_over=take_over, tell=tell)
    try:
        artifact = keep(ArtifactStore(room.paths.out, session_id=session_id), draft)
        fact = stored(artifact)
        if room.state.artifacts.get(artifact.path) != fact:
            ledger = Ledger(room.journal, room.state, wall_clock_ms, room.epoch, purse=room.purse)
            await ledger.post((*room.opening, fact, OwnerReleased()), src="user", sync=True)
        return artifact
    finally:
        await room.aclose()


def _calls(state: SessionState) -> Iterator[tuple[str, str, CallState]]:
    """Yield the calls of all turns with their VP and turn, the newest first."""
    for turn in reversed(state.turns.values()):
        for attempt in reversed(turn.attempts):
            for call in reversed(attempt.calls):
                yield turn.started.vp_id, turn.started.turn_id, call
