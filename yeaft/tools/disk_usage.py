"""Tell the model what takes up the space below a folder."""

import asyncio
import threading
from typing import Annotated

from msgspec import Meta, Struct

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.paths import Paths
from yeaft.tools.tool import Running, Tool, Touches

LIMIT_S = 20.0
MOST_DEPTH, MOST_ENTRIES = 10, 200


class DiskUsage(Struct, frozen=True, kw_only=True):
    """Arguments."""

    path: str = ""
    depth: Annotated[int, Meta(ge=0, le=MOST_DEPTH)] = 2
    limit: Annotated[int, Meta(ge=1, le=MOST_ENTRIES)] = 20


def disk_usage(paths: Paths, limit_s: float = LIMIT_S) -> Tool[DiskUsage]:
    """Let the model measure folders; what was counted within `limit_s` seconds is told as such."""

    async def run(args: DiskUsage, _: Running) -> str:
        from yeaft.tools.search.disk_sizes import measure, table

        root = paths.resolve(args.path or ".")
        shown = paths.shown(root)
        if not root.exists():
            raise ToolFailed(f"No file or folder {shown}.")
        stopped = threading.Event()
        timer = asyncio.get_running_loop().call_later(limit_s, stopped.set)
        try:
            sizes = await asyncio.to_thread(measure, root, args.depth, args.limit, stopped.is_set)
        except OSError as error:
            raise ToolFailed(f"Cannot measure {shown}: {error.strerror}.") from error
        finally:  # also when cancelled, so that the thread does not go on alone
            timer.cancel()
            stopped.set()
        return table(sizes, shown)

    return Tool(
        name="DiskUsage",
        args=DiskUsage,
        run=run,
        guard="read",
        touches=lambda args: Touches(reads=(args.path or ".",)),
        timeout_s=None,
    )
