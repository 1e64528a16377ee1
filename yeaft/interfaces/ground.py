"""What is known before a Session is open, and where it lives once it is: the first half of the wiring."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from yeaft.config import layers
from yeaft.config.layers import Loaded
from yeaft.config.settings import Config, Mode
from yeaft.config.tables import Layer
from yeaft.config.trust import Trust, trust_of
from yeaft.interfaces.instructed import instruction_remarks, sources_of
from yeaft.interfaces.past import checkpoints_of, past_remarks
from yeaft.interfaces.serving import Serving
from yeaft.interfaces.trusted import granted, library_of, trust_remarks
from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.errors import UsageError
from yeaft.kernel.text import without_surrogates
from yeaft.llm.model import Substitute
from yeaft.prompts.front_matter import Problem
from yeaft.prompts.phrases import load_phrases
from yeaft.prompts.ui import Ui
from yeaft.session.checkpoints import Checkpoints
from yeaft.session.commands import Traces
from yeaft.session.hooks.listening import Listening
from yeaft.session.instructions import Instructions, Sources
from yeaft.session.ledger import Ledger
from yeaft.session.opening import Room, Wanted, open_room
from yeaft.tools.paths import Paths
from yeaft.vp.library import Library


class Wish(Struct, frozen=True, kw_only=True):
    """What a Session is opened with: the user's flags, already checked for form.

    A `substitute` stands in for the models.
    """

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
    trust: bool = False
    max_rounds: int | None = None
    max_cost_usd: float | None = None
    has_human: bool = False
    substitute: Substitute | None = None


class Ground(Struct, frozen=True, kw_only=True):
    """The user's wish with all that was read for it, and the open place of the Session.

    `instructions` come from `sources`, once it is known what may be read. Without `hooks` nobody listens in.
    """

    wish: Wish
    home: Path
    config: Config
    layers: tuple[Layer, ...]
    lang: str
    phrases: Mapping[str, str]
    library: Library
    room: Room
    ledger: Ledger
    folder: Path
    paths: Paths
    trust: Trust
    sources: Sources
    checkpoints: Checkpoints
    instructions: Instructions = Instructions()
    serving: Serving = Serving()
    hooks: Listening | None = None
    hook_problems: tuple[Problem, ...] = ()


def ground(wish: Wish, home: Path, loaded: Loaded, lang: str, trust: Trust) -> Ground:
    """Open the place that `wish` asks for.

    Raises what `open_room` raises, and `UsageError` for a folder whose name is no UTF-8. `loaded` and `trust` are those
    of the folder yeaft was started in. A Session that belongs to another one has the settings of that one, and what is
    forbidden in either is forbidden.
    """
    config = loaded.config
    room = open_room(home, wish.folder, replace(wish.wanted, default_vp=config.default_vp, lang=lang))
    created = room.state.created
    folder = Path(created.folder) if created else wish.folder
    if (shown := without_surrogates(str(folder))) != str(folder):
        raise UsageError(
            f"The name of the folder {shown} is no UTF-8, so no Session can be kept for it. "
            "Rename it, or name another with -C."
        )
    more: tuple[Layer, ...] = ()
    if folder != wish.folder:
        more = tuple(layers.forbidden_in(wish.folder))
        trust = trust_of(home, folder, wish.environ, by_flag=wish.trust)
        loaded = layers.load(home, folder, wish.environ, wish.settings, trusted=trust.is_trusted)
        config = loaded.config
    room = replace(room, opening=(*room.opening, *granted(trust)))
    ledger = Ledger(room.journal, room.state, wall_clock_ms, room.epoch, purse=room.purse)
    ledger.listen(Traces(room.paths.tasks).hear)
    checkpoints = checkpoints_of(room, ledger, config, home, folder)
    ledger.listen(checkpoints.hear)
    return Ground(
        wish=wish,
        home=home,
        config=config,
        layers=(*loaded.layers, *more),
        lang=lang,
        phrases=load_phrases(lang),
        library=library_of(home, folder, trust),
        room=room,
        ledger=ledger,
        folder=folder,
        paths=Paths(folder, (*wish.add_dirs, *map(Path, room.state.folders))),
        trust=trust,
        sources=sources_of(config, folder=folder, home=home, environ=wish.environ, is_trusted=trust.is_trusted),
        checkpoints=checkpoints,
    )


def remarks(ground: Ground, loaded: Loaded) -> Iterator[tuple[str, dict[str, str]]]:
    """What the user should know before the first message: code and parameters of texts, in the user's language."""
    ui = Ui(ground.lang)
    for code, params in _remarks(ground, loaded):
        yield code, {name: ui.retold(value) for name, value in params.items()}


def _remarks(ground: Ground, loaded: Loaded) -> Iterator[tuple[str, dict[str, str]]]:
    for notice in loaded.notices:
        yield "settings.notice", {"text": notice}
    yield from trust_remarks(ground.trust)
    yield from past_remarks(ground.room.state)
    for problem in ground.hook_problems:
        yield "hook.problem", {"path": problem.path, "line": str(problem.line), "reason": problem.reason}
    yield from instruction_remarks(ground.instructions)
    yield from ground.serving.remarks
