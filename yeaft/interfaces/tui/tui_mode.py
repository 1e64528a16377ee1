"""`yeaft` at a terminal: the full screen from its first frame to the exit code."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import termios
from collections.abc import Generator
from typing import TYPE_CHECKING

from yeaft.config import places
from yeaft.config.language import language
from yeaft.config.layers import load
from yeaft.config.settings import Config
from yeaft.interfaces.cli.signals import Signals
from yeaft.interfaces.cli.terminal_text import unmasked
from yeaft.interfaces.tui.app import Start, YeaftApp
from yeaft.interfaces.tui.composer.keeping import keep_unsaid
from yeaft.interfaces.tui.look import look_of
from yeaft.interfaces.tui.outside import is_lent
from yeaft.kernel.errors import YeaftError
from yeaft.kernel.outcome import EXIT_ANSWERED
from yeaft.prompts.ui import Ui

if TYPE_CHECKING:
    from collections.abc import Callable

    from yeaft.interfaces.cli.options import Options
    from yeaft.interfaces.ground import Wish
    from yeaft.interfaces.tui.look import Look

STDIN = 0


async def run_tui(options: Options, *, is_demo: bool = False) -> int:
    """Show the screen until the user leaves; return the exit code."""
    environ = os.environ
    config = _config(options)
    start = Start(
        wish=lambda: _wish(options),
        home=places.home(environ),
        environ=environ,
        settings=config.tui,
        keys=config.keys,
        first=options.prompt or "",
        is_demo=is_demo,
    )
    ui = Ui(language(options.lang or "", config.language, environ))
    code, session_id = await show(start, look_of(environ, config.tui.theme), ui)
    if session_id and config.tui.transcript and code == EXIT_ANSWERED:
        _print_transcript(options, session_id)
    return code


async def show(start: Start, look: Look, ui: Ui) -> tuple[int, str]:
    """Show the screen until the user leaves, and say what has to be said then.

    Returns the exit code and the id of the Session that was left, if there is one. The terminal is given back however
    it ends.
    """
    with _attributes_kept() as keep_attributes:
        app: YeaftApp | None = None

        def give_back() -> None:
            if app is not None and app.terminal is not None:
                app.terminal.give_back_now()
            keep_attributes()

        signals = Signals(at_last=give_back)
        signals.install()
        app = YeaftApp(start, look, ui, on_hang_up=signals.act_on)
        signals.also(app.stop_at_signal)
        signals.spare(lambda: is_lent(app))
        try:
            code = await app.run_async(mouse=start.settings.mouse)
            if app.has_begun:
                await app.closed.wait()
        finally:
            if app.terminal is not None and app.terminal.let_go():
                give_back()
        if not start.is_demo:
            await asyncio.to_thread(keep_unsaid, app.conversation.composer.keeping.unkept, app.wish)
        takes_more = app.terminal is None or await asyncio.to_thread(app.terminal.is_given_back)
    if takes_more:
        _say(app.afterwards)
    session_id = app.shown_session if takes_more else ""
    return signals.exit_code or app.return_code or (EXIT_ANSWERED if code is None else code), session_id


def _wish(options: Options) -> Wish:
    from yeaft.interfaces.cli.wishes import wish_of

    return wish_of(options, os.environ)


def _config(options: Options) -> Config:
    """Return the user's own settings; those that cannot be read say so when a Session opens."""
    try:
        return load(places.home(os.environ), None, os.environ, options.settings).config
    except YeaftError:
        return Config()


@contextlib.contextmanager
def _attributes_kept() -> Generator[Callable[[], None]]:
    """Note how the terminal is set, and set it so again at the end; yields what does that at once."""
    try:
        attributes = termios.tcgetattr(STDIN)
    except termios.error:
        attributes = None

    def keep() -> None:
        if attributes is not None:
            with contextlib.suppress(termios.error):
                termios.tcsetattr(STDIN, termios.TCSANOW, attributes)

    try:
        yield keep
    finally:
        keep()


def _say(lines: list[str]) -> None:
    """Put lines into the terminal that is there again; if it is gone, nobody is there to read them."""
    with contextlib.suppress(OSError):
        for line in lines:
            print(unmasked(line), file=sys.stdout, flush=True)


def _print_transcript(options: Options, session_id: str) -> None:
    from yeaft.interfaces.cli.entry import run_command

    with contextlib.suppress(YeaftError):
        run_command("session", options, ["show", session_id])
