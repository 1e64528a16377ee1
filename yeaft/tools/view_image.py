"""Let the model look at a picture file."""

import asyncio

from msgspec import Struct

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.files.file_bytes import read_file, size_of
from yeaft.tools.paths import Paths
from yeaft.tools.tool import Running, Tool, ToolResult, Touches

LIMIT_BYTES = 20 * 1024 * 1024


class ViewImage(Struct, frozen=True, kw_only=True):
    """Arguments."""

    file_path: str


def view_image(paths: Paths, limit_bytes: int = LIMIT_BYTES) -> Tool[ViewImage]:
    """Show the model pictures of at most `limit_bytes`, scaled down and without what else is in the file."""

    def view(args: ViewImage) -> ToolResult:
        from yeaft.tools.pictures.picture import prepare
        from yeaft.tools.pictures.picture_kinds import kind_of

        path = paths.resolve(args.file_path)
        shown = paths.shown(path)
        size = size_of(path)
        if size > limit_bytes:
            raise ToolFailed(f"{shown} has {size:,} bytes, the limit is {limit_bytes:,}; make it smaller first.")
        raw = read_file(path, shown, limit_bytes)
        kind = kind_of(raw, shown)
        prepared = prepare(raw, kind, shown)
        notes = [f"{kind}, {prepared.width}x{prepared.height}, {len(raw):,} bytes"]
        if prepared.scaled:
            notes.append(f"scaled down to {prepared.shown_width}x{prepared.shown_height}")
        if prepared.moves:
            notes.append("only the first frame of an animation")
        return ToolResult(text=f"{shown} ({'; '.join(notes)}):", images=(prepared.picture,))

    async def run(args: ViewImage, _: Running) -> ToolResult:
        return await asyncio.to_thread(view, args)

    return Tool(
        name="ViewImage",
        args=ViewImage,
        run=run,
        guard="read",
        touches=lambda args: Touches(reads=(args.file_path,)),
    )
