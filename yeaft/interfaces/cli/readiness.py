"""Whether those who are asked can answer at all, found out before anything is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.config import places
from yeaft.kernel.errors import ConfigError, YeaftError
from yeaft.llm.catalogue import read_catalogue
from yeaft.llm.choice import choose_model
from yeaft.llm.credentials import Credentials
from yeaft.llm.embedded_files import status
from yeaft.llm.providers import CommandKey
from yeaft.llm.router import resolve
from yeaft.prompts.find import templates_dir
from yeaft.session.expectations import unknown_price
from yeaft.session.mentions import may_mention
from yeaft.session.routing import route
from yeaft.vp.names import Names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.ground import Wish
    from yeaft.session.intake import Draft
    from yeaft.session.state import SessionState
    from yeaft.vp.library import Library


async def check_sayable(wish: Wish, here: Opened, draft: Draft) -> None:
    """Check what `check_ready` does for those whom a draft goes to; a slip in its words is told before that."""
    try:
        await check_ready(wish, here, " ".join(f"@{vp_id}" for vp_id in draft.to) or draft.text)
    except YeaftError:
        await here.check_words(draft)
        raise


async def check_ready(wish: Wish, here: Opened, text: str) -> None:
    """Check that each VP that `text` goes to has a model, a key for it and, with a cost limit, a price.

    Raises `NoCredentials`, `ConfigError` or `NotFound` as its turn would. A command that prints a key is not run.
    """
    config, library = here.config, here.library
    catalogue, credentials = read_catalogue(templates_dir()), Credentials(wish.environ)
    needs_price = wish.max_cost_usd is not None or config.limits.max_cost_usd is not None
    is_there = status(places.home(wish.environ)).is_ready
    for vp_id in _addressed(wish, here.state, library, text, config.default_vp):
        vp = library.get(vp_id)
        if vp is None:
            continue  # its own turn says so, and others may answer
        chosen = choose_model(
            config,
            wish.environ,
            catalogue,
            flag=wish.model,
            vp_id=vp_id,
            vp_model=vp.model,
            embedded=is_there,
        )
        way = resolve(config, wish.environ, catalogue, chosen.ref, named_by=chosen.named_by)
        if not isinstance(way.key, CommandKey):
            await credentials.headers(way)
        if needs_price and way.entry.price is None:
            raise ConfigError(unknown_price(way.entry))


def check_known(wish: Wish, here: Opened, ref: str, *, named_by: str) -> None:
    """Check that a model of this name can be reached at all. Raises `ConfigError` or `NotFound`, by `named_by`."""
    resolve(here.config, wish.environ, read_catalogue(templates_dir()), ref, named_by=named_by)


def _addressed(wish: Wish, state: SessionState, library: Library, text: str, default_vp: str) -> Sequence[str]:
    """Return whom the text goes to; a Session that is yet to be written has the roster that was wished for."""
    roster = wish.wanted.roster or state.roster or (default_vp,)
    default = wish.wanted.roster[0] if wish.wanted.roster else state.default_vp or default_vp
    names = Names(library.all()) if may_mention(text) else Names()  # reading all VP files takes milliseconds
    return route(text, roster=roster, default_vp=default, names=names).to
