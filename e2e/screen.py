"""A terminal with somebody at it: a real pty, an emulator that knows what stands where, and keys to press."""

import asyncio
import contextlib
import fcntl
import os
import pty
import signal
import struct
import termios
from collections.abc import Callable, Sequence
from pathlib import Path

from e2e.emulator import Emulator
from e2e.given import PATIENCE_S, Yeaft, wait_for_end
from e2e.starting import Started, can_fork, fork

FRAME, FRAME_END = b"\x1b[?2026h", b"\x1b[?2026l"
ASKS_FOR_FRAMES, KNOWS_FRAMES = b"\x1b[?2026$p", b"\x1b[?2026;2$y"
"""What a program asks, and what a terminal answers that shows a frame at once: from then on, each is marked."""
KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "shift+tab": "\x1b[Z",
    "backspace": "\x7f",
    "delete": "\x1b[3~",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "alt+enter": "\x1b\r",
    **{f"ctrl+{chr(code + 96)}": chr(code) for code in range(1, 27)},
}


class Screen:
    """A process at a terminal of `columns` x `rows`. `raw` is every byte it has written so far.

    Somebody who looks at it sees whole frames, unless the terminal is one that does not know them.
    """

    def __init__(
        self, yeaft: Yeaft, *, columns: int = 100, rows: int = 30, knows_frames: bool = True, **environ: str
    ) -> None:
        self.raw = bytearray()
        self.pid = 0
        self._forked: Started | None = None
        self._yeaft = yeaft
        # Asked where its cursor is, this terminal says nothing; whoever waits for it to answer is not to ask.
        cursor = {"PROMPT_TOOLKIT_NO_CPR": "1"}
        self._environ = {"TERM": "xterm-256color", "COLORTERM": "truecolor", **cursor, **environ}
        self._terminal = Emulator(columns, rows)
        self._changed = asyncio.Event()
        self._ended = asyncio.Event()
        self._unsent = bytearray()
        self._knows_frames = knows_frames
        self._answered = 0
        self._fd = -1

    def starts(self, *words: str) -> None:
        """Start `yeaft` with these words."""
        environ = self._all_variables()
        if not can_fork(environ):
            self.starts_program(*self._yeaft.command(*words))
            return
        self._fd, terminal = pty.openpty()
        self._set_size()
        self._forked = fork(words, self._yeaft.folder, environ, (terminal, terminal, terminal), has_terminal=True)
        self.pid = self._forked.pid
        os.close(terminal)
        self._look()

    def starts_program(self, *argv: str) -> None:
        """Start another program, such as a shell, in yeaft's place and environment."""
        environ = self._all_variables()
        self._forked = None
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            os.chdir(self._yeaft.folder)
            os.execve(argv[0], argv, environ)
        self._set_size()
        self._look()

    def _all_variables(self) -> dict[str, str]:
        return {**self._yeaft.environ, **{name: value for name, value in self._environ.items() if value}}

    def _look(self) -> None:
        os.set_blocking(self._fd, False)
        asyncio.get_running_loop().add_reader(self._fd, self._read)

    @property
    def lines(self) -> list[str]:
        """What stands on the screen, line by line, without blanks at the ends."""
        return [line.rstrip() for line in self._terminal.rows]

    @property
    def text(self) -> str:
        """What stands on the screen."""
        return "\n".join(self.lines)

    @property
    def cursor(self) -> tuple[int, int]:
        """Where the terminal's own cursor stands: column and row from 0."""
        return self._terminal.cursor.x, self._terminal.cursor.y

    @property
    def is_cursor_hidden(self) -> bool:
        """Whether the terminal's own cursor is hidden."""
        return bool(self._terminal.cursor.hidden)

    def types(self, text: str) -> None:
        """Type text as keys, in one burst."""
        self.sends(text.encode())

    def presses(self, *keys: str) -> None:
        """Press keys by name, such as `enter` or `ctrl+c`."""
        for key in keys:
            self.sends(KEYS[key].encode())

    def pastes(self, text: str) -> None:
        """Paste as a terminal with bracketed paste does."""
        self.sends(b"\x1b[200~" + text.encode() + b"\x1b[201~")

    def sends(self, raw: bytes) -> None:
        """Send bytes as they are, as fast as the process takes them; what it shows is read meanwhile."""
        self._unsent += raw
        self._send()

    def resizes(self, columns: int, rows: int) -> None:
        """Give the terminal another size."""
        self._terminal.resize(rows, columns)
        self._set_size()

    async def shows(self, *wanted: str | Callable[[str], bool]) -> str:
        """Wait until the screen holds all that is wanted: pieces of text, or claims about the whole text."""
        return await self._until(lambda: _holds_all(self.text, wanted), wanted)

    async def hides(self, unwanted: str) -> str:
        """Wait until the screen does not hold a text any more."""
        return await self._until(lambda: unwanted not in self.text, (f"not {unwanted!r}",))

    async def has_written(self, wanted: bytes, *, since: int) -> bool:
        """Wait for bytes after so many others, whatever stands on the screen; False if they do not come."""
        try:
            async with asyncio.timeout(PATIENCE_S / 4):
                while self.raw.find(wanted, since) < 0:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return False
        return True

    async def leaves(self) -> int:
        """Wait for the end; returns the exit code, negative for a signal."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self._ended.wait()
        except TimeoutError:
            raise AssertionError(f"waited for the end, but the screen shows:\n{self.text}") from None
        return await self.ends()

    async def ends(self) -> int:
        """Wait for the end of the process, whatever it has written; returns the exit code, negative for a signal."""
        code = await asyncio.to_thread(self._exit_code)
        self.pid = 0
        return code

    def _exit_code(self) -> int:
        if self._forked is not None:
            return self._forked.exit_code()
        wait_for_end(self.pid)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    async def stops(self) -> None:
        """Wait until the process is stopped, as by Ctrl+Z."""
        async with asyncio.timeout(PATIENCE_S):
            how = await asyncio.to_thread(_stopped_or_ended, self.pid)
        assert how == os.CLD_STOPPED, f"it ended, and the screen shows:\n{self.text}"

    def line_discipline(self) -> set[str]:
        """What the terminal does by itself to what is typed: make Enter a line end, echo it, hand on whole lines."""
        attributes = termios.tcgetattr(self._fd)
        flags = {
            "icrnl": attributes[0] & termios.ICRNL,
            "echo": attributes[3] & termios.ECHO,
            "icanon": attributes[3] & termios.ICANON,
        }
        return {name for name, is_on in flags.items() if is_on}

    def looks_away(self) -> None:
        """Take nothing any more of what is written, as when a connection stands still."""
        asyncio.get_running_loop().remove_reader(self._fd)

    def looks_again(self) -> None:
        """Take what was written meanwhile, and what comes."""
        asyncio.get_running_loop().add_reader(self._fd, self._read)

    def hangs_up(self) -> None:
        """Let the terminal go away while the process runs."""
        self._let_go()
        os.close(self._fd)
        self._fd = -1
        self._ended.set()

    def close(self) -> None:
        """End the process if it still runs, and let go of the terminal."""
        if self._fd >= 0:
            self._let_go()
        if self.pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            self._exit_code()
        if self._fd >= 0:
            os.close(self._fd)

    def snapshot(self, path: Path) -> None:
        """Keep what stands on the screen as text, to be looked at."""
        path.write_text(self.text + "\n", encoding="utf-8")

    async def _until(self, holds: Callable[[], bool], wanted: object) -> str:
        try:
            async with asyncio.timeout(PATIENCE_S):
                while self._is_in_a_frame or not holds():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError(f"waited for {wanted}, but the screen shows:\n{self.text}") from None
        return self.text

    def _read(self) -> None:
        try:
            raw = os.read(self._fd, 2**16)
        except OSError:
            raw = b""
        if not raw:
            self._let_go()
            self._ended.set()
        self.raw += raw
        self._terminal.feed(raw)
        self._answer()
        self._changed.set()

    @property
    def _is_in_a_frame(self) -> bool:
        """Whether what stands here is half a frame, of which more is to come."""
        knows_any = self._knows_frames and not self._ended.is_set()
        return knows_any and self.raw.rfind(FRAME) > self.raw.rfind(FRAME_END)

    def _answer(self) -> None:
        """Answer what was asked since the last time, as a terminal does by itself."""
        while self._knows_frames and (asked := self.raw.find(ASKS_FOR_FRAMES, self._answered)) >= 0:
            self._answered = asked + len(ASKS_FOR_FRAMES)
            self.sends(KNOWS_FRAMES)

    def _send(self) -> None:
        """Write what fits; the rest follows when there is room. Waiting here would keep a process from writing too."""
        loop = asyncio.get_running_loop()
        with contextlib.suppress(BlockingIOError):
            del self._unsent[: os.write(self._fd, self._unsent)]
        if self._unsent:
            loop.add_writer(self._fd, self._send)
        else:
            loop.remove_writer(self._fd)

    def _let_go(self) -> None:
        asyncio.get_running_loop().remove_reader(self._fd)
        asyncio.get_running_loop().remove_writer(self._fd)

    def _set_size(self) -> None:
        size = struct.pack("HHHH", self._terminal.lines, self._terminal.columns, 0, 0)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, size)


def _stopped_or_ended(pid: int) -> int:
    """Wait for either, and say which, as in `si_code`; a stop is told once, and an end is left to be waited for."""
    how = os.waitid(os.P_PID, pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOHANG)
    assert how is not None
    return how.si_code


def _holds_all(text: str, wanted: Sequence[str | Callable[[str], bool]]) -> bool:
    return all(one in text if isinstance(one, str) else one(text) for one in wanted)
