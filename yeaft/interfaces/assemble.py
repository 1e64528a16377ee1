"""The one file that sees everything: opens what a Session needs, wires it, and closes it in reverse order."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from yeaft.artifacts.store import ArtifactStore
from yeaft.config import layers, places
from yeaft.config.language import language
from yeaft.config.places import user_config
from yeaft.config.settings import Config
from yeaft.engine.calls import Hands
from yeaft.engine.decide import Rules
from yeaft.events.session import NoticePosted
from yeaft.events.turn import Limits
from yeaft.interfaces import additions, garbage
from yeaft.interfaces.compacting import compactions
from yeaft.interfaces.ground import Ground, Wish, remarks
from yeaft.interfaces.ground import ground as ground_of
from yeaft.interfaces.hooked import hooked
from yeaft.interfaces.instructed import instructed
from yeaft.interfaces.past import Lookout, rewind_ops
from yeaft.interfaces.serving import serving
from yeaft.interfaces.slashes import slash_commands, slashing
from yeaft.interfaces.trusted import may_run_code_in, trust_for
from yeaft.interfaces.vp_flows import VpFlows
from yeaft.kernel.clock import wall_clock_ms
from yeaft.llm.catalogue import read_catalogue
from yeaft.llm.credentials import scrubbed
from yeaft.llm.embedded_files import status
from yeaft.llm.local_model import LocalModel
from yeaft.llm.models import Models
from yeaft.llm.retry import rules_of
from yeaft.prompts.find import templates_dir
from yeaft.prompts.place import NOWHERE, place_at
from yeaft.prompts.system import load_texts
from yeaft.prompts.ui import Ui
from yeaft.session.addressing import known_names
from yeaft.session.agents.agent_session import AgentMaker, Means
from yeaft.session.agents.agents import Agents
from yeaft.session.approvals import Approvals, Questions
from yeaft.session.catalogue import RULED
from yeaft.session.commands import Traces, probe_command
from yeaft.session.intake import Intake, Step
from yeaft.session.ledger import Listener, Purse
from yeaft.session.live_toolbox import with_served
from yeaft.session.minds import Thinking, VpMind
from yeaft.session.outside_tools import Outside
from yeaft.session.permits import Permits
from yeaft.session.reopening import Inquiry
from yeaft.session.router import HandoffLimits, Throttle
from yeaft.session.seat import Seat
from yeaft.session.session import Session
from yeaft.session.slash.slash_word import SlashWord
from yeaft.session.state import SessionState
from yeaft.session.tasks.tasks import Tasks
from yeaft.session.toolbox import Workshop, toolbox_for
from yeaft.session.worktrees import worktrees_of
from yeaft.skills.library import SkillLibrary, skill_folders
from yeaft.store.attachments import Attachments
from yeaft.tools.around import surrounded
from yeaft.tools.files.locks import PathLocks
from yeaft.tools.js.js_runtimes import JsRuntimes
from yeaft.tools.js.node import node_path
from yeaft.tools.paths import Paths
from yeaft.tools.policy.grants import flagged, grants, save_rule
from yeaft.tools.shell.sandbox import sandbox_for
from yeaft.tools.shell.shell import Shell
from yeaft.tools.tool import Toolbox
from yeaft.tools.web.web_client import WebClient
from yeaft.tools.worktrees.git import Git
from yeaft.vp.library import Library


class Opened(Struct, frozen=True, kw_only=True):
    """A Session ready for ops. `remarks` are UI codes with parameters that the user should see first.

    `slash_words` lists what a message can begin with besides words; it blocks, because it reads files. `check_words`
    raises what `intake` would of a command or an effort that a message begins with, and does nothing else.
    """

    session: Session
    state: SessionState
    listen: Callable[[Listener], None]
    folder: Path
    ui: Ui
    phrases: Mapping[str, str]
    remarks: tuple[tuple[str, dict[str, str]], ...]
    purse: Purse
    approvals: Approvals
    intake: Intake
    slash_words: Callable[[], Sequence[SlashWord]]
    check_words: Step
    config: Config
    library: Library
    paths: Paths
    means: Means
    artifacts: ArtifactStore
    blob: Callable[[str], bytes | None]
    lookout: Lookout
    flows: VpFlows
    may_run_code_in: Callable[[Path], bool]


@asynccontextmanager
async def opened(wish: Wish) -> AsyncGenerator[Opened]:
    """Open the Session that `wish` asks for; leaving waits for its turns and closes everything.

    Raises `YeaftError` (not found, busy, configuration) before anything is written.
    """
    home = places.home(wish.environ)
    trust = trust_for(home, wish.folder, wish.environ, by_flag=wish.trust)
    loaded = layers.load(home, wish.folder, wish.environ, wish.settings, trusted=trust.is_trusted)
    lang = language(wish.lang, loaded.config.language, wish.environ)
    garbage.search_soon()
    async with AsyncExitStack() as stack:
        ground = ground_of(wish, home, loaded, lang, trust)
        stack.push_async_callback(ground.room.aclose)
        stack.push_async_callback(ground.checkpoints.aclose)
        ground = hooked(ground)
        if ground.hooks is not None:
            await stack.enter_async_context(ground.hooks.scene(has_human=wish.has_human))
        approvals = _approvals(ground)
        ground = instructed(ground, approvals)
        ground = replace(ground, serving=serving(ground, approvals, stack))
        flows = VpFlows(are_allowed=ground.config.graphs.vps_may_start)
        session, means = _session(ground, approvals, flows, stack)
        await stack.enter_async_context(session)
        here = Opened(
            session=session,
            state=ground.room.state,
            listen=ground.ledger.listen,
            folder=ground.folder,
            ui=Ui(lang),
            phrases=ground.phrases,
            remarks=tuple(remarks(ground, loaded)),
            intake=additions.intake(ground, approvals),
            slash_words=lambda: slash_commands(ground, approvals, ground.serving.prompts()).listed(),
            check_words=slashing(ground, approvals, ground.serving.prompts(), only_checks=True),
            purse=ground.room.purse,
            approvals=approvals,
            config=ground.config,
            library=ground.library,
            paths=ground.paths,
            means=means,
            artifacts=additions.artifacts(ground),
            blob=ground.room.blobs.get,
            lookout=Lookout(ground.ledger, ground.checkpoints),
            flows=flows,
            may_run_code_in=lambda place: may_run_code_in(
                place, home, ground.trust, wish.environ, approvals.mode_of(""), by_flag=wish.trust
            ),
        )
        flows.serve(here)
        yield here


def _approvals(ground: Ground) -> Approvals:
    wish = ground.wish
    granted = (
        *grants(ground.layers, ground.home, RULED),
        *flagged("allow", wish.allow, RULED),
        *flagged("deny", wish.deny, RULED),
    )
    return Approvals(
        ledger=ground.ledger,
        permits=Permits(ground.config, granted, paths=ground.paths, library=ground.library, mode=wish.mode),
        phrases=ground.phrases,
        has_human=wish.has_human,
        save=partial(save_rule, user_config(ground.home)),
        kept_in=user_config(ground.home),
    )


def _session(ground: Ground, approvals: Approvals, flows: VpFlows, stack: AsyncExitStack) -> tuple[Session, Means]:
    limits, phrases = _limits(ground), ground.phrases
    shell = _shell(ground)
    stack.push_async_callback(shell.close)
    tasks = _tasks(ground, shell)
    ground.ledger.listen(tasks.hear)
    workshop = _workshop(ground, approvals, shell, tasks, stack)
    thinking = _thinking(ground, stack)
    inquiry = Inquiry(partial(probe_command, ground.room.paths.tasks, phrases), phrases)
    turn_rules = _turn_rules(ground, limits)
    means = _means(ground, approvals, workshop, thinking, inquiry)
    agents = Agents(
        ledger=ground.ledger,
        maker=AgentMaker(means),
        limits=ground.config.limits,
        logs=ground.room.paths.agents,
        now_ms=wall_clock_ms,
    )
    ground.ledger.listen(agents.note)
    workshop = replace(workshop, agents=agents)
    kept = Attachments(ground.room.paths.attachments)

    def make_seat(vp_id: str) -> Seat:
        around = additions.arounds(ground, vp_id, ground.room.state)
        toolbox = surrounded({**toolbox_for(vp_id, workshop), **flows.tools()}, around)
        served = ground.serving.of_vp(vp_id, ground.library, around)
        mind = VpMind(vp_id, thinking, toolbox, ground.ledger, ground.room.blobs, attachments=kept, served=served)
        gate = additions.gate(ground, approvals, vp_id)
        hands = Hands(with_served(toolbox, served), gate, phrases, ground.room.blobs.put)
        return Seat(
            ledger=ground.ledger, mind=mind, hands=hands, rules=turn_rules, inquiry=inquiry, now_ms=wall_clock_ms
        )

    session = Session(
        ledger=ground.ledger,
        library=ground.library,
        lang=ground.lang,
        approvals=approvals,
        inquiry=inquiry,
        make_seat=make_seat,
        phrases=phrases,
        opening=ground.room.opening,
        limits=limits,
        now_ms=wall_clock_ms,
        tasks=tasks,
        agents=agents,
        past=rewind_ops(
            ground.ledger,
            ground.checkpoints,
            partial(compactions, ground.room, ground.ledger, thinking, turn_rules),
            ground.config,
        ),
        stop_hooks=ground.hooks.stop_hooks() if ground.hooks else None,
    )
    return session, means


def _tasks(ground: Ground, shell: Shell) -> Tasks:
    return Tasks(
        ledger=ground.ledger,
        session_id=ground.room.paths.session_id,
        places=ground.room.paths.tasks,
        shell=shell,
        phrases=ground.phrases,
        now_ms=wall_clock_ms,
    )


def _shell(ground: Ground) -> Shell:
    """The shell of all VPs, in the sandbox if the user wants one; that there is none is told in the Session."""
    environ = scrubbed(ground.wish.environ, ground.config)

    def tell(reason: str) -> None:
        missing = NoticePosted(code="sandbox.missing", params={"reason": reason}, level="warn")
        ground.ledger.post((missing,), src="engine")

    sandbox = sandbox_for(ground.config.sandbox, environ, kept=ground.home, tell=tell)
    return Shell(ground.room.paths.tasks, environ, sandbox)


def _means(ground: Ground, approvals: Approvals, workshop: Workshop, thinking: Thinking, inquiry: Inquiry) -> Means:
    """Sub-agents have the tools of `workshop` over their own state and folder; none of those that last or spawn."""

    def equip(label: str, state: SessionState, folder: Path) -> Toolbox:
        paths = replace(workshop.paths, folder=folder)
        tools = toolbox_for(label, replace(workshop, state=state, paths=paths, tasks=None, agents=None))
        return surrounded(tools, additions.arounds(ground, label, state, folder))

    return Means(
        parent=ground.ledger,
        journal=ground.room.journal,
        blobs=ground.room.blobs,
        thinking=thinking,
        equip=equip,
        serve=lambda label, parent, state, folder: ground.serving.of(
            parent.tools.offers, partial(additions.arounds, ground, label, state, folder), may_ask=False
        ),
        approvals=approvals,
        inquiry=inquiry,
        rules=_turn_rules(ground, _limits(ground)),
        traces=Traces(ground.room.paths.tasks).hear,
        now_ms=wall_clock_ms,
        hooks=ground.hooks,
        reach=ground.serving.reach,
    )


def _workshop(ground: Ground, approvals: Approvals, shell: Shell, tasks: Tasks, stack: AsyncExitStack) -> Workshop:
    limits = ground.config.limits
    return Workshop(
        paths=ground.paths,
        locks=PathLocks(),
        shell=shell,
        asker=Questions(approvals),
        state=ground.room.state,
        names=lambda: known_names(ground.room.state, ground.library),
        throttle=Throttle(wall_clock_ms),
        worktrees=worktrees_of(ground.room.state),
        outside=_outside(ground, approvals, stack),
        withheld=approvals.withheld,
        tasks=tasks,
        git=Git(scrubbed(ground.wish.environ, ground.config)),
        handoffs=HandoffLimits(depth=limits.handoff_depth, turns_per_root=limits.handoff_turns),
    )


def _outside(ground: Ground, approvals: Approvals, stack: AsyncExitStack) -> Outside:
    config, environ = ground.config, ground.wish.environ
    runtimes = None
    if (node := node_path()) is not None:
        runtimes = JsRuntimes(node, ground.folder, scrubbed(environ, config))
        stack.push_async_callback(runtimes.aclose)
    return Outside(
        config=config,
        environ=environ,
        home=ground.home,
        session_id=ground.room.paths.session_id,
        lang=ground.lang,
        web=WebClient(config.web),
        skills=SkillLibrary(skill_folders(ground.home, environ, ground.folder, trusted=ground.trust.is_trusted)),
        library=ground.library,
        visits=lambda vp_id, domain: approvals.may_visit(vp_id, "WebFetch", domain),
        runtimes=runtimes,
    )


def _thinking(ground: Ground, stack: AsyncExitStack) -> Thinking:
    wish, config = ground.wish, ground.config
    catalogue = read_catalogue(templates_dir())
    local = LocalModel(ground.home)
    stack.push_async_callback(local.aclose)
    models = Models(config, wish.environ, catalogue, local.address, wish.substitute)
    stack.push_async_callback(models.aclose)
    return Thinking(
        config=config,
        environ=wish.environ,
        catalogue=catalogue,
        models=models,
        library=ground.library,
        texts=load_texts(ground.lang),
        phrases=ground.phrases,
        lang=ground.lang,
        place=lambda: NOWHERE if wish.substitute else place_at(wall_clock_ms(), ground.folder, wish.environ),
        notes=ground.instructions.notes,
        model=wish.model,
        effort=wish.effort,
        has_embedded=status(ground.home).is_ready,
        needs_prices=_limits(ground).cost_usd is not None,
    )


def _limits(ground: Ground) -> Limits:
    wish, limits = ground.wish, ground.config.limits
    return Limits(
        rounds=wish.max_rounds or limits.max_rounds,
        cost_usd=limits.max_cost_usd if wish.max_cost_usd is None else wish.max_cost_usd,
    )


def _turn_rules(ground: Ground, limits: Limits) -> Rules:
    config = ground.config
    return Rules(
        max_rounds=limits.rounds,
        max_cost_usd=limits.cost_usd,
        max_continues=config.limits.max_continues,
        fallback=config.models.fallback,
        retry=rules_of(config.retry, headless=not ground.wish.has_human),
    )
