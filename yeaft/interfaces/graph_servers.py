"""Which MCP servers the steps of graphs name though nobody has set them up here."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from yeaft.kernel.nearness import nearest
from yeaft.mcp.mcp_file import name_for
from yeaft.workflows.graphs.graph import VpTask

if TYPE_CHECKING:
    from yeaft.workflows.graphs.files.reading import Read


def with_server_warnings(read: Read, servers: Collection[str]) -> Read:
    """Return what was read with a warning for each step whose VP would go without a server that is named.

    `servers` are the names of all that are set up. It is no mistake: what the step is to do may be done without it.
    """
    return replace(read, warnings=(*read.warnings, *dict.fromkeys(_warnings(read, servers))))


def _warnings(read: Read, servers: Collection[str]) -> Iterator[str]:
    for graph in read.graphs.values():
        for step in graph.steps:
            for name in step.task.mcp_servers if isinstance(step.task, VpTask) else ():
                if name not in servers:
                    near = name_for(name) if name_for(name) in servers else nearest(name, servers)
                    hint = f". Did you mean {near!r}?" if near else ""
                    said = f"step {step.id!r} goes without the MCP server {name!r}, which is not set up here"
                    yield f"{read.path}:{step.line}: {said}{hint}"
