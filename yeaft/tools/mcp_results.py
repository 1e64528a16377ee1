"""What an MCP server answered, as a model is told of it."""

import asyncio
from collections.abc import Iterable

from yeaft.kernel.errors import ToolFailed
from yeaft.kernel.text import without_surrogates
from yeaft.mcp.host_protocol import Part, Result
from yeaft.mcp.plain import one_line
from yeaft.tools.tool import Picture, ToolResult
from yeaft.tools.web.untrusted import fenced

MOST_PICTURES = 8


async def told(result: Result, server: str) -> ToolResult:
    """The result for the model: its texts set apart as a stranger's, its pictures made fit to be sent."""
    texts: list[str] = []
    pictures: list[Picture] = []
    for part in result.parts:
        if part.kind == "image" and len(pictures) < MOST_PICTURES:
            found = await asyncio.to_thread(_picture, part)
            if isinstance(found, Picture):
                pictures.append(found)
                continue
            texts.append(found)
        else:
            texts.append(text_of(part))
    has_text = any(part.kind == "text" and part.text for part in result.parts)
    if result.structured and not has_text:
        texts.append(result.structured)
    text = without_surrogates("\n".join(text for text in texts if text))
    shown = fenced(text, kind=f"output of the MCP server {server}") if text else ""
    if not shown and pictures:
        shown = f"{len(pictures)} picture{'s' if len(pictures) > 1 else ''}:"
    return ToolResult(text=shown, failed=result.failed, images=tuple(pictures))


def text_of(part: Part) -> str:
    """What can be said of a part in text."""
    about = f"{part.kind} ({one_line(part.mime)})" if part.mime else part.kind
    match part.kind:
        case "text":
            return f"[{one_line(part.uri)}]\n{part.text}" if part.uri else part.text
        case "link":
            said = f": {one_line(part.text)}" if part.text else ""
            return f"[resource {one_line(part.name)} at {one_line(part.uri)}{said}]"
        case "image":
            return f"[{about}, {len(part.content):,} bytes, not shown]"
        case _:
            where = f" {one_line(part.uri)}" if part.uri else ""
            return f"[{about}{where}, {part.text}, not shown]"


def plain_text(parts: Iterable[Part]) -> str:
    """The texts of some parts, for whoever wants nothing else."""
    return without_surrogates("\n".join(filter(None, map(text_of, parts))))


def _picture(part: Part) -> Picture | str:
    from yeaft.tools.pictures.picture import prepare
    from yeaft.tools.pictures.picture_kinds import kind_of

    try:
        return prepare(part.content, kind_of(part.content, "The picture"), "The picture").picture
    except ToolFailed as error:
        return f"[{error}]"
