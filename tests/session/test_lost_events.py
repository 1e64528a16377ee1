"""Whatever single event a damaged journal has lost, what is left of a Session can be folded, shown and gone on with."""

from pathlib import Path

from tests.engine.engine_given import fitted
from tests.session.session_given import Given, cast, for_vp, hands_on, says
from yeaft.events.codec import Recorded
from yeaft.events.turn import TurnEnded
from yeaft.interfaces.cli.commands.transcript import transcript
from yeaft.session.handoffs import due_returns, settling
from yeaft.session.history import units_for
from yeaft.session.offline import Reading
from yeaft.session.state import SessionState
from yeaft.store.directory import SessionPaths

PHRASES = {"return_header": "", "return_cut": "", "return_no_answer": ""}


def used(records: tuple[Recorded, ...]) -> SessionState:
    """Do with what is left everything that opening, showing and going on do."""
    state = SessionState("s_1")
    for recorded in records:
        state.apply(recorded)
    for turn_id in state.turns:
        fitted(units_for(state, turn_id), 1000)
    for message in tuple(state.messages.values()):
        due_returns(state, message.root_id, PHRASES)
        settling(state, message.root_id)
    transcript(Reading(paths=SessionPaths(Path("s_1")), records=records, state=state, damaged=1))
    return state


async def test_no_single_loss_makes_a_session_unusable(given: Given) -> None:
    talk = await given.session(
        cast(
            for_vp("omni", hands_on("skeptic", "level 1"), says("omni ends"), says("thanks")),
            for_vp("skeptic", hands_on("tester", "level 2", "h2"), says("skeptic ends")),
            for_vp("tester", says("tester ends")),
        ),
        roster=("omni", "skeptic", "tester"),
    )
    talk.say("go deep")
    await talk.outcomes()
    talk.say("@omni and now")
    await talk.outcomes()
    records = tuple(talk.heard)
    ended = sum(isinstance(record.event, TurnEnded) for record in records)

    assert ended == len(used(records).ended_at)
    for lost in range(len(records)):
        left = used(records[:lost] + records[lost + 1 :])
        assert len(left.ended_at) >= ended - 2
