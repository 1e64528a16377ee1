"""The Anthropic Messages protocol, as spoken by Anthropic and any server that speaks it."""

from yeaft.llm import anthropic_prompt
from yeaft.llm.anthropic_reply import AnthropicReply
from yeaft.llm.wire_model import Dialect

VERSION_HEADERS = {"anthropic-version": "2023-06-01"}


def messages_url(base_url: str) -> str:
    """Where requests go: `/v1/messages` below `base_url`, which may already name the version or the whole path."""
    place, mark, query = base_url.strip().partition("?")
    url = place.rstrip("/")
    if not url.endswith("/messages"):
        url += "/messages" if url.endswith("/v1") else "/v1/messages"
    return url + mark + query


ANTHROPIC = Dialect(
    encoder=anthropic_prompt.encoder, url=messages_url, accumulator=AnthropicReply, headers=VERSION_HEADERS
)
