"""The scripted model as an HTTP server on loopback, speaking both protocols."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self

from msgspec import Struct

from yeaft.kernel.errors import BadData
from yeaft.llm.model import WireProtocol
from yeaft.llm.scripted.anthropic_wire import ANTHROPIC
from yeaft.llm.scripted.asked import Asked, read_request
from yeaft.llm.scripted.connection import HEAD_LIMIT_BYTES, BadRequest, Connection, HttpRequest
from yeaft.llm.scripted.delivery import JSON, HungUp, deliver
from yeaft.llm.scripted.player import Player
from yeaft.llm.scripted.responses_wire import RESPONSES
from yeaft.llm.scripted.script import Fails, Script, Step
from yeaft.llm.scripted.shapes import Json, an_object
from yeaft.llm.scripted.validate import validate
from yeaft.llm.scripted.wire import encoded

PROTOCOLS: Mapping[str, WireProtocol] = {"/messages": "anthropic", "/responses": "openai-responses"}
COUNT_PATH = "/messages/count_tokens"
WIRES = {"anthropic": ANTHROPIC, "openai-responses": RESPONSES}
MODEL_IDS = ("scripted",)


class Received(Struct, frozen=True, kw_only=True):
    """A request for a reply, as it came; `problems` is what a strict service would refuse it for."""

    protocol: WireProtocol
    path: str
    headers: Mapping[str, str]
    body: Json
    raw: bytes
    at_s: float
    problems: tuple[str, ...] = ()


class Exchange(Struct, frozen=True, kw_only=True):
    """A request that is over. Times are seconds of the monotonic clock, which all processes of a machine share.

    `number` counts requests from 0 in order of arrival; `whole` is False when the client left before the end.
    """

    number: int
    path: str
    step: str
    at_s: float
    first_byte_s: float
    end_s: float
    received_bytes: int
    sent_bytes: int
    whole: bool
    problems: tuple[str, ...] = ()


class _Gate:
    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.opened = asyncio.Event()


class ScriptedServer:
    """Plays a script to everyone who asks. Use it as `async with`; it listens on loopback only.

    `strict` refuses, like the real services, requests that break the protocol's rules. `key`, when set, must come
    with each request. `on_exchange` hears of every exchange as it ends.
    """

    def __init__(
        self,
        script: Script,
        *,
        port: int = 0,
        strict: bool = True,
        key: str = "",
        on_exchange: Callable[[Exchange], None] | None = None,
    ) -> None:
        self.requests: list[Received] = []
        self.exchanges: list[Exchange] = []
        self.base_url = ""
        self._script = script
        self._player = Player(script)
        self._port = port
        self._strict = strict
        self._key = key
        self._on_exchange = on_exchange
        self._changed = asyncio.Condition()
        self._gates: dict[str, _Gate] = {}
        self._clients: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self._port, limit=HEAD_LIMIT_BYTES)
        self.base_url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Stop listening and drop every connection."""
        if self._server is not None:
            self._server.close()
        for client in self._clients:
            client.cancel()
        if self._clients:
            await asyncio.wait(self._clients)

    async def received(self, count: int) -> Received:
        """Wait until `count` requests have come in all, and return the last of them."""
        async with self._changed:
            await self._changed.wait_for(lambda: len(self.requests) >= count)
        return self.requests[count - 1]

    async def ended(self, count: int) -> Exchange:
        """Wait until `count` exchanges are over, whole or not, and return the last of them to end."""
        async with self._changed:
            await self._changed.wait_for(lambda: len(self.exchanges) >= count)
        return self.exchanges[count - 1]

    async def reached(self, gate: str) -> None:
        """Wait until a stream stands still at a `Holds` step's gate."""
        await self._gate(gate).reached.wait()

    def release(self, gate: str) -> None:
        """Let everyone through the gate of this name, now and later."""
        self._gate(gate).opened.set()

    def _gate(self, name: str) -> _Gate:
        return self._gates.setdefault(name, _Gate())

    async def _wait_at(self, name: str) -> None:
        self._gate(name).reached.set()
        await self._gate(name).opened.wait()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = asyncio.create_task(self._serve(Connection(reader, writer)), name="scripted:client")
        self._clients.add(client)
        client.add_done_callback(self._clients.discard)

    async def _serve(self, connection: Connection) -> None:
        try:
            while (request := await connection.next_request()) is not None:
                await self._answer(request, connection)
                if request.headers.get("connection", "").lower() == "close":
                    return
        except BadRequest as error:
            await connection.respond(400, encoded({"error": {"message": str(error)}}), JSON)
        except (HungUp, ConnectionError):
            return
        finally:
            connection.close()

    async def _answer(self, request: HttpRequest, connection: Connection) -> None:
        path = request.path.removeprefix("/v1")
        protocol = PROTOCOLS.get(path)
        if request.method == "POST" and protocol is not None:
            await self._reply(request, protocol, connection)
        elif request.method == "POST" and path == COUNT_PATH:
            body = _decoded(request.body)
            tokens = self._understood("anthropic", body, request.body).input_tokens
            await connection.respond(200, encoded({"input_tokens": tokens}), JSON)
        elif request.method == "GET" and path == "/models":
            models = [{"id": ident, "object": "model", "type": "model", "created": 0} for ident in MODEL_IDS]
            await connection.respond(200, encoded({"object": "list", "data": models, "has_more": False}), JSON)
        else:
            message = f"There is no {request.method} {request.path} here."
            await connection.respond(404, encoded({"error": {"type": "not_found_error", "message": message}}), JSON)

    async def _reply(self, request: HttpRequest, protocol: WireProtocol, connection: Connection) -> None:
        received = self._judged(request, protocol)
        number = len(self.requests)
        self.requests.append(received)
        async with self._changed:
            self._changed.notify_all()
        asked = self._understood(protocol, received.body, request.body)
        step = self._refusal(received) or self._overflow(asked) or self._player.next_step(asked)
        whole = False
        try:
            await deliver(step, WIRES[protocol], asked, connection, self._wait_at)
            whole = True
        finally:
            await self._note_end(number, received, type(step).__name__, connection, whole)

    def _judged(self, request: HttpRequest, protocol: WireProtocol) -> Received:
        try:
            body = _decoded(request.body)
            problems = validate(protocol, body)
        except BadData as error:
            body, problems = {}, [str(error)]
        if protocol == "anthropic" and "anthropic-version" not in request.headers:
            problems.append("anthropic-version: header is required")
        return Received(
            protocol=protocol,
            path=request.path,
            headers=request.headers,
            body=body,
            raw=request.body,
            at_s=request.at_s,
            problems=tuple(problems),
        )

    def _refusal(self, received: Received) -> Step | None:
        bearer = received.headers.get("authorization", "").removeprefix("Bearer ")
        if self._key and self._key not in (bearer, received.headers.get("x-api-key")):
            return Fails(status=401, message="The key is missing or wrong.")
        if self._strict and received.problems:
            return Fails(status=400, message="; ".join(received.problems))
        if received.body.get("tools") and not self._script.tools:
            return Fails(status=400, message=f"{received.body.get('model')} does not support tools")
        return None

    def _understood(self, protocol: WireProtocol, body: Json, raw: bytes) -> Asked:
        return read_request(protocol, body, raw, self._script.bytes_per_token)

    def _overflow(self, asked: Asked) -> Step | None:
        limit, wanted = self._script.context_tokens, asked.input_tokens + asked.output_tokens
        if not limit or wanted <= limit:
            return None
        return Fails(
            status=400,
            message=f"prompt is too long: {asked.input_tokens} tokens and {asked.output_tokens} for the reply are "
            f"more than the maximum context length of {limit}",
        )

    async def _note_end(self, number: int, received: Received, step: str, connection: Connection, whole: bool) -> None:
        exchange = Exchange(
            number=number,
            path=received.path,
            step=step,
            at_s=received.at_s,
            first_byte_s=connection.first_byte_s,
            end_s=time.monotonic(),
            received_bytes=len(received.raw),
            sent_bytes=connection.sent_bytes,
            whole=whole,
            problems=received.problems,
        )
        self.exchanges.append(exchange)
        if self._on_exchange is not None:
            self._on_exchange(exchange)
        async with self._changed:
            self._changed.notify_all()


def _decoded(raw: bytes) -> Json:
    """The body of a request; unlike msgspec the standard library lets lone surrogates through to the validator."""
    try:
        return an_object(json.loads(raw))
    except (ValueError, RecursionError) as error:
        raise BadData(f"The body is not JSON: {error}") from error
