"""What we and the host process of MCP servers tell each other: one JSON object a line, both ways.

Orders go in at its standard input, news come out at its standard output. Answers carry the `id` of what they answer.
"""

import hashlib

import msgspec
from msgspec import Raw, Struct

from yeaft.mcp.server import McpServer

LINE_BYTES = 64 * 1024 * 1024
"""The longest line that either side accepts."""


class ListedTool(Struct, frozen=True, kw_only=True):
    """A tool as its server describes it; nothing of it is trusted. `hints` are the annotations that are set."""

    name: str
    description: str = ""
    schema: Raw = Raw(b"{}")
    hints: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """The SHA-256 of all that could change what a model makes of it."""
        schema: object = msgspec.json.decode(self.schema)
        what = (self.name, self.description, schema, sorted(self.hints))
        return hashlib.sha256(msgspec.json.encode(what, order="deterministic")).hexdigest()


class PromptArgument(Struct, frozen=True, kw_only=True):
    """What a prompt wants filled in."""

    name: str
    description: str = ""
    required: bool = False


class ListedPrompt(Struct, frozen=True, kw_only=True):
    """A prompt that a server keeps."""

    name: str
    description: str = ""
    arguments: tuple[PromptArgument, ...] = ()


class Listing(Struct, frozen=True, kw_only=True):
    """What a connected server says of itself."""

    title: str = ""
    version: str = ""
    instructions: str = ""
    tools: tuple[ListedTool, ...] = ()
    prompts: tuple[ListedPrompt, ...] = ()
    has_resources: bool = False


class Part(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A piece of a result: `text`, `image`, `audio`, `blob` (an embedded file) or `link` (a resource to be read)."""

    kind: str
    text: str = ""
    mime: str = ""
    content: bytes = b""
    uri: str = ""
    name: str = ""


class Result(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a call, a read or a prompt came to; `structured` is JSON, empty if there is none."""

    parts: tuple[Part, ...] = ()
    structured: str = ""
    failed: bool = False


class Order(Struct, frozen=True, kw_only=True, tag_field="do"):
    """What is asked of the host."""


class Connect(Order, frozen=True, kw_only=True, tag="connect"):
    """Start or call a server. `log` is the file for what it says beside the protocol, `tokens` that of its logins.

    With `login` the user is there to log in at the server, should it want that.
    """

    server: McpServer
    folder: str
    log: str
    tokens: str
    login: bool = False


class Disconnect(Order, frozen=True, kw_only=True, tag="disconnect"):
    """End a server, or the connection to it."""

    server: str


class CallTool(Order, frozen=True, kw_only=True, tag="call"):
    """Call a tool; `args` is a JSON object."""

    id: int
    server: str
    tool: str
    args: Raw


class ReadResource(Order, frozen=True, kw_only=True, tag="read"):
    """Read a resource, or list what there is if `uri` is empty."""

    id: int
    server: str
    uri: str = ""


class GetPrompt(Order, frozen=True, kw_only=True, tag="prompt"):
    """Get the text of a prompt."""

    id: int
    server: str
    prompt: str
    arguments: dict[str, str] = {}


class Cancel(Order, frozen=True, kw_only=True, tag="cancel"):
    """Nobody waits any more for the answer to order `id`."""

    id: int


class Reply(Order, frozen=True, kw_only=True, tag="reply"):
    """What the human said to an `Elicited`: `accept` with a JSON object, `decline` or `cancel`."""

    id: int
    action: str
    content: Raw = Raw(b"{}")


class Ping(Order, frozen=True, kw_only=True, tag="ping"):
    """A sign of life is wanted."""


class News(Struct, frozen=True, kw_only=True, tag_field="news"):
    """What the host tells."""


class Pong(News, frozen=True, kw_only=True, tag="pong"):
    """The host is there; also the first thing that it says."""


class Started(News, frozen=True, kw_only=True, tag="started"):
    """The process of a server runs; its id is also that of its process group."""

    server: str
    pid: int


class Exited(News, frozen=True, kw_only=True, tag="exited"):
    """The process of a server and its group are gone."""

    server: str
    pid: int


class Connected(News, frozen=True, kw_only=True, tag="connected"):
    """A server has answered, or has changed what it offers."""

    server: str
    listing: Listing


class Lost(News, frozen=True, kw_only=True, tag="lost"):
    """There is no connection to a server any more, or it could not be made; all orders to it are void.

    `unsent` are the orders that it cannot have begun with: one line tells both, so that nobody tries again in between.
    """

    server: str
    text: str
    wants_login: bool = False
    unsent: tuple[int, ...] = ()


class LoginAt(News, frozen=True, kw_only=True, tag="login_at"):
    """The user has to open this address in a browser."""

    server: str
    url: str


class Noise(News, frozen=True, kw_only=True, tag="noise"):
    """So many lines on a server's standard output were no messages."""

    server: str
    lines: int


class Done(News, frozen=True, kw_only=True, tag="done"):
    """An order has its result."""

    id: int
    result: Result


class Refused(News, frozen=True, kw_only=True, tag="refused"):
    """An order came to nothing. With `unsent` the server never began with it, so it may be sent again."""

    id: int
    text: str
    unsent: bool = False


class Progress(News, frozen=True, kw_only=True, tag="progress"):
    """A server is at work on an order."""

    id: int
    text: str


class Elicited(News, frozen=True, kw_only=True, tag="elicited"):
    """A server asks the human: to fill in what `schema` describes, or to go to `url`."""

    id: int
    server: str
    message: str
    schema: Raw = Raw(b"{}")
    url: str = ""


AnyOrder = Connect | Disconnect | CallTool | ReadResource | GetPrompt | Cancel | Reply | Ping
AnyNews = Pong | Started | Exited | Connected | Lost | LoginAt | Noise | Done | Refused | Progress | Elicited

_orders = msgspec.json.Decoder(AnyOrder)
_news = msgspec.json.Decoder(AnyNews)


def line(said: AnyOrder | AnyNews) -> bytes:
    """One line that the other side can read."""
    return msgspec.json.encode(said) + b"\n"


def read_order(raw: bytes) -> AnyOrder:
    """The order in a line. Raises `msgspec.DecodeError` for anything else."""
    return _orders.decode(raw)


def read_news(raw: bytes) -> AnyNews:
    """The news in a line. Raises `msgspec.DecodeError` for anything else."""
    return _news.decode(raw)
