"""What will become of a draft when it is sent: who answers, with which model, and about what that costs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from yeaft.config import places
from yeaft.kernel.effort_prefix import effort_in
from yeaft.kernel.errors import YeaftError
from yeaft.kernel.usage import Usage
from yeaft.llm.catalogue import Catalogue, read_catalogue
from yeaft.llm.choice import choose_model
from yeaft.llm.effort import clamp
from yeaft.llm.embedded_files import status
from yeaft.llm.router import resolve
from yeaft.llm.tokens import calibrated, estimate
from yeaft.prompts.find import templates_dir
from yeaft.session.routing import Unknown, route

if TYPE_CHECKING:
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.dialogue import Dialogue
    from yeaft.kernel.usage import Price
    from yeaft.session.state import SessionState
    from yeaft.vp.names import Names

FIRST_REQUEST_TOKENS = 5_000
"""About what instructions and tools take in the first request of a VP."""
REPLY_TOKENS = 500
"""A short reply; nobody knows how long the real one will be."""
How = Literal["mention", "all", "default", "chosen"]


class Addressee(Struct, frozen=True, kw_only=True):
    """One who will answer. `cost_usd` is an estimate for the next request, None if no price is known.

    `model` is `provider/model`, empty if there is none to use. `steers` says that it is added to what the VP does now.
    `effort` is what the draft asks for, as far as it counts and the model knows it.
    """

    vp_id: str
    model: str = ""
    cost_usd: float | None = None
    steers: bool = False
    effort: str = ""


class Outlook(Struct, frozen=True, kw_only=True):
    """Who answers a draft and why; `unknown` are mentions that nobody answers to, `joined` are new to the roster."""

    to: tuple[Addressee, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    joined: tuple[str, ...] = ()
    how: How = "default"

    @property
    def cost_usd(self) -> float | None:
        """What all requests cost together; None if any price is not known."""
        known = [one.cost_usd for one in self.to if one.cost_usd is not None]
        return sum(known) if len(known) == len(self.to) else None


def outlook(
    text: str,
    here: Opened,
    dialogue: Dialogue,
    names: Names,
    *,
    chosen: Sequence[str] = (),
    may_steer: bool = True,
) -> Outlook:
    """Return what will become of a draft; `chosen` are those whom the user wants instead of the mentioned ones.

    Without `may_steer` it is a message of its own whoever works. May read VP files.
    """
    state, wish = here.state, dialogue.wish
    roster = state.roster or wish.wanted.roster or (here.config.default_vp,)
    default = state.default_vp or (wish.wanted.roster[0] if wish.wanted.roster else here.config.default_vp)
    routing = route(text, roster=roster, default_vp=default, names=names)
    asked = effort_in(text)
    effort = (dialogue.callers_effort or asked) if asked else ""
    if steered := dialogue.steered(text, chosen) if may_steer else ():
        found = tuple(Addressee(vp_id=vp_id, steers=True, effort=effort) for vp_id in steered)
    else:
        sent = estimate(text)
        found = tuple(_addressee(vp_id, here, dialogue, sent, effort) for vp_id in chosen or routing.to)
    if chosen:
        return Outlook(to=found, how="chosen")
    return Outlook(to=found, unknown=routing.unknown, joined=routing.joined, how=routing.reason)


def next_request_tokens(state: SessionState, vp_id: str, added: int) -> int:
    """Estimate the tokens of a VP's next request: those of its last one, what came of it, and what is added."""
    first = FIRST_REQUEST_TOKENS
    turn_ids = state.turns_of.get(vp_id, ())
    last = next((turn.last for key in reversed(turn_ids) if (turn := state.turns[key]).last is not None), None)
    if last is None:
        return first + added
    reported = last.reply.usage.sent + last.reply.usage.output if last.reply is not None else 0
    window = calibrated(last.sent.window.tokens_est, state.factors("", last.sent.model).now)
    return max(reported, window) + added


def _addressee(vp_id: str, here: Opened, dialogue: Dialogue, added: int, effort: str) -> Addressee:
    vp, wish = here.library.get(vp_id), dialogue.wish
    flag = dialogue.models.get(vp_id) or wish.model
    catalogue = _catalogue()
    try:
        chosen = choose_model(
            here.config,
            wish.environ,
            catalogue,
            flag=flag,
            vp_id=vp_id,
            vp_model=vp.model if vp else "",
            embedded=status(places.home(wish.environ)).is_ready,
        )
        entry = resolve(here.config, wish.environ, catalogue, chosen.ref, named_by=chosen.named_by).entry
    except YeaftError:
        return Addressee(vp_id=vp_id)
    return Addressee(
        vp_id=vp_id,
        model=entry.ref,
        cost_usd=_cost(entry.price, here.state, vp_id, added),
        effort=clamp(effort, entry.efforts),
    )


def _cost(price: Price | None, state: SessionState, vp_id: str, added: int) -> float | None:
    if price is None:
        return None
    return price.cost_usd(Usage(input=next_request_tokens(state, vp_id, added), output=REPLY_TOKENS))


@lru_cache(1)
def _catalogue() -> Catalogue:
    return read_catalogue(templates_dir())
