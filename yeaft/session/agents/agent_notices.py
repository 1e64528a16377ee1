"""When and how a VP is told what its sub-agents found: once, between its rounds, or in one further turn at the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from yeaft.events.session import MessagePosted
from yeaft.kernel import ids
from yeaft.prompts.fill import fill
from yeaft.session.agents.agent_state import AgentState, untold

if TYPE_CHECKING:
    from yeaft.engine.state import TurnState
    from yeaft.session.state import SessionState

NOTICE_CHARS = 4_000


def due_messages(state: SessionState, texts: Mapping[str, str], *, may_wake: bool = True) -> list[MessagePosted]:
    """Return what is to be posted now so that every VP hears of its agents, each report once.

    A VP at work hears between two rounds, or at the start of its turn. One that has ended its turn hears when none of
    its agents runs any more, in one further turn; `may_wake` False leaves that turn out, and so it hears in its next.
    Agents that were closed wake nobody. Pure, and with derived ids.
    """
    found: list[MessagePosted] = []
    for vp_id in dict.fromkeys(agent.spawned.vp_id for agent in untold(state.agents, state.delivered)):
        turn = next((one for one in state.open_turns() if one.started.vp_id == vp_id), None)
        agents = untold(state.agents, state.delivered, vp_id)
        if turn is None:
            found += _after_turns(state, vp_id, agents, texts, may_wake=may_wake)
        elif _is_between_rounds(turn):
            found += [_notice(agent, texts, turn.started.turn_id) for agent in agents]
    return found


def further_message_id(turn_id: str) -> str:
    """The message that starts the further turn after this one, once the VP's agents have all ended."""
    return ids.derive("m_", turn_id, "agents")


def awaits_agents(state: SessionState, vp_id: str, root_id: str) -> bool:
    """Whether a VP has agents that go back to this user message, and still run or have reports to deliver."""
    agents = [agent for agent in state.agents.values() if agent.spawned.root_id == root_id]
    return any(
        vp_id in ("", agent.spawned.vp_id) and (agent.is_running or agent.report_id not in state.delivered)
        for agent in agents
    )


def _is_between_rounds(turn: TurnState) -> bool:
    """Whether the next thing is a request: before that, a call may still take a report itself."""
    last = turn.last
    return last is None or (last.reply is not None and bool(last.calls) and not turn.open_calls)


def _after_turns(
    state: SessionState, vp_id: str, agents: list[AgentState], texts: Mapping[str, str], *, may_wake: bool
) -> list[MessagePosted]:
    found: list[MessagePosted] = []
    for root_id in dict.fromkeys(agent.spawned.root_id for agent in agents):
        of_root = [agent for agent in agents if agent.spawned.root_id == root_id]
        wakes = may_wake and any(agent.status != "closed" for agent in of_root)
        if wakes and _has_running(state, vp_id, root_id):
            continue
        found += [_notice(agent, texts) for agent in of_root]
        last = next((turn for turn in reversed(state.turns.values()) if _is_of(state, turn, vp_id, root_id)), None)
        if wakes and last is not None and further_message_id(last.started.turn_id) not in state.messages:
            found.append(_further(state, last, root_id, texts))
    return found


def _has_running(state: SessionState, vp_id: str, root_id: str) -> bool:
    mine = (agent for agent in state.agents.values() if agent.spawned.vp_id == vp_id)
    return any(agent.is_running and agent.spawned.root_id == root_id for agent in mine)


def _is_of(state: SessionState, turn: TurnState, vp_id: str, root_id: str) -> bool:
    return turn.started.vp_id == vp_id and state.messages[turn.started.message_id].root_id == root_id


def _further(state: SessionState, last: TurnState, root_id: str, texts: Mapping[str, str]) -> MessagePosted:
    return MessagePosted(
        message_id=further_message_id(last.started.turn_id),
        sender="system",
        to=(last.started.vp_id,),
        kind="continue",
        text=texts["all_done"],
        root_id=root_id,
        hops=state.messages[last.started.message_id].hops,
    )


def _notice(agent: AgentState, texts: Mapping[str, str], turn_id: str = "") -> MessagePosted:
    spawned = agent.spawned
    return MessagePosted(
        message_id=agent.report_id,
        sender="system",
        to=(spawned.vp_id,),
        kind="notice",
        text=_notice_text(agent, texts),
        root_id=spawned.root_id,
        turn_id=turn_id,
    )


def _notice_text(agent: AgentState, texts: Mapping[str, str]) -> str:
    result = agent.result.replace("</agent-report", "&lt;/agent-report")
    if len(result) > NOTICE_CHARS:
        cut = fill(texts["report_cut"], {"chars": str(len(result) - NOTICE_CHARS)})
        result = f"{result[:NOTICE_CHARS]}\n{cut}"
    error = agent.ended.error if agent.ended else ""
    values = {
        "name": agent.spawned.name,
        "id": agent.spawned.agent_id,
        "status": agent.status,
        "error": f' error="{_in_attribute(error)}"' if error else "",
        "result": result or texts["no_report"],
    }
    return fill(texts["report"], values)


def _in_attribute(text: str) -> str:
    return " ".join(text.replace('"', "'").replace("<", "&lt;").split())
