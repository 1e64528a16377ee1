"""Fetches addresses that a model or a server chose: guarded on every hop, bounded in bytes and time."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from typing import TYPE_CHECKING
from urllib.request import getproxies, proxy_bypass

from msgspec import Struct

from yeaft import __version__
from yeaft.config.settings import Web
from yeaft.kernel.errors import ModelFailed, ToolFailed
from yeaft.tools.web.web_address import domain_of, redirected
from yeaft.tools.web.web_guard import Resolve, open_addresses, system_resolve

if TYPE_CHECKING:
    from httpx2 import URL, AsyncClient, Request, Response

MOST_REDIRECTS = 5
REDIRECTS = frozenset({301, 302, 303, 307, 308})
CONNECT_TIMEOUT_S = 10.0
DEFAULT_PORTS = {"http": 80, "https": 443}
HEADERS = {
    "user-agent": f"yeaft/{__version__} (+https://pypi.org/project/yeaft/)",
    "accept": "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, */*;q=0.5",
    "accept-encoding": "gzip, deflate",
}
CODINGS = frozenset({"", "identity", "gzip", "deflate"})

ProxyFor = Callable[[str, str], str | None]
"""The proxy for a scheme and a host, None for a direct connection."""


class Fetched(Struct, frozen=True, kw_only=True):
    """What a server sent; `body` is decompressed, and only its beginning if `is_cut`."""

    url: str
    status: int
    content_type: str
    body: bytes
    is_cut: bool


def environment_proxy(scheme: str, host: str) -> str | None:
    """What HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY say."""
    if proxy_bypass(host):
        return None
    proxies = getproxies()
    return proxies.get(scheme) or proxies.get("all")


def everywhere(_: str) -> bool:
    """Permit every domain."""
    return True


class WebClient:
    """Fetches within the limits of `settings`.

    A direct connection goes to an address that was checked, while the certificate is still checked against the name.
    Behind a proxy it is the proxy that resolves names, so there only names known to be private are refused.
    """

    def __init__(
        self, settings: Web, *, resolve: Resolve = system_resolve, proxy_for: ProxyFor = environment_proxy
    ) -> None:
        self._settings = settings
        self._resolve = resolve
        self._proxy_for = proxy_for

    async def fetch(
        self, url: "URL", *, limit_bytes: int, permits: Callable[[str], bool] = everywhere, trusted: str = ""
    ) -> Fetched:
        """Get `url`, following redirects to domains that `permits` accepts.

        `trusted` is an origin, such as `http://127.0.0.1:8080`, that may be private. Raises `ToolFailed` with a
        reason for the model: a refused address, no connection, too many redirects, too slow.
        """
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                return await self._followed(url, limit_bytes, permits, trusted)
        except TimeoutError as error:
            limit_s = self._settings.timeout_s
            raise ToolFailed(f"{url.host} did not answer in full within {limit_s:g} s (web.timeout_s).") from error

    async def _followed(self, url: "URL", limit_bytes: int, permits: Callable[[str], bool], trusted: str) -> Fetched:
        for _ in range(MOST_REDIRECTS + 1):
            async with self._response(url, is_trusted=bool(trusted) and origin_of(url) == trusted) as response:
                location = response.headers.get("location")
                if response.status_code not in REDIRECTS or not location:
                    return await _received(response, url, limit_bytes)
            target = redirected(url, location)
            if domain_of(target) != domain_of(url) and not permits(domain_of(target)):
                raise ToolFailed(
                    f"{url} redirects to {target}, which needs a permission of its own; fetch that address."
                )
            url = target
        raise ToolFailed(f"More than {MOST_REDIRECTS} redirects, the last one to {url}.")

    @asynccontextmanager
    async def _response(self, url: "URL", *, is_trusted: bool) -> AsyncGenerator["Response", None]:
        """The answer of the server at `url`, its body not yet read. Raises `ToolFailed`."""
        from httpx2 import DecodingError, HTTPError

        proxy = self._proxy_for(url.scheme, domain_of(url))
        allow_private = is_trusted or self._settings.allow_private
        port = url.port or DEFAULT_PORTS[url.scheme]
        addresses = await open_addresses(domain_of(url), port, self._resolve, allow_private=allow_private)
        if not addresses and not proxy:
            raise ToolFailed(f"There is no host {url.host}; check the address.")
        try:
            async with _client(url, proxy) as client:
                response = await _connected(client, url, () if proxy else addresses)
                async with aclosing(response):
                    yield response
        except DecodingError as error:
            raise ToolFailed(f"{url.host} sent a body that does not match its content-encoding.") from error
        except HTTPError as error:
            raise ToolFailed(f"{url} could not be fetched: {str(error) or type(error).__name__}.") from error


def origin_of(url: "URL") -> str:
    """Scheme, host and port of `url`, spelled the same way for the same server."""
    return f"{url.scheme}://{domain_of(url)}:{url.port or DEFAULT_PORTS[url.scheme]}"


def _client(url: "URL", proxy: str | None) -> "AsyncClient":
    from httpx2 import AsyncClient, InvalidURL, Timeout

    try:
        return AsyncClient(
            verify=_context(url, proxy),
            proxy=proxy,
            trust_env=False,
            headers=HEADERS,
            timeout=Timeout(None, connect=CONNECT_TIMEOUT_S),
        )
    except (ImportError, ValueError, InvalidURL) as error:
        raise ToolFailed(f"The proxy that the environment names cannot be used: {error}") from error


def _context(url: "URL", proxy: str | None) -> ssl.SSLContext:
    from yeaft.llm.tls import closed_context, trusting_context

    is_secure = url.scheme == "https" or (proxy or "").startswith("https:")
    try:
        return trusting_context() if is_secure else closed_context()
    except ModelFailed as error:
        raise ToolFailed(error.message) from error


async def _connected(client: "AsyncClient", url: "URL", addresses: tuple[str, ...]) -> "Response":
    """The answer from the first of `addresses` that takes a connection; without any, the client finds the way."""
    from httpx2 import ConnectError, ConnectTimeout

    if not addresses:
        return await client.send(client.build_request("GET", url), stream=True)
    for address in addresses[:-1]:
        with suppress(ConnectError, ConnectTimeout):
            return await client.send(_pinned(client, url, address), stream=True)
    return await client.send(_pinned(client, url, addresses[-1]), stream=True)


def _pinned(client: "AsyncClient", url: "URL", address: str) -> "Request":
    """A request that goes to `address`, while Host and the name in the certificate are those of `url`."""
    return client.build_request(
        "GET",
        url.copy_with(host=address),
        headers={"host": url.netloc.decode("ascii")},
        extensions={"sni_hostname": domain_of(url)},
    )


async def _received(response: "Response", url: "URL", limit_bytes: int) -> Fetched:
    """The body up to `limit_bytes`, counted after decompression, which itself goes in small steps."""
    coding = response.headers.get("content-encoding", "").strip().lower()
    if coding not in CODINGS:
        raise ToolFailed(f"{url.host} sent the content-encoding {coding[:40]!r}, which was not asked for.")
    body = bytearray()
    async with aclosing(response.aiter_bytes()) as chunks:
        async for chunk in chunks:
            body += chunk
            if len(body) > limit_bytes:
                break
    return Fetched(
        url=str(url),
        status=response.status_code,
        content_type=response.headers.get("content-type", ""),
        body=bytes(body[:limit_bytes]),
        is_cut=len(body) > limit_bytes,
    )
