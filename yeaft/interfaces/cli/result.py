"""What a process reports at its end, in every JSON format."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.events.agent import AgentEnded
from yeaft.events.call import AskOpened
from yeaft.events.turn import Failure
from yeaft.interfaces.cli.exit_codes import exit_code_of
from yeaft.kernel.errors import YeaftError
from yeaft.kernel.outcome import worst_exit_code
from yeaft.kernel.text import without_surrogates
from yeaft.kernel.usage import Usage
from yeaft.tools.policy.visible import visible

if TYPE_CHECKING:
    from yeaft.engine.state import TurnState
    from yeaft.session.state import SessionState
    from yeaft.workflows.graphs.runs.known_runs import KnownRun


class VpResult(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How one VP's turn ended."""

    vp: str
    turn: str
    outcome: str
    text: str
    usage: Usage
    cost: float | None = None
    error: Failure | None = None
    limit: str = ""


class Question(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What only a human can decide; `flag` would have allowed it, and `next` is a command that goes on from here."""

    id: str
    vp: str
    kind: str
    text: str
    options: tuple[str, ...] = ()
    flag: str = ""
    next: str = ""


class Result(Struct, frozen=True, kw_only=True):
    """The end of a process. `text` is the answer: that of the only VP, or all of them under their names.

    `usage` and `cost` hold what sub-agents used and the flows that VPs began, too.
    """

    type: str = "result"
    exit_code: int
    outcome: str
    text: str
    session: str
    vps: tuple[VpResult, ...] = ()
    usage: Usage = Usage()
    cost: float | None = None
    questions: tuple[Question, ...] = ()
    stdin: str = ""
    error: str = ""


def failure(error: YeaftError, session_id: str = "") -> Result:
    """What is reported when there is nothing but an error to report."""
    text = without_surrogates(str(error))
    return Result(exit_code=error.exit_code, outcome="failed", text="", session=session_id, error=text)


def result_of(
    state: SessionState,
    turns: Iterable[TurnState],
    questions: Iterable[AskOpened],
    stdin: str,
    flows: Iterable[KnownRun] = (),
) -> Result:
    """Sum up the turns that this process ran, with the sub-agents that they spawned and those of `flows` they began."""
    ended = [(turn, turn.ended) for turn in turns if turn.ended]
    vps = tuple(
        VpResult(
            vp=turn.started.vp_id,
            turn=turn.started.turn_id,
            outcome=end.outcome,
            text=turn.final_text.strip(),
            usage=turn.usage,
            cost=turn.cost_usd,
            error=end.error,
            limit=end.limit or "",
        )
        for turn, end in ended
    )
    codes = [exit_code_of(end) for _, end in ended]
    exit_code = worst_exit_code(codes)
    outcomes = [end.outcome for (_, end), code in zip(ended, codes, strict=True) if code == exit_code]
    turn_ids = {vp.turn for vp in vps}
    began = [flow for flow in flows if state.turn_of_call(flow.call_id) in turn_ids]
    helped: tuple[AgentEnded | KnownRun, ...] = (*_helpers(state, turn_ids), *began)
    costs = [cost for cost in (*(vp.cost for vp in vps), *(one.cost_usd for one in helped)) if cost is not None]
    usage = sum((*(vp.usage for vp in vps), *(one.usage for one in helped)), Usage())
    return Result(
        exit_code=exit_code,
        outcome="answered" if "answered" in outcomes else next(iter(outcomes), "answered"),
        text=_answer(vps),
        session=state.session_id,
        vps=vps,
        usage=usage,
        cost=sum(costs) if costs else None,
        questions=tuple(question(ask, next_command(state.session_id, (ask,))) for ask in questions),
        stdin=stdin,
    )


def next_command(session_id: str, questions: Iterable[Question | AskOpened]) -> str:
    """Return the command that goes on after questions that nobody could answer, with what would allow the calls."""
    asked = tuple(questions)
    wants_words = any(one.kind != "approval" for one in asked)
    return " ".join(("yeaft", "-r", session_id, *flags(asked), '"your answer"' if wants_words else '"go on"'))


def flags(questions: Iterable[Question | AskOpened]) -> tuple[str, ...]:
    """Return what would allow the calls of such a command; a flag that does not show what it allows is left out."""
    return tuple(dict.fromkeys(one.flag for one in questions if one.flag and visible(one.flag) == one.flag))


def question(ask: AskOpened, command: str) -> Question:
    """Return a question as results report it; `command` goes on from it."""
    return Question(
        id=ask.ask_id,
        vp=ask.vp_id,
        kind=ask.kind,
        text=ask.text,
        options=ask.options,
        flag=ask.flag,
        next=command,
    )


def _helpers(state: SessionState, turn_ids: AbstractSet[str]) -> list[AgentEnded]:
    """Return how the sub-agents ended that these turns spawned."""
    spawned = (agent for agent in state.agents.values() if state.turn_of_call(agent.spawned.call_id) in turn_ids)
    return [agent.ended for agent in spawned if agent.ended]


def _answer(vps: tuple[VpResult, ...]) -> str:
    said = [vp for vp in vps if vp.text]
    if len({vp.vp for vp in vps}) <= 1 or not said:
        return said[-1].text if said else ""
    return "\n\n".join(f"── @{vp.vp}\n{vp.text}" for vp in said)
