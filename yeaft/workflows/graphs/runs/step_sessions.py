"""The small Session in which a VP does one visit of a step: the ordinary engine, in a stream of the run's journal."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from yeaft import __version__
from yeaft.config.settings import VpSettings
from yeaft.engine.calls import Gate, Hands, Refused, Verdict
from yeaft.events.session import SessionCreated
from yeaft.events.turn import Limits
from yeaft.kernel.tool_names import OUTSIDE_PREFIX
from yeaft.llm.prompt import ToolSpec
from yeaft.session.agents.agent_presets import WITHHELD
from yeaft.session.agents.agent_session import AgentGate
from yeaft.session.asked import Caller
from yeaft.session.known_settings import KnownSettings
from yeaft.session.ledger import Ledger
from yeaft.session.live_toolbox import with_served
from yeaft.session.minds import Thinking, VpMind
from yeaft.session.seat import Seat
from yeaft.session.session import Session
from yeaft.session.state import SessionState
from yeaft.vp.library import Library
from yeaft.vp.persona import ToolPolicy, Vp
from yeaft.workflows.graphs.runs.finish_step import FINISH_STEP, FinishStep

if TYPE_CHECKING:
    from yeaft.engine.changed import Changed
    from yeaft.kernel.messages import Call
    from yeaft.prompts.place import Place
    from yeaft.session.agents.agent_session import Means
    from yeaft.session.live_toolbox import Served
    from yeaft.tools.tool import AnyTool, BoundCall, Toolbox
    from yeaft.workflows.graphs.graph import Agent, VpTask
    from yeaft.workflows.graphs.runs.doing import Work

K = TypeVar("K")
V = TypeVar("V")
SKILL = "Skill"
MINUTE_MS = 60_000
MOST_KEPT = 64
"""Of so many kinds of steps it is kept what they share; each step with a folder of its own is a kind."""
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
        self._specs: dict[tuple[str, Path], Mapping[str, ToolSpec]] = {}
        self._kinds: dict[tuple[object, ...], Kind] = {}
        self._placed: tuple[int, Place] | None = None

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
        equipped = Equipped(lambda: means.equip(vp.id, state, folder))
        kind = self._kind(task, vp, folder, finish, equipped)
        thinking = self._thinking(work, kind)
        toolbox = LateToolbox(kind.specs, equipped, finish)
        served = self._served(task, vp, state, folder)
        caller = Caller(vp_id=vp.id, ledger=ledger, folder=folder, root_id=work.run_id)
        own_gate = AgentGate(means.approvals, caller)
        gate = StepGate(means.hooks.gate(own_gate, state, folder) if means.hooks else own_gate)

        def make_seat(vp_id: str) -> Seat:
            mind = VpMind(vp_id, thinking, toolbox, ledger, means.blobs, served=served, known=kind.known)
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
            is_owner=False,
        )
        return session, ledger

    def _thinking(self, work: Work, kind: Kind) -> Thinking:
        thinking = kind.thinking
        if thinking.needs_prices or work.cost_left_usd is None:
            return thinking
        return replace(thinking, needs_prices=True)

    def _kind(
        self, task: VpTask, vp: Vp, folder: Path, finish: FinishStep | None, equipped: Callable[[], Toolbox]
    ) -> Kind:
        """What a step shares with all others that are to be done by the same VP in the same way."""
        schema = bytes(finish.spec.schema) if finish is not None else b""
        key = (vp.id, vp.digest, folder, task.model, task.effort, task.workspace, task.mcp_servers, schema)
        kind = self._kinds.get(key)
        return kind or _kept(self._kinds, key, self._new_kind(task, vp, folder, equipped))

    def _new_kind(self, task: VpTask, vp: Vp, folder: Path, equipped: Callable[[], Toolbox]) -> Kind:
        thinking = self._means.thinking
        own = thinking.config.vps.get(vp.id, VpSettings())
        mind = replace(
            thinking,
            library=Library((), (vp,)),
            model=task.model or thinking.model,
            effort=task.effort or thinking.effort,
            config=replace(thinking.config, vps={**thinking.config.vps, vp.id: own}),
            place=lambda: replace(self._place(), folder=str(folder)),
        )
        specs = {
            name: spec
            for name, spec in self._specs_for(vp, folder, equipped).items()
            if name not in WITHHELD and vp.tools.offers(name) and (task.workspace != "read" or name in READING)
        }
        return Kind(thinking=mind, specs=specs, known=KnownSettings())

    def _specs_for(self, vp: Vp, folder: Path, equipped: Callable[[], Toolbox]) -> Mapping[str, ToolSpec]:
        """What a VP is told of the tools in a folder, in all steps of the run alike."""
        specs = self._specs.get((vp.id, folder))
        if specs is None:
            found = {
                name: self._skills or tool.spec if name == SKILL else tool.spec for name, tool in equipped().items()
            }
            self._skills = found.get(SKILL)  # looking for them takes as long as all else
            specs = _kept(self._specs, (vp.id, folder), found)
        return specs

    def _place(self) -> Place:
        """Where we are and on what day, looked up once a minute."""
        minute = self._means.now_ms() // MINUTE_MS
        if self._placed is None or self._placed[0] != minute:
            self._placed = (minute, self._means.thinking.place())
        return self._placed[1]

    def _served(self, task: VpTask, vp: Vp, state: SessionState, folder: Path) -> Served | None:
        """The tools of servers: those of the ones that the step names, else of all that the VP has."""
        if task.workspace == "read":
            return None
        if not task.mcp_servers:
            return self._means.serve(vp.id, vp, state, folder)
        meant = tuple(f"{OUTSIDE_PREFIX}{name}__*" for name in task.mcp_servers)
        own = vp.tools.allow
        allow = meant if own is None else tuple(one for one in own if one.startswith(tuple(m[:-1] for m in meant)))
        meant_vp = replace(vp, tools=ToolPolicy(allow=allow, deny=vp.tools.deny))
        return self._means.serve(vp.id, meant_vp, state, folder)


def _kept(table: dict[K, V], key: K, value: V) -> V:
    """Put a value in a table in which only the newest stay, and return it."""
    if len(table) >= MOST_KEPT:
        del table[next(iter(table))]
    table[key] = value
    return value


class Kind(Struct, frozen=True, kw_only=True):
    """What steps have in common that one VP does in one way: how it thinks, and what it is told of its tools."""

    thinking: Thinking
    specs: Mapping[str, ToolSpec]
    known: KnownSettings


class Equipped:
    """The tools of one step, which are made when first asked for."""

    def __init__(self, make: Callable[[], Toolbox]) -> None:
        self._make = make
        self._made: Toolbox | None = None

    def __call__(self) -> Toolbox:
        """Return them."""
        if self._made is None:
            self._made = self._make()
        return self._made


class LateToolbox(Mapping[str, "AnyTool"]):
    """The tools of one step, which are made when the first of them is called, and few steps call any.

    A model is told `specs` of them, as in the other steps of its kind; `finish` comes last, if there is one.
    """

    def __init__(
        self, specs: Mapping[str, ToolSpec], equipped: Callable[[], Toolbox], finish: FinishStep | None
    ) -> None:
        self._specs = specs
        self._equipped = equipped
        self._finish = finish

    def __getitem__(self, name: str) -> AnyTool:
        if name == FINISH_STEP and self._finish is not None:
            return self._finish
        return LateTool(name, self._specs[name], self._equipped)

    def __iter__(self) -> Iterator[str]:
        yield from self._specs
        if self._finish is not None:
            yield FINISH_STEP

    def __len__(self) -> int:
        return len(self._specs) + (self._finish is not None)


class LateTool:
    """One of them: `spec` is known, what it does is found when it is called."""

    def __init__(self, name: str, spec: ToolSpec, equipped: Callable[[], Toolbox]) -> None:
        self.name = name
        self.spec = spec
        self._equipped = equipped

    def bind(self, args_raw: str, /) -> BoundCall:
        """See `tools.tool.AnyTool`."""
        return self._equipped()[self.name].bind(args_raw)


class StepGate:
    """The user's rules and hooks for all that a step does, but for handing over its result."""

    def __init__(self, gate: Gate) -> None:
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
