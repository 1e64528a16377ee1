"""The screen of one Session: what happens is drawn, what the user does becomes ops."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from yeaft.events.codec import Recorded
from yeaft.events.ops import AnyOp, Close, ContinueTurn, Interrupt, SetMode
from yeaft.interfaces.line.telling import what_came
from yeaft.interfaces.orders import MODES, Deed, Leave
from yeaft.interfaces.tui.asks.ask_panel import AskPanel
from yeaft.interfaces.tui.composer.composer import Composer
from yeaft.interfaces.tui.deeds import done
from yeaft.interfaces.tui.frames import Frames
from yeaft.interfaces.tui.ladder import Ladder
from yeaft.interfaces.tui.lane_bar import LaneBar
from yeaft.interfaces.tui.lanes import lanes
from yeaft.interfaces.tui.leaving import Leaving
from yeaft.interfaces.tui.notifying import Notifying
from yeaft.interfaces.tui.outbox import Outbox
from yeaft.interfaces.tui.panels.bound import bound, first_bound
from yeaft.interfaces.tui.panels.opener import PANEL_KEYS, Panels
from yeaft.interfaces.tui.program import Noted, Program
from yeaft.interfaces.tui.prompt_screen import PromptScreen
from yeaft.interfaces.tui.run_bar import RunBar
from yeaft.interfaces.tui.scene import Scene
from yeaft.interfaces.tui.status_line import StatusLine
from yeaft.interfaces.tui.transcript.keys import TRANSCRIPT_KEYS
from yeaft.interfaces.tui.transcript.transcript import Transcript
from yeaft.kernel.errors import YeaftError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.timer import Timer

    from yeaft.events.codec import Transient
    from yeaft.events.session import NoticePosted
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.dialogue import Dialogue
    from yeaft.interfaces.runs.run_view import Visit
    from yeaft.interfaces.tui.blocks import Lane
    from yeaft.interfaces.tui.look import Look
    from yeaft.prompts.ui import Ui

TICK_S = 1.0
"""So often clocks and countdowns are drawn while something runs; while nothing does, nothing is."""


class Conversation(PromptScreen):
    """Draws one Session once `converse` has given it; until then there is only the draft."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *TRANSCRIPT_KEYS,
        *PANEL_KEYS,
        bound("screen.stop", "stop"),
        first_bound("screen.leave", "leave"),
        first_bound("screen.mode", "next_mode"),
        first_bound("ask.open", "answer"),
        first_bound("screen.next_lane", "next_lane"),
        *(first_bound(f"screen.lane_{number}", f"lane({number})") for number in range(1, 10)),
    ]

    def __init__(self, look: Look, ui: Ui, notifying: Notifying, program: Program) -> None:
        super().__init__()
        self._ui = ui
        self._notifying = notifying
        self._program = program
        self._here: Opened | None = None
        self._dialogue: Dialogue | None = None
        self._scene: Scene | None = None
        self._leaving: Leaving | None = None
        self._is_due = False
        self._frames = Frames()
        self._ticking: Timer | None = None
        self._outbox = Outbox(self, ui)
        self._ladder = Ladder()
        self._escapes = Ladder()
        self.transcript = Transcript(look, ui)
        self.lane_bar = LaneBar(look, ui)
        self.run_bar = RunBar(look, ui)
        self.ask_panel = AskPanel(look, ui, lambda: not self.composer.is_empty)
        self.composer = Composer(look, ui)
        self.status_line = StatusLine(look, ui)
        self.panels = Panels(self, look, ui, program.open, self.do)
        self.panels.retheme = program.retheme
        self.panels.seek = self.transcript.reading.seek
        self.transcript.reading.show_text = self.panels.show_text
        self.transcript.reading.show_pictures = self.panels.show_pictures

    def compose(self) -> ComposeResult:
        """Return the widgets from top to bottom."""
        yield self.transcript
        yield self.lane_bar
        yield self.run_bar
        yield self.ask_panel
        yield self.composer
        yield self.status_line

    def on_mount(self) -> None:
        """Let the user write at once."""
        self.composer.focus()

    async def converse(self, here: Opened, dialogue: Dialogue, first: str = "", notes: Sequence[Noted] = ()) -> Leave:
        """Draw a Session until the user leaves it; return how.

        `first` is said at once, and then what the user wanted to say before the Session was open. `notes` stand below
        the remarks of the Session.
        """
        self._here, self._dialogue = here, dialogue
        self._scene = Scene(here.state, self._noticed)
        self._leaving = Leaving(here, dialogue, self._ui, self._program.ask, self.status_line.tell)
        for code, params in (*here.remarks, *dialogue.left_open(), *notes):
            self._scene.remark(code, here.ui.text(code, **params))
        self.transcript.attach(here)
        dialogue.graphs.hear, self.ask_panel.step_of = self._hear_run, dialogue.graphs.of_ask
        self.ask_panel.attach(here)
        self.composer.attach(here, dialogue)
        self.panels.attach(here, dialogue)
        here.listen(self._hear)
        self.status_line.tell("")
        self._draw()
        self._outbox.open(dialogue, *((Composer.Sent(first),) if first.strip() else ()))
        left = await self._leaving.left()
        self._outbox.close()
        self.status_line.tell(self._ui.text("leaving.ending"))
        here.approvals.leave()
        await dialogue.graphs.ended()
        here.session.send(Close())
        await here.session.idle()
        return left

    def detach(self) -> None:
        """Let go of the Session that was drawn: it is closed. What could not be said goes back into the draft."""
        self._program.uncover()
        self._here = self._dialogue = self._scene = self._leaving = None
        self._outbox.take_back()
        self.composer.detach()
        self.panels.detach()
        self.ask_panel.detach()
        self._tick_while(False)
        self.lane_bar.show((), "")
        self.run_bar.show(())
        self.status_line.tell("")

    def on_transcript_wants_older(self) -> None:
        """Show what lies back."""
        if self._scene is not None:
            self.transcript.prepend(self._scene.older())

    def on_transcript_left(self) -> None:
        """Go back to the draft."""
        self.composer.focus()

    def action_transcript(self, verb: str) -> None:
        """Scroll the transcript, search it, or look at it in another way."""
        self.transcript.reading.does(verb)

    def on_ask_panel_answered(self, message: AskPanel.Answered) -> None:
        """Tell the Session what the user has decided, and let go on what was left waiting for it."""
        ask = self._here.state.open_asks.get(message.answer.ask_id) if self._here is not None else None
        self.ask_for(message.answer)
        if self._dialogue is not None and ask is not None and self._dialogue.graphs.go_on_from(ask):
            return
        if message.continues:
            self.ask_for(ContinueTurn(turn_id=message.continues))

    def on_ask_panel_emptied(self) -> None:
        """Go back to the draft."""
        self.composer.focus()

    def on_lane_bar_watched(self, message: LaneBar.Watched) -> None:
        """Watch the lane that was clicked."""
        self._watch(message.vp_id)

    def on_composer_sent(self, message: Composer.Sent) -> None:
        """Say it, or do what it orders; as soon as the Session is open, if it is not yet."""
        self._ladder.forget()
        self._outbox.put(message)
        if not self._outbox.is_open:
            self.status_line.tell(self._ui.text("screen.sent_soon" if self._here is None else "leaving.ending"))

    def complain(self, error: YeaftError) -> None:
        """Say what went wrong, in the user's language."""
        self.notify(self._ui.retold(str(error)), severity="error", markup=False)

    def remark(self, code: str, **params: str) -> None:
        """Let a sentence stand in the transcript that the Session knows nothing of."""
        if self._scene is not None:
            self._scene.remark(code, self._ui.text(code, **params))
            self._soon()

    def offer(self, text: str) -> bool:
        """Put a text into the draft, unless the user has written something; say whether it stands there."""
        return self.composer.offer(text)

    def leave(self, how: Leave) -> None:
        """Leave the Session; ask first if that would stop anything. Before it is open there is nothing to ask."""
        if self._leaving is not None:
            self._leaving.want(how)
        else:
            self._program.stop_now()

    def leave_now(self) -> None:
        """Leave for good without asking, and stop what runs."""
        if self._leaving is not None:
            self._leaving.now(Leave())

    def action_stop(self) -> None:
        """Stop the VP that is watched; twice while nobody works, look at what can be gone back to."""
        if self._leaving is not None and self._leaving.stay():
            self.status_line.tell("")
        elif self._outbox.take_back():
            return
        elif self._scene is not None and self._dialogue is not None and self._dialogue.is_busy:
            watched = self._scene.focus
            at_work = {lane.vp_id for lane in self._lanes()}
            self._stop(watched if watched in at_work else "")
        elif self._dialogue is not None and self._dialogue.is_held_up:
            self._stop("")
        elif self._dialogue is not None and self._dialogue.graphs.suspend():
            self._soon()
        elif self._escapes.again(time.monotonic()):
            self.look_back()

    def give_up(self) -> None:
        """Clear the draft; else stop all that runs; else, when pressed again, leave."""
        if self.composer.clear() or self._outbox.take_back():
            self._ladder.forget()
        elif self._dialogue is not None and (self._dialogue.can_be_stopped or self._dialogue.graphs.are_running):
            self._ladder.forget()
            self._stop("")
        elif self._ladder.again(time.monotonic()):
            self.leave(Leave())
        else:
            self.notify(self._ui.text("screen.leave_hint"), timeout=2, markup=False)

    def action_leave(self) -> None:
        """Leave."""
        self.leave(Leave())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let Ctrl+D be a key of the draft while there is anything in it, and keys of questions only mean those."""
        if action == "answer":
            return self.ask_panel.is_open
        if action == "transcript" and self.ask_panel.has_focus_within and set(parameters) & {"page_up", "page_down"}:
            return False
        if action == "next_mode" and self.ask_panel.is_written:
            return False
        return not (action == "leave" and self.composer.has_focus and not self.composer.is_empty)

    def action_answer(self) -> None:
        """Go to the question that is open."""
        self.ask_panel.answer()

    def on_screen_resume(self) -> None:
        """Let a question be careful with keys that were meant for what lay above."""
        self.ask_panel.resumed()

    def action_next_mode(self) -> None:
        """Let the next mode be in force."""
        if self._here is not None:
            modes = list(MODES.values())
            now = self._here.approvals.mode_of(self._here.state.default_vp or self._here.config.default_vp)
            self.ask_for(SetMode(mode=modes[(modes.index(now) + 1) % len(modes)]))

    def action_next_lane(self) -> None:
        """Watch the lane after the one that is watched."""
        vps = [lane.vp_id for lane in self._lanes()]
        if vps and self._scene is not None:
            at = vps.index(self._scene.focus) if self._scene.focus in vps else -1
            self._watch(vps[(at + 1) % len(vps)])

    def action_lane(self, number: int) -> None:
        """Watch the lane with this number, counted from 1."""
        vps = [lane.vp_id for lane in self._lanes()]
        if number <= len(vps):
            self._watch(vps[number - 1])

    def look_back(self) -> None:
        """Show what can be gone back to."""
        self.panels.open("rewind")

    def action_panel(self, name: str) -> None:
        """Open a panel."""
        self.panels.open(name)

    def _stop(self, vp_id: str) -> None:
        """Stop one VP, or all for an empty id, and say how to let it go on."""
        assert self._dialogue is not None
        is_busy, is_more = self._dialogue.is_busy, self._dialogue.can_be_stopped
        if vp_id:
            self.ask_for(Interrupt(vp_id=vp_id))
        else:
            self._dialogue.interrupt()
        self._soon()
        if not is_busy:
            if is_more:
                self.notify(self._ui.text("screen.stopped_rest"), markup=False)
            return  # runs of graphs tell themselves that they stand still
        whom = f"@{vp_id}" if vp_id else self._ui.text("screen.all_of_them")
        self.notify(self._ui.text("screen.stopped", vp=whom), markup=False)

    def _watch(self, vp_id: str) -> None:
        if self._scene is not None:
            self._scene.focus = vp_id
            self._soon()

    def _lanes(self) -> tuple[Lane, ...]:
        if self._here is None or self._scene is None or not self._here.session.has_begun:
            return ()
        return lanes(self._here.state, self._scene)

    def do(self, deed: Deed) -> None:
        """Do what an order or a panel asks for."""
        if self._here is not None and self._dialogue is not None:
            try:
                done(deed, self, self._here, self._dialogue)
            except YeaftError as error:
                self.complain(error)

    def ask_for(self, op: AnyOp) -> None:
        """Ask the Session for something, unless it is being left."""
        if self._dialogue is None or (self._leaving is not None and self._leaving.is_over):
            return  # it was meant for what is closed
        try:
            self._dialogue.ask_for(op)
        except YeaftError as error:
            self.complain(error)
        self._soon()

    def _hear(self, heard: Recorded | Transient) -> None:
        if self._scene is None:
            return
        self._scene.hear(heard)
        if isinstance(heard, Recorded) and (told := what_came(heard, self._ui)):
            self._scene.remark(heard.id, told)
        self.ask_panel.hear(heard)
        self.composer.hear(heard)
        self._notifying.hear(heard)
        self._soon()

    def _hear_run(self, visit: Visit | None) -> None:
        """Draw how far the runs of graphs are, here and in panels."""
        del visit
        self.panels.hear_run()
        self._soon()

    def _soon(self) -> None:
        """Draw with the next frame."""
        if not self._is_due:
            self._is_due = True
            self.set_timer(self._frames.wait_s(time.monotonic()), self._draw)

    def _draw(self) -> None:
        self._is_due = False
        self._frames.drawn(time.monotonic())
        if self._scene is None:
            return
        self.transcript.apply(self._scene.take())
        self._draw_lanes()

    def _draw_lanes(self) -> None:
        if self._scene is None or self._here is None or self._dialogue is None:
            return
        now = self._lanes()
        runs = self._dialogue.graphs.views
        self.lane_bar.show(now, self._scene.focus)
        self.run_bar.show(runs, self._here.state.open_asks.values())
        self.status_line.show(self._here, self._dialogue.wish)
        self._notifying.show(self._here, is_busy=bool(now or runs))
        if self._leaving is not None:
            self._leaving.look()  # with every tick: what follows an answer can end without an event
        self._tick_while(bool(now or runs or (self._leaving and self._leaving.is_waiting)))

    def _tick_while(self, runs: bool) -> None:
        """Let clocks go on while something runs, and only then."""
        if runs and self._ticking is None:
            self._ticking = self.set_interval(TICK_S, self._draw_lanes)
        elif not runs and self._ticking is not None:
            self._ticking.stop()
            self._ticking = None

    def _noticed(self, notice: NoticePosted) -> str:
        assert self._here is not None
        params = {name: self._ui.retold(value) for name, value in notice.params.items()}
        return self._ui.text(notice.code, session=self._here.state.session_id, **params)
