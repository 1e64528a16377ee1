"""From a model reference, such as `box/qwen3-32b` or `claude-sonnet`, to a model and the way to it."""

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from yeaft.config.settings import Config, ProviderModel
from yeaft.config.variables import GENERIC_PROVIDER
from yeaft.kernel.errors import ConfigError, NotFound
from yeaft.llm.base_url import problem_with_url
from yeaft.llm.catalogue import Catalogue, Traits
from yeaft.llm.model import ModelEntry, Tools, WireProtocol
from yeaft.llm.providers import (
    BEARER_VARIABLE,
    LOCAL_PROVIDER,
    OFFICIAL_URLS,
    Auth,
    GivenKey,
    Key,
    Server,
    VariableKey,
    servers,
)
from yeaft.llm.without_tools import without_calling

OPENAI_PREFIXES = ("gpt-", "o1", "o3", "o4", "chatgpt-", "codex-", "omni-")


class Route(Struct, frozen=True, kw_only=True):
    """A model and the way to it. `base_url` is empty only for the embedded model, whose server is started later.

    `headers` are the user's extra ones; what lets yeaft in comes from `Credentials`.
    """

    entry: ModelEntry
    base_url: str
    auth: Auth
    key: Key
    headers: Mapping[str, str] = {}


def resolve(
    config: Config, environ: Mapping[str, str], catalogue: Catalogue, ref: str, *, named_by: str = "-m"
) -> Route:
    """The model that `ref` (`provider/model`, a bare model id, or a provider's name) means.

    `named_by` is the place that named it, for messages. Raises `NotFound`, with what is near, for a provider or bare
    id that nobody knows, and `ConfigError` when the model cannot be talked to in the provider's protocol.
    """
    known = servers(config, environ)
    server, model_id = _found(known, catalogue, ref.strip(), named_by)
    listed = next((model for model in server.models if model.id == model_id), None)
    real_id = model_id if listed is not None else catalogue.real_id(server.name, model_id)
    protocol = _protocol(server, listed, real_id, named_by)
    return Route(
        entry=_entry(server.name, real_id, protocol, _traits(server, catalogue, real_id), listed),
        base_url=_checked(_base_url(server, real_id, protocol, named_by), server.name, config),
        auth=_auth(server, protocol),
        key=server.key,
        headers=server.headers,
    )


def with_server(route: Route, base_url: str, token: str) -> Route:
    """The route to a server that was started just now (the embedded model's), which lets in whoever has `token`."""
    return replace(route, base_url=base_url, auth="bearer", key=GivenKey(value=token))


def protocol_of(model_id: str) -> WireProtocol | None:
    """The protocol that a model with such an id speaks at home, or None if the id does not tell."""
    plain = model_id.lower()
    if plain.startswith("claude") or "/claude" in plain or ".claude" in plain:
        return "anthropic"
    return "openai-responses" if plain.rpartition("/")[2].startswith(OPENAI_PREFIXES) else None


def known_refs(config: Config, environ: Mapping[str, str], catalogue: Catalogue) -> list[str]:
    """Every `provider/model` that can be named without guessing; the user's own come first."""
    own = _own_refs(servers(config, environ))
    return list(dict.fromkeys([*own, *catalogue.refs()]))


def _own_refs(known: Mapping[str, Server]) -> Iterator[str]:
    for server in known.values():
        yield from (f"{server.name}/{model.id}" for model in server.models)


def _found(known: Mapping[str, Server], catalogue: Catalogue, ref: str, named_by: str) -> tuple[Server, str]:
    provider, slash, model_id = ref.partition("/")
    if slash and provider in known and model_id:
        return known[provider], model_id
    if provider in known and not model_id:
        return known[provider], default_model(known[provider], catalogue, named_by)
    for server in known.values():
        if any(model.id == ref for model in server.models):
            return server, ref
    if GENERIC_PROVIDER in known and known[GENERIC_PROVIDER].base_url:
        return known[GENERIC_PROVIDER], ref
    maker = "" if slash else catalogue.provider_of(ref) or _maker(ref)
    if maker:
        return known[maker], ref
    raise NotFound(_unknown(known, catalogue, ref, named_by))


def default_model(server: Server, catalogue: Catalogue, named_by: str) -> str:
    """The model to use of a provider that was named alone. Raises `NotFound` if it has none."""
    if server.models:
        return server.models[0].id
    if server.name in catalogue.defaults:
        return catalogue.defaults[server.name].id
    raise NotFound(f"{named_by}: the provider {server.name} lists no models; write {server.name}/MODEL.")


def _maker(model_id: str) -> str:
    match protocol_of(model_id):
        case "anthropic":
            return "anthropic"
        case "openai-responses":
            return "openai"
        case None:
            return ""


def _protocol(server: Server, listed: ProviderModel | None, model_id: str, named_by: str) -> WireProtocol:
    """Per model, then per provider, then by the id, then `openai-responses`."""
    if listed is not None and listed.protocol is not None:
        return listed.protocol
    native = protocol_of(model_id)
    chosen = server.protocol or native or "openai-responses"
    if server.insists or native is None or native == chosen or (native != "anthropic" and server.foreign):
        return chosen
    raise ConfigError(
        f"{named_by}: {model_id} speaks {native}, but the provider {server.name} speaks {chosen}. "
        f"Write {_maker(model_id)}/{model_id.rpartition('/')[2]}, or, if this server really offers it, set "
        f'protocol = "{chosen}" under [providers.{server.name}].'
    )


def _traits(server: Server, catalogue: Catalogue, model_id: str) -> Traits:
    """Of the embedded model's server any file is treated alike: its limits are the server's."""
    embedded = server.name == LOCAL_PROVIDER and not server.base_url
    wanted = catalogue.defaults[LOCAL_PROVIDER].id if embedded else model_id
    return catalogue.traits(wanted, foreign=server.foreign)


def _auth(server: Server, protocol: WireProtocol) -> Auth:
    if server.auth is not None:
        return server.auth
    by_token = isinstance(server.key, VariableKey) and server.key.name == BEARER_VARIABLE
    return "x-api-key" if protocol == "anthropic" and not by_token else "bearer"


def _base_url(server: Server, model_id: str, protocol: WireProtocol, named_by: str) -> str:
    if server.base_url or server.name == LOCAL_PROVIDER:
        return server.base_url
    if server.protocol is None and protocol_of(model_id) is None:
        remedy = (
            "set YEAFT_BASE_URL"
            if server.name == GENERIC_PROVIDER
            else f'set base_url = "https://..." under [providers.{server.name}]'
        )
        raise ConfigError(f"{named_by}: no server is known for {model_id} of the provider {server.name}; {remedy}.")
    return OFFICIAL_URLS[protocol]


def _checked(base_url: str, provider: str, config: Config) -> str:
    """`base_url` itself. Raises `ConfigError` that names its setting if it is no URL."""
    problem = problem_with_url(base_url) if base_url else ""
    if not problem:
        return base_url
    configured = config.providers.get(provider)
    variable = "YEAFT_BASE_URL" if provider == GENERIC_PROVIDER else f"{provider.upper()}_BASE_URL"
    setting = f"providers.{provider}.base_url" if configured and configured.base_url else variable
    raise ConfigError(f"{setting} is not the URL of a server: {problem}. Write it as https://HOST:PORT/PATH.")


def _entry(
    provider: str, model_id: str, protocol: WireProtocol, traits: Traits, listed: ProviderModel | None
) -> ModelEntry:
    """What the catalogue knows, corrected by what the user wrote."""
    said = listed or ProviderModel(id=model_id)
    context_tokens = said.context_tokens or traits.context_tokens
    return ModelEntry(
        provider=provider,
        id=model_id,
        protocol=protocol,
        context_tokens=context_tokens,
        output_tokens=said.output_tokens or traits.output_tokens,
        efforts=traits.efforts if said.efforts is None else said.efforts,
        thinking=said.thinking or traits.thinking,
        price=said.price_usd_per_mtok or traits.price,
        tools=_tools(traits.tools, context_tokens) if said.tools is None else said.tools,
        images=traits.images if said.images is None else said.images,
        cache=traits.cache,
        known=traits.known or said.context_tokens is not None,
    )


def _tools(tools: Tools, context_tokens: int) -> Tools:
    """What a model can do about tools: without tool calling it reads of them in text if there is room for that."""
    return tools or without_calling(context_tokens)


def _unknown(known: Mapping[str, Server], catalogue: Catalogue, ref: str, named_by: str) -> str:
    import difflib

    refs = [*_own_refs(known), *catalogue.refs()]
    bare = {name.partition("/")[2]: name for name in reversed(refs)}
    near = list(dict.fromkeys(bare.get(name, name) for name in difflib.get_close_matches(ref, [*refs, *bare], n=3)))
    remedy = f"Did you mean {' or '.join(near)}?" if near else "`yeaft model ls` lists what is known."
    provider, slash, _ = ref.partition("/")
    if slash:
        return f"{named_by}: no provider named {provider!r}; known are {', '.join(known)}. {remedy}"
    return f"{named_by}: no model named {ref!r}. {remedy} For a server of your own write PROVIDER/{ref}."
