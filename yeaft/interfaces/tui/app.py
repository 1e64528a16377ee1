"""The program on the screen: opens one Session after another and draws them until the user leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Mapping
from contextlib import AsyncExitStack, contextmanager
from contextvars import Context, copy_context
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual.app import App
from textual.binding import BindingType
from textual.events import Key, Paste
from textual.widgets import Input
from textual.worker import WorkerFailed

from yeaft.config import places
from yeaft.config.keys import flat
from yeaft.interfaces.tui.choice import Choice
from yeaft.interfaces.tui.conversation import Conversation
from yeaft.interfaces.tui.crash import write_crash
from yeaft.interfaces.tui.in_order import settled, waits
from yeaft.interfaces.tui.look import look_of
from yeaft.interfaces.tui.modal import Modal, Result
from yeaft.interfaces.tui.notifying import Notifying
from yeaft.interfaces.tui.one_line import showable
from yeaft.interfaces.tui.outside import end_outside, outside_ended
from yeaft.interfaces.tui.panels.bound import first_bound
from yeaft.interfaces.tui.terminal import Terminal
from yeaft.interfaces.tui.themes import STYLE_SHEET, themes
from yeaft.interfaces.tui.too_small import TooSmall, is_too_small
from yeaft.kernel.errors import YeaftError
from yeaft.kernel.outcome import EXIT_FAILED, EXIT_HANGUP

if TYPE_CHECKING:
    from textual import events
    from textual.notifications import SeverityLevel

    from yeaft.config.keys import ChosenKeys
    from yeaft.config.settings import Theme, TuiSettings
    from yeaft.interfaces.ground import Wish
    from yeaft.interfaces.orders import Deed
    from yeaft.interfaces.tui.look import Look
    from yeaft.interfaces.tui.panels.frame import Panel
    from yeaft.interfaces.tui.sittings import Sittings
    from yeaft.prompts.ui import Ui


class Start(NamedTuple):
    """What the screen begins with. `wish` is made once something can be seen: what it takes to make it is slow to load.

    `home` is where yeaft keeps its files; `is_demo` plays the demo; `first` is said as soon as a Session is open.
    """

    wish: Callable[[], Wish]
    home: Path
    environ: Mapping[str, str]
    settings: TuiSettings
    keys: ChosenKeys
    first: str = ""
    is_demo: bool = False


class YeaftApp(App[int]):
    """Draws first and opens the Session then: the user can write while it is being opened.

    Once it `has_begun`, it is over when it is `closed`; before that there is nothing to close. `wish` is that of the
    Session that is open, or is to be. `afterwards` is what should stand in the terminal once the screen is left.
    """

    CSS = STYLE_SHEET
    ENABLE_COMMAND_PALETTE = False
    VERTICAL_BREAKPOINTS = [(0, "-low"), (16, "-high")]
    BINDINGS: ClassVar[list[BindingType]] = [
        first_bound("screen.give_up", "give_up"),
        first_bound("screen.suspend", "suspend_process"),
        first_bound("screen.redraw", "redraw"),
        first_bound("screen.mouse", "mouse"),
    ]

    def __init__(self, start: Start, look: Look, ui: Ui, on_hang_up: Callable[[int], None]) -> None:
        super().__init__(driver_class=Terminal)
        self.start = start
        self.look = look
        self.ui = ui
        self.afterwards: list[str] = []
        self.shown_session = ""
        self.is_ending = False
        self._is_lent = False
        self.has_begun = False
        self.wish = start.wish
        self._sittings: Sittings | None = None
        self.closed = asyncio.Event()
        self._early: list[Key | Paste] | None = []
        self._own: Context | None = None
        self._on_hang_up = on_hang_up
        self._has_mouse = start.settings.mouse
        self._told_dark: bool | None = None
        self._use_colours()
        self.set_keymap({key_id: ",".join(chords) for key_id, chords in flat(start.keys).items()})
        self.notifying = Notifying(start.settings, start.environ, ui, self._say, lambda: self.app_focus)
        self.conversation = Conversation(look, ui, self.notifying, self)
        self.conversation.transcript.reading.write = self._say

    @contextmanager
    def suspend(self) -> Generator[None]:
        """Lend the terminal to one program at a time. Raises `YeaftError` while another has it, and at the end."""
        if self._is_lent or self.is_ending:
            raise YeaftError("Another program has the terminal.")
        self._is_lent = True
        try:
            with super().suspend():
                yield
        finally:
            self._is_lent = False

    @property
    def terminal(self) -> Terminal | None:
        """What it is drawn on, once it is to be drawn."""
        return self._driver if isinstance(self._driver, Terminal) else None

    async def on_event(self, event: events.Event) -> None:
        """Tell the question that a key was pressed, wherever it goes: it leaves alone who is writing.

        What is typed before there is a draft to hold it is kept for that. The draft shows whatever is pasted; other
        fields are given what they can show.
        """
        if isinstance(event, Key | Paste) and not event.is_forwarded and self._early is not None:
            self._early.append(event)
            return
        if isinstance(event, Key | Paste) and self._exit:
            return  # what it would do needs what is taken apart by now
        if isinstance(event, Paste) and isinstance(self.focused, Input):
            event = Paste(showable(event.text))
        if waits(event):
            await settled(self.focused)
        if isinstance(event, Key) and not event.is_forwarded:
            self.conversation.ask_panel.note_key()
        await super().on_event(event)

    def on_mount(self) -> None:
        """Draw the empty screen, and open the Session once it can be seen."""
        self._own = copy_context()
        self.push_screen(self.conversation)
        self.call_after_refresh(self._begin)

    async def _begin(self) -> None:
        """Let the draft have what was typed already, and open the Session."""
        early, self._early = self._early or [], None
        for event in early:
            await self.on_event(event)
        self.run_worker(self._all_sessions(), exit_on_error=True)

    def _begin_update(self) -> None:
        """Begin a frame."""
        if self.terminal is not None:
            self.terminal.begin_frame()
        super()._begin_update()

    def _end_update(self) -> None:
        """End the frame: it is seen whole, or not at all while the terminal takes nothing."""
        super()._end_update()
        if self.terminal is not None:
            self.terminal.end_frame()

    def on_terminal_room_again(self) -> None:
        """Draw what could not be seen."""
        self.screen.refresh(layout=True)

    def post_display_hook(self) -> None:
        """Show the terminal's own cursor while text is written: input methods open their windows there."""
        composer = self.conversation.composer
        is_writing = self.focused is composer
        if is_writing:
            composer.follow()
        if self.terminal is not None:
            self.terminal.show_cursor(is_writing or self.conversation.ask_panel.is_written)

    async def _all_sessions(self) -> None:
        """Go through Sessions until the user leaves; what they need is loaded while the draft can be written."""
        self.has_begun = True
        try:
            sittings = await asyncio.to_thread(_loaded)
            async with AsyncExitStack() as stack:
                self._sittings = sittings(self, stack)
                code = await self._sittings.go_through()
        finally:
            self.notifying.stop()
            await outside_ended(self)
            self.closed.set()
        for screen in self.screen_stack:
            if isinstance(screen, Modal):
                await screen.is_up.wait()
        self.exit(code)

    def stop_at_signal(self) -> None:
        """Stop now: where a signal is heard no program is the current one, and parts that go would not find theirs."""
        (self._own or copy_context()).run(self.stop_now)

    def stop_now(self) -> None:
        """Leave without asking, after a signal; what runs is stopped, and the journal closed."""
        self.is_ending = True
        end_outside(self)
        if not self.has_begun:
            self.exit()
            return
        for screen in reversed(self.screen_stack):
            if isinstance(screen, Modal):
                screen.dismiss()
        self.conversation.leave_now()
        if self._sittings is not None:
            self._sittings.hurry()

    def open(self, panel: Panel, then: Callable[[Deed | None], None]) -> None:
        """Open a panel, and call back with what it is left with."""
        self.push_screen(panel, then)

    def retheme(self, theme: Theme) -> None:
        """Look otherwise from now on, and say how to keep that."""
        self.look.become(look_of(self.start.environ, theme), told_dark=self._told_dark)
        self._use_colours()
        self.conversation.transcript.relook()
        self.refresh_css(animate=False)
        self.screen.refresh(layout=True)
        self.conversation.remark("screen.theme", theme=theme, path=str(places.user_config(self.start.home)))

    async def asked(self, question: Modal[Result]) -> Result | None:
        """Ask something and return the answer; None without asking once the program ends, for a worker to end too."""
        if self.is_ending:
            return None
        answer: Result = await self.push_screen_wait(question)
        return answer

    def ask(self, choice: Choice, then: Callable[[str | None], None]) -> None:
        """Show a question, and call back with what was chosen."""
        self.push_screen(choice, then)

    def uncover(self) -> None:
        """Take away what lies over the conversation, but for what says that there is no room."""
        for screen in reversed(self.screen_stack):
            if isinstance(screen, Modal) and not isinstance(screen, TooSmall):
                screen.dismiss()

    def leave_from(self, session_id: str, *lines: str) -> None:
        """Let lines stand in the terminal once the screen is left, after this Session (empty for none)."""
        self.shown_session = session_id
        self.afterwards += lines

    async def action_quit(self) -> None:
        """Leave as Ctrl+D does."""
        if self.screen is self.conversation:
            self.conversation.action_leave()

    def action_give_up(self) -> None:
        """Close the question or panel that is on top, else do what Ctrl+C does in a conversation."""
        covered = self.screen_stack[-2:-1] if isinstance(self.screen, TooSmall) else []
        match covered[0] if covered else self.screen:
            case Choice() as choice:
                choice.give_up()
            case Modal() as modal:
                modal.dismiss()
            case Conversation() as conversation:
                conversation.give_up()
            case _:
                self.stop_now()

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Tell something for a moment, also where only a sentence has room, and where no screen is left."""
        super().notify(message, title=title, severity=severity, timeout=timeout, markup=markup)
        for top in self.screen_stack[-1:]:
            if isinstance(top, TooSmall):
                top.tell(message)

    def action_redraw(self) -> None:
        """Draw everything anew, over whatever another program has written there."""
        self._say("\x1b[2J")
        self.screen.refresh(layout=True)

    def action_mouse(self) -> None:
        """Leave the mouse to the terminal, or take it again."""
        if self.terminal is not None:
            self._has_mouse = not self._has_mouse
            self.terminal.use_mouse(self._has_mouse)
            code = "screen.mouse_on" if self._has_mouse else "screen.mouse_off"
            self.notify(self.ui.text(code), timeout=3, markup=False)

    def on_resize(self, event: events.Resize) -> None:
        """Say so where there is no room for anything else."""
        top = self.screen
        if not is_too_small(event.size):
            if isinstance(top, TooSmall):
                top.dismiss()
        elif self.is_ending:
            return  # nobody would take it away again
        elif not isinstance(top, TooSmall) or top.goes:
            self.push_screen(TooSmall(self.ui))

    def on_terminal_background(self, event: Terminal.Background) -> None:
        """Take the theme that fits what the terminal has said, unless the user has chosen one."""
        self._told_dark = event.is_dark
        if event.is_dark != self.look.is_dark and not self.look.is_chosen:
            self.look.is_dark = event.is_dark
            self._use_colours()
            self.conversation.transcript.relook()
            self.screen.refresh(layout=True)

    def on_terminal_gone(self) -> None:
        """End with the terminal."""
        self._on_hang_up(EXIT_HANGUP)

    def on_terminal_signal_resume(self) -> None:
        """Draw everything anew when the user comes back."""
        self.action_redraw()

    def _use_colours(self) -> None:
        """Register the themes and use the one that fits; where no colour is wanted, none is written."""
        from textual.filter import NoColor

        from yeaft.interfaces.tui.legible import Legible

        for theme in themes():
            self.register_theme(theme)
        self.theme = self.look.theme
        self.set_class(self.look.is_plain, "-plain")
        self.no_color = self.look.colours == "none"
        self._filters = [Legible(self.look), *([NoColor()] if self.no_color else [])]

    def _say(self, sequence: str) -> None:
        """Send something to the terminal that is no drawing."""
        if self._driver is not None and not self._driver.is_headless:
            self._driver.write(sequence)

    def _fatal_error(self) -> None:
        """Write what went wrong into a file, and end; the user is told where it stands."""
        self._crashed(self._exception)

    def panic(self, *renderables: object) -> None:
        """End after an error that Textual has caught."""
        del renderables
        self._crashed(self._exception)

    def _crashed(self, error: BaseException | None) -> None:
        if isinstance(error, WorkerFailed):
            error = error.error
        path = write_crash(self.start.home, error) if error is not None else None
        what = f"{type(error).__name__}: {error}" if error is not None else "?"
        code = "screen.crashed" if path else "screen.crashed_unwritten"
        self.leave_from("", self.ui.text(code, error=what, path=str(path or "")))
        self.exit(EXIT_FAILED)


def _loaded() -> type[Sittings]:
    """Load all that a Session needs."""
    from yeaft.interfaces.tui.sittings import Sittings

    return Sittings
