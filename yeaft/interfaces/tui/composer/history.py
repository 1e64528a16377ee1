"""Walks through what was said before: entry by entry, with the draft that was begun waiting at the end."""

from __future__ import annotations

from collections.abc import Sequence


class History:
    """The entries, oldest first, and where in them the user stands. The draft waits behind the newest."""

    def __init__(self, entries: Sequence[str] = ()) -> None:
        self.entries = list(entries)
        self._at: int | None = None
        self._waiting = ""

    @property
    def is_walking(self) -> bool:
        """Whether an entry is shown in place of the draft."""
        return self._at is not None

    def add(self, text: str) -> None:
        """Put an entry at the end, and nowhere else."""
        self.entries = [one for one in self.entries if one != text]
        self.entries.append(text)
        self.leave()

    def older(self, draft: str) -> str | None:
        """Return the entry before the one that is shown; None at the oldest. `draft` is what is shown now."""
        at = len(self.entries) if self._at is None else self._at
        found = next((number for number in range(at - 1, -1, -1) if self.entries[number] != draft), None)
        if found is None:
            return None
        if self._at is None:
            self._waiting = draft
        self._at = found
        return self.entries[found]

    def newer(self) -> str | None:
        """Return the entry behind the one that is shown, or at last the draft; None when that is shown already."""
        if self._at is None:
            return None
        self._at += 1
        if self._at < len(self.entries):
            return self.entries[self._at]
        draft, self._waiting = self._waiting, ""
        self._at = None
        return draft

    def leave(self) -> None:
        """Stay with what is shown: it is the draft from now on."""
        self._at, self._waiting = None, ""


def searched(entries: Sequence[str], query: str) -> list[str]:
    """Return the entries with all words of a query in them, newest first; then those with its letters in order."""
    if not query.strip():
        return list(reversed(entries))
    words = query.casefold().split()
    exact: list[str] = []
    loose: list[str] = []
    for entry in reversed(entries):
        folded = entry.casefold()
        if all(word in folded for word in words):
            exact.append(entry)
        elif _in_order("".join(words), folded):
            loose.append(entry)
    return [*exact, *loose]


def _in_order(letters: str, text: str) -> bool:
    at = -1
    for letter in letters:
        at = text.find(letter, at + 1)
        if at < 0:
            return False
    return True
