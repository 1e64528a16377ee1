"""An order such as `/skills` that is all that a command line says: what answers it without a conversation."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

from yeaft.events.ops import Interrupt
from yeaft.interfaces.orders import SESSION, Choose, Deed, Order, Run, Show, orders
from yeaft.kernel.errors import UsageError
from yeaft.kernel.outcome import EXIT_ANSWERED
from yeaft.session.slash.commands import misplaced

if TYPE_CHECKING:
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.cli.options import Options

HELP = Run(("help",))


class OrderAlone:
    """The order `/name rest` on a command line with these options; `has_more` says that something goes with it."""

    def __init__(self, name: str, rest: str, options: Options, *, has_more: bool) -> None:
        self._name = name
        self._rest = rest
        self._options = options
        self._has_more = has_more
        self._words: tuple[str, ...] = ()
        self._text = ""

    async def look(self, here: Opened) -> bool:
        """Find out how to answer, and say whether it is an order at all: a command of that name is the user's own.

        Raises `UsageError` for one that only an open Session can carry out, `YeaftError` for one that cannot be read.
        """
        if self._name in {word.name for word in await asyncio.to_thread(here.slash_words)}:
            return False
        if self._has_more or self._options.output_format != "text":
            raise UsageError(misplaced(self._name))
        order: Order = orders()[self._name]
        self._take(order.read(self._rest, here.state, here.library), here)
        return True

    async def answer(self) -> int:
        """Print the answer and return the exit code. Nothing may hold the Session meanwhile. Raises `YeaftError`."""
        from yeaft.interfaces.cli.entry import run_command

        if not self._words:
            print(self._text)
            return EXIT_ANSWERED
        name, *words = self._words
        code = await asyncio.to_thread(run_command, name, self._options, words)
        sys.stdout.flush()
        return code

    def _take(self, deed: Deed, here: Opened) -> None:
        is_kept = here.state.created is not None
        match deed:
            case Choose():
                self._take(deed.in_lines(), here)
            case Show(what="help"):
                self._take(HELP, here)
            case Run(words=words) if is_kept or SESSION not in words:
                self._words = tuple(here.state.session_id if word == SESSION else word for word in words)
            case Show():
                from yeaft.interfaces.line.telling import status_lines

                self._text = "\n".join(status_lines(here)[0 if is_kept else 1 :])  # the first one names the Session
            case Interrupt():
                self._text = here.ui.text("stop.all_rests")
            case _:
                raise UsageError(misplaced(self._name))


def order_alone(options: Options, *, has_more: bool) -> OrderAlone | None:
    """Return the order that a prompt is; None for any other prompt."""
    name, _, rest = (options.prompt or "").strip().partition(" ")
    if not name.startswith("/") or name[1:] not in orders():
        return None
    return OrderAlone(name[1:], rest.strip(), options, has_more=has_more)
