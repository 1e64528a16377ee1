"""Leaving a Session: what that would stop, what the user wants to become of it, and when it is time to go."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from yeaft.interfaces.tui.choice import Choice, Option
from yeaft.tools.policy.visible import visible_on_one_line

if TYPE_CHECKING:
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.dialogue import Dialogue
    from yeaft.interfaces.orders import Leave
    from yeaft.prompts.ui import Ui
    from yeaft.session.state import SessionState

STOP, WAIT, STAY = "stop", "wait", "stay"
HOOKS, SUMMARY = "hooks", "summary"
SHOWN_TASKS = 8
Ask = Callable[[Choice, Callable[[str | None], None]], object]
"""Shows a question, and calls back with what was chosen."""


class Running(Struct, frozen=True):
    """What runs: VPs at work or about to be, tasks by id and title, and runs of graphs by id and name.

    Tasks that are `ending` do so with the Session, those that are `surviving` go on without it. `agents` are
    sub-agents at work by name and VP, `after` the names of sentences about what else goes on after an answer.
    """

    vps: tuple[str, ...]
    ending: tuple[tuple[str, str], ...]
    surviving: tuple[tuple[str, str], ...]
    runs: tuple[tuple[str, str], ...] = ()
    agents: tuple[tuple[str, str], ...] = ()
    after: tuple[str, ...] = ()

    @property
    def needs_asking(self) -> bool:
        """Whether leaving would stop anything."""
        return bool(self.vps or self.ending or self.runs or self.agents or self.after)

    @property
    def is_brief(self) -> bool:
        """Whether only hooks are to be waited for, which mostly takes no longer than reading a question."""
        return self.after == (HOOKS,) and not (self.vps or self.ending or self.runs or self.agents)


def running(state: SessionState, runs: tuple[tuple[str, str], ...] = ()) -> Running:
    """Return what runs in a Session now; `runs` are those of graphs, by id and name."""
    vps = [turn.started.vp_id for turn in state.open_turns()]
    vps += [vp_id for vp_id, queue in state.waiting.items() if queue]
    tasks = [task.started for task in state.tasks.values() if task.ended is None]
    return Running(
        vps=tuple(dict.fromkeys(vps)),
        ending=tuple((task.task_id, task.title) for task in tasks if not task.survives),
        surviving=tuple((task.task_id, task.title) for task in tasks if task.survives),
        runs=runs,
    )


class Leaving:
    """How one open Session is left. `ask` shows a question, `tell` says what is going on in the status line."""

    def __init__(self, here: Opened, dialogue: Dialogue, ui: Ui, ask: Ask, tell: Callable[[str], None]) -> None:
        self._here = here
        self._dialogue = dialogue
        self._ui = ui
        self._ask = ask
        self._tell = tell
        self._waiting: Leave | None = None
        self._left: asyncio.Future[Leave] = asyncio.get_running_loop().create_future()

    @property
    def is_over(self) -> bool:
        """Whether the Session is being left: nothing can be said in it any more."""
        return self._left.done()

    async def left(self) -> Leave:
        """Wait until the Session is to be left, and return how."""
        return await self._left

    def want(self, how: Leave) -> None:
        """Leave; ask first if that would stop anything. Only hooks are waited for, until it is wanted once more."""
        if self._left.done():
            return
        now = self._running()
        if not now.needs_asking:
            self.now(how)
            return
        if now.is_brief and self._waiting is None:
            self._wait(how, "leaving.waiting_hooks")
            return

        def chosen(what: str | None) -> None:
            if what == STOP:
                self.now(how)
            elif what == WAIT:
                self._wait(how, "leaving.waiting")

        self._ask(Choice(self._ui, self._ui.text("leaving.title"), _told(now, self._ui), _options(self._ui)), chosen)

    def _wait(self, how: Leave, code: str) -> None:
        self._waiting = how
        self._tell(self._ui.text(code))
        self.look()

    def now(self, how: Leave) -> None:
        """Leave at once, and stop what runs."""
        if not self._left.done():
            self._dialogue.give_up_saying()
            self._dialogue.interrupt()
            self._left.set_result(how)

    def look(self) -> None:
        """Leave if that is wanted as soon as nothing runs, and nothing does."""
        if self._waiting is not None and not self._running().needs_asking:
            self.now(self._waiting)

    @property
    def is_waiting(self) -> bool:
        """Whether the Session is to be left as soon as nothing runs."""
        return self._waiting is not None and not self._left.done()

    def stay(self) -> bool:
        """Give up to wait for the end of what runs, and say whether that was wanted."""
        was_wanted, self._waiting = self._waiting is not None, None
        return was_wanted and not self._left.done()

    def _running(self) -> Running:
        """What runs; nothing does before this process has begun, whatever a dead one has left open."""
        if not self._here.session.has_begun:
            return Running(vps=(), ending=(), surviving=())
        now = running(self._here.state, tuple((view.run_id, view.graph.name) for view in self._dialogue.graphs.views))
        rest = self._here.session.rest
        after = ((HOOKS, rest.are_answers_judged), (SUMMARY, rest.are_summing_up))
        return replace(
            now,
            agents=tuple((agent.name, agent.vp_id) for agent in rest.working_agents),
            after=tuple(name for name, is_going_on in after if is_going_on),
        )


def _told(now: Running, ui: Ui) -> str:
    """Return one line for each thing that runs."""
    from yeaft.workflows.graphs.runs.known_runs import short

    lines = [ui.text("leaving.vp", vp=vp_id) for vp_id in now.vps]
    lines += [ui.text(f"leaving.{name}") for name in now.after]
    lines += [ui.text("leaving.agent", name=visible_on_one_line(name), vp=vp_id) for name, vp_id in now.agents]
    lines += [ui.text("runs.leaving", run=short(run), graph=visible_on_one_line(name)) for run, name in now.runs]
    lines += [ui.text("leaving.task", task=task, title=title) for task, title in now.ending[:SHOWN_TASKS]]
    if (more := len(now.ending) - SHOWN_TASKS) > 0:
        lines.append(ui.text("leaving.more", count=more))
    lines += [ui.text("leaving.surviving", task=task, title=title) for task, title in now.surviving[:SHOWN_TASKS]]
    return "\n".join(lines)


def _options(ui: Ui) -> tuple[Option, ...]:
    """Return what can be done about it; staying comes first."""
    return tuple(Option(what, ui.text(f"leaving.{what}")) for what in (STAY, STOP, WAIT))
