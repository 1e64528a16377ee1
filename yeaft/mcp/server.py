"""One MCP server as it is configured: what is run or called, and with which limits."""

import hashlib
from fnmatch import fnmatchcase
from typing import Literal

import msgspec
from msgspec import Struct

CONNECT_TIMEOUT_S = 10.0
CALL_TIMEOUT_S = 60.0


class McpServer(Struct, frozen=True, kw_only=True):
    """A server that may be started (`stdio`) or talked to (`http`); variables in its texts are filled in already.

    `name` is unique among the servers of a Session. `cwd` is where its command runs, empty for the work folder.
    `include` and `exclude` are names of its tools, or globs over them; without `include` all are wanted. `origin` is
    the file that it is configured in.
    """

    name: str
    kind: Literal["stdio", "http"] = "stdio"
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    cwd: str = ""
    url: str = ""
    headers: dict[str, str] = {}
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    connect_timeout_s: float = CONNECT_TIMEOUT_S
    call_timeout_s: float = CALL_TIMEOUT_S
    origin: str = ""

    @property
    def digest(self) -> str:
        """The SHA-256 over what is run or called, which the user agrees to; values that may be secret are not in it."""
        what = (self.kind, self.command, self.args, self.cwd, self.url, sorted(self.env), sorted(self.headers))
        return hashlib.sha256(msgspec.json.encode(what)).hexdigest()

    def wants(self, tool: str) -> bool:
        """Whether a tool with this name is to be offered at all."""
        included = not self.include or any(fnmatchcase(tool, glob) for glob in self.include)
        return included and not any(fnmatchcase(tool, glob) for glob in self.exclude)
