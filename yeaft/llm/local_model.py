"""The embedded model of one process: not started before it is wanted, then kept until the process ends."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from yeaft.kernel.errors import NoCredentials
from yeaft.llm.embedded_files import status

if TYPE_CHECKING:
    from yeaft.llm.embedded_server import Address, EmbeddedServer


class LocalModel:
    """Starts the server on first use; `start` begins early, so that the weights load beside other work."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._server: EmbeddedServer | None = None

    def start(self) -> EmbeddedServer:
        """Begin to start it, if it is not running. Raises `NoCredentials` when it is not set up."""
        if self._server is None:
            found = status(self._home)
            if found.files is None:
                raise NoCredentials(found.problem)
            from yeaft.llm.embedded_server import EmbeddedServer

            self._server = EmbeddedServer(found.files)
        return self._server

    async def address(self) -> Address:
        """Where it listens, once it does."""
        return await self.start().address()

    async def aclose(self) -> None:
        """End the server, if it was started."""
        if self._server is not None:
            await self._server.aclose()
