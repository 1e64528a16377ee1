"""The OpenAI Responses protocol, as spoken by OpenAI and any server that speaks it."""

from urllib.parse import urlsplit, urlunsplit

from yeaft.llm import responses_prompt
from yeaft.llm.responses_reply import ResponsesReply
from yeaft.llm.wire_model import Dialect


def responses_url(base_url: str) -> str:
    """Where requests go: `/responses` below `base_url`, which names its version itself unless it has no path."""
    parts = urlsplit(base_url.strip())
    path = parts.path.rstrip("/") or "/v1"
    if not path.endswith("/responses"):
        path += "/responses"
    return urlunsplit(parts._replace(path=path))


RESPONSES = Dialect(encoder=responses_prompt.encoder, url=responses_url, accumulator=ResponsesReply)
