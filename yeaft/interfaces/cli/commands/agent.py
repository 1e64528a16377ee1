"""`yeaft agent`: list, show and follow sub-agents, also those of a yeaft that is gone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click
from msgspec import Struct, structs

from yeaft.events.agent import Budget
from yeaft.interfaces.cli.commands.parsing import Action, argument, flag, option, run_group
from yeaft.interfaces.cli.commands.printing import iso_time, local_time, put, put_json, put_table
from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.outcome import EXIT_ANSWERED
from yeaft.kernel.usage import Usage

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options
    from yeaft.session.agents.agent_reading import SeenAgent


class AgentRow(Struct, frozen=True, kw_only=True):
    """What is known of an agent; times are ISO 8601, `log` is a path, `mission` and `result` are whole."""

    id: str
    session: str
    vp: str
    name: str
    persona: str
    status: str
    stale: bool
    started: str
    ended: str
    folder: str
    mission: str
    budget: Budget
    rounds: int
    tool_uses: int
    recent_tools: tuple[str, ...]
    tokens: int
    usage: Usage
    cost: float | None
    last_event: str
    last_event_at: str
    error: str
    result: str
    log: str


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft agent ...` and return the exit code."""
    return run_group("agent", ACTIONS, options, words)


def ls(desk: Desk, *, everything: bool, resume: str) -> int:
    """List the agents of all Sessions, or of one."""
    found = _seen(desk, resume)
    shown = [seen for seen in found if everything or seen.status in ("running", "idle")]
    if desk.as_json:
        put_json([_row(desk, seen) for seen in shown])
        return EXIT_ANSWERED
    if not shown:
        desk.note("agent.none_live" if found else "agent.none", count=len(found))
        return EXIT_ANSWERED
    keys = ("id", "status", "vp", "session", "started", "tokens", "mission")
    put_table([desk.text(f"agent.{key}") for key in keys], [_cells(desk, seen) for seen in shown])
    return EXIT_ANSWERED


def show(desk: Desk, *, agent: str, resume: str) -> int:
    """Show all that is known of an agent."""
    row = _row(desk, _found(desk, agent, resume))
    if desk.as_json:
        put_json(row)
        return EXIT_ANSWERED
    listed = {
        "recent_tools": ", ".join(row.recent_tools),
        "budget": _numbers(row.budget),
        "usage": _numbers(row.usage),
        "stale": desk.text("agent.yes") if row.stale else "",
    }
    for key, value in (structs.asdict(row) | listed).items():
        if value not in ("", None):
            put(desk.fact(f"agent.{key}", value))
    return EXIT_ANSWERED


def logs(desk: Desk, *, agent: str, follow: bool, lines: int | None, resume: str) -> int:
    """Write what an agent did; with `follow` go on until it ends."""
    from yeaft.interfaces.cli.commands.agent_log_output import put_agent_log
    from yeaft.session.agents.agent_reading import EndWatch

    seen = _found(desk, agent, resume)
    is_over = EndWatch(seen).is_over if follow else None
    put_agent_log(seen.log, lines=lines, is_over=is_over, for_people=not desk.as_json)
    return EXIT_ANSWERED


def _seen(desk: Desk, resume: str) -> list[SeenAgent]:
    from yeaft.session.agents.agent_reading import seen_agents

    return seen_agents(desk.home, resume or desk.options.resume)


def _found(desk: Desk, agent: str, resume: str) -> SeenAgent:
    from yeaft.session.agents.agent_reading import one_agent

    return one_agent(_seen(desk, resume), agent)


def _cells(desk: Desk, seen: SeenAgent) -> tuple[str, ...]:
    spawned = seen.agent.spawned
    mark = desk.text("agent.stale_mark") if _is_stale(desk, seen) else ""
    return (
        seen.agent_id,
        f"{desk.text(f'agent.is_{seen.status}')}{mark}",
        f"@{spawned.vp_id}/{spawned.name}",
        seen.session.session_id,
        local_time(seen.agent.spawned_ms),
        str(seen.pulse.tokens),
        spawned.mission,
    )


def _row(desk: Desk, seen: SeenAgent) -> AgentRow:
    agent, spawned, pulse = seen.agent, seen.agent.spawned, seen.pulse
    liveness = pulse.liveness
    return AgentRow(
        id=spawned.agent_id,
        session=seen.session.session_id,
        vp=spawned.vp_id,
        name=spawned.name,
        persona=spawned.persona,
        status=seen.status,
        stale=_is_stale(desk, seen),
        started=iso_time(agent.spawned_ms),
        ended=iso_time(agent.ended_ms) if agent.ended_ms else "",
        folder=spawned.folder,
        mission=spawned.mission,
        budget=spawned.budget,
        rounds=pulse.rounds,
        tool_uses=liveness.tool_uses,
        recent_tools=liveness.recent_tools,
        tokens=pulse.tokens,
        usage=pulse.usage,
        cost=pulse.cost_usd,
        last_event=liveness.last_event,
        last_event_at=iso_time(liveness.last_event_ms) if liveness.last_event_ms else "",
        error=agent.ended.error if agent.ended else "",
        result=agent.result,
        log=str(seen.log),
    )


def _is_stale(desk: Desk, seen: SeenAgent) -> bool:
    silent_ms = wall_clock_ms() - seen.pulse.last_ms
    return seen.status == "running" and silent_ms >= desk.config.limits.agent_silence_s * 1000


def _numbers(value: Budget | Usage) -> str:
    return ", ".join(f"{name} {number}" for name, number in structs.asdict(value).items() if number)


AGENT = argument("AGENT")
SESSION = option("-r", "--resume", "-s", "--session", "resume", default="")
ACTIONS: Mapping[str, Action] = {
    "ls": Action(run=ls, params=(flag("--all", "everything"), SESSION)),
    "show": Action(run=show, params=(AGENT, SESSION)),
    "logs": Action(
        run=logs,
        params=(AGENT, flag("-f", "--follow"), option("-n", "--lines", type=click.IntRange(min=0)), SESSION),
    ),
}
