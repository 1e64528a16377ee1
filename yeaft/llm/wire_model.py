"""A model behind HTTP: what all wire protocols have in common, around what each makes of prompts and bytes."""

from collections.abc import Awaitable, Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from yeaft.llm.accumulator import Accumulator
from yeaft.llm.encoding import in_text
from yeaft.llm.model import Encode, Hear, ModelEntry, Reply
from yeaft.llm.transport import Endpoint, Transport


class Dialect(Struct, frozen=True, kw_only=True):
    """One wire protocol: how requests are written, replies read (by provider), and where below a URL requests go."""

    encoder: Callable[[ModelEntry], Encode]
    url: Callable[[str], str]
    accumulator: Callable[[str], Accumulator]
    headers: Mapping[str, str] = {}


class WireModel:
    """One model of one provider.

    `endpoint` is asked before each request, so that a renewed key is used at once; its URL is the provider's base URL.
    The transport is shared with other models of the provider; whoever made it closes it.
    """

    def __init__(
        self, dialect: Dialect, entry: ModelEntry, transport: Transport, endpoint: Callable[[], Awaitable[Endpoint]]
    ) -> None:
        self._dialect = dialect
        self._entry = entry
        self._transport = transport
        self._endpoint = endpoint

    @property
    def entry(self) -> ModelEntry:
        """What is known of the model."""
        return self._entry

    def encoder(self) -> Encode:
        """What makes the bodies of requests; see `Model.encoder`."""
        return in_text(self._entry, self._dialect.encoder(self._entry))

    async def generate(self, body: bytes, hear: Hear) -> Reply:
        """Send `body` once and return the whole reply; see `Model.generate`."""
        base, dialect = await self._endpoint(), self._dialect
        endpoint = replace(base, url=dialect.url(base.url), headers={**dialect.headers, **base.headers})
        return await self._transport.exchange(endpoint, body, self._accumulator(body), hear)

    def _accumulator(self, body: bytes) -> Accumulator:
        accumulator = self._dialect.accumulator(self._entry.provider)
        if self._entry.tools != "text":
            return accumulator
        from yeaft.llm.text_calls import offered
        from yeaft.llm.text_calls_reply import TextCallsReply

        tools = offered(body)
        return accumulator if tools is None else TextCallsReply(accumulator, tools)
