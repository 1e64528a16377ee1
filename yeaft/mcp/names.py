"""The names by which models call the tools of servers: `mcp__server__tool`, in characters that every provider takes."""

import hashlib
import re
from collections.abc import Iterable

PREFIX = "mcp"
LIMIT_CHARS = 64
MARK_CHARS = 8
_OUTSIDE = re.compile(r"[^a-zA-Z0-9_-]")
_JOINTS = re.compile(r"_{2,}")


def wire_names(tools: Iterable[tuple[str, str]], others: Iterable[str] = ()) -> dict[tuple[str, str], str]:
    """The name of each (server, tool), all of them different, also from `others`.

    A name that had to be changed or cut, or that another tool has already, ends in a mark that comes from the whole
    original, so that it is the same in every Session with the same servers.
    """
    names: dict[tuple[str, str], str] = {}
    taken = set(others)
    for key in dict.fromkeys(tools):
        name = _plain_name(*key)
        if name in taken or len(name) > LIMIT_CHARS or not _is_untouched(*key):
            name = _marked(name, key)
        while name in taken:
            name = _marked(name, (name, *key))
        taken.add(name)
        names[key] = name
    return names


def server_part(server: str) -> str:
    """How a server is called within the names of its tools; two underlines in a row would end it early."""
    return _JOINTS.sub("_", _OUTSIDE.sub("_", server)) or "_"


def _plain_name(server: str, tool: str) -> str:
    return f"{PREFIX}__{server_part(server)}__{_OUTSIDE.sub('_', tool)}"


def _is_untouched(server: str, tool: str) -> bool:
    return bool(server and tool) and server_part(server) == server and not _OUTSIDE.search(tool)


def _marked(name: str, original: tuple[str, ...]) -> str:
    digest = hashlib.sha256("\0".join(original).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{name[: LIMIT_CHARS - MARK_CHARS - 1]}_{digest[:MARK_CHARS]}"
