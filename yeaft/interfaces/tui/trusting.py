"""Asks on the screen whether what the work folder brings along may be used, before a Session in it is opened."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from yeaft.config import places
from yeaft.config.trust import agree, decline, trust_of
from yeaft.interfaces.cli.commands.trust import brought_lines, new_servers
from yeaft.interfaces.tui.choice import Choice, Option
from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.errors import ConfigError

if TYPE_CHECKING:
    from yeaft.interfaces.ground import Wish
    from yeaft.interfaces.tui.app import YeaftApp
    from yeaft.interfaces.tui.program import Noted

YES, NO, LATER = "yes", "no", "later"


async def offer_trust(app: YeaftApp, wish: Wish) -> tuple[Noted, ...]:
    """Show what the folder brings and ask, unless it is trusted, brings nothing, or was declined as it is.

    Returns what the user has to be told: the answer could not be kept, and so holds for nothing; or what was shown has
    changed meanwhile.
    """
    home = places.home(wish.environ)
    trust = await asyncio.to_thread(trust_of, home, wish.folder, wish.environ, by_flag=wish.trust)
    if not trust.is_refused or trust.was_declined or trust.brought.obstacles or trust.problem:
        return ()
    ui = app.ui
    servers = await asyncio.to_thread(new_servers, wish.folder, trust)
    body = "\n".join(await asyncio.to_thread(brought_lines, ui, wish.folder, trust))
    options = [Option(what, ui.text(f"opening.trust_{what}")) for what in (LATER, YES, NO)]
    title = ui.text("trust.question", folder=trust.folder)
    chosen = await app.asked(Choice(ui, title, body, options, escape=LATER))
    try:
        if chosen == YES:
            now = await asyncio.to_thread(trust_of, home, wish.folder, wish.environ)
            if now.brought.digest != trust.brought.digest:
                return (("trust.moved", {"folder": trust.folder}),)
            await asyncio.to_thread(agree, home, trust, servers, wall_clock_ms())
        elif chosen == NO:
            await asyncio.to_thread(decline, home, trust)
    except (ConfigError, OSError) as error:
        return (("closing.unkept_trust", {"reason": ui.retold(str(error))}),)
    return ()
