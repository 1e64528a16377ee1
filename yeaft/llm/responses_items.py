"""Items of a finished Responses reply, as the provider sent them, read into yeaft's own form."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import fields

from yeaft.kernel.messages import CallItem, OpaqueItem, ReplyItem, TextItem, ThinkingItem, WireCall
from yeaft.llm import wire_json
from yeaft.llm.responses_wire import kept


class ItemPart(Struct, frozen=True, kw_only=True):
    """A part of a message, or of the summary or content of a reasoning item."""

    type: str | None = None
    text: str | None = None
    refusal: str | None = None


class Item(Struct, frozen=True, kw_only=True):
    """The fields that yeaft reads of messages, reasoning and calls."""

    type: str = ""
    id: str | None = None
    status: str | None = None
    content: tuple[ItemPart, ...] | str | None = None
    encrypted_content: str | None = None
    summary: tuple[ItemPart, ...] | None = None
    call_id: str | None = None
    name: str | None = None
    arguments: Raw = Raw()
    input: Raw = Raw()


class Content(NamedTuple):
    """What the items of a reply say; `refused` when any of it was the model declining."""

    items: tuple[ReplyItem, ...]
    calls: tuple[WireCall, ...]
    refused: bool


_items = msgspec.json.Decoder(Item)
_objects: msgspec.json.Decoder[dict[str, Raw]] = msgspec.json.Decoder(dict[str, Raw])


def head_of(raw: Raw) -> Item:
    """What can be read of an item, whole or just begun. Raises `ValueError` if it is not a JSON object."""
    try:
        return _items.decode(raw)
    except msgspec.ValidationError:
        return _legible(raw)
    except msgspec.DecodeError:
        return head_of(Raw(wire_json.mended(bytes(raw))))


def _legible(raw: Raw) -> Item:
    """An item without the fields that are not of the type we know."""
    known: dict[str, Any] = {}
    members = _objects.decode(raw)
    for field in fields(Item):
        if field.name in members:
            with suppress(msgspec.ValidationError):
                known[field.name] = msgspec.json.decode(members[field.name], type=field.type)
    return Item(**known)


def read(raws: Iterable[Raw], *, cut: bool) -> Content:
    """Read the items of a reply, in order; `cut` says that the reply ended before the model was done.

    Raises `ValueError` for an item that is not a JSON object.
    """
    items: list[ReplyItem] = []
    calls: list[WireCall] = []
    refused = False
    for raw in map(kept, raws):
        item = head_of(raw)
        match item.type:
            case "message":
                items.append(TextItem(text=_said(item), raw=raw))
                refused = refused or _declines(item)
            case "reasoning":
                items.append(ThinkingItem(text=_thought(item), raw=raw))
            case "function_call" | "custom_tool_call":
                items.append(CallItem(index=len(calls), raw=raw))
                calls.append(_call(item, cut=cut))
            case _:
                items.append(OpaqueItem(wire_type=item.type, raw=raw))
    return Content(tuple(items), tuple(calls), refused)


def _said(item: Item) -> str:
    if isinstance(item.content, str):
        return item.content
    return "".join(part.text or part.refusal or "" for part in item.content or ())


def _declines(item: Item) -> bool:
    return not isinstance(item.content, str) and any(part.refusal for part in item.content or ())


def _thought(item: Item) -> str:
    summary = "".join(part.text or "" for part in item.summary or ())
    return summary or _said(item)


def _call(item: Item, *, cut: bool) -> WireCall:
    args_raw = text_in(item.input if item.type == "custom_tool_call" else item.arguments)
    finished = item.status in {None, "", "completed"}
    if item.type == "custom_tool_call":
        complete = finished
    elif finished and not cut:
        complete, args_raw = True, args_raw or "{}"  # whether they make sense is the tool's question
    else:
        complete = is_object(args_raw)  # no part of an object is an object
    return WireCall(wire_id=item.call_id or "", tool=item.name or "", args_raw=args_raw, complete=complete)


def text_in(raw: Raw) -> str:
    """The string that `raw` holds; some servers send the arguments as the object itself: then its JSON."""
    data = bytes(raw)
    if not data or data == b"null":
        return ""
    value = wire_json.decode(data)
    return value if isinstance(value, str) else data.decode()


def is_object(text: str) -> bool:
    """Whether `text` is a whole JSON object."""
    try:
        return isinstance(wire_json.decode(text), dict)
    except ValueError:
        return False
