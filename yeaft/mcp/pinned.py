"""What is known of a server from its last connection, and which descriptions of its tools the user has agreed to.

So the first request of a Session offers a server's tools without waiting for it, and a server that describes a tool
in other words than before cannot have them read by a model unasked.
"""

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from yeaft.mcp.host_protocol import ListedTool, Listing
from yeaft.mcp.server import McpServer

PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600


class Pinned(Struct, frozen=True, kw_only=True):
    """The newest listing of a server; `agreed` has the digest of each tool as it may be told to models."""

    name: str
    listing: Listing
    agreed: Mapping[str, str]

    @property
    def offered(self) -> tuple[ListedTool, ...]:
        """The tools that are still as the user agreed to them."""
        return tuple(tool for tool in self.listing.tools if self.agreed.get(tool.name) == tool.digest)

    @property
    def withheld(self) -> tuple[ListedTool, ...]:
        """The tools that are new, or described in another way than the user agreed to."""
        return tuple(tool for tool in self.listing.tools if self.agreed.get(tool.name) != tool.digest)

    def now(self, listing: Listing) -> "Pinned":
        """The same after the server has listed what it has."""
        return replace(self, listing=listing)

    def allowed(self) -> "Pinned":
        """The same with everything agreed to that is listed."""
        return replace(self, agreed=_digests(self.listing))


def first(server: McpServer, listing: Listing) -> Pinned:
    """What a server listed when it was first connected: the user has agreed to the server, so to this."""
    return Pinned(name=server.name, listing=listing, agreed=_digests(listing))


def read_pinned(path: Path) -> Pinned | None:
    """What is kept at `path`; None if there is nothing, or nothing that can be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Pinned)
    except (OSError, msgspec.DecodeError):
        return None


def write_pinned(path: Path, pinned: Pinned) -> None:
    """Keep it, in one step. Raises `OSError`."""
    path.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        aside.touch(mode=PRIVATE_FILE)
        aside.write_bytes(msgspec.json.encode(pinned))
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def _digests(listing: Listing) -> dict[str, str]:
    return {tool.name: tool.digest for tool in listing.tools}
