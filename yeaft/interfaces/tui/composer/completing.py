"""Completes what is being written: knows the place, asks for candidates, and says what a choice puts in."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.interfaces.tui.composer.candidates import (
    Candidate,
    hint_candidates,
    slash_candidates,
    vp_candidates,
)
from yeaft.interfaces.tui.composer.completion_place import Place, place_at
from yeaft.interfaces.tui.composer.file_index import FileIndex, Unwanted, indexed
from yeaft.interfaces.tui.composer.mention_text import file_mention
from yeaft.session.addressing import known_names
from yeaft.vp.names import Names, fold

if TYPE_CHECKING:
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.orders import Order
    from yeaft.prompts.ui import Ui
    from yeaft.session.slash.slash_word import SlashWord

FRESH_S = 20.0
"""A list of files that is older than this is read anew while it is used."""
MOST_VPS, MOST_VPS_BESIDE_FILES = 20, 6
"""So many are offered; with nothing written yet there must be room to see that files can be meant as well."""
_PART = re.compile(r":\d{1,9}(?:-\d{0,9})?$")


class Chosen(Struct, frozen=True):
    """What to put in place of a part of the draft. `is_whole` says that it is a command that takes nothing."""

    begin: int
    end: int
    text: str
    is_whole: bool = False


class Completing:
    """The state of the popup for one Session. `show` is called whenever what it shows has changed."""

    def __init__(
        self,
        here: Opened,
        *,
        orders: Callable[[], dict[str, Order]],
        roster: Callable[[], Sequence[str]],
        ui: Ui,
        show: Callable[[], None],
    ) -> None:
        self.candidates: tuple[Candidate, ...] = ()
        self.chosen = 0
        self._here = here
        self._orders = orders
        self._roster = roster
        self._ui = ui
        self._show = show
        self._place: Place | None = None
        self._closed_at: int | None = None
        self._has_moved = False
        self._index: FileIndex | None = None
        self._indexed_s = float("-inf")
        self._indexing = asyncio.Lock()
        self._words: Sequence[SlashWord] = ()
        self._names: tuple[object, Names] | None = None

    @property
    def is_open(self) -> bool:
        """Whether there is anything to choose."""
        return bool(self.candidates) and self.candidates[0].section != "hint"

    def update(self, text: str, caret: int) -> Place | None:
        """Look at the draft again. Returns the place if files have to be searched for it: see `files`."""
        place = place_at(text, caret, self.names)
        if place is None or (self._closed_at == place.begin):
            self._closed_at = None if place is None else self._closed_at
            self._set(None, ())
            return None
        self._closed_at = None
        match place.kind:
            case "slash":
                self._set(place, slash_candidates(self._orders(), self._words, place.fragment, self._ui))
            case "hint":
                self._set(place, hint_candidates(self._orders(), self._words, place.fragment, self._ui))
            case "at":
                files = [one for one in self.candidates if one.section == "files"] if self._is_same(place) else []
                self._set(place, (*self._vps(place), *files))
                return place
        return None

    async def files(self, place: Place) -> None:
        """Find the files for a place, off the loop; a later `update` makes it vain."""
        await self._search(self._index or await self._indexed_anew(), place)
        if self._place is place and time.monotonic() - self._indexed_s > FRESH_S:
            await self._search(await self._indexed_anew(), place)

    async def words(self) -> None:
        """Read again what can be started with `/`; it is on disk."""
        self._words = await asyncio.to_thread(self._here.slash_words)

    def move(self, rows: int) -> None:
        """Choose another candidate, round the ends."""
        if self.candidates:
            self.chosen = (self.chosen + rows) % len(self.candidates)
            self._has_moved = True
            self._show()

    def close(self) -> bool:
        """Close it for the word that is being written; say whether it was open."""
        was_open = bool(self.candidates)
        if self._place is not None:
            self._closed_at = self._place.begin
        self._set(None, ())
        return was_open

    def is_written_out(self) -> bool:
        """Whether what stands there is a whole name already, so that Enter does not have to choose."""
        place = self._place
        if place is None or self._has_moved:
            return False
        if place.kind == "slash":
            return any(fold(one.text[1:]) == fold(place.fragment) for one in self.candidates)
        is_name = bool(place.fragment) and self.names().match(f"{place.fragment} ", 0) is not None
        return is_name or any(one.label == place.fragment for one in self.candidates)

    def choose(self) -> Chosen | None:
        """Return what the chosen candidate puts in, and close."""
        place = self._place
        if place is None or not self.is_open:
            return None
        one = self.candidates[self.chosen]
        self._set(None, ())
        text = one.text
        if one.goes_on and place.quote and text[1:2] not in ("'", '"'):
            text = f"@{place.quote}{text[1:]}"
        if one.goes_on:
            return Chosen(place.begin, place.end, text.rstrip("\"'") if " " in text else text)
        is_whole = one.section == "orders" and not one.takes
        return Chosen(place.begin, place.end, text if is_whole else f"{text} ", is_whole)

    def names(self) -> Names:
        """Return what everybody is called."""
        roster = self._here.state.roster
        if self._names is None or self._names[0] != roster:
            self._names = (roster, known_names(self._here.state, self._here.library))
        return self._names[1]

    def warm(self) -> None:
        """Read the files of all VPs; for a thread, before anybody waits for them."""
        self._here.library.all()

    def _vps(self, place: Place) -> list[Candidate]:
        if place.quote or "/" in place.fragment or "." in place.fragment:
            return []
        return vp_candidates(self._here.library.all(), self._roster(), place.fragment, self._ui)[:MOST_VPS]

    def _is_same(self, place: Place) -> bool:
        return self._place is not None and self._place.begin == place.begin and self._place.kind == place.kind

    def _set(self, place: Place | None, candidates: Sequence[Candidate]) -> None:
        kept = self.candidates[self.chosen] if self._has_moved and self.candidates and place is not None else None
        self._place, self.candidates = place, tuple(candidates)
        self.chosen = self.candidates.index(kept) if kept in self.candidates else 0
        self._has_moved = kept in self.candidates
        self._show()

    async def _search(self, index: FileIndex, place: Place) -> None:
        fragment = _PART.sub("", place.fragment)
        try:
            found = await asyncio.to_thread(index.search, fragment, lambda: self._place is place)
        except Unwanted:
            return
        if self._place is place:
            part = place.fragment[len(fragment) :].rstrip("-")
            vps = self._vps(place)
            if found and not fragment:
                vps = vps[:MOST_VPS_BESIDE_FILES]
            self._set(place, (*vps, *(self._of_file(path, part) for path in found)))

    def _of_file(self, path: str, part: str) -> Candidate:
        is_folder = path.endswith("/")
        text = file_mention(path, self.names(), part="" if is_folder else part)
        return Candidate(section="files", label=path, text=text, goes_on=is_folder)

    async def _indexed_anew(self) -> FileIndex:
        """List the files; whoever comes while that is done waits for the same list."""
        async with self._indexing:
            if self._index is None or time.monotonic() - self._indexed_s > FRESH_S:
                self._index = await asyncio.to_thread(indexed, self._here.folder)
                self._indexed_s = time.monotonic()
            return self._index
