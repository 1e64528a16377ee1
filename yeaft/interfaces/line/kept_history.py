"""The lines that were typed before, in a file that may fail at any time."""

from contextlib import suppress

from prompt_toolkit.history import FileHistory


class KeptHistory(FileHistory):
    """A history that goes on without its file when that cannot be written any more."""

    def store_string(self, string: str) -> None:
        """Keep a line for later, if there is room."""
        with suppress(OSError):
            super().store_string(string)
