"""What is laid around the core of a Session: steps before a message is said, layers around calls, gates before them."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from yeaft.artifacts.store import ArtifactStore
from yeaft.interfaces.slashes import slashing
from yeaft.kernel.clock import wall_clock_ms
from yeaft.prompts.system import load_texts
from yeaft.session.addressing import known_names
from yeaft.session.approvals import Approvals, VpGate
from yeaft.session.artifacts.referring import referring
from yeaft.session.attachments.step import attaching
from yeaft.session.intake import Intake
from yeaft.session.nested_instructions import nested_instructions
from yeaft.store.attachments import Attachments

if TYPE_CHECKING:
    from yeaft.engine.calls import Gate
    from yeaft.interfaces.ground import Ground
    from yeaft.session.state import SessionState
    from yeaft.tools.around import Around


def intake(ground: Ground, approvals: Approvals) -> Intake:
    """What happens to the user's words before they are said, in this order."""
    state = ground.room.state
    attach = attaching(
        kept=Attachments(ground.room.paths.attachments),
        paths=lambda: replace(ground.paths, added=(*ground.wish.add_dirs, *map(Path, state.folders))),
        names=lambda: known_names(state, ground.library),
        withholding=partial(approvals.withheld, "", ground.folder),
        now_ms=wall_clock_ms,
    )
    refer = referring(
        lambda: artifacts(ground),
        lambda: known_names(state, ground.library),
        partial(approvals.withheld, "", ground.folder),
    )
    listening = (ground.hooks.step,) if ground.hooks else ()
    return Intake((slashing(ground, approvals, ground.serving.prompts()), *listening, refer, attach))


def artifacts(ground: Ground) -> ArtifactStore:
    """What the Session keeps as artifacts; nothing is made by looking."""
    return ArtifactStore(ground.room.paths.out, session_id=ground.room.paths.session_id)


def arounds(ground: Ground, label: str, state: SessionState, folder: Path | None = None) -> tuple[Around, ...]:
    """What happens around each call of a VP, a sub-agent or a step, the first outermost.

    Their turns are in `state`; they may work in a `folder` of their own.
    """
    nested = nested_instructions(
        ground.sources,
        ground.instructions,
        cache(lambda: load_texts(ground.lang)),
        lambda: state.files_read.get(label, {}),
        lambda call_id: bool(state.turn_of_call(call_id)),
    )
    listening = (ground.hooks.around(state, folder),) if ground.hooks else ()
    paths = ground.paths if folder is None else replace(ground.paths, folder=folder)
    return (*listening, ground.checkpoints.around(paths), nested)


def gate(ground: Ground, approvals: Approvals, vp_id: str) -> Gate:
    """What stands between the calls of a VP and their effects."""
    own_gate = VpGate(approvals, vp_id)
    return ground.hooks.gate(own_gate, ground.room.state) if ground.hooks else own_gate
