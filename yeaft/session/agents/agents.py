"""The sub-agents of a Session: started, told and ended as its events say; what they find goes back to their VPs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from yeaft.events.agent import AgentEnded, AgentEnding, AgentPrompted, AgentReported, AgentSpawned, DeliveryTaken
from yeaft.events.call import AskWithdrawn
from yeaft.events.codec import Recorded, Transient
from yeaft.events.session import MessagePosted
from yeaft.events.turn import TurnEnded
from yeaft.kernel.errors import NotFound
from yeaft.prompts.fill import fill
from yeaft.session.agents.agent_notices import due_messages
from yeaft.session.agents.agent_outcome import newest_turn, outcome_of, result_of
from yeaft.session.agents.agent_presets import Wishes
from yeaft.session.agents.agent_state import AgentState, live_of
from yeaft.session.agents.sub_agent import SubAgent
from yeaft.session.reopening import losses
from yeaft.store.agent_log import AgentLog, log_path

if TYPE_CHECKING:
    from pathlib import Path

    from yeaft.config.settings import Limits
    from yeaft.events.ops import SetModel
    from yeaft.kernel.clock import NowMs
    from yeaft.session.agents.agent_liveness import Liveness
    from yeaft.session.agents.agent_session import AgentMaker
    from yeaft.session.ledger import Ledger

Start = Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]


class Agents:
    """The live sub-agents of one Session; who they are and how they ended stands in the Session's own stream.

    `logs` is the Session's folder for their logs. `react` takes the Session's events as they are posted; `note` is a
    listener, which hears them once they are committed.
    """

    def __init__(self, *, ledger: Ledger, maker: AgentMaker, limits: Limits, logs: Path, now_ms: NowMs) -> None:
        self.limits = limits
        self._ledger = ledger
        self._maker = maker
        self._logs = logs
        self._now_ms = now_ms
        self._start: Start | None = None
        self._live: dict[str, SubAgent] = {}
        self._models: dict[str, Wishes] = {}
        self._changed = asyncio.Event()
        self._wakers: dict[str, set[asyncio.Event]] = {}

    @property
    def texts(self) -> Mapping[str, str]:
        """What agents and their VPs are told, by key."""
        return self._maker.texts

    @property
    def has_running(self) -> bool:
        """Whether any agent works on something."""
        return any(agent.is_running for agent in self._ledger.state.agents.values())

    @property
    def has_live(self) -> bool:
        """Whether any agent has not ended."""
        return bool(live_of(self._ledger.state.agents))

    def attach(self, start: Start) -> None:
        """Take what starts the tasks that agents run in; whoever owns those tasks waits for them."""
        self._start = start

    def change_model(self, vp_id: str, op: SetModel) -> None:
        """Let the agents that a VP spawns from now on use the model and effort that the VP itself uses from now on."""
        before = self._models.get(vp_id, Wishes())
        self._models[vp_id] = Wishes(model=op.model or before.model, effort=op.effort or before.effort)

    def log_of(self, agent_id: str) -> Path:
        """Where the log of an agent is."""
        return log_path(self._logs, agent_id)

    def liveness(self, agent_id: str) -> Liveness | None:
        """The counts of an agent of this process; None for one of another."""
        agent = self._live.get(agent_id)
        return agent.pulse.liveness if agent else None

    def silent_ms(self, agent: AgentState) -> int:
        """How long nothing has been heard of a running agent; 0 for one that is not, or waits for the human."""
        live = self._live.get(agent.spawned.agent_id)
        return self._now_ms() - live.pulse.last_ms if live and agent.is_running and not live.is_asking else 0

    def is_asking(self, agent_id: str) -> bool:
        """Whether an agent waits for the human."""
        agent = self._live.get(agent_id)
        return agent is not None and agent.is_asking

    def react(self, recorded: Sequence[Recorded]) -> list[str]:
        """Do what events of the Session mean for its agents; return the user messages that it may settle."""
        for one in recorded:
            self._take_up(one)
        self.tell()
        if any(isinstance(one.event, AgentReported | AgentEnded | DeliveryTaken) for one in recorded):
            return [agent.spawned.root_id for agent in self._ledger.state.agents.values()]
        return [one.corr for one in recorded if isinstance(one.event, MessagePosted) and one.event.kind == "notice"]

    def tell(self, *, may_wake: bool = True) -> None:
        """Let VPs hear what their agents found; see `agent_notices`.

        Each append may lead to others, so what is due is asked anew after each.
        """
        while self._ledger.state.agents and (due := due_messages(self._ledger.state, self.texts, may_wake=may_wake)):
            together = [message for message in due if message.root_id == due[0].root_id]
            self._ledger.post(together, src="engine", corr=due[0].root_id)

    def _take_up(self, recorded: Recorded) -> None:
        match recorded.event:
            case AgentSpawned() as spawned:
                self._begin(spawned)
            case AgentPrompted(agent_id=agent_id, text=text, call_id=call_id) if agent_id in self._live:
                self._live[agent_id].tell(text, call_id)
            case AgentReported(agent_id=agent_id) | AgentEnded(agent_id=agent_id):
                self._changed.set()
                self._wake(agent_id)
            case MessagePosted(kind="steer", to=to):
                for agent in live_of(self._ledger.state.agents):
                    if agent.spawned.vp_id in to:
                        self._wake(agent.spawned.agent_id)
            case TurnEnded(vp_id=vp_id, outcome=outcome) if outcome not in ("answered", "handed_off"):
                why = fill(self.texts["ended_parent"], {"parent": vp_id, "outcome": outcome}) if self._live else ""
                self.stop(why, vp_id, recorded.corr)
            case _:
                pass

    def note(self, heard: Recorded | Transient) -> None:
        """Write what happens to an agent into its log."""
        event = heard.event if isinstance(heard, Recorded) else None
        if isinstance(heard, Recorded) and isinstance(event, AgentSpawned | AgentPrompted | AgentReported | AgentEnded):
            self._log(event.agent_id).add(heard)

    def stop(self, error: str = "", vp_id: str = "", root_id: str = "") -> None:
        """End the agents of a VP, or of all, that go back to a user message, or to any."""
        for agent in live_of(self._ledger.state.agents, vp_id):
            if root_id in ("", agent.spawned.root_id):
                self._end(agent.spawned.agent_id, "closed", error or self.texts["ended_closed"])

    def end(self, agent_id: str) -> None:
        """End one agent, as the user wants. Raises `NotFound` unless it lives."""
        agent = self._ledger.state.agents.get(agent_id)
        if agent is None or not agent.is_live:
            raise NotFound(f"No sub-agent {agent_id!r} is at work.")
        self._end(agent_id, "closed", self.texts["ended_by_user"])

    async def close(self, agent_id: str, result: str) -> None:
        """End one agent and wait until that is recorded and its processes are gone."""
        agent = self._ledger.state.agents[agent_id]
        self._end(agent_id, "closed", "" if result or not agent.is_running else self.texts["ended_closed"], result)
        while agent_id in self._live and self._ledger.state.agents[agent_id].is_live:
            await self.wait(agent_id, None)

    async def wait(self, agent_id: str, timeout_s: float | None) -> None:
        """Wait until the agent reports or ends, its VP is told something by the user, or the time is over."""
        waker = asyncio.Event()
        wakers = self._wakers.setdefault(agent_id, set())
        wakers.add(waker)
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(timeout_s):
                    await waker.wait()
        finally:
            wakers.discard(waker)

    async def next_change(self) -> None:
        """Wait until an agent reports or ends; one that gave no sign of life for too long is given up meanwhile."""
        self._changed.clear()
        limit_ms = self.limits.agent_silence_s * 1000
        running = [agent for agent in self._ledger.state.agents.values() if agent.is_running]
        left_ms = min((limit_ms - self.silent_ms(agent) for agent in running), default=limit_ms)
        try:
            async with asyncio.timeout(max(0.0, left_ms) / 1000):
                await self._changed.wait()
        except TimeoutError:
            why = fill(self.texts["ended_silent"], {"seconds": f"{self.limits.agent_silence_s:g}"})
            for agent in running:
                if self.silent_ms(agent) >= limit_ms:
                    self._end(agent.spawned.agent_id, "abandoned", why)

    def dismiss(self) -> None:
        """Let those go that have reported: nobody will tell them more."""
        for agent in live_of(self._ledger.state.agents):
            if not agent.is_running and agent.spawned.agent_id in self._live:
                self._live[agent.spawned.agent_id].dismiss()

    def close_losses(self) -> None:
        """Close what a dead process left: the agents' own streams first, then the agents, and what they had asked."""
        state = self._ledger.state
        for agent in live_of(state.agents):
            self._close_lost(agent.spawned)
        asks = [ask for ask in state.open_asks.values() if ask.turn_id not in state.turns]
        self._ledger.post([AskWithdrawn(ask_id=ask.ask_id, reason="aborted") for ask in asks], src="engine")

    def _begin(self, spawned: AgentSpawned) -> None:
        assert self._start is not None
        session, ledger = self._maker.session(spawned, self._models.get(spawned.vp_id, Wishes()))
        agent = SubAgent(
            spawned=spawned,
            session=session,
            ledger=ledger,
            parent=self._ledger,
            log=self._log(spawned.agent_id),
            texts=self.texts,
            idle_s=self.limits.agent_idle_s,
            now_ms=self._now_ms,
        )
        self._live[spawned.agent_id] = agent
        self._start(self._run(agent))

    async def _run(self, agent: SubAgent) -> None:
        try:
            await agent.run()
        finally:
            del self._live[agent.spawned.agent_id]

    def _end(self, agent_id: str, state: AgentEnding, error: str, result: str = "") -> None:
        if agent_id in self._live:
            self._live[agent_id].stop(state, error, result)

    def _close_lost(self, spawned: AgentSpawned) -> None:
        ledger = self._maker.ledger(spawned)
        for root_id, events in losses(ledger.state, self._maker.inquiry, self._maker.phrases):
            ledger.post(events, src="engine", corr=root_id)
        is_done = newest_turn(ledger.state) is not None
        state, error = outcome_of(ledger.state, "", self.texts) if is_done else ("lost", self.texts["ended_lost"])
        ended = AgentEnded(agent_id=spawned.agent_id, state=state, result=result_of(ledger.state), error=error)
        self._ledger.post((ended,), src="engine", cause=spawned.call_id, corr=spawned.root_id)

    def _log(self, agent_id: str) -> AgentLog:
        if agent_id in self._live:
            return self._live[agent_id].log
        return AgentLog(self.log_of(agent_id))

    def _wake(self, agent_id: str) -> None:
        for waker in self._wakers.get(agent_id, ()):
            waker.set()
