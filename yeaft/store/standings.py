"""Where the streams of a file stand, as its writer knows: what was asked of the file once is kept up to date here."""

import sqlite3

from yeaft.store.admission import Head
from yeaft.store.rows import Numbers, head_of, next_number, start_of

DATA_VERSION = "PRAGMA data_version"
"""Changes when another connection has committed, never by what this one does (https://sqlite.org/pragma.html)."""


class Standings:
    """Numbers and heads of streams, for transactions of one connection that no other can interrupt.

    Each transaction begins with `look`. When one was undone, or before another connection, comes `forget`.
    """

    def __init__(self) -> None:
        self._numbers = Numbers()
        self._heads: dict[str, Head] = {}
        self._knows_all = False
        self._next = 0
        self._version = 0

    def look(self, connection: sqlite3.Connection) -> None:
        """Drop what may not be so any more because somebody else has written to the file since."""
        version: int = connection.execute(DATA_VERSION).fetchone()[0]
        if version != self._version:
            self._heads.clear()
            self._knows_all, self._next, self._version = False, 0, version

    def forget(self) -> None:
        """Know nothing: what was seen may have been rolled back."""
        self._numbers.forget()
        self._heads.clear()
        self._knows_all, self._next, self._version = False, 0, 0

    def head(self, connection: sqlite3.Connection, stream: str) -> Head:
        """Where a stream stands."""
        head = self._heads.get(stream)
        if head is None:
            number = self._numbers.known(stream)
            if not number and not self._knows_all:
                number = self._numbers.find(connection, stream)
                self._knows_all = True
            head = self._heads[stream] = head_of(connection, number) if number else Head()
        return head

    def end(self, connection: sqlite3.Connection, stream: str) -> int:
        """The `at` behind which more of a stream is written; a new one would get the next number."""
        number = self._numbers.known(stream)
        if not number:
            number = self._next = self._next or next_number(connection)
        return start_of(number) + self.head(connection, stream).seq

    def move(self, stream: str, head: Head) -> None:
        """Note that something was written behind `end`, and that the stream now stands at `head`."""
        if not self._numbers.known(stream):
            self._numbers.note(self._next, stream)
            self._next += 1
        self._heads[stream] = head
