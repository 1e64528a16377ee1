"""What is left of a journal, in memory, to read from where SQLite cannot read the files or not all of them."""

import sqlite3
from pathlib import Path
from typing import Self

from yeaft.kernel.errors import JournalDamaged, StoreFailed
from yeaft.store.database import stamp_of_journal


class Rescue:
    """The events that are left of the journal `path`, without a gap; `lost` are those that only hold a place.

    It stands for the files as they were when it was made. `is_unsound` says that SQLite must not write to them.
    """

    def __init__(
        self, path: Path, connection: sqlite3.Connection, lost: tuple[tuple[str, int], ...], *, is_unsound: bool
    ) -> None:
        self.connection = connection
        self.lost = lost
        self.is_unsound = is_unsound
        self._path = path
        self._stamp = stamp_of_journal(path)

    @classmethod
    def of(cls, path: Path, reason: StoreFailed, *, is_unsound: bool) -> Self:
        """Rescue what is left; `reason` is why, and raised if nothing is."""
        from yeaft.store.salvage import rescued  # only where something is damaged

        try:
            connection, lost = rescued(path)
        except (OSError, JournalDamaged):
            raise reason from None
        return cls(path, connection, lost, is_unsound=is_unsound)

    def is_current(self) -> bool:
        """Whether the files are still as they were."""
        return self._stamp == stamp_of_journal(self._path)

    def close(self) -> None:
        """Forget what was read."""
        self.connection.close()
