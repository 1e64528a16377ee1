"""What the side panel says: todo lists, runs of graphs, tasks with the end of what they print, and sub-agents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from rich.style import Style
from rich.text import Text

from yeaft.interfaces.cli.terminal_text import cut
from yeaft.interfaces.tui.panels.ages import age
from yeaft.interfaces.tui.panels.filtered_list import Entry
from yeaft.interfaces.tui.panels.shown_text import safe
from yeaft.kernel.errors import StoreFailed, YeaftError
from yeaft.session.agents.agent_liveness import Pulse
from yeaft.store.directory import session_paths
from yeaft.store.task_files import log_of, read_record
from yeaft.store.task_log import read_tail
from yeaft.tools.shell.captured import cleaned
from yeaft.workflows.graphs.runs.known_runs import KnownRun

if TYPE_CHECKING:
    from pathlib import Path

    from yeaft.events.call import TodoItem
    from yeaft.events.task import TaskEnded, TaskOrphaned
    from yeaft.interfaces.tui.panels.situation import Situation
    from yeaft.session.agents.agent_state import AgentState
    from yeaft.session.tasks.task_state import TaskState

MOST_TODOS, MOST_TASKS, MOST_AGENTS, MOST_RUNS = 50, 30, 30, 10
TAIL_LINES, TAIL_BYTES = 3, 4_000
TODO_MARKS: Mapping[str, str] = {"pending": "[ ]", "in_progress": "[>]", "completed": "[x]"}
DIM, BOLD, STRUCK = Style(dim=True), Style(bold=True), Style(dim=True, strike=True)
TASK, AGENT, RUN = "task ", "agent ", "run "
"""What the keys of entries begin with that can be opened; the rest is the id."""


class Outside(Struct, frozen=True, kw_only=True):
    """What only the disk tells: the ends of logs by task, what agents have used by their ids, runs of graphs."""

    tails: Mapping[str, Sequence[str]] = {}
    pulses: Mapping[str, Pulse] = {}
    runs: Sequence[KnownRun] = ()


def look_outside(situation: Situation) -> Outside:
    """Read the ends of the logs of running tasks, what agents have used, and the newest runs of graphs. Blocks."""
    state = situation.state
    tasks = session_paths(situation.home, state.session_id).tasks
    running = [task_id for task_id, task in state.tasks.items() if task.ended is None]
    tails = {task_id: _tail(tasks / task_id) for task_id in running[-MOST_TASKS:]}
    runs = _runs(situation)
    if not state.agents:
        return Outside(tails=tails, runs=runs)
    return Outside(tails=tails, pulses=_pulses(situation), runs=runs)


def overview(situation: Situation, outside: Outside, columns: int, now_ms: int) -> list[Entry]:
    """Return everything that goes on beside the conversation, in lines of at most `columns`."""
    state, text = situation.state, situation.text
    found: list[Entry] = []
    for vp_id, items in state.todos.items():
        if items:
            found.append(_heading(text("panel.todo", vp=vp_id, done=_done(items), count=len(items))))
            found += [_todo(vp_id, number, item, columns) for number, item in enumerate(items[:MOST_TODOS])]
    if outside.runs:
        from yeaft.interfaces.tui.panels.runs_panel import run_entry

        found.append(_heading(text("runs.side")))
        for run in outside.runs:
            entry = run_entry(situation, run, columns)
            found.append(Entry(f"{RUN}{entry.key}", entry.shown, entry.words))
    if state.tasks:
        found.append(_heading(text("panel.tasks")))
        newest = list(state.tasks.values())[-MOST_TASKS:]
        for task in sorted(newest, key=lambda one: (one.ended is not None, -one.started_seq)):
            found.append(_task(situation, task, outside.tails.get(task.started.task_id, ()), columns))
    if state.agents:
        found.append(_heading(text("panel.agents")))
        newest_agents = list(state.agents.values())[-MOST_AGENTS:]
        for agent in sorted(newest_agents, key=lambda one: (not one.is_live, -one.spawned_ms)):
            found.append(_agent(situation, agent, outside.pulses.get(agent.spawned.agent_id), columns, now_ms))
    return found


def is_at_work(situation: Situation) -> bool:
    """Whether something runs whose log or counts change without an event of the Session."""
    state = situation.state
    return any(task.ended is None for task in state.tasks.values()) or any(
        agent.is_running for agent in state.agents.values()
    )


def _runs(situation: Situation) -> Sequence[KnownRun]:
    from yeaft.interfaces.tui.panels.run_reading import seen_runs

    try:
        return seen_runs(situation)[:MOST_RUNS]
    except StoreFailed:
        return ()


def _pulses(situation: Situation) -> Mapping[str, Pulse]:
    from yeaft.session.agents.agent_reading import seen_agents

    try:
        seen = seen_agents(situation.home, situation.state.session_id)
    except YeaftError:
        return {}
    return {one.agent_id: one.pulse for one in seen}


def _tail(place: Path) -> list[str]:
    record = read_record(place)
    if record is None:
        return []
    raw = read_tail(log_of(place, record), TAIL_BYTES).content
    lines = cleaned(raw.decode("utf-8", "replace")).splitlines()
    return [safe(line) for line in lines if line.strip()][-TAIL_LINES:]


def _done(items: Sequence[TodoItem]) -> int:
    return sum(item.status == "completed" for item in items)


def _heading(title: str) -> Entry:
    return Entry(f"heading {title}", Text(safe(title), style=BOLD, no_wrap=True, overflow="ellipsis"), is_heading=True)


def _todo(vp_id: str, number: int, item: TodoItem, columns: int) -> Entry:
    words = item.active_form if item.status == "in_progress" else item.content
    style = STRUCK if item.status == "completed" else BOLD if item.status == "in_progress" else Style()
    shown = Text(cut(f"{TODO_MARKS[item.status]} {safe(words)}", columns), style=style)
    return Entry(f"todo {vp_id} {number}", shown, words)


def _task(situation: Situation, task: TaskState, tail: Sequence[str], columns: int) -> Entry:
    started = task.started
    state = situation.text(f"task.{_ending(task.ended)}")
    head = f"{'>' if task.ended is None else '-'} {safe(started.title or started.command)}"
    facts = f"  {state} · @{safe(started.vp_id)} · {started.task_id}"
    lines = [cut(head, columns), cut(facts, columns), *(cut(f"  | {line}", columns) for line in tail)]
    return Entry(f"{TASK}{started.task_id}", _lines(lines), f"{started.title} {started.command}")


def _ending(ended: TaskEnded | TaskOrphaned | None) -> str:
    from yeaft.events.task import TaskOrphaned

    if ended is None:
        return "running"
    return "orphaned" if isinstance(ended, TaskOrphaned) else ended.state


def _agent(situation: Situation, agent: AgentState, pulse: Pulse | None, columns: int, now_ms: int) -> Entry:
    spawned = agent.spawned
    status = situation.text(f"agent.is_{agent.status}")
    head = f"{'>' if agent.is_running else '-'} @{safe(spawned.vp_id)}/{safe(spawned.name)}  {status}"
    facts = [age(situation.ui, agent.spawned_ms, now_ms), *_used(situation, agent, pulse)]
    lines = [cut(head, columns), cut(f"  {' · '.join(facts)}", columns), cut(f"  {safe(spawned.mission)}", columns)]
    return Entry(f"{AGENT}{spawned.agent_id}", _lines(lines), f"{spawned.name} {spawned.mission}")


def _used(situation: Situation, agent: AgentState, pulse: Pulse | None) -> Iterator[str]:
    """Yield what an agent has used of what it may use."""
    budget = agent.spawned.budget
    if pulse is None:
        return
    limit = f"/{budget.max_tokens:,}" if budget.max_tokens else ""
    yield situation.text("panel.agent_tokens", tokens=f"{pulse.tokens:,}{limit}")
    rounds = f"{pulse.rounds}/{budget.max_turns}" if budget.max_turns else str(pulse.rounds)
    yield situation.text("panel.agent_rounds", rounds=rounds)
    if pulse.cost_usd is not None:
        limit = f"/{budget.max_cost_usd:.2f}" if budget.max_cost_usd else ""
        yield f"${pulse.cost_usd:.4f}{limit}"


def _lines(lines: Sequence[str]) -> Text:
    shown = Text(lines[0], no_wrap=True, overflow="ellipsis")
    for line in lines[1:]:
        shown.append(f"\n{line}", style=DIM)
    return shown
