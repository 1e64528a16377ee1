"""A Session of which no process is left, opened again in this one: what another process would do, for less."""

from e2e.drill.checks import event_problems, journal_problems
from e2e.drill.place import Place
from yeaft.events.ops import AnyOp, ContinueTurn
from yeaft.interfaces.assemble import opened
from yeaft.interfaces.ground import Wish
from yeaft.kernel.errors import NotFound
from yeaft.session.opening import Wanted

NOTHING_LEFT = 66
"""The exit code of `--continue-turn` when no turn is open."""


def wish_for(place: Place, wanted: Wanted) -> Wish:
    """What a process at `place` is started with."""
    return Wish(environ=place.environ, folder=place.work, wanted=wanted, mode="auto")


async def resume(place: Place, session_id: str, op: AnyOp) -> list[str]:
    """Open the Session in this process, do `op`, and close it; returns what is wrong then."""
    before = len(place.records(session_id))
    try:
        async with opened(wish_for(place, Wanted(ref=session_id))) as here:
            here.session.send(op)
            await here.session.idle()
    except NotFound as error:
        whole = not list(event_problems(place.records(session_id)))
        return [] if error.exit_code == NOTHING_LEFT and isinstance(op, ContinueTurn) and whole else [str(error)]
    failed = [
        f"{one.event.vp_id} failed: {one.event.error}"
        for one in place.records(session_id)[before:]
        if one.type == "turn.ended" and one.event.outcome == "failed"
    ]
    return [*failed, *journal_problems(place, session_id)]
