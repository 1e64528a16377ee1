"""One live sub-agent: a small Session in a stream of its own, from its mission to its one end."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from yeaft.engine.closing import Ending
from yeaft.events.agent import AgentEnded, AgentEnding, AgentReported
from yeaft.events.call import AskOpened, AskWithdrawn
from yeaft.events.codec import Recorded, Transient
from yeaft.events.ops import Say
from yeaft.events.turn import ReplyCompleted, TurnStarted
from yeaft.prompts.fill import fill
from yeaft.session.agents.agent_budget import LIMITS, Excess, excess
from yeaft.session.agents.agent_liveness import Pulse
from yeaft.session.agents.agent_outcome import outcome_of, result_of
from yeaft.session.agents.agent_presets import label_of

if TYPE_CHECKING:
    from yeaft.events.agent import AgentSpawned
    from yeaft.kernel.clock import NowMs
    from yeaft.session.ledger import Ledger
    from yeaft.session.session import Session
    from yeaft.store.agent_log import AgentLog

GOES_ON = ("max_tokens", "pause")
"""How a reply without calls stops that is not the last one of its turn."""


class SubAgent:
    """Runs one agent and posts what becomes of it to the `parent` stream; its own events go to its `ledger`."""

    def __init__(
        self,
        *,
        spawned: AgentSpawned,
        session: Session,
        ledger: Ledger,
        parent: Ledger,
        log: AgentLog,
        texts: Mapping[str, str],
        idle_s: float,
        now_ms: NowMs,
    ) -> None:
        self.spawned = spawned
        self.log = log
        self.pulse = Pulse()
        self._session = session
        self._ledger = ledger
        self._parent = parent
        self._texts = texts
        self._idle_s = idle_s
        self._now_ms = now_ms
        self._unmet = ""
        self._asked: dict[str, str] = {}
        self._stop: tuple[AgentEnding, str] | None = None
        self._kept_result = ""
        self._wake = asyncio.Event()
        ledger.listen(self._hear)

    @property
    def is_asking(self) -> bool:
        """Whether it waits for the human."""
        return bool(self._ledger.state.open_asks)

    async def run(self) -> None:
        """Work until the end, which is posted exactly once; cancelled, it ends as closed."""
        self.pulse.touch(self._now_ms())
        wall_ms = self.spawned.budget.wall_time_ms
        loop = asyncio.get_running_loop()
        alarm = loop.call_later(wall_ms / 1000, self._exceed, "wall_time_ms") if wall_ms else None
        try:
            async with self._session:
                await self._work()
        except asyncio.CancelledError:
            self._end("closed", self._texts["ended_closed"])
            raise
        finally:
            if alarm is not None:
                alarm.cancel()

    def tell(self, text: str, op_id: str) -> None:
        """Tell the agent more; it takes that up after what it is doing."""
        self._session.send(Say(text=text, to=(label_of(self.spawned),), op_id=op_id, verbatim=True))
        self._wake.set()

    def stop(self, state: AgentEnding, error: str, result: str = "") -> None:
        """End the agent as soon as its running turn has been stopped; `result` replaces what it had said."""
        if self._stop is None:
            self._stop = (state, error)
            self._kept_result = result
            self._session.interrupt(Ending(outcome="aborted"))
            self._wake.set()

    def dismiss(self) -> None:
        """Let an agent go that has reported and that nobody will tell more."""
        if self._stop is None:
            self._stop = ("completed", "")
            self._wake.set()

    async def _work(self) -> None:
        if self._stop is None:
            self.tell(self.spawned.mission, self.spawned.call_id)
        number = 0
        while True:
            await self._turns_over()
            state, error = self._stop or outcome_of(self._ledger.state, self._unmet, self._texts)
            if state != "completed" or self._stop or not self.spawned.stay:
                self._end(state, error)
                return
            number += 1
            self._wake.clear()
            result = result_of(self._ledger.state)
            self._post(AgentReported(agent_id=self.spawned.agent_id, number=number, result=result))
            await self._told_more()

    async def _turns_over(self) -> None:
        """Wait until no turn runs and none waits; something may be said while the last commit is under way."""
        state = self._ledger.state
        while True:
            await self._session.idle()
            if not state.open_turns() and not any(state.waiting.values()):
                return

    async def _told_more(self) -> None:
        try:
            async with asyncio.timeout(self._idle_s):
                await self._wake.wait()
        except TimeoutError:
            self._stop = ("abandoned", fill(self._texts["ended_idle"], {"seconds": f"{self._idle_s:g}"}))

    def _hear(self, heard: Recorded | Transient) -> None:
        self.pulse.feel(heard, self._now_ms())
        if not isinstance(heard, Recorded):
            return
        self.log.add(heard)
        match heard.event:
            case AskOpened(ask_id=ask_id, text=text, flag=flag):
                self._asked[ask_id] = f"{text} ({flag})" if flag else text
            case AskWithdrawn(ask_id=ask_id, reason="headless"):
                self._unmet = self._asked.get(ask_id, "")
            case ReplyCompleted(calls=calls, stop=stop) if calls or stop in GOES_ON:
                self._exceed(excess(self.spawned.budget, self.pulse))
            case TurnStarted():
                self._exceed(excess(self.spawned.budget, self.pulse))
            case _:
                pass

    def _exceed(self, limit: Excess | None) -> None:
        """Stop the agent's turn because a limit of its budget is reached."""
        if limit is None or self._stop is not None:
            return
        self._stop = ("budget_exceeded", fill(self._texts["ended_budget"], {"limit": limit}))
        self._session.interrupt(Ending(outcome="limit", limit=LIMITS[limit]))
        self._wake.set()

    def _end(self, state: AgentEnding, error: str) -> None:
        agent_id = self.spawned.agent_id
        if not self._parent.state.agents[agent_id].is_live:
            return
        ended = AgentEnded(
            agent_id=agent_id,
            state=state,
            result=self._kept_result or result_of(self._ledger.state),
            error=error,
            usage=self.pulse.usage,
            cost_usd=self.pulse.cost_usd,
            rounds=self.pulse.rounds,
        )
        self._post(ended)

    def _post(self, event: AgentEnded | AgentReported) -> None:
        spawned = self.spawned
        self._parent.post((event,), src=f"vp:{label_of(spawned)}", cause=spawned.call_id, corr=spawned.root_id)
