"""Which model a VP of the Session uses, and what efforts a model knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.kernel.errors import YeaftError

if TYPE_CHECKING:
    from yeaft.interfaces.tui.panels.situation import Situation


def model_of(situation: Situation, vp_id: str) -> str:
    """Return the model (`provider/model`) of a VP's last request or, before that, the one it would use; "" for none."""
    state = situation.state
    for turn_id in reversed(state.turns_of.get(vp_id, [])):
        turn = state.turns.get(turn_id)
        if turn is not None and turn.last is not None:
            return turn.last.sent.model
    from yeaft.llm.catalogue import read_catalogue
    from yeaft.llm.choice import choose_model
    from yeaft.llm.router import resolve
    from yeaft.prompts.find import templates_dir

    here, environ = situation.here, situation.environ
    vp = here.library.get(vp_id)
    catalogue = read_catalogue(templates_dir())
    try:
        chosen = choose_model(
            here.config,
            environ,
            catalogue,
            flag=situation.dialogue.wish.model,
            vp_id=vp_id,
            vp_model=vp.model if vp else "",
        )
        return resolve(here.config, environ, catalogue, chosen.ref, named_by=chosen.named_by).entry.ref
    except YeaftError:
        return ""


def efforts_of(situation: Situation, ref: str) -> tuple[str, ...]:
    """Return the efforts that a model knows; none if nothing is known of it."""
    from yeaft.llm.catalogue import read_catalogue
    from yeaft.llm.router import resolve
    from yeaft.prompts.find import templates_dir

    if not ref:
        return ()
    try:
        route = resolve(situation.here.config, situation.environ, read_catalogue(templates_dir()), ref, named_by="-m")
    except YeaftError:
        return ()
    return route.entry.efforts
