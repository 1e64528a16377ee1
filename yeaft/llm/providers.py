"""The servers that models can be reached at: the built-in ones, the environment's, and those in the configuration."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from yeaft.config.settings import PROTOCOL_HINT, Config, Provider, ProviderModel
from yeaft.config.variables import GENERIC_PROVIDER, has_generic_provider
from yeaft.kernel.errors import ConfigError
from yeaft.llm.model import WireProtocol

OFFICIAL_URLS: Mapping[WireProtocol, str] = {
    "anthropic": "https://api.anthropic.com",
    "openai-responses": "https://api.openai.com/v1",
}
OPENROUTER_URL = "https://openrouter.ai/api/v1"
LOCAL_PROVIDER = "local"
BEARER_VARIABLE = "ANTHROPIC_AUTH_TOKEN"  # what it holds goes into a bearer header
KEY_VARIABLES: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY", BEARER_VARIABLE),
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
}
"""The variables that hold a built-in provider's key; the first one that is set counts."""

Auth = Literal["x-api-key", "bearer"]


class NoKey(Struct, frozen=True, kw_only=True, tag="none"):
    """The server lets everybody in."""


class GivenKey(Struct, frozen=True, kw_only=True, tag="given"):
    """The key itself, as written in a configuration file."""

    value: str

    def __repr__(self) -> str:
        return "GivenKey(value='***')"


class VariableKey(Struct, frozen=True, kw_only=True, tag="variable"):
    """The key is in an environment variable."""

    name: str


class CommandKey(Struct, frozen=True, kw_only=True, tag="command"):
    """The key is what a command prints; it may print another one later."""

    argv: tuple[str, ...]


Key = NoKey | GivenKey | VariableKey | CommandKey


class Server(Struct, frozen=True, kw_only=True):
    """A provider with everything the user said about it filled in.

    `base_url` empty means the official one of the model's protocol. `protocol` None means that the model's id decides,
    `insists` that the user chose the protocol, so that no id contradicts it. `auth` None follows key and protocol.
    """

    name: str
    key: Key
    base_url: str = ""
    protocol: WireProtocol | None = None
    insists: bool = False
    auth: Auth | None = None
    headers: Mapping[str, str] = {}
    models: tuple[ProviderModel, ...] = ()

    @property
    def foreign(self) -> bool:
        """Whether somebody other than a known service answers."""
        return self.base_url.rstrip("/") not in {"", OPENROUTER_URL, *OFFICIAL_URLS.values()}


def servers(config: Config, environ: Mapping[str, str]) -> dict[str, Server]:
    """All providers by name, the configuration's first. Raises `ConfigError` for unusable `YEAFT_*` variables."""
    built_in = {server.name: server for server in _built_in(environ)}
    configured = {name: _with(built_in.get(name), name, provider) for name, provider in config.providers.items()}
    return {**configured, **{name: server for name, server in built_in.items() if name not in configured}}


def has_key(server: Server, environ: Mapping[str, str]) -> bool:
    """Whether there is a key to try, without running any command."""
    match server.key:
        case NoKey():
            return False
        case VariableKey(name=name):
            return bool(environ.get(name, "").strip())
        case GivenKey() | CommandKey():
            return True


def _built_in(environ: Mapping[str, str]) -> list[Server]:
    found = [
        Server(
            name="anthropic",
            key=_variable_key("anthropic", environ),
            base_url=environ.get("ANTHROPIC_BASE_URL", "").rstrip("/"),
            protocol="anthropic",
        ),
        Server(
            name="openai",
            key=_variable_key("openai", environ),
            base_url=environ.get("OPENAI_BASE_URL", "").rstrip("/"),
            protocol="openai-responses",
        ),
        Server(name="openrouter", key=_variable_key("openrouter", environ), base_url=OPENROUTER_URL, auth="bearer"),
        Server(name=LOCAL_PROVIDER, key=NoKey(), protocol="openai-responses", insists=True),
    ]
    return [*found, _generic(environ)] if has_generic_provider(environ) else found


def _variable_key(name: str, environ: Mapping[str, str]) -> Key:
    """The variable to take the key from. A server of the user's own may need none."""
    variables = KEY_VARIABLES[name]
    present = next((variable for variable in variables if environ.get(variable)), "")
    own_server = bool(environ.get(f"{name.upper()}_BASE_URL"))
    return NoKey() if own_server and not present else VariableKey(name=present or variables[0])


def _generic(environ: Mapping[str, str]) -> Server:
    """The one server that `YEAFT_*` variables describe. No other provider's key is ever sent to it."""
    protocol = _protocol_named(environ.get("YEAFT_PROTOCOL", ""))
    base_url = environ.get("YEAFT_BASE_URL", "")
    if base_url and not base_url.startswith(("http://", "https://")):
        raise ConfigError(f"YEAFT_BASE_URL is {base_url!r}; it must begin with http:// or https://.")
    return Server(
        name=GENERIC_PROVIDER,
        key=VariableKey(name="YEAFT_API_KEY") if environ.get("YEAFT_API_KEY") else NoKey(),
        base_url=base_url.rstrip("/"),
        protocol=protocol,
        insists=protocol is not None,
    )


def _protocol_named(word: str) -> WireProtocol | None:
    match word:
        case "":
            return None
        case "anthropic" | "openai-responses":
            return word
        case _:
            raise ConfigError(f"YEAFT_PROTOCOL={word}: choose anthropic or openai-responses. {PROTOCOL_HINT}.")


def _with(server: Server | None, name: str, provider: Provider) -> Server:
    """The built-in server of this name, if there is one, with what the configuration says about it."""
    start = server or Server(name=name, key=NoKey())
    return replace(
        start,
        key=_configured_key(provider) or start.key,
        base_url=provider.base_url.rstrip("/") or start.base_url,
        protocol=provider.protocol or start.protocol,
        insists=provider.protocol is not None or start.insists,
        auth=provider.auth or start.auth,
        headers=provider.headers,
        models=provider.models,
    )


def _configured_key(provider: Provider) -> Key | None:
    if provider.api_key:
        return GivenKey(value=provider.api_key)
    if provider.api_key_env:
        return VariableKey(name=provider.api_key_env)
    return CommandKey(argv=provider.api_key_cmd) if provider.api_key_cmd else None
