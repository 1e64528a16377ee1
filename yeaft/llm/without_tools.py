"""A model that turns out to have no tool calling is told of its tools in text from then on."""

import re
from collections.abc import Callable

from msgspec.structs import replace

from yeaft.kernel.errors import ModelFailed
from yeaft.kernel.pattern import Pattern
from yeaft.llm.model import Encode, Hear, Model, ModelEntry, Reply, Tools

TEXT_CALLS_CONTEXT_TOKENS = 16_384
"""In a smaller window the description of the tools would leave too little for the work."""
_REFUSED = Pattern(
    r"(?:not|n't) support (?:tools?|functions?)\b"  # Ollama, and many gateways
    r"|(?:tools?|functions?)(?: use| calls?| calling)? (?:is|are) not (?:supported|enabled)"
    r"|no endpoints found that support tool use"  # OpenRouter
    r"|tool choice requires --enable-auto-tool-choice"  # vLLM
    r"|tools param requires --jinja",  # llama.cpp
    re.IGNORECASE,
)


def without_calling(context_tokens: int) -> Tools:
    """What a model without tool calling and with such a window can do about tools."""
    return "text" if context_tokens >= TEXT_CALLS_CONTEXT_TOKENS else False


class Adapting:
    """A model made by `make`, and made anew when its server says that it does not support tools.

    That request fails in a way that is tried again at once; the next one is written for what was learnt.
    """

    def __init__(self, make: Callable[[ModelEntry], Model], entry: ModelEntry) -> None:
        self._make = make
        self._model = make(entry)

    @property
    def entry(self) -> ModelEntry:
        """What is known of the model by now."""
        return self._model.entry

    def encoder(self) -> Encode:
        """See `Model.encoder`."""
        return self._model.encoder()

    async def generate(self, body: bytes, hear: Hear) -> Reply:
        """See `Model.generate`."""
        try:
            return await self._model.generate(body, hear)
        except ModelFailed as error:
            entry = self._model.entry
            if entry.tools is not True or _REFUSED.search(error.message) is None:
                raise
            self._model = self._make(replace(entry, tools=without_calling(entry.context_tokens)))
            raise ModelFailed("protocol", error.message, status=error.status, retry_after_s=0.0) from error
