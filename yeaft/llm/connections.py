"""HTTP connections to one provider, on httpx2: time limits, certificates, proxies, and errors in our own words."""

import asyncio
import ssl
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, suppress
from urllib.request import getproxies

import httpx2

from yeaft import __version__
from yeaft.kernel.clock import NowMs
from yeaft.kernel.errors import ModelErrorKind, ModelFailed
from yeaft.llm.accumulator import Accumulator
from yeaft.llm.listening import read_reply
from yeaft.llm.model import Hear, Reply
from yeaft.llm.retry_after import retry_after_s
from yeaft.llm.tls import closed_context, trusting_context
from yeaft.llm.transport import Endpoint

REFUSAL_LIMIT_BYTES = 2**20
TAIL_TIMEOUT_S = 0.01
KEEP_ALIVE_S = 55.0  # most servers and proxies hang up after 60


class Connections:
    """The clients of one provider and the tails of their last responses."""

    def __init__(self, now_ms: NowMs) -> None:
        self._now_ms = now_ms
        self._clients: dict[bool, httpx2.AsyncClient] = {}  # by whether certificates are loaded
        self._tails: list[_Tail] = []

    async def exchange(self, endpoint: Endpoint, body: bytes, accumulator: Accumulator, hear: Hear) -> Reply:
        """See `Transport.exchange`."""
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
            async with patience.limit:
                return await self._attempt(endpoint, body, accumulator, hear, patience)
        except TimeoutError as error:
            raise ModelFailed("idle", f"{endpoint.place} sent nothing for {patience.waiting_s:g} s.") from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
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
            if not response.is_success:
                raise await self._refused(response, _watched(chunks, patience, endpoint.place), accumulator)
            reply = await read_reply(_watched(chunks, patience, endpoint.place), accumulator, hear)
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
        urls = (endpoint.url, *getproxies().values())
        is_secure = any(url.lower().startswith("https:") for url in urls)
        if is_secure not in self._clients:
            self._clients[is_secure] = _new_client(trusting_context() if is_secure else closed_context())
        return self._clients[is_secure]

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
    """Moves the deadline of an exchange whenever something arrives."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._first_byte_s = endpoint.first_byte_timeout_s
        self._idle_s = endpoint.idle_timeout_s
        self.limit = asyncio.timeout(None)
        self._now_s = asyncio.get_running_loop().time
        self.waiting_s = 0.0

    def await_first_byte(self) -> None:
        self._wait(self._first_byte_s)

    def await_next_byte(self) -> None:
        self._wait(self._idle_s)

    def _wait(self, seconds: float) -> None:
        self.waiting_s = seconds
        self.limit.reschedule(self._now_s() + seconds if seconds else None)


async def _watched(chunks: AsyncGenerator[bytes, None], patience: _Patience, place: str) -> AsyncGenerator[bytes, None]:
    """`chunks`, each of which starts the wait for the next one; raises only `ModelFailed`."""
    try:
        async for chunk in chunks:
            patience.await_next_byte()
            yield chunk
    except httpx2.HTTPError as error:
        raise _translated(error, place) from error


def _new_client(context: ssl.SSLContext) -> httpx2.AsyncClient:
    try:
        return httpx2.AsyncClient(
            verify=context,
            headers={"user-agent": f"yeaft/{__version__}"},
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=KEEP_ALIVE_S),
        )
    except ImportError as error:
        remedy = "Install it with `pip install socksio`, use an HTTP proxy, or list the server in NO_PROXY."
        message = f"The environment names a SOCKS proxy, and the package socksio is not installed. {remedy}"
        raise ModelFailed("connect", message) from error
    except (ValueError, httpx2.InvalidURL) as error:
        message = f"One of HTTP_PROXY, HTTPS_PROXY, ALL_PROXY is not the URL of a proxy: {error}"
        raise ModelFailed("connect", message) from error


def _request(client: httpx2.AsyncClient, endpoint: Endpoint, body: bytes) -> httpx2.Request:
    headers = {"content-type": "application/json", "accept": "text/event-stream, application/json", **endpoint.headers}
    timeout = httpx2.Timeout(None, connect=endpoint.connect_timeout_s or None)
    try:
        return client.build_request("POST", endpoint.url, content=body, headers=headers, timeout=timeout)
    except UnicodeEncodeError:  # its text shows the header's value, which may be a key
        raise ModelFailed("invalid", _bad_header(endpoint.place)) from None


def _translated(error: httpx2.HTTPError | httpx2.InvalidURL, place: str) -> ModelFailed:
    return ModelFailed(*_explained(error, place))


def _explained(error: httpx2.HTTPError | httpx2.InvalidURL, place: str) -> tuple[ModelErrorKind, str]:
    reason = str(error) or type(error).__name__
    match error:
        case httpx2.InvalidURL() | httpx2.UnsupportedProtocol():
            return "invalid", f"{place} is not a URL that can be asked; base_url must start with http:// or https://."
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
