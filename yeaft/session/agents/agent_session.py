"""Builds the small Session that a sub-agent is: the same engine, seat and window, another stream, fewer tools."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from yeaft import __version__
from yeaft.engine.calls import Hands, Refused, Verdict
from yeaft.engine.changed import Changed
from yeaft.engine.decide import Rules
from yeaft.events.session import SessionCreated
from yeaft.events.turn import Limits
from yeaft.kernel.clock import NowMs
from yeaft.kernel.errors import NotFound
from yeaft.prompts.find import read_template
from yeaft.prompts.phrases import sections
from yeaft.session.agents.agent_presets import (
    Wishes,
    agent_config,
    agent_model,
    agent_tools,
    agent_vp,
    label_of,
    preset,
)
from yeaft.session.approvals import Approvals
from yeaft.session.asked import Caller
from yeaft.session.hooks.listening import Listening
from yeaft.session.ledger import Ledger, Listener
from yeaft.session.live_toolbox import with_served
from yeaft.session.minds import Thinking, VpMind
from yeaft.session.reopening import Inquiry
from yeaft.session.seat import Seat
from yeaft.session.session import Session
from yeaft.session.state import SessionState
from yeaft.store.journal import Blobs, Journal
from yeaft.tools.tool import Toolbox
from yeaft.vp.library import Library

if TYPE_CHECKING:
    from yeaft.events.agent import AgentSpawned
    from yeaft.kernel.messages import Call
    from yeaft.session.live_toolbox import Served
    from yeaft.tools.tool import BoundCall
    from yeaft.vp.persona import Vp

Equip = Callable[[str, SessionState, Path], Toolbox]
"""Makes the tools for a label, over the state of its own stream, working in a folder."""


Reach = Callable[[str], Awaitable[None]]
"""Waits for the server whose tool this is. Raises `ToolFailed` when it cannot be reached."""
Serve = Callable[[str, "Vp", SessionState, Path], "Served | None"]
"""Gives the tools of servers to a label, as `Equip` does, as far as its VP has them; None if there are no servers."""


async def _has_no_servers(tool: str) -> None:
    del tool


class Means(Struct, frozen=True, kw_only=True):
    """What all sub-agents of a Session are made with; `parent` is the Session's own place in the journal.

    Without `hooks` there are none. `reach` waits for the server whose tool it is given.
    """

    parent: Ledger
    journal: Journal
    blobs: Blobs
    thinking: Thinking
    equip: Equip
    serve: Serve
    approvals: Approvals
    inquiry: Inquiry
    rules: Rules
    traces: Listener
    now_ms: NowMs
    hooks: Listening | None = None
    reach: Reach = _has_no_servers


class AgentMaker:
    """Makes the Sessions of sub-agents, and finds the streams that a dead process left."""

    def __init__(self, means: Means) -> None:
        self._means = means

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """What sub-agents and their VPs are told, by key; read when the first agent needs it."""
        return sections(read_template("prompts/agents", self._means.thinking.lang))

    @property
    def phrases(self) -> Mapping[str, str]:
        """The texts that stand between turns, results and errors."""
        return self._means.thinking.phrases

    @property
    def inquiry(self) -> Inquiry:
        """Finds out what became of calls whose end was not recorded."""
        return self._means.inquiry

    def ledger(self, spawned: AgentSpawned) -> Ledger:
        """Return the agent's place in the journal, folded as far as it goes."""
        means = self._means
        state = SessionState(spawned.agent_id)
        for recorded in means.journal.read(spawned.stream):
            state.apply(recorded)
        parent = means.parent
        return Ledger(means.journal, state, means.now_ms, parent.epoch, stream=spawned.stream, purse=parent.purse)

    def session(self, spawned: AgentSpawned, wishes: Wishes) -> tuple[Session, Ledger]:
        """Return a new agent's Session, not yet entered. Raises `NotFound` if its VP is gone."""
        means, ledger = self._means, self.ledger(spawned)
        ledger.listen(means.traces)
        parent = means.thinking.library.get(spawned.vp_id)
        if parent is None:
            raise NotFound(f"There is no VP @{spawned.vp_id} any more; `yeaft vp ls` lists those there are.")
        persona = preset(spawned.persona)
        label = label_of(spawned)
        vp = agent_vp(spawned, parent, persona, means.thinking.lang, self.texts)
        library = Library((), (vp,))
        thinking = self._thinking(spawned, persona, library, wishes)
        toolbox = agent_tools(means.equip(label, ledger.state, Path(spawned.folder)), parent, persona)
        caller = Caller(vp_id=spawned.vp_id, ledger=ledger, folder=Path(spawned.folder), root_id=spawned.root_id)
        own_gate = AgentGate(means.approvals, caller)
        gate = means.hooks.gate(own_gate, ledger.state, caller.folder) if means.hooks else own_gate

        served = means.serve(label, parent, ledger.state, caller.folder) if persona is None else None

        def make_seat(vp_id: str) -> Seat:
            mind = VpMind(vp_id, thinking, toolbox, ledger, means.blobs, served=served)
            hands = Hands(with_served(toolbox, served), gate, self.phrases, means.blobs.put)
            return Seat(
                ledger=ledger, mind=mind, hands=hands, rules=means.rules, inquiry=means.inquiry, now_ms=means.now_ms
            )

        session = Session(
            ledger=ledger,
            library=library,
            lang=thinking.lang,
            approvals=means.approvals,
            inquiry=means.inquiry,
            make_seat=make_seat,
            phrases=self.phrases,
            opening=(_created(spawned, label, thinking.lang),),
            limits=_limits(spawned, means.now_ms),
            now_ms=means.now_ms,
            stop_hooks=means.hooks.agent_stop_hooks(spawned, ledger) if means.hooks else None,
        )
        return session, ledger

    def _thinking(self, spawned: AgentSpawned, persona: Vp | None, library: Library, wishes: Wishes) -> Thinking:
        thinking = self._means.thinking
        return replace(
            thinking,
            library=library,
            model=agent_model(thinking.config, persona, wishes.model or thinking.model),
            effort=wishes.effort or thinking.effort,
            config=agent_config(thinking.config, spawned),
            place=lambda: replace(thinking.place(), folder=spawned.folder),
            needs_prices=thinking.needs_prices or spawned.budget.max_cost_usd is not None,
        )


class AgentGate:
    """Stands between a sub-agent's calls and their effects: the Session's own rules, mode and queue of questions."""

    def __init__(self, approvals: Approvals, caller: Caller) -> None:
        self._approvals = approvals
        self._caller = caller

    def judge(self, bound: BoundCall) -> Verdict:
        """See `engine.calls.Gate`."""
        return self._approvals.judge(bound, self._caller.vp_id, self._caller)

    def asks_by_mode(self, bound: BoundCall) -> bool:
        """See `session.hooks.hooked_gate`."""
        return self._approvals.asks_by_mode(bound, self._caller.vp_id, self._caller)

    async def ask(self, call: Call, bound: BoundCall, reason: str = "") -> Refused | Changed | None:
        """See `engine.calls.Gate`; as that of a VP."""
        return await self._approvals.ask(call, bound, self._caller.vp_id, self._caller, reason=reason)

    def give_up(self, call: Call, bound: BoundCall, reason: str) -> None:
        """See `session.hooks.hooked_gate`."""
        self._approvals.give_up(call, bound, self._caller.vp_id, self._caller, reason=reason)


def _created(spawned: AgentSpawned, label: str, lang: str) -> SessionCreated:
    return SessionCreated(
        session_id=spawned.agent_id,
        name=spawned.name,
        folder=spawned.folder,
        roster=(label,),
        default_vp=label,
        lang=lang,
        app_version=__version__,
    )


def _limits(spawned: AgentSpawned, now_ms: NowMs) -> Limits:
    budget = spawned.budget
    return Limits(
        rounds=budget.max_turns,
        cost_usd=budget.max_cost_usd,
        tokens=budget.max_tokens,
        deadline_ms=now_ms() + budget.wall_time_ms if budget.wall_time_ms else None,
    )
