"""What the composer's keys do, by name: to the draft, the popup, the search, the history, the queue and the stash."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from yeaft.interfaces.tui.composer.edits import EDITS, EMPTY_PASSES
from yeaft.interfaces.tui.composer.queueing import Queued

if TYPE_CHECKING:
    from yeaft.interfaces.tui.composer.rows import Rows
    from yeaft.interfaces.tui.composer.session_side import SessionSide
    from yeaft.interfaces.tui.composer.writing import Writing

NOT_IN_SEARCH = frozenset({"newline", "queue", "stash", "palette", "complete", "expand", "paste_image", "editor"})


class Home(Protocol):
    """What deeds need of the screen they are done on."""

    @property
    def rows(self) -> Rows:
        """The rows of what is edited."""
        ...

    def changed(self, *, is_text: bool = True) -> None:
        """Draw what was done; `is_text` False means that only the caret moved."""
        ...

    def send(self, item: Queued) -> None:
        """Say it."""
        ...

    def run_errand(self, name: str) -> None:
        """Begin what takes its time: `editor` or `paste_image`."""
        ...


class Doing:
    """Does what a binding's name says. `side` is there once the Session is open."""

    def __init__(self, home: Home, writing: Writing) -> None:
        self.side: SessionSide | None = None
        self._home = home
        self._writing = writing
        self._goal: int | None = None
        self._is_aside = False
        self._deeds: Mapping[str, Callable[[], object]] = {
            "send": self._send,
            "newline": self._newline,
            "delete_left": self._delete_left,
            "up": lambda: self._vertical(-1),
            "down": lambda: self._vertical(1),
            "select_up": lambda: self._move_row(-1, selects=True),
            "select_down": lambda: self._move_row(1, selects=True),
            "complete": self._complete,
            "search": self._search,
            "queue": self._queue,
            "queue_up": lambda: writing.queue.move_last(-1),
            "queue_down": lambda: writing.queue.move_last(1),
            "queue_delete": writing.drop_queued,
            "stash": writing.swap_stash,
            "palette": self._palette,
            "close": self.close,
            "editor": lambda: home.run_errand("editor"),
            "paste_image": lambda: home.run_errand("paste_image"),
        }

    def is_for_us(self, name: str) -> bool:
        """Whether a key with this name does anything now; if not, it is free for others."""
        writing = self._writing
        if writing.search is not None:
            return name not in NOT_IN_SEARCH
        match name:
            case "close":
                return self._is_popup_open() or bool(self.side and self.side.completing.candidates)
            case "queue_up" | "queue_down" | "queue_delete":
                return bool(writing.queue.items)
            case "stash":
                return not writing.is_empty or bool(writing.stash)
            case "queue":
                return not writing.is_empty
            case "search" | "palette":
                return True
            case _:
                return name in self._deeds or not (name in EMPTY_PASSES and not writing.draft.text)

    def do(self, name: str) -> None:
        """Do it."""
        if name not in ("up", "down", "select_up", "select_down"):
            self._goal = None
        deed = self._deeds.get(name)
        if deed is not None:
            deed()
            self._home.changed(is_text=name not in ("up", "down", "select_up", "select_down"))
            return
        editing = self._writing.editing
        before = editing.text
        EDITS[name](editing)
        if editing.text != before:
            self.edited()
        self._home.changed(is_text=editing.text != before)

    def edited(self) -> None:
        """Take note that the text is another one: it is the user's own from now on."""
        if self._writing.search is not None:
            self._writing.search.update()
        else:
            self._writing.history.leave()

    def close(self) -> None:
        """Close the search or the popup."""
        if self._writing.search is not None:
            self._writing.end_search(takes=False)
        elif self.side is not None:
            self.side.completing.close()

    def _delete_left(self) -> None:
        """Delete to the left; with nothing written, let the last file stay here."""
        writing = self._writing
        if writing.search is None and not writing.draft.text and writing.files:
            writing.files = writing.files[:-1]
            return
        before = writing.editing.text
        EDITS["delete_left"](writing.editing)
        if writing.editing.text != before:
            self.edited()

    def _send(self) -> None:
        writing = self._writing
        if writing.search is not None:
            writing.end_search(takes=True)
            return
        if self._is_popup_open() and self.side is not None and not self.side.completing.is_written_out():
            if not self._accept():
                return
        elif self._continues():
            return
        if (item := writing.take()) is not None:
            writing.queue.is_paused = False
            self._home.send(item)
            if self._is_aside:
                self._is_aside = False
                writing.swap_stash()

    def _continues(self) -> bool:
        """Make a line break of the backslash before the caret, as where no other key for that arrives."""
        draft = self._writing.draft
        if draft.caret == 0 or draft.text[draft.caret - 1] != "\\":
            return False
        draft.replace(draft.caret - 1, draft.caret, "\n")
        return True

    def _newline(self) -> None:
        self._writing.editing.insert("\n")
        self.edited()

    def _vertical(self, rows: int) -> None:
        """Go to the next row, entry, candidate or hit, whichever is meant."""
        writing = self._writing
        if writing.search is not None:
            writing.search.move(rows)
        elif self._is_popup_open() and self.side is not None and not writing.history.is_walking:
            self.side.completing.move(rows)
        elif not self._move_row(rows, selects=False):
            self._leave_rows(rows)

    def _move_row(self, rows: int, *, selects: bool) -> bool:
        editing, shown = self._writing.editing, self._home.rows
        row, column = shown.place(editing.caret)
        if not 0 <= row + rows < len(shown.rows):
            return False
        self._goal = column if self._goal is None else self._goal
        editing.place(shown.offset(row + rows, self._goal), selects=selects)
        return True

    def _leave_rows(self, rows: int) -> None:
        """Go on in the history, or take the last queued message back."""
        writing = self._writing
        if rows < 0 and writing.is_empty and not writing.history.is_walking and writing.queue.items:
            item = writing.queue.take_last()
            if item is not None:
                writing.put(item)
        elif rows < 0:
            writing.older()
        elif not writing.newer():
            writing.draft.move("line_end")
        self._goal = None

    def _complete(self) -> None:
        """Take the chosen candidate, or else let somebody else answer."""
        if self._is_popup_open():
            self._accept()
        elif self.side is not None:
            self._writing.to = self.side.next_addressees(self._writing.to)

    def _accept(self) -> bool:
        """Put the chosen candidate in; say whether that is a whole command."""
        chosen = self.side.completing.choose() if self.side is not None else None
        if chosen is None:
            return False
        draft = self._writing.draft
        draft.replace(chosen.begin, chosen.end, chosen.text)
        self.edited()
        return chosen.is_whole and draft.text.strip() == chosen.text

    def _search(self) -> None:
        if self._writing.search is None:
            self._writing.begin_search()
        else:
            self._writing.search.move(1)

    def _queue(self) -> None:
        """Let the draft wait until nothing runs; if nothing does, it need not wait."""
        item = self._writing.take()
        if item is None:
            return
        if self.side is not None and not self.side.dialogue.is_busy and not self._writing.queue.items:
            self._home.send(item)
        else:
            self._writing.queue.add(item)

    def _palette(self) -> None:
        """Begin a command: what is written is put aside until that is done."""
        if self._writing.search is None and not self._writing.draft.text.startswith("/"):
            if not self._writing.is_empty:
                self._is_aside = self._writing.swap_stash()
            self._writing.draft.insert("/")

    def _is_popup_open(self) -> bool:
        return self.side is not None and self.side.completing.is_open
