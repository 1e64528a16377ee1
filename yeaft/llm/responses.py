"""A model that is reached over the Responses API, at OpenAI or at any server that speaks it."""

from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit, urlunsplit

from msgspec.structs import replace

from yeaft.llm import responses_prompt
from yeaft.llm.model import Hear, ModelEntry, Reply
from yeaft.llm.prompt import Prompt
from yeaft.llm.responses_reply import ResponsesReply
from yeaft.llm.transport import Endpoint, Transport


def responses_url(base_url: str) -> str:
    """Where requests go: `/responses` below `base_url`, which names its version itself unless it has no path."""
    parts = urlsplit(base_url.strip())
    path = parts.path.rstrip("/") or "/v1"
    if not path.endswith("/responses"):
        path += "/responses"
    return urlunsplit(parts._replace(path=path))


class ResponsesModel:
    """One model of one provider.

    `endpoint` is asked before each request, so that a renewed key is used at once; its URL is the provider's base URL.
    The transport is shared with other models of the provider; whoever made it closes it.
    """

    def __init__(self, entry: ModelEntry, transport: Transport, endpoint: Callable[[], Awaitable[Endpoint]]) -> None:
        self._entry = entry
        self._transport = transport
        self._endpoint = endpoint

    @property
    def entry(self) -> ModelEntry:
        """What is known of the model."""
        return self._entry

    def encode(self, prompt: Prompt) -> bytes:
        """The exact body of the request."""
        return responses_prompt.encode(prompt, self._entry)

    async def generate(self, body: bytes, hear: Hear) -> Reply:
        """Send `body` once and return the whole reply; see `Model.generate`."""
        base = await self._endpoint()
        endpoint = replace(base, url=responses_url(base.url))
        return await self._transport.exchange(endpoint, body, ResponsesReply(self._entry.provider), hear)
