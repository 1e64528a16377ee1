"""What a request of either protocol asks, as far as a script cares."""

import hashlib
import re
from collections.abc import Sequence

from msgspec import Struct

from yeaft.llm.model import WireProtocol
from yeaft.llm.scripted.shapes import Json, a_text, an_object, objects

PERSONA_HEADING = re.compile(r"^# .*\(@([^)\s]+)\)\s*$", re.MULTILINE)
BYTES_PER_TOKEN = 4


class Asked(Struct, frozen=True, kw_only=True):
    """`text` is the newest user-side text; `rounds` how many assistant messages follow it; `digest` of it all."""

    protocol: WireProtocol
    model: str
    system: str
    text: str
    rounds: int
    stream: bool
    digest: str
    input_tokens: int
    output_tokens: int

    def is_to(self, vp: str) -> bool:
        """Whether the persona of the system prompt is `vp`: the first heading ending in `(@id)`, else any `(@id)`."""
        heading = PERSONA_HEADING.search(self.system)
        return heading.group(1) == vp if heading else f"(@{vp})" in self.system


class _Saying(Struct, frozen=True):
    """One side's unbroken stretch of a conversation; `text` is only what a person would read."""

    by_model: bool
    text: str


def read_request(protocol: WireProtocol, body: Json, raw: bytes, bytes_per_token: float = BYTES_PER_TOKEN) -> Asked:
    """Understand `body`, whose bytes were `raw`; `output_tokens` is the longest reply that it allows."""
    anthropic = protocol == "anthropic"
    sayings = _anthropic(body) if anthropic else _responses(body)
    text, rounds = _newest(sayings)
    most = body.get("max_tokens" if anthropic else "max_output_tokens")
    return Asked(
        protocol=protocol,
        model=a_text(body.get("model")),
        system=_plain(body.get("system")) if anthropic else a_text(body.get("instructions")),
        text=text,
        rounds=rounds,
        stream=body.get("stream") is True,
        digest=hashlib.sha256(raw).hexdigest(),
        input_tokens=int(len(raw) / bytes_per_token) + 1,
        output_tokens=most if isinstance(most, int) else 0,
    )


def _newest(sayings: Sequence[_Saying]) -> tuple[str, int]:
    """The text of the last user-side stretch that has any, and the number of assistant stretches after it."""
    rounds = 0
    for saying in reversed(sayings):
        if saying.by_model:
            rounds += 1
        elif saying.text:
            return saying.text, rounds
    return "", rounds


def _anthropic(body: Json) -> list[_Saying]:
    return _merged(
        [
            _Saying(message.get("role") == "assistant", _plain(message.get("content")))
            for message in objects(body.get("messages"))
        ]
    )


def _responses(body: Json) -> list[_Saying]:
    if isinstance(body.get("input"), str):
        return [_Saying(False, a_text(body.get("input")))]
    return _merged([_item(item) for item in objects(body.get("input"))])


def _item(item: Json) -> _Saying:
    if item.get("type", "message") == "message":
        return _Saying(item.get("role") == "assistant", _plain(item.get("content")))
    return _Saying(not a_text(item.get("type")).endswith("_output"), "")


def _merged(sayings: Sequence[_Saying]) -> list[_Saying]:
    merged: list[_Saying] = []
    for saying in sayings:
        if merged and merged[-1].by_model == saying.by_model:
            before = merged.pop().text
            merged.append(_Saying(saying.by_model, "\n".join(filter(None, (before, saying.text)))))
        else:
            merged.append(saying)
    return merged


def _plain(content: object) -> str:
    """The text of a string or of the text blocks of a list; results of calls are not text."""
    if isinstance(content, str):
        return content
    return "\n".join(a_text(an_object(block).get("text")) for block in objects(content) if block.get("text"))
