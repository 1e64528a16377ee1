"""The terminal under the screen: Textual's driver, made to stand redirections, hang-ups, suspending and odd input."""

from __future__ import annotations

import asyncio
import io
import os
import selectors
import signal
import termios
from codecs import getincrementaldecoder
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property

from textual import events
from textual._parser import ParseError
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from yeaft.interfaces.tui.ascii_text import in_ascii
from yeaft.interfaces.tui.look import speaks_utf8
from yeaft.interfaces.tui.marked_paste import MarkedPastes, Pasted
from yeaft.interfaces.tui.open_paste import BEGIN, OpenPaste
from yeaft.interfaces.tui.replies import ASK_BACKGROUND, Replies
from yeaft.interfaces.tui.unmarked_paste import UnmarkedPaste
from yeaft.kernel.pattern import Pattern

STDIN, STDOUT = 0, 1
GIVE_BACK = (
    b"\x1b[?2004l\x1b[?2048l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1004l\x1b[<u\x1b[?1049l\x1b[?25h\x1b[?7h"
)
SHOW_CURSOR, HIDE_CURSOR = "\x1b[?25h", "\x1b[?25l"
READ_BYTES = 2**14
WAIT_S = 0.1
"""After so long without more, a lone Escape is the key; also how soon the thread hears that it is to end."""
SILENT_TERMINALS = ("linux", "dumb", "vt", "ansi", "cons")
"""Terminals that would print a question instead of answering it, by how their names begin."""


_ALT_DIGIT = Pattern(r"\x1b([1-9])")
"""Alt with a digit, which Textual takes for what such keys write on a Mac; put in the words of the kitty protocol."""


class Output(io.TextIOWrapper):
    """Standard output as the driver writes it; once the terminal is gone, writing does nothing.

    A terminal that `is_plain` gets ASCII alone, in as many columns.
    """

    def __init__(self, descriptor: int, *, is_plain: bool) -> None:
        super().__init__(io.BufferedWriter(io.FileIO(descriptor, "wb", closefd=False)), encoding="utf-8")
        self._descriptor = descriptor
        self._is_plain = is_plain
        self._is_gone = False

    def write(self, text: str, /) -> int:
        """Write all of `text`."""
        if self._is_plain:
            text = in_ascii(text)
        raw = memoryview(text.encode("utf-8", "replace"))
        while raw and not self._is_gone:
            try:
                raw = raw[os.write(self._descriptor, raw) :]
            except BlockingIOError:
                self._wait()
            except OSError:
                self._is_gone = True
        return len(text)

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._descriptor

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return os.isatty(self._descriptor)

    def _wait(self) -> None:
        """Wait until the terminal takes more: somebody has made the descriptor non-blocking."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._descriptor, selectors.EVENT_WRITE)
            selector.select()


class Terminal(LinuxDriver):
    """Draws to standard output wherever standard error leads, and ends with the terminal it draws on."""

    class Gone(events.Event):
        """Nobody is there any more: the terminal was closed."""

    class Background(events.Event):
        """The terminal has said whether its background is dark."""

        def __init__(self, is_dark: bool) -> None:
            super().__init__()
            self.is_dark = is_dark

    _is_stopped = False
    _is_over = False
    _has_asked = False
    _shows_cursor = False

    @cached_property
    def _replies(self) -> Replies:
        return Replies(lambda is_dark: self.send_message(self.Background(is_dark)))

    def start_application_mode(self) -> None:
        """Take the terminal, and ask it once for its background; not after the end."""
        if self._is_over:
            return
        self._act_between()
        self._file = Output(STDOUT, is_plain=not speaks_utf8(os.environ))
        start: Callable[[], None] = super().start_application_mode
        start()
        self._is_stopped = False
        if self._shows_cursor:
            self.write(SHOW_CURSOR)
        if not self._has_asked and not os.environ.get("TERM", "").startswith(SILENT_TERMINALS):
            self._has_asked = True
            self.write(ASK_BACKGROUND)

    def stop_application_mode(self) -> None:
        """Give the terminal back as it was, mouse and focus reports first."""
        self._is_stopped = True
        super().stop_application_mode()
        self._disable_mouse_support()

    def let_go(self) -> bool:
        """Never take the terminal again, whoever gives it back to us; say whether it is still taken."""
        self._is_over = True
        return not self._is_stopped

    def show_cursor(self, wanted: bool) -> None:
        """Show the terminal's own cursor, or hide it; it stays so when the terminal was given back in between."""
        if wanted != self._shows_cursor:
            self._shows_cursor = wanted
            self.write(SHOW_CURSOR if wanted else HIDE_CURSOR)

    def use_mouse(self, wanted: bool) -> None:
        """Take the mouse, or leave it to the terminal, which can then select and copy text."""
        if wanted:
            self._mouse = True
            self._enable_mouse_support()
        else:
            self._disable_mouse_support()
            self._mouse = False

    def _act_between(self) -> None:
        """Act on Ctrl+Z and on coming back only between two things that are done.

        Textual acts on them wherever the program is at the moment, and waits for ever for a lock that it holds itself.
        """
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTSTP, self._sigtstp_application)
        loop.add_signal_handler(signal.SIGCONT, self._sigcont_application)

    def _get_terminal_size(self) -> tuple[int, int]:
        try:
            size = os.get_terminal_size(STDOUT)
        except OSError:
            return 80, 24
        return size.columns or 80, size.lines or 24

    def _sigtstp_application(self, *_: object) -> None:
        """Give the terminal back and stop, with whatever was started together with us."""
        if self._auto_restart and not self._is_stopped:
            self.suspend_application_mode()
            self._must_signal_resume = True
        os.killpg(os.getpgrp(), signal.SIGSTOP)
        self._sigcont_application()  # before anything else is drawn

    def _sigcont_application(self, *_: object) -> None:
        """Take the terminal again if it was given back; else draw what another program may have drawn over."""
        if not self._auto_restart:
            return
        if self._is_stopped:
            self.resume_application_mode()
        else:
            self.send_message(self.SignalResume())

    def run_input_thread(self) -> None:
        """Turn what is typed into events, until the end is wanted or the terminal is gone."""
        parser, decoder = XTermParser(self._debug), getincrementaldecoder("utf-8")("replace")
        paste, unmarked, marked = OpenPaste(), UnmarkedPaste(), MarkedPastes()
        with selectors.DefaultSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(WAIT_S):
                    raw = self._read()
                    if not raw and self._is_gone():
                        self.send_message(self.Gone())
                        return
                    typed = self._replies.without(decoder.decode(raw))
                    was_open, end = paste.is_open, paste.before(typed)
                    is_marked = was_open or paste.is_open
                    text = end + unmarked.without(typed if is_marked else _with_alt(typed), is_marked=is_marked)
                else:
                    text = unmarked.released() + self._replies.released() + paste.overdue()
                for piece in marked.pieces(text):
                    if isinstance(piece, Pasted):
                        self.process_message(events.Paste(piece.text))
                    else:
                        parser = self._fed(parser, piece)
                parser = self._fed(parser, "")

    def _fed(self, parser: XTermParser, text: str) -> XTermParser:
        """Send off what `text` means; a sequence that cannot be understood is dropped, with a new parser after it."""
        try:
            for event in (*(parser.feed(text) if text else ()), *parser.tick()):
                self.process_message(event)
        except (ParseError, ValueError, IndexError, KeyError, TypeError, ZeroDivisionError, OverflowError):
            return XTermParser(self._debug)
        return parser

    def _read(self) -> bytes:
        try:
            return os.read(self.fileno, READ_BYTES)
        except OSError:
            return b""

    def _is_gone(self) -> bool:
        """Whether nobody is there any more; a Ctrl+D from before the screen was drawn reads as an end, too."""
        try:
            termios.tcgetattr(self.fileno)
        except (OSError, termios.error):
            return True
        return False


def _with_alt(text: str) -> str:
    """Return what was typed, Alt with digits so that Textual takes it for that; not what holds a paste as well."""
    return text if BEGIN in text else _ALT_DIGIT.sub(lambda found: f"\x1b[{ord(found[1])};3u", text)


def restore_now() -> None:
    """Give the terminal back at once, when nothing else can any more: leave the screen, show the cursor."""
    with suppress(OSError):
        os.write(STDOUT, GIVE_BACK)
