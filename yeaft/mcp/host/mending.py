"""Repairs messages of servers that the SDK would refuse as a whole because of one wrong part of them."""

import json
from typing import Any, cast

from mcp_types import JSONRPCMessage, JSONRPCResponse

ContentItem = dict[str, Any]
KINDS = frozenset({"text", "image", "audio", "resource", "resource_link"})
HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


def mended(message: JSONRPCMessage) -> JSONRPCMessage:
    """The message with tools and contents that can be read; what it answers, nobody knows here, only its shape."""
    if not isinstance(message, JSONRPCResponse):
        return message
    result = message.result
    if isinstance(tools := result.get("tools"), list):
        listed = _objects(cast("list[object]", tools))
        result["tools"] = [_tool(tool) for tool in listed if isinstance(tool.get("name"), str)]
    if isinstance(content := result.get("content"), list):
        result["content"] = [_content(item) for item in cast("list[object]", content)]
        structured = result.get("structuredContent")
        if structured is not None and not isinstance(structured, dict):
            del result["structuredContent"]
            result["content"].append(_as_text(structured))
    return message


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    """A tool without the schema of its results, which would only make the SDK refuse some of them."""
    description, hints = tool.get("description"), _object(tool.get("annotations"))
    return {
        "name": tool["name"],
        "description": description if isinstance(description, str) else "",
        "inputSchema": _schema(_object(tool.get("inputSchema"))),
        "annotations": {hint: hints[hint] for hint in HINTS if isinstance(hints.get(hint), bool)},
    }


def _schema(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object whose two best-known keywords are of the right kind."""
    found = {key: value for key, value in schema.items() if key not in ("properties", "required")}
    properties, required = _object(schema.get("properties")), schema.get("required")
    found["properties"] = {name: value for name, value in properties.items() if isinstance(value, dict)}
    if isinstance(required, list):
        found["required"] = [name for name in cast("list[object]", required) if isinstance(name, str)]
    return {**found, "type": "object"}


def _content(item: Any) -> ContentItem:
    """An item as the protocol has it, else its JSON as text."""
    if not isinstance(item, dict):
        return _as_text(item)
    found = cast("ContentItem", item)
    fits = {
        "text": isinstance(found.get("text"), str),
        "image": isinstance(found.get("data"), str) and isinstance(found.get("mimeType"), str),
        "audio": isinstance(found.get("data"), str) and isinstance(found.get("mimeType"), str),
        "resource": isinstance(found.get("resource"), dict),
        "resource_link": isinstance(found.get("uri"), str) and isinstance(found.get("name"), str),
    }
    if fits.get(str(found.get("type"))):
        found.pop("annotations", None)
        return found
    return _as_text(found)


def _as_text(value: Any) -> ContentItem:
    return {"type": "text", "text": json.dumps(value, ensure_ascii=False)}


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _objects(values: list[object]) -> list[dict[str, Any]]:
    return [_object(value) for value in values if isinstance(value, dict)]
