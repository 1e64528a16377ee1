"""Where line mode reads what is typed and puts what is said: a terminal with an editable line, or a pipe."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self

from yeaft.interfaces.cli.json_input import Lines
from yeaft.interfaces.cli.streams import remark
from yeaft.interfaces.cli.terminal_text import unmasked
from yeaft.interfaces.line.typeahead import Typeahead

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

STDIN, STDOUT = 0, 1
PRIVATE_FILE = 0o600
Words = Callable[[], Sequence[str]]
"""What the word under the cursor can be completed to."""


class Finished(Exception):
    """There will be no more lines."""


class Console(Protocol):
    """Reads lines one at a time and puts text above the one that is being typed."""

    async def line(self, default: str = "") -> str:
        """Return the next line, without its end; `default` is there to be edited. Raises `Finished` at the end."""
        ...

    def put(self, text: str) -> None:
        """Show whole lines."""
        ...

    def remark(self, text: str) -> None:
        """Show an error or a notice, which is no part of the conversation; what is in it cannot steer a terminal."""
        ...

    def refresh(self) -> None:
        """Show another prompt if it has changed."""
        ...

    def lent(self) -> AbstractContextManager[None]:
        """Let another program have the terminal for as long."""
        ...

    def stop(self) -> None:
        """Let whoever waits for a line, or will, be told that there are no more."""
        ...


class Plain:
    """Lines as they come, from a pipe or from a terminal that edits them itself; what is said follows below.

    `prompt` is shown where somebody is there to see it, whenever `refresh` says that it is their turn. With `echo`
    each line is shown behind that once it is read, for those who read only what is said.
    """

    def __init__(self, prompt: Callable[[], str] | None = None, echo: Callable[[], str] | None = None) -> None:
        self._prompt = prompt
        self._echo = echo
        self._lines: Lines | None = None
        self._is_prompting = False

    async def line(self, default: str = "") -> str:
        """Return the next line; `default` means nothing here."""
        del default
        self.refresh()
        self._lines = self._lines or Lines()
        line = await self._lines.next()
        self._is_prompting = False
        if line is None:
            raise Finished
        line = line.rstrip("\r\n")
        if self._echo is not None and line.strip():
            self.put(unmasked(f"{self._echo()}{line}"))
        return line

    def put(self, text: str) -> None:
        """Show whole lines."""
        if self._is_prompting:
            print()
            self._is_prompting = False
        print(text, end="" if text.endswith("\n") else "\n", flush=True)

    def remark(self, text: str) -> None:
        """Show an error or a notice: among the rest at a terminal, else where programs look for such."""
        if os.isatty(STDOUT):
            self.put(unmasked(text))
        else:
            remark(text)

    def refresh(self) -> None:
        """Show the prompt, if there is one and it does not stand there."""
        if self._prompt is not None and not self._is_prompting and (prompt := self._prompt()):
            print(prompt, end="", flush=True)
            self._is_prompting = True

    def lent(self) -> AbstractContextManager[None]:
        """Let another program have the terminal, which is as that expects it."""
        return nullcontext()

    def stop(self) -> None:
        """Wait for no more lines; a thread that hangs in a read does not keep the process."""
        self._lines = self._lines or Lines()
        self._lines.close()


class Terminal:
    """A line to be edited at the bottom of a terminal, with history and completion; what is said scrolls above it.

    `on_interrupt` hears of Ctrl-C where there is no text to give up; `prompt` is asked again at every key. A `history`
    that cannot be read and written is not kept; of it the entries of `folder` are offered.
    """

    def __init__(
        self, *, prompt: Callable[[], str], words: Words, history: Path, folder: Path, on_interrupt: Callable[[], None]
    ) -> None:
        self._prompt = prompt
        self._on_interrupt = on_interrupt
        self._is_stopped = False
        self.keeps_history = _can_be_kept(history)
        self._session = self._made(words, history, folder)
        self._typeahead = Typeahead(STDIN)
        self._patches = ExitStack()

    def __enter__(self) -> Self:
        from prompt_toolkit.patch_stdout import patch_stdout

        self._patches.enter_context(patch_stdout(raw=True))
        self._typeahead.begin()
        self._patches.callback(self._typeahead.end)
        return self

    def __exit__(self, *_: object) -> None:
        self._patches.close()

    async def line(self, default: str = "") -> str:
        """Return what was typed, line ends included if the user put some in (Alt-Enter)."""
        if self._is_stopped:
            raise Finished
        if self._typeahead.early:
            return self._typeahead.early.pop(0)
        return await self._session.prompt_async(self._prompt, default=default, handle_sigint=False)

    def put(self, text: str) -> None:
        """Show whole lines above the one that is typed; what steers a terminal must not be in them unawares."""
        print(text, end="" if text.endswith("\n") else "\n", flush=True)

    def remark(self, text: str) -> None:
        """Show an error or a notice."""
        self.put(unmasked(text))

    def refresh(self) -> None:
        """Show another prompt if it has changed."""
        self._session.app.invalidate()

    def lent(self) -> AbstractContextManager[None]:
        """Let another program have the terminal as it was found."""
        return self._typeahead.lent()

    def stop(self) -> None:
        """Give up the line that is being typed, and take no other."""
        self._is_stopped = True
        if self._session.app.is_running:
            self._session.app.exit(exception=Finished)

    def _made(self, words: Words, history: Path, folder: Path) -> PromptSession[str]:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import WordCompleter
        from prompt_toolkit.history import InMemoryHistory

        from yeaft.interfaces.line.kept_history import KeptHistory
        from yeaft.interfaces.line.steady_input import SteadyInput

        return PromptSession(
            history=KeptHistory(history, folder) if self.keeps_history else InMemoryHistory(),
            completer=WordCompleter(words, WORD=True, ignore_case=True),
            complete_while_typing=False,
            enable_history_search=False,
            key_bindings=self._keys(),
            input=SteadyInput(sys.stdin),
            eof_exception=Finished,
            interrupt_exception=Finished,
        )

    def _keys(self) -> KeyBindings:
        from prompt_toolkit.key_binding import KeyBindings

        keys = KeyBindings()
        keys.add("c-c")(self._interrupt)
        keys.add("c-j")(_new_line)
        keys.add("c-z")(self._suspend)
        keys.add("escape", "enter")(_new_line)
        return keys

    def _suspend(self, event: KeyPressEvent) -> None:
        from prompt_toolkit.application import run_in_terminal

        def stop() -> None:
            with self.lent():
                os.kill(0, signal.SIGTSTP)

        del event
        run_in_terminal(stop)

    def _interrupt(self, event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.reset()
        else:
            self._on_interrupt()


def _can_be_kept(history: Path) -> bool:
    """Make the file if there is none, for its owner alone, and say whether it can be read and written."""
    try:
        history.parent.mkdir(parents=True, exist_ok=True)
        history.touch(mode=PRIVATE_FILE)
    except OSError:
        return False
    return history.is_file() and os.access(history, os.R_OK | os.W_OK)


def _new_line(event: KeyPressEvent) -> None:
    event.current_buffer.insert_text("\n")
