"""Makes models from references, and owns the connections to their providers."""

from collections.abc import Awaitable, Callable, Mapping

from yeaft.config.settings import Config
from yeaft.kernel.errors import ModelFailed
from yeaft.llm.catalogue import Catalogue
from yeaft.llm.credentials import Credentials
from yeaft.llm.embedded_server import Address
from yeaft.llm.model import Encode, Hear, Model, ModelEntry, Reply, Substitute, WireProtocol
from yeaft.llm.providers import LOCAL_PROVIDER
from yeaft.llm.router import Route, resolve, with_server
from yeaft.llm.transport import Endpoint, Transport
from yeaft.llm.wire_model import Dialect, WireModel
from yeaft.llm.without_tools import Adapting

StartLocal = Callable[[], Awaitable[Address]]
"""Starts the embedded model's server, or finds it running."""


class Models:
    """The models of one process by reference; close it to close their connections."""

    def __init__(
        self,
        config: Config,
        environ: Mapping[str, str],
        catalogue: Catalogue,
        start_local: StartLocal,
        substitute: Substitute | None = None,
    ) -> None:
        self._config = config
        self._environ = environ
        self._catalogue = catalogue
        self._start_local = start_local
        self._substitute = substitute
        self._credentials = Credentials(environ)
        self._transports: dict[str, Transport] = {}
        self._models: dict[str, Model] = {}

    def get(self, ref: str, named_by: str) -> Model:
        """The model that `ref` means; `named_by` is who asked for it, for messages. Raises as `router.resolve`."""
        if ref not in self._models:

            def make() -> Model:
                return self._model(resolve(self._config, self._environ, self._catalogue, ref, named_by=named_by))

            self._models[ref] = make() if self._substitute is None else self._substitute.model(ref, make)
        return self._models[ref]

    async def aclose(self) -> None:
        """Close all connections."""
        for transport in self._transports.values():
            await transport.aclose()

    def _model(self, route: Route) -> Model:
        transport = self._transports.setdefault(route.entry.provider, Transport())
        door = _Door(route, self._config, self._credentials, self._start_local)
        dialect = _dialect(route.entry.protocol)
        return Adapting(
            lambda entry: _KeyedModel(WireModel(dialect, entry, transport, door.endpoint), door), route.entry
        )


def _dialect(protocol: WireProtocol) -> Dialect:
    """The protocol of this name; a run seldom needs both, and each takes milliseconds to load."""
    match protocol:
        case "anthropic":
            from yeaft.llm.anthropic import ANTHROPIC

            return ANTHROPIC
        case "openai-responses":
            from yeaft.llm.responses import RESPONSES

            return RESPONSES


class _Door:
    """The way in to one model's server: its address and what lets us in."""

    def __init__(self, route: Route, config: Config, credentials: Credentials, start_local: StartLocal) -> None:
        self._route = route
        self._retry = config.retry
        self._credentials = credentials
        self._start_local = start_local
        self._used: dict[str, str] = {}

    async def endpoint(self) -> Endpoint:
        """Where to send the next request."""
        route = self._route
        if route.entry.provider == LOCAL_PROVIDER and not route.base_url:
            address = await self._start_local()
            route = with_server(route, address.base_url, address.token)
        self._used = await self._credentials.headers(route)
        return Endpoint(
            url=route.base_url,
            headers=self._used,
            first_byte_timeout_s=self._retry.first_byte_timeout_s,
            idle_timeout_s=self._retry.idle_timeout_s,
            connect_timeout_s=self._retry.connect_timeout_s,
        )

    async def is_renewed(self) -> bool:
        """Whether the command that gives the key has another one than was refused."""
        return await self._credentials.renewed(self._route, self._used) is not None


class _KeyedModel:
    """A model whose key may have to be renewed: a refused key is asked for once more, then the refusal stands."""

    def __init__(self, model: Model, door: _Door) -> None:
        self._model = model
        self._door = door

    @property
    def entry(self) -> ModelEntry:
        """What is known of the model."""
        return self._model.entry

    def encoder(self) -> Encode:
        """See `Model.encoder`."""
        return self._model.encoder()

    async def generate(self, body: bytes, hear: Hear) -> Reply:
        """See `Model.generate`."""
        try:
            return await self._model.generate(body, hear)
        except ModelFailed as error:
            if error.kind != "auth" or not await self._door.is_renewed():
                raise
        return await self._model.generate(body, hear)
