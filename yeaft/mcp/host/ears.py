"""What a connection to a server is told by the transport below it."""

from typing import Protocol


class Ears(Protocol):
    """Hears of what happens to the way to a server."""

    def started(self, pid: int) -> None:
        """The server's process runs."""
        ...

    def exited(self, pid: int) -> None:
        """The server's process and its group are gone."""
        ...

    def noise(self) -> None:
        """A line that is no message came from the server."""
        ...

    def broke(self, text: str, *, wants_login: bool = False) -> None:
        """The way to the server is gone for good, and why."""
        ...

    def forgotten(self) -> None:
        """The server did not do what it was last asked, because it does not know us any more."""
        ...
