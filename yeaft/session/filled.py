"""What fills the windows of a Session's VPs, measured on the requests that would be built next; read only."""

from collections.abc import Iterable

import msgspec

from yeaft.engine.settings import BUILDER, Settings, thaw
from yeaft.engine.state import TurnState
from yeaft.engine.view import Own
from yeaft.engine.window.filling import Filling, filling
from yeaft.events.codec import Recorded
from yeaft.events.session import SettingsFrozen
from yeaft.events.turn import RequestSent, TurnStarted
from yeaft.llm.tokens import Factors, exact_factor
from yeaft.session.history import units_for, units_next
from yeaft.session.state import SessionState
from yeaft.store.journal import Blobs


def fillings(state: SessionState, records: Iterable[Recorded], blobs: Blobs, vp_id: str = "") -> list[Filling]:
    """Measure each VP that has sent a request with the settings of its last one, or only `vp_id`.

    VPs whose settings cannot be read any more are left out.
    """
    frozen: dict[str, SettingsFrozen] = {}
    last: dict[str, str] = {}
    for recorded in records:
        match recorded.event:
            case SettingsFrozen(digest=digest):
                frozen[digest] = recorded.event
            case RequestSent(vp=vp, settings=digest):
                last[vp] = digest
            case _:
                pass
    wanted = {vp: frozen.get(digest) for vp, digest in last.items() if vp_id in ("", vp)}
    found = ((vp, _settings(event, blobs)) for vp, event in wanted.items())
    return [_filling(state, vp, settings) for vp, settings in found if settings is not None]


def _settings(event: SettingsFrozen | None, blobs: Blobs) -> Settings | None:
    content = blobs.get(event.blob.sha256) if event is not None and event.builder == BUILDER else None
    try:
        return None if content is None else thaw(content)
    except msgspec.DecodeError:
        return None


def _filling(state: SessionState, vp_id: str, settings: Settings) -> Filling:
    turn = next((turn for turn in state.open_turns() if turn.started.vp_id == vp_id), None)
    model = settings.entry.ref
    if turn is not None:
        units, factors = units_for(state, turn.started.turn_id), state.factors(turn.started.turn_id, model)
    else:
        coming = TurnState(started=TurnStarted(turn_id="", message_id="", vp_id=vp_id, mode="ask"))
        units, factors = (*units_next(state, vp_id), Own(turn=coming)), state.factors("", model)
    counted = exact_factor(settings.entry.id, "\n".join(block.text for block in settings.system))
    return filling(units, settings, Factors(at_start=counted, now=counted) if counted else factors)
