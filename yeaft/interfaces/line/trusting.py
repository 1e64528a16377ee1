"""Asks once whether what the work folder brings along may be used, before a conversation in it begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.config import places
from yeaft.config.trust import decline, trust_of
from yeaft.interfaces.cli.commands.consent import NotConfirmed
from yeaft.interfaces.cli.entry import run_command

if TYPE_CHECKING:
    from yeaft.interfaces.cli.options import Options
    from yeaft.interfaces.ground import Wish


def offer_trust(wish: Wish, options: Options) -> None:
    """Show what the folder brings and ask, unless it is trusted, brings nothing, or was declined as it is.

    Only for a terminal. Raises `ConfigError` when the answer cannot be kept.
    """
    home = places.home(wish.environ)
    trust = trust_of(home, wish.folder, wish.environ)
    if not trust.is_refused or trust.was_declined or trust.brought.obstacles or trust.problem:
        return
    try:
        run_command("trust", options, [str(wish.folder)])
    except NotConfirmed:
        decline(home, trust)
