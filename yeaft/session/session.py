"""A Session at work: takes ops, gives messages to seats, and settles what they caused."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Self

from yeaft.engine.closing import Ending, closing_events
from yeaft.events.ops import (
    AddFolder,
    Answer,
    AnyOp,
    Checkpoint,
    Close,
    CloseAgent,
    Compact,
    ContinueTurn,
    Interrupt,
    Redo,
    Rename,
    Rewind,
    Say,
    SetMode,
    SetModel,
    SetRoster,
    Steer,
    StoreArtifact,
)
from yeaft.events.session import FolderAdded, NoticePosted, OwnerReleased
from yeaft.events.turn import Limits, TurnContinued, TurnEnded, TurnStarted
from yeaft.kernel import ids
from yeaft.kernel.errors import BadData, NotFound, SessionBusy
from yeaft.kernel.text import without_surrogates
from yeaft.session.addressing import address
from yeaft.session.failures import break_off, one_of
from yeaft.session.handoffs import due_returns, settling
from yeaft.session.ledger import nothing
from yeaft.session.plain_ops import event_of
from yeaft.session.reopening import Inquiry, losses, resumptions, unstarted
from yeaft.session.rest import Rest, turns_rest, until_quiet
from yeaft.session.rewinding_ops import PastOp, RewindOps, admit
from yeaft.session.saying import said, steered

if TYPE_CHECKING:
    from types import TracebackType

    from yeaft.events.codec import Event, Recorded
    from yeaft.kernel.clock import NowMs
    from yeaft.session.agents.agents import Agents
    from yeaft.session.approvals import Approvals
    from yeaft.session.hooks.stop_hooks import StopHooks
    from yeaft.session.ledger import Ledger
    from yeaft.session.seat import Seat
    from yeaft.session.tasks.tasks import Tasks
    from yeaft.vp.library import Library

SeatMaker = Callable[[str], "Seat"]


class Session:
    """One conversation with its VPs; the process that holds it is its only writer.

    Use it as an async context manager: leaving it waits for running turns and sub-agents, and closes `tasks`; without
    `agents` nobody can spawn any, without `tasks` nothing runs in the background, without `stop_hooks` no answer is
    held up. Nothing is written before the first op; `opening` is what the first append begins with (the creation of a
    new Session, or the claim of an old one). One that is no `is_owner` is within another's, and has nothing to give up.
    """

    def __init__(
        self,
        *,
        ledger: Ledger,
        library: Library,
        lang: str,
        approvals: Approvals,
        inquiry: Inquiry,
        make_seat: SeatMaker,
        phrases: Mapping[str, str],
        opening: Sequence[Event],
        limits: Limits,
        now_ms: NowMs,
        tasks: Tasks | None = None,
        agents: Agents | None = None,
        stop_hooks: StopHooks | None = None,
        past: RewindOps | None = None,
        is_owner: bool = True,
    ) -> None:
        self.state = ledger.state
        self._ledger = ledger
        self._library = library
        self._lang = lang
        self._approvals = approvals
        self._inquiry = inquiry
        self._make_seat = make_seat
        self._phrases = phrases
        self._opening = tuple(opening)
        self._limits = limits
        self._now_ms = now_ms
        self._tasks = tasks
        self._agents = agents
        self._stop_hooks = stop_hooks
        self._past = past
        self.rest = Rest(ledger.state, stop_hooks, past)
        self.has_begun = False
        self._is_closing = False
        self._is_owner = is_owner
        self._is_released = not is_owner
        self._seats: dict[str, Seat] = {}
        self._for_all: tuple[SetModel, ...] = ()
        self._busy: dict[str, asyncio.Task[None]] = {}
        self._group = asyncio.TaskGroup()

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        if self._agents is not None:
            self._agents.attach(self._group.create_task)
        if self._stop_hooks is not None:
            self._stop_hooks.attach(self._group.create_task, self._follow_up)
        if self._past is not None:
            self._past.attach(self._group.create_task, self._deliver)
        self._ledger.on_failure = lambda error: break_off(self._group, error)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._agents is not None and self._agents.has_live and error is None:
            self._group.create_task(self._let_go(self._agents))
        try:
            await self._group.__aexit__(kind, error, trace)
        except ExceptionGroup as failures:
            raise one_of(failures) from failures
        finally:
            if self._tasks is not None:
                await self._tasks.close()
        if self.has_begun and not self._is_released:
            self._ledger.post((OwnerReleased(),), src="engine")
        if self._is_owner:
            await self._ledger.flushed()
        self._ledger.react = self._ledger.on_failure = nothing  # no ring is left, which is found late

    def send(self, op: AnyOp) -> None:
        """Take one op at once; what it leads to is heard as events. Never waits for a turn.

        Raises `NotFound`, `BadData` or `SessionBusy` for an op that cannot be done; then nothing has happened.
        """
        admit(self._past, op)
        match op:
            case Say():
                self._say(op)
            case Steer():
                self._steer(op)
            case Interrupt(vp_id=vp_id):
                self.interrupt(Ending(outcome="aborted"), vp_id)
            case CloseAgent(agent_id=agent_id):
                self._close_agent(agent_id)
            case Answer():
                self._approvals.answer(op)
            case Rename() | SetRoster() | StoreArtifact():
                self._post(event_of(op, self._library))
            case AddFolder(path=path):
                self._approvals.add_folder(path)
                self._post(FolderAdded(path=path, reason="flag"))
            case SetModel():
                self._set_model(op)
            case SetMode(mode=mode):
                self._approvals.choose_mode(mode)
            case ContinueTurn(turn_id=turn_id):
                self._continue(turn_id)
            case Checkpoint() | Rewind() | Redo() | Compact():
                self._go_back(op)
            case Close(how=how):
                self._is_closing = True
                if how == "abort":
                    self.interrupt(Ending(outcome="aborted"))

    def interrupt(self, ending: Ending, vp_id: str = "") -> None:
        """Stop the running turns of one VP, or of all, with what waits behind them and their sub-agents."""
        if self._stop_hooks is not None:
            self._stop_hooks.stop(vp_id)
        if self._past is not None:
            self._past.stop(vp_id)
        if not self.has_begun:
            return
        for waiting_vp in tuple(self.state.waiting):
            if vp_id in ("", waiting_vp):
                for root_id, events in unstarted(self.state, waiting_vp, ending):
                    self._ledger.post(events, src="engine", corr=root_id)
        for busy_vp in tuple(self._busy):
            if vp_id in ("", busy_vp) and not self._seat(busy_vp).interrupt(ending):
                self._close_early(busy_vp, ending)
        if self._agents is not None:
            self._agents.stop(vp_id=vp_id)

    def _close_agent(self, agent_id: str) -> None:
        if self._agents is None:
            raise NotFound(f"No sub-agent {agent_id!r} is at work.")
        self._agents.end(agent_id)

    def _close_early(self, vp_id: str, ending: Ending) -> None:
        """Close a turn that was given to its seat, which has not looked at it yet."""
        for turn in self.state.open_turns():
            if turn.started.vp_id == vp_id:
                root_id = self.state.messages[turn.started.message_id].root_id
                events = closing_events(turn, ending, self._inquiry.about(turn, stopped=True), self._phrases)
                self._ledger.post(events, src="engine", corr=root_id)

    async def idle(self) -> None:
        """Wait until no turn and no sub-agent runs and none waits, and all of it is on disk."""
        await self.quiet()
        await self._ledger.flushed()

    async def quiet(self) -> None:
        """Wait until no turn and no sub-agent runs and none waits; the last of it may still be on its way to disk."""
        await until_quiet(self._busy, self._agents, self._stop_hooks, self._past)

    async def _let_go(self, agents: Agents) -> None:
        """End the sub-agents that only wait for more, once nobody is at work who could tell them more."""
        await self.idle()
        agents.dismiss()

    def _go_back(self, op: PastOp) -> None:
        if self._past is None:
            raise BadData("This Session has no past to go back to.")
        self._past.check(op)
        self.begin()  # closes what a dead process left open
        is_idle = turns_rest(self.state, self._stop_hooks)
        if not is_idle or (self._agents is not None and self._agents.has_running):
            raise SessionBusy("A turn is running; wait for its end or stop it, then try again.")
        self._past.start(op)

    def _say(self, op: Say) -> None:
        message_id = ids.derive("m_", op.op_id) if op.op_id else ids.new_message_id(self._now_ms())
        if message_id in self.state.messages:
            return  # the same op again: its first delivery counts
        text = without_surrogates(op.text)
        if not (text + op.attached).strip() and not op.attachments:
            raise BadData("There is nothing to say: the message is empty.")
        self.begin()
        addressed = address(self.state, self._library, text, op.to, self._lang)
        message = said(op, message_id, text, addressed)
        self._post(*addressed.before, *op.attachments, message, *addressed.notices, *op.notices, corr=message_id)

    def _steer(self, op: Steer) -> None:
        if not op.text.strip():
            raise BadData("There is nothing to add: the text is empty.")
        if op.op_id and any(message.op_id == op.op_id for message in self.state.messages.values()):
            return  # the same op again: its first delivery counts
        self.begin()  # closes what a dead process left open: nobody works there whom one could steer
        turns = [turn for turn in self.state.open_turns() if op.vp_id in ("", turn.started.vp_id)]
        if not turns:
            self._say(Say(text=op.text, to=(op.vp_id,) if op.vp_id else (), op_id=op.op_id))
        for turn in turns:
            root_id = self.state.messages[turn.started.message_id].root_id
            message = steered(op, ids.new_message_id(self._now_ms()), turn.started, root_id)
            self._post(message, corr=root_id)

    def _set_model(self, op: SetModel) -> None:
        self._for_all += () if op.vp_id else (op,)
        for vp_id in (op.vp_id,) if op.vp_id else tuple(self._seats):
            self._change_model(vp_id, op)

    def _change_model(self, vp_id: str, op: SetModel) -> None:
        self._seat(vp_id).change_model(op)
        if self._agents is not None:
            self._agents.change_model(vp_id, op)

    def _continue(self, turn_id: str) -> None:
        idle = [turn for turn in self.state.open_turns() if turn.started.vp_id not in self._busy]
        turns = [turn for turn in idle if turn_id in ("", turn.started.turn_id)]
        left_over = any(self.state.waiting.values()) or (not self._busy and self.state.unsettled_roots())
        if not turns and not left_over:
            raise NotFound(f"There is no unfinished turn{f' {turn_id}' if turn_id else ''} to go on with.")
        self.begin(resuming=True)
        for turn in turns:  # first of all: what is posted next must not give a message to a VP with a turn to finish
            self._start(turn.started.vp_id, turn.started.turn_id)
        for turn in turns:
            root_id = self.state.messages[turn.started.message_id].root_id
            known = resumptions(turn, self._inquiry, self._phrases)
            self._post(TurnContinued(turn_id=turn.started.turn_id), *known, corr=root_id)
        if self._agents is not None:
            self._agents.tell()
        for root_id in self.state.unsettled_roots():
            self._follow_up(root_id)
        self._deliver()

    def begin(self, *, resuming: bool = False) -> None:
        """Claim the Session with the first append; close what a dead process left open, unless that is resumed.

        Closing comes before this Session reacts to events: what the dead process had been asked is not asked again.
        """
        if self.has_begun:
            return
        self.has_begun = True
        self._ledger.post(self._opening, src="engine")
        if self._agents is not None:
            self._agents.close_losses()
        if not resuming:
            self._close_losses()
        code, count = "session.unknown_events", str(self.state.unknown_events)
        if self.state.unknown_events and (code, count) not in self.state.told:
            self._ledger.post((NoticePosted(code=code, params={"count": count}, level="warn"),), src="engine")
        if self._tasks is not None:
            self._tasks.resume()
        self._ledger.react = self._react

    def _close_losses(self) -> None:
        lost_calls = sum(len(turn.open_calls) for turn in self.state.open_turns())
        for root_id, events in losses(self.state, self._inquiry, self._phrases):
            self._ledger.post(events, src="engine", corr=root_id)
        if self._agents is not None:
            self._agents.tell(may_wake=False)
        for root_id in self.state.unsettled_roots():
            self._settle(root_id)
        if lost_calls:
            params = {"count": str(lost_calls)}
            self._ledger.post((NoticePosted(code="session.lost_calls", params=params, level="warn"),), src="engine")

    def _post(self, *events: Event, corr: str = "") -> None:
        self.begin()
        self._ledger.post(events, src="user", corr=corr)

    def _react(self, recorded: Sequence[Recorded]) -> None:
        roots = [one.corr for one in recorded if isinstance(one.event, TurnEnded)]
        if self._stop_hooks is not None:
            self._stop_hooks.react(recorded)
        if self._agents is not None:
            roots += self._agents.react(recorded)
        for root_id in dict.fromkeys(roots):
            self._follow_up(root_id)
        self._deliver()

    def _follow_up(self, root_id: str) -> None:
        """Bring answers back to whoever handed on; when nothing is left to wait for, settle the message."""
        if self._stop_hooks is not None and self._stop_hooks.holds(root_id):
            return
        returns = due_returns(self.state, root_id, self._phrases)
        if returns:
            self._ledger.post(returns, src="engine", corr=root_id)
        else:
            self._settle(root_id)

    def _settle(self, root_id: str) -> None:
        settled = settling(self.state, root_id)
        if settled is not None:
            self._ledger.post((settled,), src="engine", corr=root_id, sync=True)
            if self._past is not None:
                self._past.follow(settled)
            self._release_if_done()

    def _release_if_done(self) -> None:
        """Give the Session up together with the last thing that happens in it, which saves a commit."""
        is_done = self.has_begun and self.rest.is_complete() and (self._tasks is None or not self._tasks.has_running)
        if self._is_closing and is_done and not self._is_released:
            self._is_released = True
            self._ledger.post((OwnerReleased(),), src="engine")

    def _deliver(self) -> None:
        """Give every free VP the oldest message that waits for it, unless turns are held up."""
        if self._past is not None and self._past.hold_turns:
            return
        for vp_id, queue in self.state.waiting.items():
            if queue and vp_id not in self._busy:
                self._start(vp_id, ids.turn_id(queue[0], vp_id), queue[0])

    def _start(self, vp_id: str, turn_id: str, message_id: str = "") -> None:
        self._busy[vp_id] = self._group.create_task(self._work(vp_id, turn_id, message_id), name=f"seat:{vp_id}")

    async def _work(self, vp_id: str, turn_id: str, message_id: str) -> None:
        try:
            if message_id:
                self._start_turn(vp_id, turn_id, message_id)
            await self._seat(vp_id).work(turn_id)
        finally:
            del self._busy[vp_id]
        self._deliver()

    def _start_turn(self, vp_id: str, turn_id: str, message_id: str) -> None:
        if message_id not in self.state.waiting.get(vp_id, ()):
            return  # closed by an interrupt before it could begin
        started = TurnStarted(
            turn_id=turn_id,
            message_id=message_id,
            vp_id=vp_id,
            mode=self._approvals.mode_of(vp_id),
            limits=self._limits,
        )
        self._ledger.post((started,), src="engine", cause=message_id, corr=self.state.messages[message_id].root_id)

    def _seat(self, vp_id: str) -> Seat:
        if vp_id not in self._seats:
            self._seats[vp_id] = self._make_seat(vp_id)
            for op in self._for_all:
                self._change_model(vp_id, op)
        return self._seats[vp_id]
