"""Gives each VP its tools, each closed over exactly what it needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from msgspec import Struct

from yeaft.events.call import CallFinished
from yeaft.session.agents.agents import Agents
from yeaft.session.agents.vp_agents import VpAgents
from yeaft.session.outside_tools import Outside, outside_tools
from yeaft.session.router import HandoffLimits, Throttle, VpRouter
from yeaft.session.state import SessionState
from yeaft.session.tasks.tasks import Tasks
from yeaft.tools.apply_patch import apply_patch
from yeaft.tools.ask_user import Asker, ask_user
from yeaft.tools.bash import bash
from yeaft.tools.cancel_task import cancel_task
from yeaft.tools.close_agent import close_agent
from yeaft.tools.disk_usage import disk_usage
from yeaft.tools.enter_worktree import enter_worktree
from yeaft.tools.exit_worktree import exit_worktree
from yeaft.tools.file_edit import file_edit
from yeaft.tools.file_read import file_read
from yeaft.tools.file_write import file_write
from yeaft.tools.files.locks import PathLocks
from yeaft.tools.files.reads import Reads
from yeaft.tools.glob_files import glob_files
from yeaft.tools.grep import grep
from yeaft.tools.list_agents import list_agents
from yeaft.tools.list_dir import list_dir
from yeaft.tools.list_tasks import list_tasks
from yeaft.tools.notebook_edit import notebook_edit
from yeaft.tools.paths import Paths
from yeaft.tools.policy.read_denials import Withheld
from yeaft.tools.prompt_agent import prompt_agent
from yeaft.tools.read_task_log import ResultOf, read_task_log
from yeaft.tools.route_forward import route_forward
from yeaft.tools.shell.shell import Shell
from yeaft.tools.spawn_agent import spawn_agent
from yeaft.tools.todo_write import todo_write
from yeaft.tools.tool import AnyTool, Toolbox
from yeaft.tools.view_image import view_image
from yeaft.tools.wait_agent import wait_agent
from yeaft.tools.worktrees.git import Git
from yeaft.tools.worktrees.worktrees import Worktrees
from yeaft.vp.names import Names


class Workshop(Struct, frozen=True, kw_only=True):
    """What the tools of all VPs of a Session share.

    Without `tasks` nothing runs in the background, without `agents` nobody can spawn any.
    """

    paths: Paths
    locks: PathLocks
    shell: Shell
    asker: Asker
    state: SessionState
    names: Callable[[], Names]
    throttle: Throttle
    worktrees: Worktrees
    git: Git
    outside: Outside
    withheld: Callable[[str, Path, Path], Withheld]
    tasks: Tasks | None = None
    agents: Agents | None = None
    handoffs: HandoffLimits = HandoffLimits()


def toolbox_for(vp_id: str, workshop: Workshop) -> Toolbox:
    """Return every tool that a VP could be offered, in the order in which they are listed to a model."""
    paths, locks, state = workshop.paths, workshop.locks, workshop.state
    known = {Path(path): sha256 for path, sha256 in state.files_read.get(vp_id, {}).items()}
    reads = Reads(known)
    withholding = partial(workshop.withheld, vp_id, paths.folder)
    router = VpRouter(vp_id, state=state, names=workshop.names, throttle=workshop.throttle, limits=workshop.handoffs)
    tools: tuple[AnyTool, ...] = (
        ask_user(workshop.asker),
        bash(paths, workshop.shell, workshop.tasks.of(vp_id) if workshop.tasks else None),
        file_read(paths, reads),
        file_write(paths, reads, locks),
        file_edit(paths, reads, locks),
        glob_files(paths, withholding),
        grep(paths, withholding=withholding),
        list_dir(paths),
        disk_usage(paths),
        apply_patch(paths, reads, locks),
        notebook_edit(paths, reads, locks),
        view_image(paths),
        enter_worktree(paths, workshop.worktrees, workshop.git),
        exit_worktree(paths, workshop.worktrees, workshop.git),
        route_forward(router),
        todo_write(vp_id),
    )
    turn = partial(_turn_of, vp_id, state)
    outside = outside_tools(vp_id, workshop.outside, paths=paths, reads=reads, locks=locks, turn=turn)
    own = (*_task_tools(workshop.tasks, partial(_result_of, vp_id, state)), *_agent_tools(vp_id, workshop))
    return {tool.name: tool for tool in (*tools, *outside, *own)}


def _turn_of(vp_id: str, state: SessionState) -> str:
    """The id of the turn that a VP is in; empty between turns."""
    return next((turn.started.turn_id for turn in state.open_turns() if turn.started.vp_id == vp_id), "")


def _result_of(vp_id: str, state: SessionState, call_id: str) -> CallFinished | None:
    """The result of a call that this VP has made."""
    turn = state.turns.get(state.turn_of_call(call_id))
    if turn is None or turn.started.vp_id != vp_id:
        return None
    calls = (one for attempt in turn.attempts for one in attempt.calls)
    return next((one.finished for one in calls if one.call.call_id == call_id), None)


def _task_tools(tasks: Tasks | None, result_of: ResultOf) -> tuple[AnyTool, ...]:
    if tasks is None:
        return ()
    return list_tasks(tasks.places), read_task_log(tasks.places, result_of), cancel_task(tasks.places)


def _agent_tools(vp_id: str, workshop: Workshop) -> tuple[AnyTool, ...]:
    if workshop.agents is None:
        return ()
    mine = VpAgents(vp_id, state=workshop.state, agents=workshop.agents, paths=workshop.paths)
    return spawn_agent(mine), prompt_agent(mine), wait_agent(mine), close_agent(mine), list_agents(mine)
