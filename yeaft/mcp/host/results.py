"""What servers answer, as the other side of the host knows it."""

import base64
import binascii
from collections.abc import Iterable, Iterator

import msgspec
from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    GetPromptResult,
    ImageContent,
    Prompt,
    ReadResourceResult,
    Resource,
    ResourceLink,
    TextContent,
    TextResourceContents,
    Tool,
)
from msgspec import Raw

from yeaft.mcp.host_protocol import ListedPrompt, ListedTool, Part, PromptArgument, Result

LIMIT_BYTES = 16 * 1024 * 1024
"""What is passed on of one result; no model could read as much."""


def called(result: CallToolResult) -> Result:
    """What a call came to."""
    structured = ""
    found: object = result.structured_content
    if found is not None:
        structured = msgspec.json.encode(found).decode()
    parts = tuple(_limited(map(part_of, result.content)))
    return Result(parts=parts, structured=structured[:LIMIT_BYTES], failed=result.is_error)


def read(result: ReadResourceResult) -> Result:
    """What is in a resource."""
    return Result(parts=tuple(_limited(map(_embedded, result.contents))))


def resources(found: Iterable[Resource]) -> Result:
    """Which resources there are."""
    return Result(parts=tuple(_limited(map(_link, found))))


def prompted(result: GetPromptResult) -> Result:
    """The messages of a prompt; each part carries the role it was given as its name."""
    parts = (msgspec.structs.replace(part_of(one.content), name=one.role) for one in result.messages)
    return Result(parts=tuple(_limited(parts)))


def listed_tool(tool: Tool) -> ListedTool:
    """A tool as it is told of."""
    hints = tool.annotations.model_dump(by_alias=True) if tool.annotations else {}
    return ListedTool(
        name=tool.name,
        description=tool.description or "",
        schema=Raw(msgspec.json.encode(tool.input_schema)),
        hints=tuple(sorted(name for name, value in hints.items() if value is True)),
    )


def listed_prompt(prompt: Prompt) -> ListedPrompt:
    """A prompt as it is told of."""
    arguments = [
        PromptArgument(name=one.name, description=one.description or "", required=bool(one.required))
        for one in prompt.arguments or ()
    ]
    return ListedPrompt(name=prompt.name, description=prompt.description or "", arguments=tuple(arguments))


def part_of(block: ContentBlock) -> Part:
    """One piece of content."""
    match block:
        case TextContent(text=text):
            return Part(kind="text", text=text)
        case ImageContent():
            return _decoded("image", block.data, block.mime_type)
        case AudioContent():
            return _decoded("audio", block.data, block.mime_type)
        case EmbeddedResource(resource=resource):
            return _embedded(resource)
        case ResourceLink():
            return _link(block)


def _embedded(resource: TextResourceContents | BlobResourceContents) -> Part:
    mime = resource.mime_type or ""
    if isinstance(resource, TextResourceContents):
        return Part(kind="text", text=resource.text, mime=mime, uri=str(resource.uri))
    kind = "image" if mime.startswith("image/") else "blob"
    return msgspec.structs.replace(_decoded(kind, resource.blob, mime), uri=str(resource.uri))


def _decoded(kind: str, encoded: str, mime: str) -> Part:
    try:
        content = base64.b64decode(encoded)
    except (binascii.Error, ValueError):
        return Part(kind="text", text=f"[{kind} ({mime}) that is not valid base64]")
    if kind == "image":
        return Part(kind=kind, mime=mime, content=content)
    return Part(kind=kind, mime=mime, text=f"{len(content):,} bytes")


def _link(resource: Resource) -> Part:
    return Part(
        kind="link",
        uri=str(resource.uri),
        name=resource.name,
        mime=resource.mime_type or "",
        text=resource.description or "",
    )


def _limited(parts: Iterable[Part]) -> Iterator[Part]:
    """As many parts as may be passed on; the last of them says what is missing."""
    left = LIMIT_BYTES
    for part in parts:
        size = len(part.text) + len(part.content)
        if size > left:
            cut = part.text[:left] if part.kind == "text" else ""
            yield Part(kind="text", text=f"{cut}\n[The rest of the result is left out: it is too large.]")
            return
        left -= size
        yield part
