"""Somebody at a real terminal who uses line mode."""

import asyncio
import re
import signal

import pexpect

from e2e.given import PATIENCE_S, Yeaft, wait_for_end

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Typist:
    """Somebody at a terminal who types into line mode and reads what it shows."""

    def __init__(self, yeaft: Yeaft, *words: str, term: str = "xterm-256color") -> None:
        program, *command = yeaft.command(*words)
        self._child = pexpect.spawn(
            program,
            command,
            cwd=str(yeaft.folder),
            env={**yeaft.environ, "TERM": term, "PROMPT_TOOLKIT_NO_CPR": "1"},
            timeout=PATIENCE_S,
            encoding="utf-8",
            dimensions=(40, 120),
        )

    async def sees(self, text: str) -> str:
        """Wait until the text is shown; returns what came before it, without escape sequences."""
        await asyncio.to_thread(self._child.expect_exact, text)
        return ESCAPES.sub("", str(self._child.before))

    async def ends_with(self) -> list[str]:
        """Wait until the program has shown all that it will; returns the lines of it, without escape sequences."""
        await asyncio.to_thread(self._child.expect, pexpect.EOF)
        return [line.rstrip() for line in ESCAPES.sub("", str(self._child.before)).splitlines()]

    def types(self, line: str) -> None:
        self._child.send(line + "\r")

    def presses(self, key: str) -> None:
        self._child.sendcontrol(key)

    def ends(self, by: signal.Signals = signal.SIGTERM) -> None:
        self._child.kill(by)

    async def leaves(self) -> int:
        """Wait for the end; returns the exit code."""
        await asyncio.to_thread(self._child.expect, pexpect.EOF)
        await asyncio.to_thread(wait_for_end, self._child.pid)
        self._child.wait()
        assert self._child.exitstatus is not None, self._child.signalstatus
        return self._child.exitstatus
