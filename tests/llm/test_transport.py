"""Talking to a server that misbehaves in every way that servers on loopback can be made to."""

import asyncio
import gzip
import ssl
import subprocess
import sys
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from yeaft.kernel.errors import ConfigError, ModelFailed
from yeaft.llm.anthropic_reply import AnthropicReply
from yeaft.llm.model import Piece, Reply
from yeaft.llm.retry_after import retry_after_s
from yeaft.llm.transport import Endpoint, Transport

HEADERS = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
NOW_MS = 1_700_000_000_000  # Tue, 14 Nov 2023 22:13:20 GMT


def delta(text: str, kind: str = "text", index: int = 0) -> bytes:
    body = b'{"type":"content_block_delta","index":%d,"delta":{"type":"%s_delta","%s":"%s"}}'
    return b"data: " + body % (index, kind.encode(), kind.encode(), text.encode()) + b"\n\n"


STOP = b'data: {"type":"message_stop"}\n\n'


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


class Talk:
    """One connection of the server: `ask` reads a request, `send` answers, `hung_up` waits for the client to go."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def ask(self) -> bytes:
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await self.reader.readexactly(length)
        return head

    async def send(self, *parts: bytes) -> None:
        for part in parts:
            self.writer.write(part)
            await self.writer.drain()

    async def stream(self, *events: bytes) -> None:
        await self.send(HEADERS + b"transfer-encoding: chunked\r\n\r\n", *(chunk(event) for event in events))

    async def hung_up(self) -> None:
        await self.reader.read()


Behave = Callable[[Talk], Awaitable[None]]


@asynccontextmanager
async def server(behave: Behave, context: ssl.SSLContext | None = None) -> AsyncIterator[str]:
    """A server on loopback whose every connection is given to `behave`."""
    running: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        running.add(task)
        try:
            await behave(Talk(reader, writer))
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            running.discard(task)

    listening = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=context)
    scheme = "https" if context else "http"
    try:
        yield f"{scheme}://localhost:{listening.sockets[0].getsockname()[1]}/v1/messages"
    finally:
        listening.close()
        for task in list(running):
            task.cancel()


@pytest.fixture
async def transport(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Transport]:
    for name in (
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "NO_PROXY",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "REQUESTS_CA_BUNDLE",
    ):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    made = Transport(now_ms=lambda: NOW_MS)
    yield made
    await made.aclose()


def endpoint(url: str, **changes: float) -> Endpoint:
    return Endpoint(url=url, headers={"x-api-key": "sk-secret-123"}, **changes)


async def asked(transport: Transport, url: str, **changes: float) -> tuple[Reply, list[Piece]]:
    pieces: list[Piece] = []
    reply = await transport.exchange(endpoint(url, **changes), b"{}", AnthropicReply("box"), pieces.append)
    return reply, pieces


async def failing(transport: Transport, url: str, **changes: float) -> ModelFailed:
    with pytest.raises(ModelFailed) as failed:
        await asked(transport, url, **changes)
    return failed.value


async def test_each_network_chunk_is_told_once_per_block(transport: Transport) -> None:
    async def behave(talk: Talk) -> None:
        await talk.ask()
        thought = delta("hm", "thinking")
        await talk.stream(thought + delta("a", index=1) + delta("b", index=1), delta("c", index=1), STOP)

    async with server(behave) as url:
        reply, pieces = await asked(transport, url)

    assert pieces == [
        Piece(kind="thinking", pieces=("hm",)),
        Piece(kind="text", pieces=("a", "b")),
        Piece(kind="text", pieces=("c",)),
    ]
    assert [item.text for item in reply.items if hasattr(item, "text")] == ["hm", "abc"]


async def test_the_reply_does_not_wait_for_the_end_of_the_body_and_its_connection_is_used_again(
    transport: Transport,
) -> None:
    may_end = asyncio.Event()
    connections = []

    async def behave(talk: Talk) -> None:
        connections.append(talk)
        await talk.ask()
        await talk.stream(delta("one"), STOP)
        await may_end.wait()
        await talk.send(b"0\r\n\r\n")
        await talk.ask()
        await talk.stream(delta("two"), STOP)

    async with server(behave) as url:
        first, _ = await asked(transport, url)
        may_end.set()
        second, _ = await asked(transport, url)

    assert [item.text for reply in (first, second) for item in reply.items if hasattr(item, "text")] == ["one", "two"]
    assert len(connections) == 1


async def test_a_body_that_never_ends_costs_only_its_connection(transport: Transport) -> None:
    async def behave(talk: Talk) -> None:
        await talk.ask()
        await talk.stream(delta("hi"), STOP)
        await talk.hung_up()

    async with server(behave) as url:
        for _ in range(3):
            _, pieces = await asked(transport, url)
            assert pieces == [Piece(kind="text", pieces=("hi",))]


@pytest.mark.parametrize("begin", [b"", HEADERS + b"transfer-encoding: chunked\r\n\r\n"])
async def test_a_server_that_says_nothing_is_given_up(transport: Transport, begin: bytes) -> None:
    async def behave(talk: Talk) -> None:
        await talk.ask()
        await talk.send(begin)
        await talk.hung_up()

    async with server(behave) as url:
        failed = await failing(transport, url, first_byte_timeout_s=0.1, idle_timeout_s=60)

    assert failed.kind == "idle"
    assert failed.message == f"{url.removesuffix('/v1/messages')} sent nothing for 0.1 s."


async def test_a_server_that_falls_silent_is_given_up_and_what_it_said_is_kept(transport: Transport) -> None:
    gone = asyncio.Event()

    async def behave(talk: Talk) -> None:
        await talk.ask()
        await talk.stream(delta("so far"))
        await talk.hung_up()
        gone.set()

    async with server(behave) as url:
        failed = await failing(transport, url, idle_timeout_s=0.5)
        await gone.wait()

    assert (failed.kind, failed.text_so_far, failed.calls_seen) == ("idle", "so far", False)


async def test_comments_show_that_a_server_is_still_there(transport: Transport) -> None:
    async def behave(talk: Talk) -> None:
        await talk.ask()
        await talk.stream()
        for _ in range(12):
            await asyncio.sleep(0.1)  # the server's own slowness, in all longer than the client waits for a byte
            await talk.send(chunk(b": still thinking\n\n"))
        await talk.send(chunk(delta("done") + STOP))

    async with server(behave) as url:
        _, pieces = await asked(transport, url, first_byte_timeout_s=1.0, idle_timeout_s=1.0)

    assert pieces == [Piece(kind="text", pieces=("done",))]


async def test_cancelling_hangs_up(transport: Transport) -> None:
    gone = asyncio.Event()

    async def behave(talk: Talk) -> None:
        await talk.ask()
        await talk.stream(delta("a"))
        await talk.hung_up()
        gone.set()

    async with server(behave) as url:
        heard = asyncio.Event()
        reply = AnthropicReply("box")
        exchange = asyncio.create_task(transport.exchange(endpoint(url), b"{}", reply, lambda _: heard.set()))
        await heard.wait()
        exchange.cancel()
        with pytest.raises(asyncio.CancelledError):
            await exchange
        await gone.wait()


async def test_nobody_listening_is_a_failed_connection(transport: Transport) -> None:
    async with server(lambda talk: talk.hung_up()) as url:
        pass

    failed = await failing(transport, url)

    assert failed.kind == "connect"
    assert failed.message.startswith("Could not connect to http://localhost:")


async def test_a_connection_that_breaks_is_a_truncated_reply(transport: Transport) -> None:
    async def behave(talk: Talk) -> None:
        await talk.ask()
        await talk.stream(
            b'data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"Bash"}}\n\n'
        )

    async with server(behave) as url:
        failed = await failing(transport, url)

    assert (failed.kind, failed.calls_seen) == ("truncated", True)


async def test_a_server_that_hangs_up_without_a_word_is_truncated(transport: Transport) -> None:
    async with server(lambda talk: talk.ask()) as url:
        failed = await failing(transport, url)

    assert failed.kind == "truncated"


async def test_a_terminal_event_counts_even_if_the_connection_breaks_inside_its_last_line_end(
    transport: Transport,
) -> None:
    async def behave(talk: Talk) -> None:
        await talk.ask()
        await talk.stream(delta("all") + STOP[:-1])

    async with server(behave) as url:
        _, pieces = await asked(transport, url)

    assert pieces == [Piece(kind="text", pieces=("all",))]


@pytest.mark.parametrize("content_type", ["text/event-stream", "application/json", "text/plain", ""])
@pytest.mark.parametrize("is_json", [False, True])
async def test_the_content_type_need_not_be_right(transport: Transport, content_type: str, is_json: bool) -> None:
    body = (
        b' {"content": [{"type": "text", "text": "hi"}], "stop_reason": "end_turn"}' if is_json else delta("hi") + STOP
    )
    header = f"content-type: {content_type}\r\n" if content_type else ""

    async def behave(talk: Talk) -> None:
        await talk.ask()
        await talk.send(f"HTTP/1.1 200 OK\r\n{header}content-length: {len(body)}\r\n\r\n".encode(), body)

    async with server(behave) as url:
        reply, pieces = await asked(transport, url)

    assert (reply.stop, pieces) == ("end", [Piece(kind="text", pieces=("hi",))])


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"<html>Please log in</html>", "protocol"),
        (b'{"content": [{"type": "te', "truncated"),
        (b"[]", "protocol"),
        (b"data: <b>\n\n", "protocol"),
        (b"", "truncated"),
        (b"hello", "truncated"),
        (b"\n\n", "truncated"),
    ],
)
async def test_a_body_that_is_no_reply_is_told_as_what_it_is(transport: Transport, body: bytes, kind: str) -> None:
    async def behave(talk: Talk) -> None:
        await talk.ask()
        await talk.send(HEADERS + b"connection: close\r\n\r\n", body)

    async with server(behave) as url:
        failed = await failing(transport, url)

    assert failed.kind == kind


async def test_a_compressed_stream_is_read_and_a_broken_one_is_told(transport: Transport) -> None:
    bodies = [gzip.compress(delta("hi") + STOP), b"not gzip"]

    async def behave(talk: Talk) -> None:
        await talk.ask()
        await talk.send(HEADERS + b"content-encoding: gzip\r\nconnection: close\r\n\r\n", bodies.pop(0))

    async with server(behave) as url:
        _, pieces = await asked(transport, url)
        failed = await failing(transport, url)

    assert pieces == [Piece(kind="text", pieces=("hi",))]
    assert failed.kind == "protocol"


async def test_a_refusal_says_how_long_to_wait(transport: Transport) -> None:
    async def behave(talk: Talk) -> None:
        await talk.ask()
        await talk.send(b"HTTP/1.1 429 Too Many\r\nRetry-After: 7\r\ncontent-length: 100\r\n\r\n", b'{"error":')

    async with server(behave) as url:
        failed = await failing(transport, url)

    assert (failed.kind, failed.status, failed.retry_after_s) == ("rate_limit", 429, 7.0)


@pytest.mark.parametrize("key", ["sk-secret\n123", "sk-sécret-123", "sk-secret-123\r\nhost: evil"])
async def test_a_key_that_cannot_be_sent_is_told_without_showing_it(transport: Transport, key: str) -> None:
    async with server(lambda talk: talk.hung_up()) as url:
        broken = Endpoint(url=url, headers={"x-api-key": key})
        with pytest.raises(ModelFailed) as failed:
            await transport.exchange(broken, b"{}", AnthropicReply("box"), lambda _: None)

    assert failed.value.kind == "invalid"
    assert "cret" not in failed.value.message


@pytest.mark.parametrize(
    "url", ["ftp://localhost/v1", "localhost:8080/v1", "http://", "http://[::1/v1", "http://localhost:abc/v1"]
)
async def test_a_base_url_that_is_none_is_told(transport: Transport, url: str) -> None:
    with pytest.raises(ConfigError, match="base_url must start with http://"):
        await asked(transport, url)


async def test_a_password_in_a_url_is_not_shown(transport: Transport) -> None:
    async with server(lambda talk: talk.hung_up()) as url:
        pass

    failed = await failing(transport, url.replace("localhost", "me:hunter2@localhost") + "?key=hunter3")

    assert "hunter" not in failed.message


async def test_a_proxy_is_used_unless_no_proxy_lists_the_server(
    transport: Transport, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def behave(talk: Talk) -> None:
        await talk.ask()
        await talk.stream(delta("by proxy"), STOP)

    async with server(behave) as url:
        monkeypatch.setenv("HTTP_PROXY", url.removesuffix("/v1/messages"))
        _, pieces = await asked(transport, "http://model.invalid/v1/messages")
        await transport.aclose()
        monkeypatch.setenv("NO_PROXY", "model.invalid")
        failed = await failing(transport, "http://model.invalid/v1/messages")

    assert pieces == [Piece(kind="text", pieces=("by proxy",))]
    assert failed.kind == "connect"


@pytest.mark.parametrize(
    ("proxy", "said"),
    [
        ("socks5://127.0.0.1:1", "pip install socksio"),
        ("gopher://127.0.0.1:1", "ALL_PROXY"),
        ("http://[::1", "ALL_PROXY"),
    ],
)
async def test_a_proxy_that_cannot_be_used_is_told(
    transport: Transport, monkeypatch: pytest.MonkeyPatch, proxy: str, said: str
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)

    with pytest.raises(ConfigError, match=said):
        await asked(transport, "http://model.invalid/v1")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
async def test_a_server_on_this_machine_is_asked_directly(
    transport: Transport, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    async def behave(talk: Talk) -> None:
        await talk.ask()
        await talk.stream(delta("directly"), STOP)

    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1")
    async with server(behave) as url:
        _, pieces = await asked(transport, url.replace("localhost", host))

    assert pieces == [Piece(kind="text", pieces=("directly",))]


@pytest.mark.parametrize("host", ["127.8.9.1", "[::1]", "me.localhost"])
async def test_every_name_of_this_machine_is_known(
    transport: Transport, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1")

    failed = await failing(transport, f"http://{host}:1/v1")

    assert failed.kind == "connect"


@pytest.mark.parametrize(
    ("begin", "unit", "said"),
    [(b": ", b"x" * 2**20 + b"\n:", "more than 256 MiB"), (b"", b" " * 2**20, "nothing but white space")],
)
async def test_a_few_packed_bytes_that_become_too_many_are_an_error_and_let_others_run(
    transport: Transport, begin: bytes, unit: bytes, said: str
) -> None:
    packer = zlib.compressobj(wbits=31)
    bomb = packer.compress(begin) + b"".join(packer.compress(unit) for _ in range(260)) + packer.flush()
    turns = 0

    async def behave(talk: Talk) -> None:
        await talk.ask()
        await talk.send(HEADERS + b"content-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n", chunk(bomb))

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async with server(behave) as url:
        counting = asyncio.create_task(count())
        failed = await failing(transport, url)
        counting.cancel()

    assert failed.kind == "protocol"
    assert said in failed.message
    assert turns > (200 if begin else 0)


def self_signed(folder: Path) -> tuple[ssl.SSLContext, str]:
    key, certificate = str(folder / "key.pem"), str(folder / "cert.pem")
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject]
    subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context, certificate


async def test_https_is_trusted_only_if_the_certificate_is(
    transport: Transport, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, certificate = self_signed(tmp_path)

    async def behave(talk: Talk) -> None:
        await talk.ask()
        await talk.stream(delta("secretly"), STOP)

    async with server(behave, context) as url:
        failed = await failing(transport, url)
        await transport.aclose()
        monkeypatch.setenv("SSL_CERT_FILE", certificate)
        _, pieces = await asked(transport, url)
        await transport.aclose()
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
        missing = await failing(transport, url)

    assert failed.kind == "connect"
    assert "CERTIFICATE_VERIFY_FAILED" in failed.message
    assert pieces == [Piece(kind="text", pieces=("secretly",))]
    assert missing.message.startswith(f"SSL_CERT_FILE names {tmp_path / 'none.pem'}")


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({}, None),
        ({"retry-after": "25"}, 25.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "-3", "x-ratelimit-reset-requests": "2s"}, 2.0),
        ({"retry-after": "1e999"}, None),
        ({"retry-after": "1.2.3s"}, None),
        ({"retry-after": "Tue, 99 Nov 99999 99:99:99 GMT"}, None),
        ({"retry-after-ms": "-1"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "Tue, 14 Nov 2023 22:14:00 GMT"}, 40.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:00:00 GMT"}, 0.0),
        ({"retry-after": "12", "retry-after-ms": "11054"}, 11.054),
        ({"x-ratelimit-reset-requests": "6m0s"}, 360.0),
        ({"x-ratelimit-reset-tokens": "250ms", "x-ratelimit-reset-requests": "1.5s"}, 1.5),
        ({"x-ratelimit-reset-tokens": "9s", "x-ratelimit-remaining-tokens": "70"}, None),
        ({"x-ratelimit-reset": str(NOW_MS + 3000)}, 3.0),
        ({"x-ratelimit-reset": str(NOW_MS // 1000 + 3)}, 3.0),
        (
            {
                "anthropic-ratelimit-output-tokens-remaining": "0",
                "anthropic-ratelimit-output-tokens-reset": "2023-11-14T22:13:30Z",
                "anthropic-ratelimit-requests-remaining": "49",
                "anthropic-ratelimit-requests-reset": "2023-11-14T23:13:30Z",
            },
            10.0,
        ),
    ],
)
def test_the_wait_is_read_in_every_form_that_providers_use(headers: dict[str, str], wait_s: float | None) -> None:
    assert retry_after_s(headers, NOW_MS) == pytest.approx(wait_s)


def test_the_http_library_waits_for_the_first_exchange_or_for_preload() -> None:
    program = (
        "import sys; from yeaft.llm import anthropic, transport; before = 'httpx2' in sys.modules\n"
        "transport.preload(); print(before, 'httpx2' in sys.modules, 'anyio._backends._asyncio' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)

    assert done.stdout == "False True True\n"
