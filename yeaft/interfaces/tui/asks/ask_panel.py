"""The question that is looked at, above the draft, until it is answered or the user goes back to writing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input

from yeaft.events.ops import Answer
from yeaft.interfaces.tui.asks.allowed import ACTIONS, Situation, is_allowed
from yeaft.interfaces.tui.asks.answers import in_words, picked
from yeaft.interfaces.tui.asks.ask_face import AskFace
from yeaft.interfaces.tui.asks.ask_words import void, waiting, who
from yeaft.interfaces.tui.asks.asking import Asking
from yeaft.interfaces.tui.asks.guard import Guard
from yeaft.interfaces.tui.asks.hints import Standing
from yeaft.interfaces.tui.asks.open_asks import Gone, OpenAsks
from yeaft.interfaces.tui.panels.bound import bound

if TYPE_CHECKING:
    from textual import events, getters
    from textual.app import App, ComposeResult
    from textual.binding import BindingType
    from textual.timer import Timer

    from yeaft.events.call import AskOpened, Decision
    from yeaft.events.codec import Recorded, Transient
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.tui.look import Look
    from yeaft.prompts.ui import Ui


def _no_step(_: AskOpened) -> str:
    return ""


class AskPanel(Vertical, can_focus=True):
    """Shows a question as long as one is open, and takes the keys that answer it; `has_draft` says that one is begun.

    It takes the focus only from a user who is not writing, and keys only once they can be meant for it.
    """

    if TYPE_CHECKING:
        app = getters.app(App[int])  # textual leaves open what its App returns

    DEFAULT_CSS = """
    AskPanel { height: auto; display: none; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [bound(key_id, action) for key_id, action in ACTIONS.items()]

    class Answered(Message):
        """The user has decided; `continues` is the turn that has to be taken up for it, if nobody waits."""

        def __init__(self, answer: Answer, continues: str = "") -> None:
            super().__init__()
            self.answer = answer
            self.continues = continues

    class Emptied(Message):
        """No question is open any more, or the user goes back to the draft."""

    def __init__(self, look: Look, ui: Ui, has_draft: Callable[[], bool] = lambda: False) -> None:
        super().__init__()
        self.step_of: Callable[[AskOpened], str] = _no_step
        self._look = look
        self._ui = ui
        self._has_draft = has_draft
        self._asks = OpenAsks()
        self._guard = Guard()
        self._asking: Asking | None = None
        self._here: Opened | None = None
        self._is_left = False
        self._is_on_purpose = False
        self._sent: set[str] = set()
        self._quiet: Timer | None = None
        self._face = AskFace(look, ui)
        self._view = self._face.view

    def compose(self) -> ComposeResult:
        """Return what can be seen of it."""
        yield self._face

    @property
    def is_open(self) -> bool:
        """Whether there is a question to answer."""
        return len(self._asks) > 0

    @property
    def is_written(self) -> bool:
        """Whether words are being typed here."""
        return self._face.words is not None and self.has_focus_within

    def attach(self, here: Opened) -> None:
        """Show the questions of this Session from now on."""
        self._here = here
        self._asks = OpenAsks(here.state.open_asks.values())
        self._show()

    def detach(self) -> None:
        """Let go of the Session."""
        self._here, self._asks = None, OpenAsks()
        self._show()

    def hear(self, heard: Recorded | Transient) -> None:
        """Take in one event."""
        shown = self._asks.current
        found = self._asks.hear(heard)
        if found is None:
            return
        ask, gone = found
        if gone is not None:
            self._tell_gone(ask, gone)
        elif self.app.screen is not self.screen:
            self.notify(waiting(ask, self._ui, self.step_of(ask)), markup=False)
        if self._asks.current is not shown:
            self._show()
        else:
            self._draw()

    def note_key(self) -> None:
        """Note that a key was pressed, wherever it went: who types is left alone."""
        now_s = time.monotonic()
        self._guard.pressed(now_s)
        if self.is_open and not self._is_left and self._quiet is None and not self.has_focus_within:
            self._quiet = self.set_timer(self._guard.typing_s(now_s), self._offer)

    def answer(self) -> None:
        """Go to the question, because the user wants to."""
        if self.is_open:
            self._is_left = False
            self._is_on_purpose = not self.has_focus
            self._guard.entered()
            self.focus()
            self._draw()
            self._write_at_once()

    def resumed(self) -> None:
        """Be careful again: what lay above the conversation is gone."""
        self._be_careful()
        self._offer()

    def on_focus(self) -> None:
        """Take keys from now on, or soon."""
        if not self._is_on_purpose:
            self._be_careful()
        self._is_on_purpose = False
        self._draw()

    def on_blur(self) -> None:
        """Say how to come back."""
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        """Break lines anew."""
        del event
        self._draw()

    def on_key(self, event: events.Key) -> None:
        """Swallow keys that came too soon; pick an option by its number."""
        ask, is_ready = self._asks.current, self._guard.is_ready(time.monotonic())
        is_choice = ask is not None and ask.kind != "approval" and self._face.words is None
        is_number = is_choice and event.key.isdecimal()
        if is_number or not is_ready:
            event.stop()
            event.prevent_default()
        if not is_ready:
            self._be_careful()
        elif is_number and 0 < int(event.key) <= self._face.options.count:
            self._pick(int(event.key))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Answer with words: of a question, or as the reason for a no."""
        event.stop()
        ask = self._asks.current
        answer = in_words(ask, event.value) if ask is not None else None
        if answer is not None:
            self._send(answer)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Allow what makes sense for the question that is shown."""
        if self._asking is None:
            return False
        now = Situation(
            count=len(self._asks), is_written=self._face.words is not None, is_choosing=self._view.cursor >= 0
        )
        return is_allowed(action, parameters, self._asking, now)

    def action_decide(self, decision: Decision) -> None:
        """Say yes to what is taken of the call that is shown."""
        ask, asking = self._asks.current, self._asking
        if ask is None or asking is None or ask.ask_id in self._sent:
            return
        self._sent.add(ask.ask_id)
        self.run_worker(self._say_yes(asking, decision), exit_on_error=True)

    def action_deny(self) -> None:
        """Let the user give a reason for a no."""
        self._write()

    def action_edit(self) -> None:
        """Let the user write what is proposed otherwise, in an editor."""
        if self._asking is not None:
            self.run_worker(self._edit(self._asking), exit_on_error=True)

    def action_hunks(self) -> None:
        """Begin or end to choose hunk by hunk."""
        if self._asking is not None and self._asking.taking is not None:
            taking = self._asking.taking
            self._view.choose(taking, -1 if self._view.cursor >= 0 or not taking.hunks else 0)
            self._draw()

    def action_split(self) -> None:
        """Show old and new side by side or one above the other."""
        self._view.wants_split = not self._view.wants_split
        self._view.lay_out()
        self._draw()

    def action_take(self) -> None:
        """Apply the hunks that are taken, or answer with what is marked."""
        if self._view.cursor >= 0:
            self.action_decide("once")
        else:
            self._pick(None)

    def action_mark(self) -> None:
        """Take or leave the hunk one stands at, or mark an option."""
        taking = self._asking.toggled(self._view.cursor) if self._asking is not None else None
        if taking is not None:
            self._view.choose(taking, self._view.cursor)
        else:
            self._face.options.mark()

    def action_move(self, by: int) -> None:
        """Go to the next hunk or option, or scroll."""
        ask, taking = self._asks.current, self._asking.taking if self._asking else None
        if self._view.cursor >= 0 and taking is not None:
            self._view.choose(taking, (self._view.cursor + by) % len(taking.hunks))
        elif ask is not None and ask.kind != "approval":
            self._face.options.move(by)
        else:
            self._view.scroll_relative(y=by, animate=False)

    def action_page(self, by: int) -> None:
        """Scroll a page."""
        self._view.scroll_relative(y=by * max(1, self._view.size.height - 1), animate=False)

    def action_go(self, by: int) -> None:
        """Look at another question."""
        self._asks.move(by)
        self._show()
        self._guard.entered()

    def action_later(self) -> None:
        """Stop writing words or choosing hunks; else go back to the draft and leave the question open."""
        if self._face.words is not None:
            self._stop_writing()
            self.focus()
        elif self._view.cursor >= 0:
            self.action_hunks()
        else:
            self._is_left = True
            self._draw()
            self.post_message(self.Emptied())

    def _show(self) -> None:
        """Show the question that is to be looked at now."""
        ask = self._asks.current
        had_focus = self.has_focus_within
        self._stop_writing()
        if ask is None or self._here is None:
            self._asking, self._is_left = None, False
            self._draw()
            if had_focus:
                self.post_message(self.Emptied())
            return
        self._asking = asking = Asking(ask, self._here, self._look, self._ui)
        self._face.begin(asking)
        self._be_careful()
        self.run_worker(self._look_into(asking), exclusive=True, group="proposal", exit_on_error=True)
        if had_focus:
            self.focus()
        self._draw()
        self._offer()

    async def _look_into(self, asking: Asking) -> None:
        if await asking.propose():
            await self._renew(asking)

    async def _say_yes(self, asking: Asking, decision: Decision) -> None:
        answer = await asking.yes(decision)
        if isinstance(answer, Answer):
            self._send(answer)
            return
        self._sent.discard(asking.ask.ask_id)
        self.notify(answer, severity="warning", markup=False)
        self._be_careful()
        await self._renew(asking)

    async def _edit(self, asking: Asking) -> None:
        problem = await asking.edit(self._view.cursor, self.app)
        if problem:
            self.notify(problem, severity="error", markup=False)
        self.app.refresh(layout=True)
        self._be_careful()
        await self._renew(asking)

    async def _renew(self, asking: Asking) -> None:
        """Show what a call would change from the top, and then in colour."""
        if asking is self._asking:
            self._face.anew(asking)
            self._draw()
            found = await asking.highlights()
            if asking is self._asking:
                self._view.colour(found)

    def _send(self, answer: Answer) -> None:
        """Answer once, however often a key is pressed."""
        self._sent.add(answer.ask_id)
        self._stop_writing()
        self.focus()
        asking = self._asking
        is_left_open = asking is not None and asking.ask.ask_id == answer.ask_id and not asking.is_waited_for
        self.post_message(self.Answered(answer, asking.ask.turn_id if asking is not None and is_left_open else ""))

    def _pick(self, number: int | None) -> None:
        ask = self._asks.current
        if ask is None or ask.ask_id in self._sent:
            return
        answer = picked(ask, self._face.options.picked(number))
        if answer is None:
            self._write()
        else:
            self._send(answer)

    def _write(self) -> None:
        self._face.write()
        self._draw()

    def _write_at_once(self) -> None:
        """Let the user write where a question has nothing to choose from."""
        ask = self._asks.current
        if ask is not None and ask.kind == "question" and self.has_focus_within:
            self._write()

    def _stop_writing(self) -> None:
        if self._face.stop_writing():
            self._draw()

    def _offer(self) -> None:
        """Take the focus as soon as the user neither writes nor looks at something else."""
        self._quiet = None
        if self._asking is None or not self._asking.is_waited_for or self._is_left or self.has_focus_within:
            return
        if self.app.screen is not self.screen:
            return
        left_s = self._guard.typing_s(time.monotonic())
        if left_s > 0:
            self._quiet = self.set_timer(left_s, self._offer)
        elif not self._has_draft():
            self.focus()

    def _be_careful(self) -> None:
        """Take no key for a moment."""
        now_s = time.monotonic()
        self._guard.appeared(now_s)
        self.set_timer(self._guard.left_s(now_s) + 0.01, self._become_ready)

    def _become_ready(self) -> None:
        if self._guard.is_ready(time.monotonic()):
            self._write_at_once()
            self._draw()

    def _tell_gone(self, ask: AskOpened, gone: Gone) -> None:
        """Say what became of a question that was not answered here."""
        if ask.ask_id in self._sent:
            self._sent.discard(ask.ask_id)
        elif gone != "headless":
            self.notify(void(ask, gone, self._ui, self.step_of(ask)), markup=False)

    def _draw(self) -> None:
        ask, asking, here = self._asks.current, self._asking, self._here
        self.display = ask is not None
        if ask is None or asking is None or here is None:
            return
        stands = Standing(
            has_focus=self.has_focus_within,
            is_ready=self._guard.is_ready(time.monotonic()),
            is_left=self._is_left,
            is_written=self._face.words is not None,
            can=lambda action, parameter: bool(self.check_action(action, (parameter,))),
        )
        name = who(ask, self._asks.number, len(self._asks), self._look, self._ui, step=self.step_of(ask))
        self._face.draw(name, asking, here.config.keys, stands)
