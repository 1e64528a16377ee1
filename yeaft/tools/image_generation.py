"""The tool that has an image made by a paid service, and saves it where the model says."""

import asyncio
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.files.locks import PathLocks
from yeaft.tools.files.reads import Reads
from yeaft.tools.paths import Paths
from yeaft.tools.tool import Running, Tool, ToolResult, Touches
from yeaft.tools.web.image_service import ImageService, Made

ENDINGS = {"png": (".png",), "jpeg": (".jpg", ".jpeg", ".jfif"), "gif": (".gif",), "webp": (".webp",)}


class ImageGeneration(Struct, frozen=True, kw_only=True):
    """Arguments."""

    prompt: str
    output_path: str = ""
    size: Annotated[str, Meta(pattern=r"^\d{2,4}x\d{2,4}$")] = "1024x1024"


def image_generation(service: ImageService, paths: Paths, reads: Reads, locks: PathLocks) -> Tool[ImageGeneration]:
    """Let the model have images made by `service`; offer it only if one is configured (`images.url`).

    An image that is not to be saved, or cannot be, is shown to the model, so that what was paid for is not lost.
    """

    async def run(args: ImageGeneration, _: Running) -> ToolResult:
        if not args.prompt.strip():
            raise ToolFailed("The prompt is empty; nothing was generated.")
        file = paths.resolve(args.output_path) if args.output_path else None
        if file is not None and (file.is_dir() or args.output_path.endswith("/")):
            raise ToolFailed(f"{args.output_path} is a folder; give the file's name too. Nothing was generated.")
        made = await service.make(args.prompt, args.size)
        if file is None:
            return await _shown(made, f"{made.told}; not saved, because output_path was not given.")
        try:
            return await _saved(made, file, paths, reads, locks)
        except ToolFailed as failure:
            result = await _shown(made, f"{made.told}, but it could not be saved: {failure}")
            return replace(result, failed=True)

    return Tool(
        name="ImageGeneration",
        args=ImageGeneration,
        run=run,
        guard="unsafe",
        touches=lambda args: Touches(writes=(args.output_path,) if args.output_path else ()),
        timeout_s=None,
    )


async def _saved(made: Made, file: Path, paths: Paths, reads: Reads, locks: PathLocks) -> ToolResult:
    from yeaft.tools.files.change import Change, Planned
    from yeaft.tools.files.file_bytes import read_if_there
    from yeaft.tools.files.guarded_write import guarded_write

    shown = paths.shown(file)
    note = "" if file.suffix.lower() in ENDINGS[made.kind] else f" Mind that its name does not end like a {made.kind}."

    def plan() -> Planned:
        change = Change(path=file, before=read_if_there(file, shown), after=made.content)
        return Planned(changes=(change,), text=f"{made.told}; saved as {shown}.{note}")

    return await guarded_write(plan, [file], paths, reads, locks, size_bytes=len(made.content))


async def _shown(made: Made, text: str) -> ToolResult:
    from yeaft.tools.pictures.picture import prepare

    prepared = await asyncio.to_thread(prepare, made.content, made.kind, "What the service made")
    return ToolResult(text=text, images=(prepared.picture,))
