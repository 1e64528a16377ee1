"""HTTP connections to one provider, on httpx2: time limits, certificates, proxies, and errors in our own words."""

import asyncio
import math
import ssl
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing, suppress
from functools import lru_cache
from ipaddress import ip_address
from types import TracebackType
from urllib.request import getproxies

import httpx2

from yeaft import __version__
from yeaft.kernel.clock import NowMs
from yeaft.kernel.errors import ConfigError, ModelErrorKind, ModelFailed
from yeaft.llm.accumulator import Accumulator
from yeaft.llm.listening import read_reply
from yeaft.llm.model import Hear, Reply
from yeaft.llm.retry_after import retry_after_s
from yeaft.llm.tls import closed_context, trusting_context
from yeaft.llm.transport import Endpoint

REFUSAL_LIMIT_BYTES = 2**20
TAIL_TIMEOUT_S = 0.01
REPLY_LIMIT_BYTES = 256 * 2**20
TURN_BYTES = 256 * 2**10
"""How much may be decoded before everything else in the process gets its turn."""
KEEP_ALIVE_S = 55.0  # most servers and proxies hang up after 60


class Connections:
    """The clients of one provider and the tails of their last responses."""

    def __init__(self, now_ms: NowMs) -> None:
        self._now_ms = now_ms
        self._clients: dict[tuple[bool, bool], httpx2.AsyncClient] = {}  # by whether certificates and proxies are used
        self._tails: list[_Tail] = []

    async def exchange(self, endpoint: Endpoint, body: bytes, accumulator: Accumulator, hear: Hear) -> Reply:
        """See `Transport.exchange`. Raises `ConfigError` besides, for a URL or proxy that cannot be used."""
        await self._read_tails()
        try:
            return await self._within_limits(endpoint, body, accumulator, hear)
        except ModelFailed as failure:
            failure.text_so_far = failure.text_so_far or accumulator.text_so_far
            failure.calls_seen = failure.calls_seen or accumulator.calls_seen
            raise

    async def aclose(self) -> None:
        """Close all connections."""
        tails, self._tails = self._tails, []
        for tail in tails:
            await tail.resources.aclose()
        clients, self._clients = self._clients, {}
        for client in clients.values():
            await client.aclose()

    async def _within_limits(self, endpoint: Endpoint, body: bytes, accumulator: Accumulator, hear: Hear) -> Reply:
        patience = _Patience(endpoint)
        try:
            async with patience:
                return await self._attempt(endpoint, body, accumulator, hear, patience)
        except TimeoutError as error:
            raise ModelFailed("idle", f"{endpoint.place} sent nothing for {patience.waiting_s:g} s.") from error
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
            raise ConfigError(
                f"{endpoint.place} is not a URL that can be asked ({error}); base_url must start with http:// or https://."
            ) from error
        except httpx2.HTTPError as error:
            raise _translated(error, endpoint.place) from error

    async def _attempt(
        self, endpoint: Endpoint, body: bytes, accumulator: Accumulator, hear: Hear, patience: "_Patience"
    ) -> Reply:
        client = self._client_for(endpoint)
        request = _request(client, endpoint, body)
        async with AsyncExitStack() as resources:
            patience.await_first_byte()
            response = await client.send(request, stream=True)
            resources.push_async_callback(response.aclose)
            chunks = response.aiter_bytes()
            resources.push_async_callback(chunks.aclose)
            patience.await_first_byte()  # a local server sends its headers at once and then reads the prompt for long
            async with aclosing(_watched(chunks, patience, endpoint.place)) as watched:
                if not response.is_success:
                    raise await self._refused(response, watched, accumulator)
                reply = await read_reply(watched, accumulator, hear)
            self._tails.append(_Tail(chunks, resources.pop_all()))
        return reply

    async def _refused(
        self, response: httpx2.Response, chunks: AsyncGenerator[bytes, None], accumulator: Accumulator
    ) -> ModelFailed:
        body = bytearray()
        with suppress(ModelFailed):  # a connection that breaks now does not hide the refusal
            async for chunk in chunks:
                body += chunk
                if len(body) > REFUSAL_LIMIT_BYTES:
                    break
        headers = {name.lower(): value for name, value in response.headers.items()}
        failure = accumulator.refused(response.status_code, headers, bytes(body))
        asked_s = retry_after_s(headers, self._now_ms())
        failure.retry_after_s = failure.retry_after_s if asked_s is None else asked_s
        return failure

    def _client_for(self, endpoint: Endpoint) -> httpx2.AsyncClient:
        may_proxy = not _is_here(endpoint.url)
        urls = (endpoint.url, *(getproxies().values() if may_proxy else ()))
        is_secure = any(url.lower().startswith("https:") for url in urls)
        key = (is_secure, may_proxy)
        if key not in self._clients:
            self._clients[key] = _new_client(trusting_context() if is_secure else closed_context(), may_proxy=may_proxy)
        return self._clients[key]

    async def _read_tails(self) -> None:
        """Read what followed the last terminal events: it has long arrived, and frees their connections for reuse."""
        while self._tails:
            tail = self._tails.pop()
            async with tail.resources:
                with suppress(TimeoutError, httpx2.HTTPError):
                    async with asyncio.timeout(TAIL_TIMEOUT_S):
                        async for _ in tail.chunks:
                            pass


class _Tail:
    """A response whose terminal event has been seen, but not yet the end of its body."""

    def __init__(self, chunks: AsyncGenerator[bytes, None], resources: AsyncExitStack) -> None:
        self.chunks = chunks
        self.resources = resources


class _Patience:
    """Moves the deadline of an exchange whenever something arrives; raises `TimeoutError` once it has passed.

    Moving it is only noted: the one timer there is looks at that when it rings, and is set again.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._limit = asyncio.timeout(None)
        self._loop = asyncio.get_running_loop()
        self._due_s = math.inf
        self._timer: asyncio.TimerHandle | None = None
        self.waiting_s = 0.0

    async def __aenter__(self) -> None:
        await self._limit.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._set_timer(math.inf)
        await self._limit.__aexit__(kind, error, trace)

    def await_first_byte(self) -> None:
        self._wait(self._endpoint.first_byte_timeout_s)

    def await_next_byte(self) -> None:
        self._wait(self._endpoint.idle_timeout_s)

    def _wait(self, seconds: float) -> None:
        self.waiting_s = seconds
        self._due_s = self._loop.time() + seconds if seconds else math.inf
        if self._timer is None or self._timer.when() > self._due_s:
            self._set_timer(self._due_s)

    def _set_timer(self, at_s: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(at_s, self._look) if at_s < math.inf else None

    def _look(self) -> None:
        if self._loop.time() < self._due_s:
            self._set_timer(self._due_s)
        else:
            self._limit.reschedule(self._due_s)


async def _watched(chunks: AsyncGenerator[bytes, None], patience: _Patience, place: str) -> AsyncGenerator[bytes, None]:
    """`chunks`, each of which starts the wait for the next one; raises only `ModelFailed`.

    A server that is never waited for, or a few packed bytes that become millions, would else let nobody else run.
    """
    total_bytes, next_turn_bytes = 0, TURN_BYTES
    try:
        async for chunk in chunks:
            patience.await_next_byte()
            total_bytes += len(chunk)
            if total_bytes > REPLY_LIMIT_BYTES:
                raise ModelFailed("protocol", f"{place} sent a reply of more than {REPLY_LIMIT_BYTES >> 20} MiB.")
            if total_bytes >= next_turn_bytes:
                next_turn_bytes = total_bytes + TURN_BYTES
                await asyncio.sleep(0)
            yield chunk
    except httpx2.HTTPError as error:
        raise _translated(error, place) from error


@lru_cache(maxsize=32)
def _parsed(url: str) -> httpx2.URL:
    """What is asked again and again. Raises `InvalidURL`."""
    return httpx2.URL(url)


@lru_cache(maxsize=32)
def _is_here(url: str) -> bool:
    """Whether `url` leads to this machine itself, where no proxy could reach it."""
    try:
        host = _parsed(url).host
        return host == "localhost" or host.endswith(".localhost") or ip_address(host).is_loopback
    except (ValueError, httpx2.InvalidURL):  # a name, or no URL, as the request will say
        return False


def _new_client(context: ssl.SSLContext, *, may_proxy: bool) -> httpx2.AsyncClient:
    """A client that asks directly, or as the environment says. Raises `ConfigError` for a proxy that cannot be used."""
    try:
        return httpx2.AsyncClient(
            verify=context,
            trust_env=may_proxy,
            headers={"user-agent": f"yeaft/{__version__}"},
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=KEEP_ALIVE_S),
        )
    except ImportError as error:
        remedy = "Install it with `pip install socksio`, use an HTTP proxy, or list the server in NO_PROXY."
        message = f"The environment names a SOCKS proxy, and the package socksio is not installed. {remedy}"
        raise ConfigError(message) from error
    except (ValueError, httpx2.InvalidURL) as error:
        message = f"One of HTTP_PROXY, HTTPS_PROXY, ALL_PROXY is not the URL of a proxy: {error}"
        raise ConfigError(message) from error


def _request(client: httpx2.AsyncClient, endpoint: Endpoint, body: bytes) -> httpx2.Request:
    headers = {"content-type": "application/json", "accept": "text/event-stream, application/json", **endpoint.headers}
    timeout = httpx2.Timeout(None, connect=endpoint.connect_timeout_s or None)
    try:
        return client.build_request("POST", _parsed(endpoint.url), content=body, headers=headers, timeout=timeout)
    except UnicodeEncodeError:  # its text shows the header's value, which may be a key
        raise ModelFailed("invalid", _bad_header(endpoint.place)) from None


def _translated(error: httpx2.HTTPError, place: str) -> ModelFailed:
    return ModelFailed(*_explained(error, place))


def _explained(error: httpx2.HTTPError, place: str) -> tuple[ModelErrorKind, str]:
    reason = str(error) or type(error).__name__
    match error:
        case httpx2.LocalProtocolError():  # its text shows the header's value
            return "invalid", _bad_header(place)
        case httpx2.ConnectTimeout():
            return "connect", f"{place} did not answer in time: is the server up, is a proxy needed?"
        case httpx2.ConnectError() | httpx2.ProxyError():
            return "connect", f"Could not connect to {place}: {reason}"
        case httpx2.DecodingError():
            return "protocol", f"{place} sent a body that does not match its content-encoding."
        case _:
            return "truncated", f"{place} broke the connection before its reply was whole: {reason}"


def _bad_header(place: str) -> str:
    return f"The headers for {place} cannot be sent: is there a line break or a non-ASCII character in the key?"
