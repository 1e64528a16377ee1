"""The one seam between the engine and any model."""

from collections.abc import Callable
from typing import Literal, Protocol

from msgspec import Struct

from yeaft.kernel.messages import ReplyItem, WireCall
from yeaft.kernel.usage import Price, Usage
from yeaft.llm.prompt import Prompt

WireProtocol = Literal["anthropic", "openai-responses"]
Tools = bool | Literal["text"]
"""Whether a model calls tools; "text": it has no tool calling, so tools are explained and called in plain text."""


class ModelEntry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of a model: where it is and what it can do. `price` None means unknown, not free."""

    provider: str
    id: str
    protocol: WireProtocol
    context_tokens: int
    output_tokens: int
    efforts: tuple[str, ...] = ()
    thinking: Literal["none", "adaptive", "budget"] = "none"
    price: Price | None = None
    tools: Tools = True
    images: bool = True
    cache: bool = True
    known: bool = True

    @property
    def ref(self) -> str:
        """`provider/model`, as the user writes it."""
        return f"{self.provider}/{self.id}"


class Piece(Struct, frozen=True, kw_only=True):
    """What one network chunk added to one block of a reply; `tool` and `index` only for pieces of a call."""

    kind: Literal["text", "thinking", "call"]
    pieces: tuple[str, ...]
    index: int = 0
    tool: str = ""


class Reply(Struct, frozen=True, kw_only=True):
    """A whole reply. `stop` is end, calls, max_tokens, refusal, pause, context, filtered, cut or `other:<raw>`."""

    items: tuple[ReplyItem, ...]
    calls: tuple[WireCall, ...]
    stop: str
    usage: Usage
    model: str = ""


Hear = Callable[[Piece], None]


Encode = Callable[[Prompt], bytes]
"""Makes the exact body of a request."""


class Model(Protocol):
    """One model of one provider."""

    @property
    def entry(self) -> ModelEntry:
        """What is known of it."""
        ...

    def encoder(self) -> Encode:
        """What makes the exact bodies of requests: a pure function of a prompt and `entry`.

        It only saves time to use the same one for requests that each begin as the one before did.
        """
        ...

    async def generate(self, body: bytes, hear: Hear) -> Reply:
        """Send `body` once and return the whole reply, telling `hear` of each piece as it comes.

        Never retries. Raises `ModelFailed`, with the partial text, for everything that is not a whole reply;
        when cancelled it closes the connection and lets `CancelledError` pass.
        """
        ...


class Substitute(Protocol):
    """Stands in for models, such as one that repeats what they once said."""

    def model(self, ref: str, make: Callable[[], Model]) -> Model:
        """Return the model that is to be used for `ref`; `make` gives the real one."""
        ...
