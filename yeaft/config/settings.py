"""The shape of `config.toml`, layer by layer merged into one frozen value."""

from typing import Literal

from msgspec import Struct

from yeaft.config import instruction_names
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


class Window(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """`[window]`: how much of what was said before goes along with a turn; the turn itself may fill the model's window.

    At most so many earlier `turns`, `rows` (messages, replies and results) and `history_tokens`. Calls and results are
    sent of the newest `tool_turns` of them only; of older ones what was said. With `compact` on, a model sums up what
    did not fit, once a turn is over.
    """

    turns: int = 25
    rows: int = 256
    history_tokens: int = 32_768
    tool_turns: int = 3
    compact: Literal["off", "on"] = "off"


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
    tools: bool | Literal["text"] | None = None
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


class Sandbox(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """`[sandbox]`: whether commands are shut off from the rest of the machine, and what they may reach all the same.

    With `required` no command runs where that is not possible. `write` are more places that they may write to.
    """

    mode: Literal["off", "on"] = "off"
    required: bool = False
    network: bool = False
    write: tuple[str, ...] = ()


class McpServerSettings(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """`[mcp.servers.X]`: a server of tools, either a `command` to run or the `url` of one that runs elsewhere.

    `include` and `exclude` are names of its tools, or globs; `${VAR}` in texts is filled in from the environment.
    """

    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    cwd: str = ""
    url: str = ""
    headers: dict[str, str] = {}
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    enabled: bool = True
    connect_timeout_s: float | None = None
    call_timeout_s: float | None = None


class Mcp(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """`[mcp]`: how many tools of servers are offered at once, how long servers are waited for, and the servers."""

    most_tools: int = 40
    connect_timeout_s: float = 10.0
    call_timeout_s: float = 60.0
    servers: dict[str, McpServerSettings] = {}


class InstructionFiles(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """`[instructions]`: the names of a project's instruction files; the first that is in a folder counts there."""

    names: tuple[str, ...] = instruction_names.SHARED


class CheckpointSettings(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """`[checkpoints]`: whether the work folder can be brought back to earlier states, and how much is kept for that.

    Larger files than `max_file_bytes` are not kept, nothing more beyond `max_total_bytes` for a Session; in a folder
    with more than `max_files` only those that tools write.
    """

    enabled: bool = True
    max_file_bytes: int = 10 * 1024 * 1024
    max_total_bytes: int = 512 * 1024 * 1024
    max_files: int = 5_000


Theme = Literal["auto", "light", "dark", "ansi", "none"]


class TuiSettings(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """`[tui]`: how the full screen looks and how it makes itself heard while the user looks elsewhere.

    `title` names the terminal's window, `progress` shows there that somebody is at work. With `transcript` what was
    said is printed once the screen is left.
    """

    theme: Theme = "auto"
    mouse: bool = True
    notify: Literal["auto", "osc9", "osc777", "bell", "off"] = "auto"
    title: bool = True
    progress: bool = True
    transcript: bool = False


class GraphSettings(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """`[graphs]`: from what estimate of its cost on the user is asked before a run begins; None for never.

    `vps_may_start` gives VPs the tool RunFlow; `vp_run_tokens` is what one run that a VP began may use in all.
    """

    confirm_usd: float | None = None
    vps_may_start: bool = False
    vp_run_tokens: int = 500_000


class Config(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """All settings. `default_vp` names the VP that answers when nobody is mentioned."""

    language: str = ""
    default_vp: str = "omni"
    models: Models = Models()
    limits: Limits = Limits()
    window: Window = Window()
    retry: Retry = Retry()
    providers: dict[str, Provider] = {}
    permissions: Permissions = Permissions()
    vps: dict[str, VpSettings] = {}
    web: Web = Web()
    search: Search = Search()
    images: Images = Images()
    sandbox: Sandbox = Sandbox()
    mcp: Mcp = Mcp()
    instructions: InstructionFiles = InstructionFiles()
    checkpoints: CheckpointSettings = CheckpointSettings()
    tui: TuiSettings = TuiSettings()
    graphs: GraphSettings = GraphSettings()
    keys: dict[str, str | tuple[str, ...] | dict[str, str | tuple[str, ...]]] = {}
    project_doc_max_bytes: int = 32768
