"""One entry of an MCP configuration in any of the spellings that agents and editors use for it."""

import re
import shlex
from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias, TypeVar

from msgspec import Struct

from yeaft.config.json_text import Items, Leaf, Members, Node
from yeaft.mcp.lifted import lifted
from yeaft.mcp.server import CALL_TIMEOUT_S, CONNECT_TIMEOUT_S, McpServer

T = TypeVar("T")
Kind = Literal["stdio", "http"]
Told: TypeAlias = tuple[int, str]
"""Where something is wrong, and what."""

KINDS: Mapping[str, Kind] = {
    "stdio": "stdio",
    "local": "stdio",
    "http": "http",
    "remote": "http",
    "streamable-http": "http",
    "streamablehttp": "http",
    "streamable_http": "http",
    "streamable": "http",
    "http-stream": "http",
    "httpstream": "http",
    "command": "stdio",
}
TYPE = ("type", "transport")
COMMAND = ("command", "cmd")
ARGS = ("args", "arguments")
URL = ("url", "httpUrl", "serverUrl", "uri")
ENV = ("env", "environment", "envs")
HEADERS = ("headers", "http_headers")
BEARER = ("bearerTokenEnvVar", "bearer_token_env_var")
"""The variable that holds what lets yeaft in, as some agents name it."""
CWD = ("cwd", "workingDirectory")
INCLUDE = ("include", "includeTools", "enabledTools", "enabled_tools", "available_tools")
EXCLUDE = ("exclude", "excludeTools", "disabledTools", "disabled_tools")
CONNECT_S = ("connect_timeout_s", "startup_timeout_sec")
CALL_S = ("call_timeout_s", "tool_timeout_sec")
LEAST_MS = 1000
MOST_DIGITS = 12
_MEANINGLESS = ("trust", "alwaysAllow", "autoApprove")
_NOT_DONE = {
    "envFile": "is not read; set the variables in 'env'",
    "headersHelper": "is not run; set the headers in 'headers', where ${VARIABLE} is filled in",
    "oauth": "is not read; `yeaft mcp login` asks the server how to log in",
}
_TRUTHS = {"true": True, "false": False}
_PAIR = re.compile(r"([\w.-]+)(?:=|:[ \t]+)(.*)$", re.DOTALL)
_WINDOWS = re.compile(r"\\|^[A-Za-z]:")


class Entry(Struct, frozen=True, kw_only=True):
    """What an entry says. With a `fault` it cannot be used; `remarks` are about what was understood all the same."""

    kind: Kind = "stdio"
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    cwd: str = ""
    url: str = ""
    headers: dict[str, str] = {}
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    connect_timeout_s: float = CONNECT_TIMEOUT_S
    call_timeout_s: float = CALL_TIMEOUT_S
    enabled: bool = True
    remarks: tuple[Told, ...] = ()
    fault: Told | None = None

    def server(self, name: str, origin: str) -> McpServer:
        """Return it as a server, variables not filled in."""
        return McpServer(
            name=name,
            kind=self.kind,
            command=self.command,
            args=self.args,
            env=self.env,
            cwd=self.cwd,
            url=self.url,
            headers=self.headers,
            include=self.include,
            exclude=self.exclude,
            connect_timeout_s=self.connect_timeout_s,
            call_timeout_s=self.call_timeout_s,
            origin=origin,
        )


class _FaultError(Exception):
    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(reason)
        self.told: Told = (offset, reason)


def read_entry(node: Members) -> Entry:
    """Read the entry of one server. Never raises."""
    fields = _Fields(lifted(node))
    try:
        return fields.entry()
    except _FaultError as error:
        return Entry(fault=error.told, remarks=tuple(fields.remarks))


class _Fields:
    """Reads single values, whatever they are called."""

    def __init__(self, node: Members) -> None:
        self.remarks: list[Told] = []
        self._node = node

    def entry(self) -> Entry:
        """Return the whole entry. Raises `_FaultError`."""
        command, args = self._command()
        url = self._one(URL, _text, "a text") or ""
        kind = self._kind(command, url)
        if kind == "http" and not url.startswith(("http://", "https://", "${")):
            raise _FaultError(self._at(URL), f"its url {url!r} must begin with http:// or https://")
        self._remark_unused()
        return Entry(
            kind=kind,
            command=command if kind == "stdio" else "",
            args=args if kind == "stdio" else (),
            env=self._texts(ENV) if kind == "stdio" else {},
            cwd=self._one(CWD, _text, "a text") or "",
            url=url if kind == "http" else "",
            headers=self._headers() if kind == "http" else {},
            include=self._included(),
            exclude=self._one(EXCLUDE, _names, "a list of names") or (),
            connect_timeout_s=self._seconds(CONNECT_S, CONNECT_TIMEOUT_S),
            call_timeout_s=self._seconds(CALL_S, self._milliseconds()),
            enabled=self._is_enabled(),
            remarks=tuple(self.remarks),
        )

    def _remark_unused(self) -> None:
        """Say what an author may rely on and what is not so here."""
        for key in _MEANINGLESS:
            node = self._node.get(key)
            if (isinstance(node, Leaf) and node.value is True) or (isinstance(node, Items) and node.items):
                self.remarks.append((self._node.at(key), f"{key!r} means nothing here; permission rules decide"))
        for key, said in _NOT_DONE.items():
            if self._node.get(key) is not None:
                self.remarks.append((self._node.at(key), f"{key!r} {said}"))

    def _headers(self) -> dict[str, str]:
        headers = self._texts(HEADERS)
        variable = self._one(BEARER, _text, "the name of a variable")
        if variable and "authorization" not in map(str.lower, headers):
            headers["Authorization"] = f"Bearer ${{{variable}}}"
        return headers

    def _included(self) -> tuple[str, ...]:
        tools = self._node.get("tools")  # here Copilot has a list; elsewhere it is something else
        listed = _names(tools) if isinstance(tools, Items) and self._found(INCLUDE) is None else None
        included = listed or self._one(INCLUDE, _names, "a list of names") or ()
        return () if "*" in included else included

    def _is_enabled(self) -> bool:
        is_off = self._one(("disabled",), _truth, "true or false") or False
        is_on = self._one(("enabled",), _truth, "true or false")
        return not is_off and (is_on is None or is_on)

    def _kind(self, command: str, url: str) -> Kind:
        written = (self._one(TYPE, _text, "a text") or "").lower()
        if written == "sse":
            remedy = 'name the address of its streamable HTTP, with "type": "http", if it has one'
            raise _FaultError(self._at(TYPE), f"the transport sse is not supported; {remedy}")
        kind = KINDS.get(written)
        if kind is None and written:
            raise _FaultError(self._at(TYPE), f"the transport {written!r} is not known; use stdio or http")
        if kind is None:
            kind = "stdio" if command else "http"
        if not command and not url:
            raise _FaultError(self._node.start, "it has neither a command nor a url")
        if (kind == "stdio" and not command) or (kind == "http" and not url):
            lacking = "command" if kind == "stdio" else "url"
            raise _FaultError(self._at(TYPE), f"it has no {lacking}, which its type {written!r} needs")
        if command and url:
            left_out = "url" if kind == "stdio" else "command"
            self.remarks.append((self._node.start, f"it has a command and a url; the {left_out} is ignored"))
        return kind

    def _command(self) -> tuple[str, tuple[str, ...]]:
        node = self._found(COMMAND)
        if isinstance(node, Items):
            words = _names(node)
            if not words or not words[0].strip():
                raise _FaultError(node.start, "its command must be a list of texts that begins with a program")
            return words[0], (*words[1:], *self._args())
        command = (self._one(COMMAND, _text, "a text") or "").strip()
        if node is not None and not command:
            raise _FaultError(node.start, "its command is empty")
        args = self._args()
        if " " in command and not command.startswith(("/", ".", "~", "$")) and not _WINDOWS.search(command):
            self.remarks.append((self._at(COMMAND), "the words behind the program belong into 'args'"))
            program, words = self._split(command, self._at(COMMAND))
            return program, (*words, *args)
        return command, args

    def _args(self) -> tuple[str, ...]:
        node = self._found(ARGS)
        if isinstance(node, Leaf) and isinstance(node.value, str):
            name = self._name(ARGS)
            self.remarks.append((node.start, f"{name!r} should be a list of texts; it was split as a shell would"))
            program, rest = self._split(f"program {node.value}", node.start)
            return rest if program else ()
        return self._one(ARGS, _words, "a list of texts") or ()

    def _split(self, text: str, offset: int) -> tuple[str, tuple[str, ...]]:
        try:
            program, *rest = shlex.split(text)
        except ValueError as error:
            raise _FaultError(offset, f"the words {text!r} cannot be told apart: {error}") from error
        return program, tuple(rest)

    def _texts(self, names: tuple[str, ...]) -> dict[str, str]:
        """Return a map of texts; numbers and truth values become texts as JSON writes them."""
        node = self._found(names)
        if node is None or (isinstance(node, Leaf) and node.value is None):
            return {}
        if isinstance(node, Items):
            return self._pairs(names, node)
        if not isinstance(node, Members):
            raise _FaultError(node.start, f"{self._name(names)!r} must be an object of texts")
        found: dict[str, str] = {}
        for member in node.unique():
            text = _written(member.node)
            if text is None:
                raise _FaultError(member.start, f"{self._name(names)}.{member.key} must be a text")
            if isinstance(member.node, Leaf) and member.node.value is not None:
                found[member.key] = text
        return found

    def _pairs(self, names: tuple[str, ...], node: Items) -> dict[str, str]:
        """Return a map of texts that is written as a list: of `NAME=text`, `Name: text`, or objects with both."""
        found: dict[str, str] = {}
        for item in node.items:
            pair = _pair(item)
            if pair is None:
                raise _FaultError(item.start, f"{self._name(names)!r} must be an object of texts")
            found[pair[0]] = pair[1]
        if found:
            self.remarks.append((node.start, f"{self._name(names)!r} should be an object, not a list"))
        return found

    def _milliseconds(self) -> float:
        """Return the time limit of calls in seconds, from the field that others give in milliseconds."""
        value = self._one(("timeout",), _number, "a number")
        if value is None:
            return CALL_TIMEOUT_S
        if value < LEAST_MS:
            self.remarks.append((self._at(("timeout",)), "'timeout' is in milliseconds; less than 1000 is ignored"))
            return CALL_TIMEOUT_S
        return value / 1000

    def _seconds(self, names: tuple[str, ...], otherwise: float) -> float:
        value = self._one(names, _number, "a number")
        if value is None:
            return otherwise
        if value <= 0:
            self.remarks.append((self._at(names), f"{self._name(names)!r} must be more than 0; it is ignored"))
            return otherwise
        return value

    def _one(self, names: tuple[str, ...], read: Callable[[Node], T | None], wanted: str) -> T | None:
        node = self._found(names)
        if node is None or (isinstance(node, Leaf) and node.value is None):
            return None
        value = read(node)
        if value is None:
            raise _FaultError(self._at(names), f"{self._name(names)!r} must be {wanted}")
        return value

    def _found(self, names: tuple[str, ...]) -> Node | None:
        return self._node.get(self._name(names))

    def _at(self, names: tuple[str, ...]) -> int:
        return self._node.at(self._name(names))

    def _name(self, names: tuple[str, ...]) -> str:
        """Return the spelling that is used here."""
        return next((name for name in names if self._node.get(name) is not None), names[0])


def _text(node: Node) -> str | None:
    return node.value if isinstance(node, Leaf) and isinstance(node.value, str) else None


def _pair(node: Node) -> tuple[str, str] | None:
    """A name and a text, from `NAME=text`, `Name: text`, or an object that holds both."""
    if isinstance(node, Members):
        name = next((text for key in ("name", "key") if (text := _text_in(node, key))), None)
        value = node.get("value")
        text = _written(value) if value is not None else None
        return (name, text) if name and text is not None else None
    found = _PAIR.match(_text(node) or "")
    return (found[1], found[2]) if found else None


def _text_in(node: Members, key: str) -> str | None:
    inner = node.get(key)
    return _text(inner) if inner is not None else None


def _truth(node: Node) -> bool | None:
    value = node.value if isinstance(node, Leaf) else None
    if isinstance(value, str) and value.lower() in _TRUTHS:
        return _TRUTHS[value.lower()]
    return value if isinstance(value, bool) else None


def _number(node: Node) -> float | None:
    if isinstance(node, Leaf) and isinstance(node.value, str) and node.value.isdecimal() and node.value.isascii():
        return float(node.value[:MOST_DIGITS])
    if isinstance(node, Leaf) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return float(node.value)
    return None


def _names(node: Node) -> tuple[str, ...] | None:
    """A list of texts, or one text that is the only one."""
    items = node.items if isinstance(node, Items) else (node,)
    texts = [text for item in items if (text := _text(item)) is not None]
    return tuple(texts) if len(texts) == len(items) else None


def _words(node: Node) -> tuple[str, ...] | None:
    """A list of texts and numbers."""
    if not isinstance(node, Items):
        return None
    texts = [text for item in node.items if (text := _written(item)) is not None]
    return tuple(texts) if len(texts) == len(node.items) else None


def _written(node: Node) -> str | None:
    """A single value as text."""
    if not isinstance(node, Leaf):
        return None
    if isinstance(node.value, bool):
        return str(node.value).lower()
    return "" if node.value is None else str(node.value)
