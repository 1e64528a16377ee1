"""Line mode: one Session after another in plain scrollback, until the user leaves."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from yeaft.config import places
from yeaft.interfaces.assemble import Opened, opened
from yeaft.interfaces.cli.findings import Findings
from yeaft.interfaces.cli.signals import Signals
from yeaft.interfaces.cli.spoken import spoken
from yeaft.interfaces.following import next_wish, same_wish
from yeaft.interfaces.ground import Wish
from yeaft.interfaces.line.console import Console, Plain, Terminal
from yeaft.interfaces.line.talk import Talk
from yeaft.interfaces.line.trusting import offer_trust
from yeaft.interfaces.orders import Leave
from yeaft.interfaces.typed_lines import HISTORY_NAME
from yeaft.interfaces.unlisted import unlisted
from yeaft.kernel.errors import StoreFailed, YeaftError
from yeaft.kernel.outcome import EXIT_ANSWERED, EXIT_INTERRUPTED, worst_exit_code

if TYPE_CHECKING:
    from yeaft.interfaces.cli.options import Options

STDIN, STDOUT = 0, 1
AGAIN_S = 2.0
"""Ctrl-C twice within this leaves."""


class LineMode:
    """One run of line mode, over one Session after another."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._signals = Signals()
        self._is_terminal = os.isatty(STDIN) and os.isatty(STDOUT)
        self._talk: Talk | None = None
        self._patience: asyncio.Timeout | None = None
        self._console: Console = Plain()
        self._pressed_at = 0.0
        self._has_lost = False

    async def run(self, wish: Wish) -> int:
        """Talk until the user leaves or there are no more lines; return the exit code."""
        self._signals.install()
        wish = replace(wish, has_human=self._is_terminal)
        if self._is_terminal and not wish.trust:
            offer_trust(wish, self._options)
        with ExitStack() as stack:
            console = self._console = self._made(wish)
            if isinstance(console, Terminal):
                stack.enter_context(console)
                if not console.keeps_history:
                    self._tell("line.no_history", path=str(_history(wish)))
            if self._is_terminal:
                asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self._interrupt)
            self._signals.also(self._stop)
            code = await self._all_sessions(wish)
        return self._signals.exit_code or code

    async def _all_sessions(self, wish: Wish) -> int:
        """Talk in one Session after another; from one that cannot be opened it goes back to the one before.

        Returns the worst exit code of all. A user at a terminal has seen what went wrong, unless something was lost.
        """
        codes: list[int] = []
        is_seen = False
        first = self._options.prompt or ""
        following: Wish | None = wish
        before: Wish | None = None
        while following is not None and self._signals.exit_code is None:
            code, here, left, wish = await self._one_session(following, first)
            codes.append(code)
            if here is None:
                following, before = before, None
                continue
            is_seen = self._is_terminal
            before = same_wish(wish, here)
            following = next_wish(wish, left)
            first = ""
        return EXIT_ANSWERED if is_seen and not self._has_lost else worst_exit_code(codes)

    async def _one_session(self, wish: Wish, first: str) -> tuple[int, Opened | None, Leave, Wish]:
        """Talk in one Session; return its exit code, the Session if it was opened, how it was left, and its wish."""
        findings = Findings(self._complain)
        here: Opened | None = None
        left = Leave()
        try:
            async with AsyncExitStack() as stack:
                here = await self._opened(wish, stack)
                if here is not None and self._signals.exit_code is None:
                    self._talk = talk = Talk(here, wish, self._console, self._options, findings)
                    left = await talk.go_on(first)
                    wish = talk.dialogue.wish
        except* YeaftError as group:
            for error in group.exceptions:
                self._has_lost |= here is not None and isinstance(error, StoreFailed)
                findings.refuse(error if isinstance(error, YeaftError) else YeaftError(str(error)))
        finally:
            self._talk = None
        for code, params in unlisted(here) if here is not None else ():
            self._tell(code, **params)
        result = findings.result(here.state if here else None, stdin="", is_asked=False)
        return findings.with_problems(result, None).exit_code, here, left, wish

    async def _opened(self, wish: Wish, stack: AsyncExitStack) -> Opened | None:
        """Open a Session, which hooks can make slow; None if somebody does not want to wait any longer."""
        try:
            async with asyncio.timeout(None) as self._patience:
                return await stack.enter_async_context(opened(wish))
        except TimeoutError:
            if self._patience is None or not self._patience.expired():
                raise
            self._signals.act_on(EXIT_INTERRUPTED)
            return None
        finally:
            self._patience = None

    def _hurry(self) -> bool:
        """Give up to open a Session, and say whether one was being opened."""
        if self._patience is None:
            return False
        if not self._patience.expired():
            self._patience.reschedule(asyncio.get_running_loop().time())
        return True

    def _made(self, wish: Wish) -> Console:
        """Return what to read from: a line that can be edited, unless the terminal or the user wants it plain."""

        def prompt() -> str:
            return self._talk.prompt() if self._talk else ""

        if not self._is_terminal:
            return Plain(echo=None if self._options.quiet else prompt)
        if os.environ.get("TERM", "dumb") in ("dumb", "unknown", ""):
            return Plain(prompt)
        return Terminal(
            prompt=prompt,
            words=lambda: self._talk.words() if self._talk else (),
            history=_history(wish),
            folder=wish.folder,
            on_interrupt=self._interrupt,
        )

    def _interrupt(self) -> None:
        """Stop what runs; if nothing does, say how to leave, and leave if that was said just now."""
        now = time.monotonic()
        if self._hurry():
            return
        if self._talk is not None and self._talk.dialogue.interrupt():
            self._pressed_at = 0.0
        elif now - self._pressed_at < AGAIN_S:
            self._console.stop()
        else:
            self._pressed_at = now
            if self._talk is not None:
                self._talk.tell("line.leave_hint")

    def _stop(self) -> None:
        """Bring all to an end, after a signal."""
        self._hurry()
        if self._talk is not None:
            self._talk.dialogue.interrupt()
        self._console.stop()

    def _complain(self, text: str) -> None:
        self._console.remark(f"yeaft: {spoken(self._options, os.environ).retold(text)}")

    def _tell(self, code: str, **params: str) -> None:
        self._console.remark(f"yeaft: {spoken(self._options, os.environ).text(code, **params)}")


def _history(wish: Wish) -> Path:
    return places.home(wish.environ) / HISTORY_NAME
