"""The terminal under the screen: Textual's driver, made to stand redirections, hang-ups, suspending and odd input."""

from __future__ import annotations

import asyncio
import os
import selectors
import signal
import termios
from codecs import getincrementaldecoder
from collections.abc import Callable
from functools import cached_property
from threading import current_thread

from textual import events
from textual._parser import ParseError
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from yeaft.interfaces.tui.look import speaks_utf8
from yeaft.interfaces.tui.marked_paste import MarkedPastes, Pasted
from yeaft.interfaces.tui.open_paste import BEGIN, OpenPaste
from yeaft.interfaces.tui.output import Output
from yeaft.interfaces.tui.replies import ASK_BACKGROUND, Replies
from yeaft.interfaces.tui.unmarked_paste import UnmarkedPaste
from yeaft.kernel.pattern import Pattern

STDIN, STDOUT = 0, 1
NO_MOUSE = "\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1016l\x1b[?1006l"
NO_SIZE_REPORTS = "\x1b[?2048l"
GIVE_BACK = f"\x1b[?2026l\x1b[?2004l{NO_SIZE_REPORTS}{NO_MOUSE}\x1b[?1004l\x1b[<u\x1b[?1049l\x1b[?25h\x1b[?7h".encode()
SHOW_CURSOR, HIDE_CURSOR = "\x1b[?25h", "\x1b[?25l"
READ_BYTES = 2**14
WAIT_S = 0.1
"""After so long without more, a lone Escape is the key; also how soon the thread hears that it is to end."""
SILENT_TERMINALS = ("linux", "dumb", "vt", "ansi", "cons")
"""Terminals that would print a question instead of answering it, by how their names begin."""


_ALT_DIGIT = Pattern(r"\x1b([1-9])")
"""Alt with a digit, which Textual takes for what such keys write on a Mac; put in the words of the kitty protocol."""


class Terminal(LinuxDriver):
    """Draws to standard output wherever standard error leads, and ends with the terminal it draws on."""

    class Gone(events.Event):
        """Nobody is there any more: the terminal was closed."""

    class RoomAgain(events.Event):
        """The terminal, which took nothing for a while, has taken all that was drawn."""

    class Background(events.Event):
        """The terminal has said whether its background is dark."""

        def __init__(self, is_dark: bool) -> None:
            super().__init__()
            self.is_dark = is_dark

    _is_taken = False
    _is_over = False
    _has_asked = False
    _shows_cursor = False
    _frame: list[str] | None = None

    @cached_property
    def _replies(self) -> Replies:
        return Replies(lambda is_dark: self.send_message(self.Background(is_dark)))

    @cached_property
    def _output(self) -> Output:
        return Output(STDOUT, is_plain=not speaks_utf8(os.environ), on_room=lambda: self.send_message(self.RoomAgain()))

    @cached_property
    def _held(self) -> list[str]:
        """What was written while another program had the terminal, and is not drawn."""
        return []

    def write(self, data: str) -> None:
        """Have something written: by itself, or in a frame that is being drawn; nothing after the end.

        While another program has the terminal it waits for the end of that.
        """
        if self._frame is not None and current_thread() is not self._key_thread:
            self._frame.append(data)
        elif self._is_taken:
            self._output.write(data)
        elif not self._is_over:
            self._held.append(data)

    def begin_frame(self) -> None:
        """Have all that is written from now on come as one frame."""
        self._frame = []

    def end_frame(self) -> None:
        """Have the frame written, unless it would be seen too late; then `RoomAgain` follows once one can be seen."""
        frame, self._frame = self._frame, None
        if frame and self._is_taken and self._output.has_room():
            self._output.draw("".join(frame))

    def start_application_mode(self) -> None:
        """Take the terminal, and ask it once for its background; not after the end.

        It cannot be taken in the background: then the process was stopped, and this is done again when it goes on.
        """
        if self._is_over or self._is_taken:
            return
        self._act_between()
        self._file, self._is_taken, before = self._output, True, self._key_thread
        start: Callable[[], None] = super().start_application_mode
        start()
        self._is_taken = self._key_thread is not before
        if not self._is_taken:
            return
        if self._shows_cursor:
            self.write(SHOW_CURSOR)
        if not self._has_asked and not os.environ.get("TERM", "").startswith(SILENT_TERMINALS):
            self._has_asked = True
            self.write(ASK_BACKGROUND)
        held = self._held.copy()
        self._held.clear()
        for one in held:
            self.write(one)

    def stop_application_mode(self) -> None:
        """Give the terminal back as it was, for good."""
        self._is_over = True
        self._give_back()

    def suspend_application_mode(self) -> None:
        """Give the terminal back for a while."""
        self._give_back()
        self._output.is_written()
        self.close()

    def _give_back(self) -> None:
        """Give the terminal back as it was; what a reply has switched on just now is known only when all is read."""
        if self._is_taken:
            self._output.drop_frames()
            super().stop_application_mode()
            self.write(NO_MOUSE + NO_SIZE_REPORTS)
            self._is_taken = False

    def let_go(self) -> bool:
        """Never take the terminal again, whoever gives it back to us; say whether it is still taken."""
        self._is_over = True
        return self._is_taken

    def give_back_now(self) -> None:
        """Give the terminal back in the midst of whatever is written, when nothing else can any more."""
        is_due, self._is_over, self._is_taken = self._is_taken or not self._output.is_idle, True, False
        if is_due:
            self._output.end(GIVE_BACK)

    def is_given_back(self) -> bool:
        """Wait until the terminal has taken all that was written, and say whether it has: it may take nothing."""
        return self._output.is_written()

    def show_cursor(self, wanted: bool) -> None:
        """Show the terminal's own cursor, or hide it; it stays so when the terminal was given back in between."""
        if wanted != self._shows_cursor:
            self._shows_cursor = wanted
            self.write(SHOW_CURSOR if wanted else HIDE_CURSOR)

    def use_mouse(self, wanted: bool) -> None:
        """Take the mouse, or leave it to the terminal, which can then select and copy text."""
        self._mouse = wanted
        if not wanted:
            self.write(NO_MOUSE)
            return
        self._enable_mouse_support()
        if self._mouse_pixels:
            self._enable_mouse_pixels()

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
        if self._auto_restart and self._is_taken:
            self.suspend_application_mode()
            self._must_signal_resume = True
        os.killpg(os.getpgrp(), signal.SIGSTOP)
        self._sigcont_application()  # before anything else is drawn

    def _sigcont_application(self, *_: object) -> None:
        """Take the terminal again if it was given back; else draw what another program may have drawn over."""
        if not self._auto_restart:
            return
        if self._is_taken:
            self.send_message(self.SignalResume())
        else:
            self.resume_application_mode()

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
