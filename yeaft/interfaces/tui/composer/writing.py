"""All that is being written: the draft with its files and addressees, what is put aside, queued and searched for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from yeaft.interfaces.tui.composer.editing import Editing
from yeaft.interfaces.tui.composer.history import History
from yeaft.interfaces.tui.composer.kept_draft import MOST_STASHED, Draft, Kept, draft_of
from yeaft.interfaces.tui.composer.queueing import Queue, Queued
from yeaft.interfaces.tui.composer.searching import Searching
from yeaft.interfaces.typed_lines import is_kept

if TYPE_CHECKING:
    from yeaft.prompts.ui import Ui


class Writing:
    """The state of a composer; it knows no screen and no Session. `to` are those whom the user chose to answer."""

    def __init__(self, ui: Ui) -> None:
        self.draft = Editing()
        self.files: tuple[Path, ...] = ()
        self.to: tuple[str, ...] = ()
        self.queue = Queue()
        self.history = History()
        self.search: Searching | None = None
        self.stash: tuple[Draft, ...] = ()
        self._ui = ui

    @property
    def editing(self) -> Editing:
        """What keys act on: the draft, or the word that is searched for."""
        return self.search.editing if self.search is not None else self.draft

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to be said."""
        return not self.draft.text.strip() and not self.files

    def take(self) -> Queued | None:
        """Take the draft away to be said, and remember it; None if there is nothing in it."""
        if self.is_empty:
            return None
        item = Queued(text=self.draft.whole, files=tuple(map(str, self.files)), to=self.to)
        self.remember(item.text)
        self.clear()
        return item

    def remember(self, text: str) -> None:
        """Let the user find a text again in the history, unless it is to be kept nowhere."""
        if is_kept(text):
            self.history.add(text)
        else:
            self.history.leave()

    def clear(self) -> None:
        """Begin a new draft."""
        self.draft, self.files, self.to = Editing(), (), ()
        self.history.leave()

    def put(self, item: Queued) -> None:
        """Have this as the draft."""
        self.draft = Editing()
        self.draft.paste(item.text)
        self.files, self.to = tuple(map(Path, item.files)), item.to

    def attach(self, files: Sequence[Path]) -> None:
        """Let files go along, each once."""
        self.files = tuple(dict.fromkeys((*self.files, *files)))

    def older(self) -> bool:
        """Show the entry before in the history; False if there is none."""
        return self._show(self.history.older(self.draft.whole))

    def newer(self) -> bool:
        """Show the entry behind, or the draft that was begun; False if that is shown."""
        return self._show(self.history.newer())

    def begin_search(self) -> None:
        """Search the history; what is written becomes the word to search for only if it is one line."""
        self.search = Searching(self.history.entries, self._ui)

    def end_search(self, *, takes: bool) -> None:
        """Stop searching; the chosen entry becomes the draft if the user `takes` it."""
        search, self.search = self.search, None
        if search is not None and takes and search.entry is not None:
            self.draft.replace_all("")
            self.draft.paste(search.entry)
            self.history.leave()

    def swap_stash(self) -> bool:
        """Put the draft aside, or take the last one that was put aside back; False if there is neither."""
        if not self.is_empty:
            put_aside = draft_of(self.draft.text, self.draft.pasted.texts, self.files)
            self.stash = (*self.stash, put_aside)[-MOST_STASHED:]
            self.clear()
            return True
        if not self.stash:
            return False
        *rest, last = self.stash
        self.stash = tuple(rest)
        self._restore(last)
        return True

    def drop_queued(self) -> None:
        """Delete the message that would be said last."""
        self.queue.take_last()

    def kept(self) -> Kept:
        """Return what is to be there again after a restart."""
        draft = draft_of(self.draft.text, self.draft.pasted.texts, self.files)
        return Kept(draft=draft, stash=self.stash, queue=self.queue.items)

    def restore(self, kept: Kept) -> bool:
        """Take up what was kept; its draft is put aside if another was written meanwhile. Say whether it was not."""
        self.stash = kept.stash
        self.queue = Queue(kept.queue)
        if kept.draft.is_empty or kept.draft == self.kept().draft:
            return False
        if not self.is_empty:
            self.stash = (*self.stash, kept.draft)[-MOST_STASHED:]
            return False
        self._restore(kept.draft)
        return True

    def _restore(self, draft: Draft) -> None:
        self.draft = Editing(draft.text, draft.texts)
        self.files = tuple(map(Path, draft.files))

    def _show(self, text: str | None) -> bool:
        if text is None:
            return False
        self.draft.replace_all("")
        self.draft.paste(text)
        return True
