"""The small Session in which a VP does one visit of a step: the ordinary engine, in a stream of the run's journal."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from yeaft import __version__
from yeaft.config.settings import VpSettings
from yeaft.engine.calls import Hands, Refused, Verdict
from yeaft.events.session import SessionCreated
from yeaft.events.turn import Limits
from yeaft.kernel.tool_names import OUTSIDE_PREFIX
from yeaft.session.agents.agent_presets import WITHHELD
from yeaft.session.agents.agent_session import AgentGate
from yeaft.session.asked import Caller
from yeaft.session.ledger import Ledger
from yeaft.session.live_toolbox import with_served
from yeaft.session.minds import VpMind
from yeaft.session.seat import Seat
from yeaft.session.session import Session
from yeaft.session.state import SessionState
from yeaft.vp.library import Library
from yeaft.vp.persona import ToolPolicy, Vp
from yeaft.workflows.graphs.finish_step import FINISH_STEP, FinishStep

if TYPE_CHECKING:
    from yeaft.engine.changed import Changed
    from yeaft.kernel.messages import Call
    from yeaft.llm.prompt import ToolSpec
    from yeaft.session.agents.agent_session import Means
    from yeaft.session.live_toolbox import Served
    from yeaft.session.minds import Thinking
    from yeaft.tools.tool import AnyTool, BoundCall, Toolbox
    from yeaft.workflows.graphs.agents import Agent
    from yeaft.workflows.graphs.doing import Work
    from yeaft.workflows.graphs.graph import VpTask

SKILL = "Skill"
READING = frozenset(
    ("FileRead", "Grep", "Glob", "ListDir", "DiskUsage", "ViewImage", "WebFetch", "WebSearch", "HistorySearch", "Skill")
)
"""What a step can do that may only read."""


class StepSessions:
    """Makes them. `agents` are the VPs that came with the graph; the others are in the Session's library."""

    def __init__(self, means: Means, agents: Mapping[str, Agent]) -> None:
        self._means = means
        self._agents = agents
        self._skills: ToolSpec | None = None

    def vp(self, vp_id: str) -> Vp | None:
        """Return a VP of the graph's own, or of the library; None if there is none."""
        agent = self._agents.get(vp_id)
        if agent is None:
            return self._means.thinking.library.get(vp_id)
        text = agent.persona or agent.description or f"You are {agent.name}."
        return Vp(
            id=agent.name,
            name=agent.name,
            role=agent.description,
            model=agent.model,
            persona={"": text},
            digest=hashlib.sha256(text.encode()).hexdigest(),
        )

    def make(self, work: Work, task: VpTask, vp: Vp, folder: Path, finish: FinishStep | None) -> tuple[Session, Ledger]:
        """Return the Session of a visit with what was recorded of it already, not yet entered; it works in `folder`."""
        means = self._means
        state = SessionState(work.run_id)  # so that requests of all its steps begin alike, and are kept once
        for recorded in means.journal.read(work.stream) if work.is_resumed else ():  # a new stream has nothing yet
            state.apply(recorded)
        parent = means.parent
        ledger = Ledger(means.journal, state, means.now_ms, parent.epoch, stream=work.stream, purse=parent.purse)
        ledger.listen(means.traces)
        thinking = self._thinking(work, task, vp, folder)
        toolbox = self._toolbox(task, vp, state, folder, finish)
        served = self._served(task, vp, folder)
        caller = Caller(vp_id=vp.id, ledger=ledger, folder=folder, root_id=work.run_id)
        gate = StepGate(AgentGate(means.approvals, caller))

        def make_seat(vp_id: str) -> Seat:
            mind = VpMind(vp_id, thinking, toolbox, ledger, means.blobs, served=served)
            hands = Hands(with_served(toolbox, served), gate, thinking.phrases, means.blobs.put)
            return Seat(
                ledger=ledger, mind=mind, hands=hands, rules=means.rules, inquiry=means.inquiry, now_ms=means.now_ms
            )

        session = Session(
            ledger=ledger,
            library=thinking.library,
            lang=thinking.lang,
            approvals=means.approvals,
            inquiry=means.inquiry,
            make_seat=make_seat,
            phrases=thinking.phrases,
            opening=() if state.created else (_created(work, vp, folder, thinking.lang),),
            limits=Limits(rounds=means.rules.max_rounds, cost_usd=work.cost_left_usd),
            now_ms=means.now_ms,
        )
        return session, ledger

    def _thinking(self, work: Work, task: VpTask, vp: Vp, folder: Path) -> Thinking:
        thinking = self._means.thinking
        own = thinking.config.vps.get(vp.id, VpSettings())
        return replace(
            thinking,
            library=Library((), (vp,)),
            model=task.model or thinking.model,
            effort=task.effort or thinking.effort,
            config=replace(thinking.config, vps={**thinking.config.vps, vp.id: own}),
            place=lambda: replace(thinking.place(), folder=str(folder)),
            needs_prices=thinking.needs_prices or work.cost_left_usd is not None,
        )

    def _toolbox(self, task: VpTask, vp: Vp, state: SessionState, folder: Path, finish: FinishStep | None) -> Toolbox:
        tools: dict[str, AnyTool] = {
            name: tool
            for name, tool in self._means.equip(vp.id, state, folder).items()
            if name not in WITHHELD and vp.tools.offers(name) and (task.workspace != "read" or name in READING)
        }
        if (skills := tools.get(SKILL)) is not None:  # looking for them takes as long as all else
            self._skills = self._skills or skills.spec
            tools[SKILL] = SameSpec(skills, self._skills)
        if finish is not None:
            tools[FINISH_STEP] = finish
        return tools

    def _served(self, task: VpTask, vp: Vp, folder: Path) -> Served | None:
        """The tools of servers: those of the ones that the step names, else of all that the VP has."""
        if task.workspace == "read":
            return None
        if not task.mcp_servers:
            return self._means.serve(vp.id, vp, folder)
        meant = tuple(f"{OUTSIDE_PREFIX}{name}__*" for name in task.mcp_servers)
        own = vp.tools.allow
        allow = meant if own is None else tuple(one for one in own if one.startswith(tuple(m[:-1] for m in meant)))
        return self._means.serve(vp.id, replace(vp, tools=ToolPolicy(allow=allow, deny=vp.tools.deny)), folder)


class SameSpec:
    """A tool that a model is told of as it was when the run's first step began."""

    def __init__(self, tool: AnyTool, spec: ToolSpec) -> None:
        self._tool = tool
        self.spec = spec

    @property
    def name(self) -> str:
        """See `tools.tool.AnyTool`."""
        return self._tool.name

    def bind(self, args_raw: str, /) -> BoundCall:
        """See `tools.tool.AnyTool`."""
        return self._tool.bind(args_raw)


class StepGate:
    """The user's rules for all that a step does, but for handing over its result."""

    def __init__(self, gate: AgentGate) -> None:
        self._gate = gate

    def judge(self, bound: BoundCall) -> Verdict:
        """See `engine.calls.Gate`."""
        return Verdict(allowed=True) if bound.tool == FINISH_STEP else self._gate.judge(bound)

    async def ask(self, call: Call, bound: BoundCall) -> Refused | Changed | None:
        """See `engine.calls.Gate`."""
        return await self._gate.ask(call, bound)


def _created(work: Work, vp: Vp, folder: Path, lang: str) -> SessionCreated:
    return SessionCreated(
        session_id=work.run_id,
        name="",
        folder=str(folder),
        roster=(vp.id,),
        default_vp=vp.id,
        lang=lang,
        app_version=__version__,
    )
