"""The draft with all that belongs to it: keys in, messages out; the parts are drawn by widgets of their own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.message import Message

from yeaft.config.keys import KEYS
from yeaft.events.codec import Recorded
from yeaft.events.session import MessageSettled, RosterChanged
from yeaft.events.turn import TurnEnded, TurnStarted
from yeaft.interfaces.tui.composer.bursts import QUIET_S, Bursts
from yeaft.interfaces.tui.composer.chips import Chips
from yeaft.interfaces.tui.composer.doing import Doing
from yeaft.interfaces.tui.composer.errands import clipboard_file, edit_draft
from yeaft.interfaces.tui.composer.field import Field
from yeaft.interfaces.tui.composer.history import History
from yeaft.interfaces.tui.composer.keeping import Keeping
from yeaft.interfaces.tui.composer.later import Later
from yeaft.interfaces.tui.composer.pasted_files import files_in
from yeaft.interfaces.tui.composer.placeholder import placeholders
from yeaft.interfaces.tui.composer.popup import Popup
from yeaft.interfaces.tui.composer.queue_list import QueueList
from yeaft.interfaces.tui.composer.queueing import Queued
from yeaft.interfaces.tui.composer.session_side import SessionSide
from yeaft.interfaces.tui.composer.terminal_keys import NEW_LINE_KEYS, learn_keys, typed_text
from yeaft.interfaces.tui.composer.writing import Writing
from yeaft.interfaces.tui.panels.bound import bound
from yeaft.kernel.errors import YeaftError

if TYPE_CHECKING:
    from textual import events, getters
    from textual.app import App, ComposeResult

    from yeaft.events.codec import Transient
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.dialogue import Dialogue
    from yeaft.interfaces.tui.composer.completing import Completing
    from yeaft.interfaces.tui.composer.rows import Rows
    from yeaft.interfaces.tui.look import Look
    from yeaft.prompts.ui import Ui

AREA = "composer."
OUTLOOK_AFTER_S = 0.1
PREFIX, PREFIXED_EDITOR = "ctrl+x", ("ctrl+e", "e")


class Composer(Vertical, can_focus=True, can_focus_children=False):
    """Where the user writes. Holds nothing of the Session; what is written is kept on disk until it is said."""

    if TYPE_CHECKING:
        app = getters.app(App[int])  # textual leaves open what its App returns

    DEFAULT_CSS = """
    Composer { height: auto; padding-left: 1; }
    """
    BINDINGS = [bound(key, f"do('{key.removeprefix(AREA)}')") for key in KEYS if key.startswith(AREA)]

    class Sent(Message):
        """The user wants to say `text`, or it is an order; `files` go along, `to` are those chosen to answer."""

        def __init__(self, text: str, files: tuple[Path, ...] = (), to: tuple[str, ...] = ()) -> None:
            super().__init__()
            self.text = text
            self.files = files
            self.to = to

    def __init__(self, look: Look, ui: Ui) -> None:
        super().__init__()
        learn_keys()
        self._ui = ui
        self._writing = Writing(ui)
        self._bursts = Bursts()
        self._doing = Doing(self, self._writing)
        self._has_prefix = False
        self.keeping = Keeping(self._writing, lambda: self._begun, self.set_timer)
        self._begun: SessionSide | None = None
        self._looking = Later(OUTLOOK_AFTER_S, self.set_timer, self._look)
        self._popup = Popup(look, ui)
        self._queue_list = QueueList(look, ui)
        self._chips = Chips(look, ui)
        self._field = Field(look, ui, self._writing.draft)
        self._field.placeholders = placeholders(ui)

    def compose(self) -> ComposeResult:
        """Return the parts from top to bottom."""
        yield self._popup
        yield self._queue_list
        yield self._chips
        yield self._field

    @property
    def text(self) -> str:
        """What is written, pastes written out."""
        return self._writing.draft.whole

    @property
    def files(self) -> tuple[Path, ...]:
        """What goes along."""
        return self._writing.files

    @property
    def is_empty(self) -> bool:
        """Whether nothing is written."""
        return self._writing.is_empty and self._writing.search is None and not self._bursts.held

    def on_unmount(self) -> None:
        """Keep the draft for the next time, with what has come of a burst by now."""
        if (over := self._bursts.over()) is not None:
            self._writing.editing.paste(over.text)
        self.keeping.now()

    def attach(self, here: Opened, dialogue: Dialogue) -> None:
        """Write to this Session from now on."""
        self._doing.side = side = SessionSide(here, dialogue, self._ui, self._show_popup)
        self.run_worker(self._begin(side), exit_on_error=True)

    def detach(self) -> None:
        """Let go of the Session; what is written stays, until it is known which one follows."""
        self.keeping.now()
        self._doing.side = self._begun = None
        self._show_popup()
        self._chips.show(None, self._writing.files)

    def hear(self, heard: Recorded | Transient) -> None:
        """Take in one event: it may be time for what is queued, and others may answer."""
        match heard:
            case Recorded(event=TurnEnded(outcome="aborted")) if self._writing.queue.items:
                self._writing.queue.is_paused = True
            case Recorded(event=MessageSettled()):
                self.call_later(self._say_next)
            case Recorded(event=TurnStarted() | TurnEnded() | RosterChanged()):
                pass
            case _:
                return
        self._looking.soon()

    def put_back(self, messages: Sequence[Sent]) -> None:
        """Let the user edit again what was not said: the first one, and what waits behind a draft is in the queue."""
        items = [Queued(text=one.text, files=tuple(map(str, one.files)), to=one.to) for one in messages]
        if items and self._writing.is_empty:
            self._writing.put(items.pop(0))
        for item in reversed(items):
            self._writing.queue.return_first(item)
        self.changed()

    def offer(self, text: str) -> bool:
        """Have `text` as the draft, unless something is written; say whether it is the draft now."""
        if not self._writing.is_empty:
            return False
        self._writing.put(Queued(text=text))
        self.changed()
        return True

    def attach_files(self, files: Sequence[Path]) -> None:
        """Let files go along with the draft."""
        self._writing.attach(files)
        self.changed()

    def clear(self) -> bool:
        """Give up what is written, undoably; False if nothing is."""
        self._flush()
        if self.close_overlay():
            return True
        if self._writing.is_empty and not self._writing.draft.text:
            return False
        self._writing.draft.replace_all("")
        self._writing.files, self._writing.to = (), ()
        self._writing.history.leave()
        self.changed()
        return True

    def close_overlay(self) -> bool:
        """Close the search or the popup, whichever is on top; False if neither is open."""
        if self._writing.search is not None:
            self._writing.end_search(takes=False)
            self.changed()
            return True
        side = self._doing.side
        return side is not None and side.completing.close()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave keys to others where they would do nothing here."""
        return action != "do" or not parameters or self._doing.is_for_us(str(parameters[0]))

    def action_do(self, name: str) -> None:
        """Do what the binding `composer.NAME` stands for."""
        self._flush()
        self._doing.do(name)

    async def on_key(self, event: events.Key) -> None:
        """Take a key, in the order in which keys were pressed, whatever it is bound to."""
        if self._has_prefix:
            self._has_prefix = False
            if event.key in PREFIXED_EDITOR:
                event.stop()
                self.action_do("editor")
                return
        character = typed_text(event.key, event.character)
        if character and not self._is_question(event):
            event.stop()
            event.prevent_default()
            self._type(character, event.time)
            return
        name = "newline" if event.key in NEW_LINE_KEYS else self._bound_to(event.key)
        if name in ("send", "newline") and self._held("\n", event.time):
            event.stop()
            return
        self._flush()
        name = name or self._bound_to(event.key)  # what was flushed may have given it a meaning
        if event.key == PREFIX:
            self._has_prefix = True
        elif name is None or not self._doing.is_for_us(name):
            return
        else:
            self._doing.do(name)
        event.stop()
        event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """Put a paste in, or let files go along whose paths it holds."""
        event.stop()
        self._flush()
        self._paste(event.text)

    def on_field_clicked(self, message: Field.Clicked) -> None:
        """Set the caret, or select up to there."""
        message.stop()
        self.focus()
        self._writing.editing.place(message.at, selects=message.selects)
        self.changed(is_text=False)

    def follow(self) -> None:
        """Move the cursor to the caret if the layout has moved that; for after something was drawn."""
        if self.is_attached and self._field.place_cursor():
            self._field.refresh()

    def on_focus(self) -> None:
        """Move the cursor here."""
        self._field.show()

    @property
    def rows(self) -> Rows:
        """The rows of what is edited."""
        return self._field.rows

    def changed(self, *, is_text: bool = True) -> None:
        """Draw what was done to the draft, and see to what follows from it."""
        writing, side = self._writing, self._doing.side
        self._field.editing = writing.editing
        searching = writing.search is not None
        if not writing.editing.text and self.is_attached:
            self._field.placeholders = (self._ui.text("composer.search"),) if searching else self._placeholders()
        self._field.show()
        self._queue_list.show(writing.queue)
        if side is not None and not searching:
            if writing.history.is_walking:
                side.completing.close()
            elif is_text or side.completing.candidates:
                self._complete(side.completing)
        self._show_popup()
        if is_text:
            self._looking.soon()
            self.keeping.soon()

    def _complete(self, completing: Completing) -> None:
        draft = self._writing.draft
        if place := completing.update(draft.text, draft.caret):
            self.run_worker(completing.files(place))

    def send(self, item: Queued) -> None:
        """Say it, and keep it in the history."""
        self.post_message(self.Sent(item.text, tuple(map(Path, item.files)), item.to))
        side = self._doing.side
        if side is not None:
            self.run_worker(side.remember(item.text))

    def run_errand(self, name: str) -> None:
        """Begin what takes its time."""
        self.run_worker(self._errand(name))

    async def _begin(self, side: SessionSide) -> None:
        """Take up the history and the draft that were kept for a Session."""
        entries, kept = await side.read()
        left_behind = await self.keeping.left_behind(side)
        if side is not self._doing.side:
            return
        if left_behind == self._writing.kept().draft:
            self._writing.clear()
        self._writing.history = History(entries)
        self._writing.restore(kept)
        self._begun = side
        self.changed()

    async def _errand(self, name: str) -> None:
        side = self._doing.side
        environ = side.environ if side is not None else os.environ
        try:
            if name == "editor":
                await edit_draft(self._writing.draft, environ, self.app)
            else:
                self._writing.attach((await clipboard_file(environ),))
        except YeaftError as error:
            self.app.notify(self._ui.retold(str(error)), severity="error", markup=False)
        self.changed()

    def _type(self, character: str, at_s: float) -> None:
        """Put a character in, or hold it if it comes with a burst."""
        if not self._held(character, at_s):
            self._writing.editing.insert(character)
            self._doing.edited()
            self.changed()

    def _held(self, character: str, at_s: float) -> bool:
        """Whether a key is a part of a paste that comes as keys; the end of one is waited for."""
        had_none = not self._bursts.held
        taken_back = self._bursts.takes(character, at_s)
        if taken_back is None:
            return False
        self._writing.editing.take_back(taken_back)
        if had_none:
            self._wait_for_quiet()
        return True

    def _wait_for_quiet(self) -> None:
        seen = len(self._bursts.held)

        def check() -> None:
            if len(self._bursts.held) != seen and self._bursts.held:
                self._wait_for_quiet()
            else:
                self._flush()

        self.set_timer(QUIET_S, check)

    def _flush(self) -> None:
        """Put in what has come as a burst."""
        over = self._bursts.over()
        if over is None:
            return
        self._paste(over.text)
        if over.is_sent:
            self._doing.do("send")

    def _paste(self, text: str) -> None:
        side = self._doing.side
        files = files_in(text, side.folder, side.environ) if side and self._writing.search is None else ()
        if files:
            self._writing.attach(files)
        else:
            self._writing.editing.paste(text)
            self._doing.edited()
        self.changed()

    def _placeholders(self) -> tuple[str, ...]:
        keys = [(found.binding.id or "", key) for key, found in self.screen.active_bindings.items()]
        return placeholders(self._ui, keys)

    def _bound_to(self, key: str) -> str | None:
        """Return the name of our binding for a key, as the keys are bound now."""
        found = self.screen.active_bindings.get(key)
        if found is None or found.node is not self:
            return None
        return (found.binding.id or "").removeprefix(AREA) or None

    def _is_question(self, event: events.Key) -> bool:
        """Whether `?` asks for help: nothing is written, and somebody listens to it."""
        return event.key == "question_mark" and self.is_empty and event.key in self.screen.active_bindings

    def _show_popup(self) -> None:
        search, side = self._writing.search, self._doing.side
        if search is not None:
            self._popup.show(search.candidates(), search.chosen)
        elif side is not None:
            self._popup.show(side.completing.candidates, side.completing.chosen)
        else:
            self._popup.show((), 0)

    def _look(self) -> None:
        """Find out who will answer."""
        writing, side = self._writing, self._doing.side
        found = (
            side.outlook(writing.draft.whole, writing.to, has_files=bool(writing.files)) if side is not None else None
        )
        self._chips.show(found, writing.files)

    def _say_next(self) -> None:
        """Say the first message that waits, if nothing runs any more."""
        side = self._doing.side
        if side is None or side.dialogue.is_busy or side.dialogue.is_saying:
            return
        if (item := self._writing.queue.next()) is not None:
            self.send(item)
            self.changed()
