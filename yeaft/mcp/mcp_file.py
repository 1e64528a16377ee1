"""Reads `.mcp.json` and the like as people and other programs write them, and says what is wrong with it, by line."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from yeaft.config.json_text import Document, Items, Leaf, Members, Node, Remark, read_json
from yeaft.config.regular import MIB, read_regular
from yeaft.mcp.entry import COMMAND, URL, Entry, read_entry
from yeaft.mcp.lifted import lifted
from yeaft.mcp.server import McpServer
from yeaft.prompts.front_matter import Problem

NAME = ".mcp.json"
LARGEST_BYTES = MIB
KEYS = ("mcpServers", "servers")
"""What the servers of a file stand under; the second one is how editors write it."""
OTHER_KEYS = (
    "mcp",
    "mcp_servers",
    "mcp-servers",
    "mcp.servers",
    "McpServers",
    "MCPServers",
    "context_servers",
    "amp.mcpServers",
)
"""How they are called in the settings of some programs; one of `KEYS` may stand in them."""
COMMENTS = ("_", "$", "/", "#")
"""What a key begins with that says something about the file."""
LIMIT_NAME_CHARS = 32
MARK_CHARS = 6
_UNUSABLE = re.compile(r"[^a-z0-9_-]+")
_SEPARATOR = re.compile(r"__+")


class Declared(Struct, frozen=True, kw_only=True):
    """A server as it is written down: variables in its texts are not filled in yet.

    `written` is the name in the file, which the name of the server is made from; `line` is where it stands.
    """

    server: McpServer
    written: str
    line: int = 1
    enabled: bool = True


class McpFile(Struct, frozen=True, kw_only=True):
    """The servers of one file, and what is wrong with it; a server with a fatal problem is left out."""

    servers: tuple[Declared, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_mcp_file(path: Path) -> McpFile:
    """Read a file; one that is not there has no servers. Never raises."""
    try:
        raw = read_regular(path, LARGEST_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return McpFile()
    except OSError as error:
        return _broken(path, 1, f"cannot be read: {error.strerror}")
    try:
        return parse_mcp(raw.decode(), path)
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        return _broken(path, line, "is not UTF-8 text; save it as UTF-8")


def parse_mcp(text: str, path: Path) -> McpFile:
    """Return what `text`, the content of the file at `path`, declares. Never raises."""
    if not text.strip("\ufeff \t\r\n"):
        return McpFile()
    found = read_json(text)
    if isinstance(found, Remark):
        return _broken(path, found.line, f"is not JSON: {found.reason}. No server of it is used")
    reading = _Reading(found, path)
    reading.read()
    return McpFile(servers=tuple(reading.servers.values()), problems=tuple(reading.problems))


def clean_name(written: str) -> str:
    """Return `written` as a name that can be part of a tool's: of a-z, 0-9, - and _; empty if nothing is left."""
    return _plain(written)[:LIMIT_NAME_CHARS].strip("-_")


def name_for(written: str) -> str:
    """Return the name of a server that somebody calls `written`: what `clean_name` makes of it as far as that is whole.

    Of a longer one the end is kept, with a mark from the whole, because addresses of one place begin alike; of one
    without Latin letters there is only the mark. Empty if `written` has neither letters nor digits of any script.
    """
    plain = _plain(written)
    if len(plain) <= LIMIT_NAME_CHARS and (plain or not any(map(str.isalnum, written))):
        return plain
    mark = hashlib.sha256(written.encode("utf-8", "replace")).hexdigest()[:MARK_CHARS]
    end = plain[-(LIMIT_NAME_CHARS - MARK_CHARS - 1) :].strip("-_")
    return f"{end or 'server'}-{mark}"


def _plain(written: str) -> str:
    return _SEPARATOR.sub("_", _UNUSABLE.sub("-", written.lower())).strip("-_")


def servers_node(root: Node) -> tuple[str, Node] | None:
    """Return the key and the value that hold the servers of a document, if there are any."""
    return next(_holders(root, KEYS), None)


def _holders(root: Node, keys: Sequence[str]) -> Iterator[tuple[str, Node]]:
    """Yield the values of those of `keys` that are there and are no server which is called so."""
    if isinstance(root, Members):
        found = ((key, root.get(key)) for key in keys)
        yield from ((key, node) for key, node in found if node is not None and not _is_server(node))


class _Reading:
    """Goes through one document."""

    def __init__(self, document: Document, path: Path) -> None:
        self.servers: dict[str, Declared] = {}
        self.problems: list[Problem] = []
        self._document = document
        self._path = path

    def read(self) -> None:
        """Fill `servers` and `problems`."""
        for remark in self._document.remarks:
            self._tell(remark.line, remark.reason, fatal=False)
        for name, node, start in self._entries():
            self._take(name, node, self._document.line(start))

    def _entries(self) -> Iterator[tuple[str, Node, int]]:
        """Each server's name and value, and where it begins."""
        root = self._document.root
        holders = list(_holders(root, (*KEYS, *OTHER_KEYS)))
        if not holders:
            yield from self._bare(root)
        for key, holder in holders:
            inner = list(_holders(holder, KEYS))
            for name, node in inner or [(key, holder)]:
                yield from self._held(name if inner and key in OTHER_KEYS else key, node)

    def _held(self, key: str, holder: Node) -> Iterator[tuple[str, Node, int]]:
        """Each server in the value of `key`."""
        if key != KEYS[0]:
            line = self._document.line(holder.start)
            self._tell(line, f"{key!r} is how editors call it; other agents look for 'mcpServers'", fatal=False)
        match holder:
            case Members():
                yield from ((member.key, member.node, member.start) for member in holder.unique())
            case Items():
                yield from self._listed(holder)
            case Leaf():
                self._tell(self._document.line(holder.start), f"{key!r} must be an object of servers by name")

    def _bare(self, root: Node) -> Iterator[tuple[str, Node, int]]:
        """Servers that stand in the file without anything around them."""
        members = (
            [one for one in root.unique() if not _is_comment(one.key, one.node)] if isinstance(root, Members) else []
        )
        if members and all(_is_server(member.node) for member in members):
            self._tell(1, "the servers should stand in an object under 'mcpServers'", fatal=False)
            yield from ((member.key, member.node, member.start) for member in members)
        elif isinstance(root, Items) and root.items and all(map(_is_server, root.items)):
            yield from self._listed(root)
        elif isinstance(root, Members) and _is_server(root):
            self._tell(1, "the server should stand under its name in an object under 'mcpServers'", fatal=False)
            yield _name_in(root), root, root.start
        elif not isinstance(root, Members) or root.members:
            self._tell(1, "has no 'mcpServers', so there are no servers in it")

    def _listed(self, holder: Items) -> Iterator[tuple[str, Node, int]]:
        self._tell(self._document.line(holder.start), "servers should be an object by name, not a list", fatal=False)
        for item in holder.items:
            yield _name_in(item), item, item.start

    def _take(self, written: str, node: Node, line: int) -> None:
        if _is_comment(written, node):
            return
        name = name_for(written)
        if not name:
            self._tell(line, f"no name can be made of {written!r}; use letters a-z, digits and hyphens")
            return
        if not isinstance(node, Members):
            self._tell(line, f"the server {written!r} must be an object with a command or a url")
            return
        if name in self.servers:
            other = self.servers[name].written
            self._tell(line, f"the server {written!r} is left out: {other!r} has the same name ({name})")
            return
        if name != clean_name(written):
            reason = f"the server {written!r} is called {name!r} here and in the names of its tools"
            self._tell(line, reason, fatal=False)
        entry = read_entry(node)
        for offset, reason in entry.remarks:
            self._tell(self._document.line(offset), f"the server {written!r}: {reason}", fatal=False)
        if entry.fault is not None:
            offset, reason = entry.fault
            self._tell(self._document.line(offset), f"the server {written!r} is left out: {reason}")
            return
        self.servers[name] = self._declared(entry, name, written, line)

    def _declared(self, entry: Entry, name: str, written: str, line: int) -> Declared:
        return Declared(server=entry.server(name, str(self._path)), written=written, line=line, enabled=entry.enabled)

    def _tell(self, line: int, reason: str, *, fatal: bool = True) -> None:
        self.problems.append(Problem(path=str(self._path), line=line, reason=reason, fatal=fatal))


def _name_in(node: Node) -> str:
    """What a server says that it is called."""
    name = node.get("name") if isinstance(node, Members) else None
    return name.value if isinstance(name, Leaf) and isinstance(name.value, str) else ""


def _is_server(node: Node) -> bool:
    if not isinstance(node, Members):
        return False
    found = (lifted(node).get(key) for key in (*COMMAND, *URL))
    return any(one is not None and (not isinstance(one, Members)) for one in found)


def _is_comment(key: str, node: Node) -> bool:
    return key.startswith(COMMENTS) and not isinstance(node, Members)


def _broken(path: Path, line: int, reason: str) -> McpFile:
    return McpFile(problems=(Problem(path=str(path), line=line, reason=reason),))
