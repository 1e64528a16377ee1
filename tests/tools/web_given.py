"""A web site on loopback that says exactly what a test wants, and hears what it is asked."""

import asyncio
import json
import ssl
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from yeaft.config.settings import Web
from yeaft.kernel.errors import ToolFailed
from yeaft.tools.tool import AnyTool, ToolResult
from yeaft.tools.web.web_client import WebClient
from yeaft.tools.web_fetch import web_fetch

OPEN = Web(allow_private=True)


class Asked(NamedTuple):
    """One request."""

    line: str
    headers: dict[str, str]
    body: bytes


class Page(NamedTuple):
    """One answer; `stalls` sends less than it promises and keeps the connection open."""

    body: bytes = b""
    type: str = "text/html; charset=utf-8"
    status: int = 200
    headers: dict[str, str] = {}
    stalls: bool = False


class Site:
    """A server whose pages are values, or functions of the request."""

    def __init__(self, scheme: str = "http") -> None:
        self.pages: dict[str, Page | Callable[[Asked], Page]] = {}
        self.asked: list[Asked] = []
        self.came, self.left = asyncio.Event(), asyncio.Event()
        self.scheme, self.port = scheme, 0

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def html(self, path: str, markup: str) -> str:
        self.pages[path] = Page(markup.encode())
        return self.url + path

    def page(self, path: str, page: Page) -> str:
        self.pages[path] = page
        return self.url + path

    def redirect(self, path: str, target: str, status: int = 302) -> str:
        return self.page(path, Page(status=status, headers={"location": target}))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self.answer(await heard(reader), writer)
            await reader.read()
            self.left.set()
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            self.left.set()
        finally:
            writer.close()

    async def answer(self, asked: Asked, writer: asyncio.StreamWriter) -> None:
        self.asked.append(asked)
        self.came.set()
        path = asked.line.split()[1].partition("?")[0]
        found = self.pages.get(path) or self.pages.get("*") or Page(b"<p>Nothing here", status=404)
        page = found(asked) if callable(found) else found
        length = len(page.body) + 1000 * page.stalls
        lines = [f"HTTP/1.1 {page.status} X", f"content-length: {length}", "connection: close"]
        lines += [f"content-type: {page.type}"] if page.type else []
        lines += [f"{name}: {value}" for name, value in page.headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode() + page.body)
        await writer.drain()
        if not page.stalls:
            writer.write_eof() if writer.can_write_eof() else writer.close()


async def heard(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    return Asked(head[0], headers, await reader.readexactly(int(headers.get("content-length", 0))))


@asynccontextmanager
async def listening(site: Site, context: ssl.SSLContext | None = None) -> AsyncIterator[Site]:
    server = await asyncio.start_server(site.serve, "127.0.0.1", 0, ssl=context)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        server.close()


def certified(folder: Path, *names: str) -> tuple[ssl.SSLContext, str]:
    """A server's context with a certificate for `names`, and the file of the authority that makes one trust it."""
    ca, ca_key, leaf, leaf_key = (str(folder / name) for name in ("ca.pem", "ca.key", "leaf.pem", "leaf.key"))
    new = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    made = [*new, "-subj", "/CN=yeaft test authority", "-keyout", ca_key, "-out", ca]
    names_in = ["-addext", "subjectAltName=" + ",".join(f"DNS:{name}" for name in names)]
    signed = ["-CA", ca, "-CAkey", ca_key, "-subj", "/CN=yeaft test", "-addext", "basicConstraints=CA:FALSE", *names_in]
    subprocess.run(made, check=True, capture_output=True)
    subprocess.run([*new, *signed, "-keyout", leaf_key, "-out", leaf], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(leaf, leaf_key)
    return context, ca


def no_proxy(scheme: str, host: str) -> None:
    return None


class Call:
    """The running call of a test."""

    call_id = "c_test"

    def show(self, chunk: str) -> None:
        raise AssertionError(f"web tools print nothing while they run: {chunk!r}")


async def call(tool: AnyTool, **args: object) -> ToolResult:
    result = await tool.bind(json.dumps(args)).start(Call())
    return result if isinstance(result, ToolResult) else ToolResult(text=result)


async def refusal(tool: AnyTool, **args: object) -> str:
    """The reason why the call fails; it must."""
    try:
        result = await call(tool, **args)
    except ToolFailed as failure:
        return str(failure)
    raise AssertionError(f"{tool.name} worked: {result.text}")


def fetching_tool(settings: Web = OPEN, **client: object) -> AnyTool:
    """WebFetch, which may visit loopback unless `settings` say otherwise."""
    return web_fetch(WebClient(settings, **{"proxy_for": no_proxy, **client}), settings)


async def page_text(tool: AnyTool, url: str, **args: object) -> str:
    """The page's text in the result, without the lines around it."""
    text = (await call(tool, url=url, **args)).text
    return text.split("\nBEGIN ", 1)[1].partition("\n")[2].rpartition("\nEND ")[0]
