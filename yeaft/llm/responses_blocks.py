"""Items of a Responses reply while they are being streamed, found again by whatever the server names them with."""

from typing import Any

from msgspec import Raw

from yeaft.llm import wire_json
from yeaft.llm.responses_items import head_of
from yeaft.llm.responses_wire import ItemAdded, ItemDone, Part

CALL_TYPES = frozenset({"function_call", "custom_tool_call"})


class Block:
    """One item. `parts` are its pieces by type and index of the part; `whole` is the finished item once it came."""

    def __init__(self, kind: str, began: Raw, name: str, call_index: int) -> None:
        self.kind = kind
        self.name = name
        self.call_index = call_index
        self.parts: dict[tuple[str, int], list[str]] = {}
        self.whole: Raw | None = None
        self.began = began

    def raw(self, status: str) -> Raw:
        """The item, or what its pieces add up to if it never came whole."""
        return self.whole if self.whole is not None else self._assembled(status)

    def _assembled(self, status: str) -> Raw:
        item: dict[str, Any] = wire_json.decode(bytes(self.began))
        for (part_type, _), pieces in sorted(self.parts.items(), key=lambda entry: entry[0][1]):
            text = "".join(pieces)
            match part_type:
                case "arguments" | "input":
                    item[part_type] = text
                case "summary_text":
                    item["summary"] = [*(item.get("summary") or ()), {"type": part_type, "text": text}]
                case "refusal":
                    item["content"] = [*(item.get("content") or ()), {"type": part_type, "refusal": text}]
                case _:
                    item["content"] = [*(item.get("content") or ()), {"type": part_type, "text": text}]
        if item.get("status") == "in_progress":
            item["status"] = status
        return Raw(wire_json.encode(item))


class Blocks:
    """All items of one reply, in the order in which they began."""

    def __init__(self) -> None:
        self.all: list[Block] = []
        self._by_index: dict[int, Block] = {}
        self._by_id: dict[str, Block] = {}

    @property
    def has_calls(self) -> bool:
        """Whether any part of a call has come."""
        return any(block.kind in CALL_TYPES for block in self.all)

    def of(self, part: Part) -> Block:
        """The block that `part` belongs to; begun here if the server never announced it.

        The index decides before the id, because a gateway may give an item another id in every event.
        """
        found = self._named(part.item_id, part.output_index)
        if found is not None and found.kind == part.item_type:
            return found
        began: dict[str, str] = {"type": part.item_type, "status": "in_progress"}
        if part.item_id:
            began["id"] = part.item_id
        return self._begin(Raw(wire_json.encode(began)), part.output_index)

    def add(self, event: ItemAdded) -> None:
        """An item begins; hearing that twice changes nothing."""
        found = self._named(head_of(event.item).id, event.output_index)
        if found is None or found.began != event.item:
            self._begin(event.item, event.output_index)

    def finish(self, event: ItemDone) -> Block:
        """An item is whole; it may never have been announced."""
        head = head_of(event.item)
        found = self._named(head.id, event.output_index)
        if found is None or found.kind != head.type or found.whole is not None:
            found = self._begin(event.item, event.output_index)
        found.whole, found.name = event.item, head.name or found.name
        return found

    def _named(self, item_id: str | None, output_index: int | None) -> Block | None:
        if output_index is not None:
            return self._by_index.get(output_index)
        if item_id:
            return self._by_id.get(item_id)
        return self.all[-1] if self.all else None

    def _begin(self, item: Raw, output_index: int | None) -> Block:
        head = head_of(item)
        call_index = sum(block.kind in CALL_TYPES for block in self.all)
        block = Block(head.type, item, head.name or "", call_index)
        self.all.append(block)
        if output_index is not None:
            self._by_index[output_index] = block
        if head.id:
            self._by_id[head.id] = block
        return block
