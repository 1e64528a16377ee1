"""One content block of a Messages reply while its deltas come in, and what it is when they are all there."""

from typing import Any, Literal

from msgspec import Raw

from yeaft.kernel.messages import CallItem, OpaqueItem, ReplyItem, TextItem, ThinkingItem, WireCall
from yeaft.llm import wire_json
from yeaft.llm.anthropic_wire import (
    CitationsDelta,
    CompactionDelta,
    Delta,
    InputDelta,
    SignatureDelta,
    TextDelta,
    ThinkingDelta,
)
from yeaft.llm.model import Piece


class Block:
    """A block that began with the object `start`; `call_index` counts the reply's calls from 0, -1 for other blocks."""

    def __init__(self, start: dict[str, Any], call_index: int = -1) -> None:
        self._start = start
        self._call_index = call_index
        self._texts: list[str] = []  # of text and thinking
        self._inputs: list[str] = []  # of tool arguments
        self.stopped = False
        self.kind = _word(start, "type")
        self.tool = _word(start, "name") if self.is_call else ""

    @property
    def is_call(self) -> bool:
        """Whether it asks us, not the server, to run a tool."""
        return self._call_index >= 0

    @property
    def text(self) -> str:
        """The text or thinking so far."""
        return "".join(self._texts)

    def begin(self) -> list[Piece]:
        """Take the start in: what it shows is that a call begins, or text that came with it."""
        if self.is_call:
            return [Piece(kind="call", pieces=(), index=self._call_index, tool=self.tool)]
        return [*self._say("text", _word(self._start, "text")), *self._say("thinking", _word(self._start, "thinking"))]

    def add(self, delta: Delta) -> list[Piece]:
        """Take `delta` in; a kind of delta that does not fit this kind of block changes nothing."""
        match delta:
            case TextDelta(text=text):
                return self._say("text", text)
            case ThinkingDelta(thinking=text):
                return self._say("thinking", text)
            case InputDelta(partial_json=text):
                return self._ask(text)
            case SignatureDelta(signature=signature):
                self._start["signature"] = signature
            case CitationsDelta(citation=citation):
                self._start["citations"] = [*(self._start.get("citations") or []), citation]
            case CompactionDelta(content=content, encrypted_content=encrypted):
                known = {"content": content, "encrypted_content": encrypted}
                self._start |= {name: value for name, value in known.items() if value is not None}
        return []

    def item(self) -> ReplyItem:
        """The block as an item; `raw` is left out where the other fields say it all."""
        match self.kind:
            case "text":
                raw = self._raw_beyond({"text": self.text})
                return TextItem(text=self.text, raw=raw) if raw else TextItem(text=self.text)
            case "thinking":
                return ThinkingItem(text=self.text, raw=_raw({**self._start, "thinking": self.text}))
            case "redacted_thinking":
                return ThinkingItem(text="", raw=_raw(self._start))
            case _ if self.is_call:
                raw = self._raw_beyond({"id": "", "name": "", "input": {}})
                return CallItem(index=self._call_index, raw=raw) if raw else CallItem(index=self._call_index)
            case _:
                return OpaqueItem(wire_type=self.kind, raw=_raw(self._with_input()))

    def call(self, *, cut: bool) -> WireCall:
        """The block as a call; `cut` says that the reply was stopped before the model was done."""
        args_raw = "".join(self._inputs)
        is_whole = wire_json.is_json(args_raw) if args_raw.strip() else self.stopped and not cut
        if not args_raw.strip():
            given = self._start.get("input")  # some servers send the arguments with the start
            args_raw, is_whole = (wire_json.encode(given).decode(), True) if given else ("{}", is_whole)
        return WireCall(wire_id=_word(self._start, "id"), tool=self.tool, args_raw=args_raw, complete=is_whole)

    def _say(self, kind: Literal["text", "thinking"], text: str) -> list[Piece]:
        if not text or self.kind != kind:
            return []
        self._texts.append(text)
        return [Piece(kind=kind, pieces=(text,))]

    def _ask(self, text: str) -> list[Piece]:
        if not text:
            return []
        self._inputs.append(text)
        return [Piece(kind="call", pieces=(text,), index=self._call_index, tool=self.tool)] if self.is_call else []

    def _with_input(self) -> dict[str, Any]:
        try:
            return {**self._start, "input": wire_json.decode("".join(self._inputs))} if self._inputs else self._start
        except ValueError:
            return self._start

    def _raw_beyond(self, known: dict[str, Any]) -> Raw | None:
        """The whole block if it has more to it than `known`, else None. The default caller is no more.

        An empty `Raw` that is not the field's own default would be encoded, as nothing, which is no JSON.
        """
        beyond = {
            name: value
            for name, value in self._start.items()
            if name not in {"type", *known} and value not in (None, [], {"type": "direct"})
        }
        return _raw({"type": self.kind, **known, **beyond}) if beyond else None


def implied(delta: Delta) -> Block | None:
    """The block that a delta without a start belongs to, if its kind can be told: some gateways leave starts out."""
    match delta:
        case TextDelta():
            return Block({"type": "text", "text": ""})
        case ThinkingDelta():
            return Block({"type": "thinking", "thinking": ""})
        case _:
            return None


def _raw(block: dict[str, Any]) -> Raw:
    return Raw(wire_json.encode(block))


def _word(block: dict[str, Any], name: str) -> str:
    value = block.get(name)
    return value if isinstance(value, str) else ""
