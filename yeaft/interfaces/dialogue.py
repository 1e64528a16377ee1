"""The user's side of an open Session, the same for every screen: what a line means, and to whom it is said."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace

from yeaft.engine.closing import Ending
from yeaft.events.ops import AnyOp, Interrupt, SetModel, Steer
from yeaft.interfaces.cli.readiness import check_known, check_sayable
from yeaft.interfaces.orders import Deed, orders
from yeaft.interfaces.runs.runs_alone import runs_alone
from yeaft.interfaces.session_graphs import SessionGraphs
from yeaft.kernel import ids
from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.effort_prefix import without_effort
from yeaft.kernel.errors import UsageError, YeaftError
from yeaft.kernel.nearness import nearest
from yeaft.session.addressing import known_names
from yeaft.session.intake import Draft
from yeaft.session.slash.effort import check_effort

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yeaft.events.agent import AgentSpawned
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.ground import Wish

AT = ("@", "\uff20")
Said = Literal["said", "steered", "stopped"]
"""A message of its own, something added to what runs, or given up by the user before it was said."""


class Dialogue:
    """Takes what one user writes in a Session. `wish` is what it takes to be in a Session like it.

    `models` are those that were chosen here for single VPs; `callers_effort` counts more than what a message asks for.
    """

    def __init__(self, here: Opened, wish: Wish) -> None:
        self.wish = wish
        self.models: dict[str, str] = {}
        self.callers_effort = wish.effort
        self.orders = orders()
        self.graphs = here.flows.graphs = SessionGraphs(here)
        self._here = here
        self._taking: asyncio.Task[AnyOp | YeaftError] | None = None

    def left_open(self) -> tuple[tuple[str, dict[str, str]], ...]:
        """What to say of turns and runs that were left, as codes with parameters; open questions say it of turns.

        Where nothing was said, all runs are named: nothing else would be seen of them.
        """
        state = self._here.state
        vps = ", ".join(dict.fromkeys(f"@{turn.started.vp_id}" for turn in state.open_turns()))
        is_told = bool(vps) and not state.open_asks and not self._here.session.has_begun
        turns = (("session.left_open", {"vps": vps}),) if is_told else ()
        runs = (("runs.left", {"graph": name, "run": run_id}) for name, run_id in self.graphs.find_left())
        alone = () if state.messages else runs_alone(self._here.means.journal, self._here.ui)
        return (*turns, *alone, *runs)

    @property
    def is_busy(self) -> bool:
        """Whether any turn runs or waits."""
        return bool(self.at_work) or (self._here.session.has_begun and any(self._here.state.waiting.values()))

    @property
    def is_held_up(self) -> bool:
        """Whether hooks look at an answer or earlier turns are being summed up, though turns may have ended."""
        session = self._here.session
        return session.has_begun and (session.rest.are_answers_judged or session.rest.are_summing_up)

    @property
    def working_agents(self) -> tuple[AgentSpawned, ...]:
        """The sub-agents that work on something; those of a dead process do not."""
        return self._here.session.rest.working_agents if self._here.session.has_begun else ()

    @property
    def can_be_stopped(self) -> bool:
        """Whether anything but graphs is at work: a turn, or what follows one."""
        return self.is_busy or self.is_held_up or bool(self.working_agents)

    @property
    def is_saying(self) -> bool:
        """Whether a message is on its way to being said."""
        return self._taking is not None

    @property
    def at_work(self) -> tuple[str, ...]:
        """The VPs whose turns run; nobody works on what a dead process has left open before this one has begun."""
        turns = self._here.state.open_turns() if self._here.session.has_begun else ()
        return tuple(dict.fromkeys(turn.started.vp_id for turn in turns))

    def is_order(self, line: str) -> bool:
        """Whether a line is something that the screen does itself."""
        name, is_slash = _slash(line)
        return is_slash and name in self.orders

    def read(self, line: str) -> Deed:
        """Return what an order asks for. Raises `YeaftError` where it cannot be read."""
        name, *rest = line.split(maxsplit=1)
        return self.orders[name.removeprefix("/")].read("".join(rest).strip(), self._here.state, self._here.library)

    def ask_for(self, op: AnyOp) -> None:
        """Ask the Session for something that is no message. Raises `YeaftError` if it cannot be done."""
        if isinstance(op, SetModel) and op.model:
            check_known(self.wish, self._here, op.model, named_by="/model")
            if not op.vp_id:
                self.wish = replace(self.wish, model=op.model)
                self.models.clear()
            else:
                self.models[op.vp_id] = op.model
        if isinstance(op, SetModel) and op.effort and not op.vp_id:
            self.callers_effort = ""
        if isinstance(op, Interrupt) and not op.vp_id:
            self.graphs.suspend()
        self._here.session.send(op)

    def left_alone(self, op: AnyOp) -> str:
        """Return what to say of an op that would stop something where nothing runs; empty for any other."""
        session = self._here.session
        if (
            not isinstance(op, Interrupt)
            or self.is_saying
            or (session.has_begun and not session.rest.is_complete(op.vp_id))
        ):
            return ""
        if op.vp_id:
            return self._here.ui.text("stop.vp_rests", vp=f"@{op.vp_id}")
        return "" if self.graphs.are_running else self._here.ui.text("stop.all_rests")

    def interrupt(self) -> bool:
        """Give up the message that is on its way; else stop what runs, graphs too. Says whether there was anything."""
        if self.give_up_saying():
            return True
        can_be_stopped = self.can_be_stopped
        if can_be_stopped:
            self._here.session.interrupt(Ending(outcome="aborted"))
        return self.graphs.suspend() or can_be_stopped

    def give_up_saying(self) -> bool:
        """Give up the message that is on its way to being said, and say whether one was: nothing of it has happened."""
        taking, self._taking = self._taking, None
        return taking is not None and taking.cancel()

    def steered(self, text: str, to: Sequence[str] = ()) -> tuple[str, ...]:
        """Return those at work whom a text is added to; empty if it is a message of its own.

        `to` are those whom the user chose, whoever the text names. Commands are messages of their own as well.
        """
        at_work, text = self.at_work, without_effort(text)
        if not at_work or _slash(text)[1]:
            return ()
        mentioned = self._mentioned(text)
        whom = tuple(to) or ((mentioned,) if mentioned else ())
        return (whom or at_work) if all(vp_id in at_work for vp_id in whom) else ()

    async def say(self, text: str, files: Sequence[Path] = (), to: Sequence[str] = ()) -> Said:
        """Say something: to those who are at work if it is for them, else as a new message.

        `to` are those whom the user chose, whoever the text names. Raises `YeaftError` if it cannot be said; then
        nothing has happened.
        """
        words = without_effort(text)
        is_new = not self.steered(text, to) if to and not _slash(words)[1] else await self._is_new(words)
        if self.is_busy and self.wish.has_human and not is_new and not files:
            check_effort(text)
            for vp_id in to or (self._mentioned(words),):
                self._here.session.send(Steer(text=text, vp_id=vp_id))
            return "steered"
        draft = Draft(text=text, to=tuple(to), files=tuple(files), op_id=ids.new_ulid(wall_clock_ms()))
        await check_sayable(self.wish, self._here, draft)
        async with asyncio.TaskGroup() as group:
            self._taking = taking = group.create_task(self._intake(draft), name="intake")
            taking.add_done_callback(self._taken)
        if taking.cancelled():
            return "stopped"
        said = taking.result()
        if isinstance(said, YeaftError):
            raise said
        self._here.session.send(said)
        return "said"

    async def _intake(self, draft: Draft) -> AnyOp | YeaftError:
        """Return what a draft becomes, or why it cannot be said: a group of tasks would pass on a group of errors."""
        try:
            return await self._here.intake.take(draft)
        except YeaftError as error:
            return error

    def _taken(self, taking: asyncio.Task[AnyOp | YeaftError]) -> None:
        """Nothing is under way any more that would have to be stopped before it is said."""
        if self._taking is taking:
            self._taking = None

    async def _is_new(self, line: str) -> bool:
        """Whether a line is a message of its own even while somebody works: a command, or for somebody who rests.

        Raises `UsageError` for a slip in an order. Slips in names of commands and skills are found further on.
        """
        name, is_slash = _slash(line)
        if not is_slash:
            vp_id = self._mentioned(line)
            return bool(vp_id) and vp_id not in self.at_work
        if name in {word.name for word in await asyncio.to_thread(self._here.slash_words)}:
            return True
        if near := nearest(name.casefold(), self.orders):
            raise UsageError(f"There is no /{name}. Did you mean /{near}?")
        return False

    def _mentioned(self, line: str) -> str:
        """Return the VP that a line begins with, empty for none."""
        word = next(iter(line.split(maxsplit=1)), "")
        if not word.startswith(AT):
            return ""
        return known_names(self._here.state, self._here.library).id_of(word[1:].rstrip(":,\uff0c\uff1a")) or ""


def _slash(line: str) -> tuple[str, bool]:
    """Return the first word of a line without its slash, and whether it has one."""
    word = next(iter(line.split(maxsplit=1)), "")
    return word.removeprefix("/"), word.startswith("/")
