"""The shape of `config.toml`, layer by layer merged into one frozen value."""

from typing import Literal

from msgspec import Struct

from yeaft.kernel.usage import Price

Mode = Literal["ask", "edits", "plan", "auto"]
WireProtocolName = Literal["anthropic", "openai-responses"]
PROTOCOL_HINT = (
    "yeaft speaks the Messages protocol of Anthropic and the Responses protocol of OpenAI; for anything else point "
    "base_url at a server that offers one of them, such as llama.cpp, vLLM, Ollama or a gateway"
)
SearchProviderName = Literal["", "ddgs", "tavily", "brave", "searxng", "json"]
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra")
"""How hard a model may think, from least to most; each model knows only some of these words."""


class Models(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """`[models]`: references of the form `provider/model`, or a bare model id."""

    primary: str = ""
    fast: str = ""
    fallback: str = ""
    effort: str = ""


class Limits(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """`[limits]`: what one turn (rounds) or one process (cost) may use, and how many sub-agents there may be.

    `agents_per_vp` and `agents_per_session` count live ones, `agents_per_message` all that one user message causes.
    """

    max_rounds: int = 50
    max_cost_usd: float | None = None
    max_continues: int = 3
    handoff_depth: int = 30
    handoff_turns: int = 8
    agents_per_vp: int = 8
    agents_per_session: int = 16
    agents_per_message: int = 32
    agent_idle_s: float = 300.0
    agent_silence_s: float = 120.0


class Retry(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """`[retry]`: how often and how long to wait for a provider."""

    max_retries: int = 3
    base_delay_s: float = 1.0
    max_delay_s: float = 30.0
    jitter_ratio: float = 0.25
    first_byte_timeout_s: float = 90.0
    idle_timeout_s: float = 90.0
    connect_timeout_s: float = 10.0
    forbidden_delays_s: tuple[float, ...] = (30.0, 120.0)


class ProviderModel(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """`[[providers.X.models]]`: a model the bundled catalogue does not know, or knows wrongly."""

    id: str
    protocol: WireProtocolName | None = None
    context_tokens: int | None = None
    output_tokens: int | None = None
    price_usd_per_mtok: Price | None = None
    efforts: tuple[str, ...] | None = None
    thinking: Literal["none", "adaptive", "budget"] | None = None
    tools: bool | None = None
    images: bool | None = None


class Provider(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """`[providers.X]`: a server and how to be let in. At most one of the three key settings."""

    protocol: WireProtocolName | None = None
    base_url: str = ""
    api_key: str = ""
    api_key_env: str = ""
    api_key_cmd: tuple[str, ...] = ()
    auth: Literal["x-api-key", "bearer"] | None = None
    headers: dict[str, str] = {}
    models: tuple[ProviderModel, ...] = ()


class Permissions(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """`[permissions]`: the default mode and rules of the form `Tool(pattern)`."""

    mode: Mode | None = None
    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


class VpSettings(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """`[vps.X]`: what the user changes about one VP without editing its file; its rules add to those of everybody."""

    model: str = ""
    effort: str = ""
    mode: Mode | None = None
    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


class Web(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """`[web]`: what fetching a page may take, and whether it may lead into private networks."""

    allow_private: bool = False
    timeout_s: float = 30.0
    max_bytes: int = 10 * 1024 * 1024


class Search(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """`[search]`: who is asked; with an empty `provider`, everybody who can be, until one answers.

    `url` is required for `searxng` and `json`; for the others it replaces their public address.
    """

    provider: SearchProviderName = ""
    url: str = ""
    api_key: str = ""
    api_key_env: str = ""


class Images(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """`[images]`: an endpoint that makes images as OpenAI's `/v1/images/generations` does; none if `url` is empty."""

    url: str = ""
    model: str = ""
    api_key_env: str = ""


class Config(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """All settings. `default_vp` names the VP that answers when nobody is mentioned."""

    language: str = ""
    default_vp: str = "omni"
    models: Models = Models()
    limits: Limits = Limits()
    retry: Retry = Retry()
    providers: dict[str, Provider] = {}
    permissions: Permissions = Permissions()
    vps: dict[str, VpSettings] = {}
    web: Web = Web()
    search: Search = Search()
    images: Images = Images()
    project_doc_max_bytes: int = 32768
