"""The one file that sees everything: opens what a Session needs, wires it, and closes it in reverse order."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from yeaft.config import layers, places
from yeaft.config.language import language
from yeaft.config.settings import Config, Mode
from yeaft.engine.calls import Hands
from yeaft.engine.decide import Rules
from yeaft.events.turn import Limits
from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.errors import ConfigError
from yeaft.llm.catalogue import read_catalogue
from yeaft.llm.credentials import scrubbed
from yeaft.llm.embedded_files import status
from yeaft.llm.local_model import LocalModel
from yeaft.llm.models import Models
from yeaft.llm.retry import rules_of
from yeaft.prompts.find import templates_dir
from yeaft.prompts.phrases import load_phrases
from yeaft.prompts.place import place_at
from yeaft.prompts.system import load_texts
from yeaft.prompts.ui import Ui
from yeaft.session.addressing import known_names
from yeaft.session.approvals import Approvals, Questions
from yeaft.session.commands import Traces, probe_command
from yeaft.session.instructions import project_notes
from yeaft.session.ledger import Ledger, Listener
from yeaft.session.minds import Thinking, VpMind
from yeaft.session.opening import Wanted, open_room
from yeaft.session.reopening import Inquiry
from yeaft.session.route_forward import HandoffLimits, Throttle
from yeaft.session.seat import Seat
from yeaft.session.session import Session
from yeaft.session.toolbox import Workshop, toolbox_for
from yeaft.tools.locks import PathLocks
from yeaft.tools.paths import Paths
from yeaft.tools.policy import Policy
from yeaft.tools.rules import rules
from yeaft.tools.shell import Shell
from yeaft.vp.library import Library, vp_folders

if TYPE_CHECKING:
    from yeaft.session.state import SessionState


class Wish(Struct, frozen=True, kw_only=True):
    """What a Session is opened with: the user's flags, already checked for form."""

    environ: Mapping[str, str]
    folder: Path
    wanted: Wanted
    model: str = ""
    effort: str = ""
    mode: Mode | None = None
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    add_dirs: tuple[Path, ...] = ()
    lang: str = ""
    settings: tuple[str, ...] = ()
    max_rounds: int | None = None
    max_cost_usd: float | None = None
    has_human: bool = False


class Opened(Struct, frozen=True, kw_only=True):
    """A Session ready for ops. `remarks` are UI codes with parameters that the user should see first."""

    session: Session
    state: SessionState
    listen: Callable[[Listener], None]
    folder: Path
    ui: Ui
    phrases: Mapping[str, str]
    remarks: tuple[tuple[str, dict[str, str]], ...]
    approvals: Approvals


@asynccontextmanager
async def opened(wish: Wish) -> AsyncGenerator[Opened]:
    """Open the Session that `wish` asks for; leaving waits for its turns and closes everything.

    Raises `YeaftError` (not found, busy, configuration) before anything is written.
    """
    home = places.home(wish.environ)
    loaded = layers.load(home, wish.folder, wish.environ, wish.settings)
    config = loaded.config
    lang = language(wish.lang, config.language, wish.environ)
    phrases = load_phrases(lang)
    library = Library(vp_folders(home))
    async with AsyncExitStack() as stack:
        room = open_room(home, wish.folder, replace(wish.wanted, default_vp=config.default_vp, lang=lang))
        stack.push_async_callback(room.aclose)
        catalogue = read_catalogue(templates_dir())
        local = LocalModel(home)
        stack.push_async_callback(local.aclose)
        models = Models(config, wish.environ, catalogue, local.address)
        stack.push_async_callback(models.aclose)
        shell = Shell(room.paths.tasks, scrubbed(wish.environ, config))
        stack.push_async_callback(shell.close)

        ledger = Ledger(room.journal, room.state, wall_clock_ms, room.epoch)
        ledger.listen(Traces(room.paths.tasks).hear)
        folder = Path(room.state.created.folder) if room.state.created else wish.folder
        paths = Paths(folder, wish.add_dirs)
        permissions = config.permissions
        approvals = Approvals(
            ledger=ledger,
            policy=Policy(
                mode=wish.mode or permissions.mode or "ask",
                rules=rules(
                    replace(
                        permissions,
                        allow=(*permissions.allow, *wish.allow),
                        deny=(*permissions.deny, *wish.deny),
                    )
                ),
                paths=paths,
            ),
            phrases=phrases,
            has_human=wish.has_human,
        )
        workshop = Workshop(
            paths=paths,
            locks=PathLocks(),
            shell=shell,
            asker=Questions(approvals),
            state=room.state,
            names=lambda: known_names(room.state, library),
            throttle=Throttle(wall_clock_ms),
            handoffs=HandoffLimits(depth=config.limits.handoff_depth, turns_per_root=config.limits.handoff_turns),
        )
        thinking = Thinking(
            config=config,
            environ=wish.environ,
            catalogue=catalogue,
            models=models,
            library=library,
            texts=load_texts(lang),
            phrases=phrases,
            lang=lang,
            place=lambda: place_at(wall_clock_ms(), folder, wish.environ),
            notes=project_notes(folder, config.project_doc_max_bytes),
            model=wish.model,
            effort=wish.effort,
            has_embedded=status(home).is_ready,
        )
        max_rounds = wish.max_rounds or config.limits.max_rounds
        max_cost_usd = config.limits.max_cost_usd if wish.max_cost_usd is None else wish.max_cost_usd
        turn_rules = Rules(
            max_rounds=max_rounds,
            max_cost_usd=max_cost_usd,
            max_continues=config.limits.max_continues,
            fallback=config.models.fallback,
            retry=rules_of(config.retry, headless=not wish.has_human),
        )
        inquiry = Inquiry(partial(probe_command, room.paths.tasks, phrases), phrases)

        def make_seat(vp_id: str) -> Seat:
            toolbox = toolbox_for(vp_id, workshop)
            mind = VpMind(vp_id, thinking, toolbox, ledger, room.blobs)
            hands = Hands(toolbox, approvals, phrases)
            return Seat(ledger, mind, hands, turn_rules, inquiry, wall_clock_ms)

        session = Session(
            ledger=ledger,
            library=library,
            lang=lang,
            approvals=approvals,
            inquiry=inquiry,
            make_seat=make_seat,
            phrases=phrases,
            opening=room.opening,
            limits=Limits(rounds=max_rounds, cost_usd=max_cost_usd),
            now_ms=wall_clock_ms,
        )
        await stack.enter_async_context(session)
        yield Opened(
            session=session,
            state=room.state,
            listen=ledger.listen,
            folder=folder,
            ui=Ui(lang),
            phrases=phrases,
            remarks=tuple(("text", {"text": notice}) for notice in loaded.notices),
            approvals=approvals,
        )
