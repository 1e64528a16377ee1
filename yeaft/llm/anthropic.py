"""A model that is reached over the Anthropic Messages API, at Anthropic or at any server that speaks it."""

from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from yeaft.llm import anthropic_prompt
from yeaft.llm.anthropic_reply import AnthropicReply
from yeaft.llm.model import Hear, ModelEntry, Reply
from yeaft.llm.prompt import Prompt
from yeaft.llm.transport import Endpoint, Transport

VERSION_HEADERS = {"anthropic-version": "2023-06-01"}


def messages_url(base_url: str) -> str:
    """Where requests go: `/v1/messages` below `base_url`, which may already name the version or the whole path."""
    place, mark, query = base_url.strip().partition("?")
    url = place.rstrip("/")
    if not url.endswith("/messages"):
        url += "/messages" if url.endswith("/v1") else "/v1/messages"
    return url + mark + query


class AnthropicModel:
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
        return anthropic_prompt.encode(prompt, self._entry)

    async def generate(self, body: bytes, hear: Hear) -> Reply:
        """Send `body` once and return the whole reply; see `Model.generate`."""
        base = await self._endpoint()
        endpoint = replace(base, url=messages_url(base.url), headers={**VERSION_HEADERS, **base.headers})
        return await self._transport.exchange(endpoint, body, AnthropicReply(self._entry.provider), hear)
