"""What follows from the end of a turn: returns to whoever handed work on, and the settling of the user's message."""

from collections.abc import Mapping, Sequence

from yeaft.engine.state import TurnState
from yeaft.engine.view import message_block
from yeaft.events.session import MessagePosted, MessageSettled, SettledTurn
from yeaft.kernel import ids
from yeaft.kernel.text import without_surrogates
from yeaft.prompts.fill import fill
from yeaft.session.agents.agent_notices import awaits_agents, further_message_id
from yeaft.session.state import SessionState

TEXT_PER_VP_CHARS = 12_000
TEXT_IN_ALL_CHARS = 60_000


def answer_to(state: SessionState, message_id: str, vp_id: str) -> TurnState | None:
    """Return the turn that finally answers a message for a VP: past its hand-offs and agents, to what they brought.

    None while the answer is not there yet.
    """
    turn = state.turn_for(message_id, vp_id)
    if turn is None or turn.ended is None:
        return None
    if turn.ended.outcome == "handed_off":
        returned = state.return_to(turn.started.turn_id)
        return answer_to(state, returned.message_id, vp_id) if returned else None
    further_id = further_message_id(turn.started.turn_id)
    if further_id in state.messages:
        return answer_to(state, further_id, vp_id)
    return None if awaits_agents(state, vp_id, state.messages[message_id].root_id) else turn


def due_returns(state: SessionState, root_id: str, phrases: Mapping[str, str]) -> list[MessagePosted]:
    """Return the messages that bring answers back to whoever handed on: one per turn whose answers are all there.

    Pure, and with derived ids, so that a process that starts after a crash comes to the same messages.
    """
    due: list[MessagePosted] = []
    for turn_id, forwards in _forwards(state, root_id).items():
        sender = forwards[0].sender.removeprefix("vp:")
        sending_turn = state.turns.get(turn_id)
        if state.return_to(turn_id) is not None or sending_turn is None or sending_turn.ended is None:
            continue
        if sending_turn.ended.outcome != "handed_off":
            continue  # aborted or failed after the forward: nobody waits for the return
        answers = [(vp, answer_to(state, m.message_id, vp)) for m in forwards for vp in m.to]
        finished = [(vp, turn) for vp, turn in answers if turn is not None]
        if len(finished) < len(answers) or any(_was_stopped(turn) for _, turn in finished):
            continue
        due.append(
            MessagePosted(
                message_id=ids.carried_message_id(forwards[0].call_id, "return", sender),
                sender="system",
                to=(sender,),
                kind="return",
                text=_return_text(finished, phrases),
                root_id=root_id,
                hops=forwards[0].hops,
                call_id=forwards[0].call_id,
            )
        )
    return due


def _was_stopped(turn: TurnState) -> bool:
    """Whether the user or a time limit ended the turn: then nothing goes on by itself."""
    ended = turn.ended
    return ended is not None and (ended.outcome == "aborted" or ended.limit == "time")


def _forwards(state: SessionState, root_id: str) -> dict[str, list[MessagePosted]]:
    """Group the hand-offs of a root by the turn that made them; it may have made several calls."""
    found: dict[str, list[MessagePosted]] = {}
    for message in state.messages.values():
        if message.kind == "forward" and message.root_id == root_id:
            found.setdefault(state.turn_of_call(message.call_id), []).append(message)
    return found


def _return_text(answers: Sequence[tuple[str, TurnState]], phrases: Mapping[str, str]) -> str:
    blocks = [phrases["return_header"]]
    left_chars = TEXT_IN_ALL_CHARS
    for vp_id, turn in answers:
        text = without_surrogates(turn.final_text).strip()
        kept = text[: min(TEXT_PER_VP_CHARS, left_chars)]
        left_chars -= len(kept)
        if len(kept) < len(text):
            kept += "\n" + fill(phrases["return_cut"], {"chars": str(len(text) - len(kept))})
        outcome = turn.ended.outcome if turn.ended else "lost"
        if outcome != "answered":
            kept += "\n" + fill(phrases["return_no_answer"], {"vp": vp_id, "outcome": outcome})
        blocks.append(message_block(kept.strip(), sender=vp_id))
    return "\n\n".join(blocks)


def settling(state: SessionState, root_id: str) -> MessageSettled | None:
    """Return the event that settles a user message, if all that it caused is over and it is not settled yet."""
    if root_id in state.settled or root_id not in state.messages:
        return None
    if any(state.messages[m].root_id == root_id for queue in state.waiting.values() for m in queue):
        return None
    turns = list(state.turns_of_root(root_id))
    if not turns or any(turn.ended is None for turn in turns) or awaits_agents(state, "", root_id):
        return None
    return MessageSettled(
        message_id=root_id,
        turns=tuple(
            SettledTurn(turn_id=t.started.turn_id, vp_id=t.started.vp_id, outcome=t.ended.outcome)
            for t in turns
            if t.ended
        ),
    )
