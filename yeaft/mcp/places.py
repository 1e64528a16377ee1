"""Where in the folder of all that yeaft keeps (`home`) the files about a server are."""

from pathlib import Path

from yeaft.mcp.names import server_part
from yeaft.mcp.server import McpServer


def pin_path(home: Path, server: McpServer) -> Path:
    """What is known of it, and what the user has agreed to."""
    return home / "mcp" / f"{server.digest}.json"


def tokens_path(home: Path, server: McpServer) -> Path:
    """Its tokens, once the user has logged in."""
    return home / "mcp" / "tokens" / f"{server.digest}.json"


def log_path(home: Path, name: str) -> Path:
    """What it says beside the protocol; a full log is kept as `<name>.log.1`."""
    return home / "logs" / "mcp" / f"{server_part(name)}.log"


def host_log_path(home: Path) -> Path:
    """What the process that talks to all servers has to say, which is nothing if all is well."""
    return home / "logs" / "mcp-host.log"
