"""How a Session stands: what the status line has to say, as a value."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.config import places
from yeaft.kernel.errors import YeaftError
from yeaft.store.cost import NOTHING, Cost

if TYPE_CHECKING:
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.ground import Wish
    from yeaft.session.state import SessionState


class Standing(Struct, frozen=True, kw_only=True):
    """What one line can say. `context_percent` is how full the default VP's window was at its last request, if any.

    `cost` is that of the Session in all, with its sub-agents and runs.
    """

    model: str = ""
    folder: str = ""
    mode: str = ""
    context_percent: int | None = None
    cost: Cost = NOTHING
    asks: int = 0
    tasks: int = 0
    agents: int = 0
    name: str = ""


class Models:
    """Which model a VP has and how much it can take; what was found out once is remembered."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[str, int]] = {}

    def of(self, here: Opened, wish: Wish, vp_id: str) -> tuple[str, int]:
        """Return the model and its window in tokens; empty and 0 where nobody has said what to use."""
        last = last_model(here.state, vp_id)
        key = (vp_id, last or wish.model)
        found = self._known.get(key) or _model(here, wish, vp_id, last)
        if found[0]:
            self._known[key] = found
        return found


def standing(here: Opened, wish: Wish, models: Models) -> Standing:
    """Return how a Session stands now."""
    state = here.state
    vp_id = state.default_vp or here.config.default_vp
    model, window = models.of(here, wish, vp_id)
    tokens = _tokens(state, vp_id)
    return Standing(
        model=model,
        folder=short(here.folder, wish.environ.get("HOME", "")),
        mode=here.approvals.mode_of(vp_id),
        context_percent=min(100, round(100 * tokens / window)) if tokens and window else None,
        cost=here.purse.cost,
        asks=len(state.open_asks),
        tasks=sum(task.ended is None for task in state.tasks.values()),
        agents=sum(agent.is_live for agent in state.agents.values()),
        name=state.name,
    )


def short(folder: Path, home: str) -> str:
    """Return a path with `~` for the user's home."""
    path = str(folder)
    if home and (path == home or path.startswith(f"{home.rstrip('/')}/")):
        return "~" + path[len(home.rstrip("/")) :]
    return path


def last_model(state: SessionState, vp_id: str) -> str:
    """Return the model of a VP's last request; empty if there was none."""
    for turn_id in reversed(state.turns_of.get(vp_id, ())):
        last = state.turns[turn_id].last
        if last is not None:
            return last.sent.model
    return ""


def _tokens(state: SessionState, vp_id: str) -> int:
    """How many tokens a VP's last request had, by an estimate that what providers count has set right."""
    for turn_id in reversed(state.turns_of.get(vp_id, ())):
        last = state.turns[turn_id].last
        if last is not None:
            return round(last.sent.window.tokens_est * last.sent.window.factor)
    return 0


def _model(here: Opened, wish: Wish, vp_id: str, last: str) -> tuple[str, int]:
    from yeaft.llm.catalogue import read_catalogue
    from yeaft.llm.choice import choose_model
    from yeaft.llm.embedded_files import status
    from yeaft.llm.router import resolve
    from yeaft.prompts.find import templates_dir

    catalogue = read_catalogue(templates_dir())
    vp = here.library.get(vp_id)
    try:
        chosen = choose_model(
            here.config,
            wish.environ,
            catalogue,
            flag=wish.model,
            vp_id=vp_id,
            vp_model=vp.model if vp else "",
            embedded=status(places.home(wish.environ)).is_ready,
        )
        ref = last or chosen.ref
        way = resolve(here.config, wish.environ, catalogue, ref, named_by=chosen.named_by)
    except YeaftError:
        return last, 0
    return ref, way.entry.context_tokens
