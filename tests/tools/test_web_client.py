"""How pages are reached: redirects, private networks, proxies, certificates, limits of bytes and time."""

import asyncio
import gzip
import tracemalloc
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.tools.web_given import OPEN, Site, certified, fetching_tool, listening, no_proxy, page_text, refusal
from tests.tools.web_given import Page as Sent
from tests.tools.web_given import call as called
from yeaft.config.settings import Web
from yeaft.kernel.errors import ToolFailed
from yeaft.tools.web.web_address import web_address
from yeaft.tools.web.web_client import WebClient, origin_of
from yeaft.tools.web_fetch import web_fetch


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with listening(Site()) as site:
        yield site


async def test_redirects_are_followed_to_the_end(site: Site) -> None:
    site.html("/end", "<p>here")
    for number, status in enumerate((301, 302, 303, 307, 308)):
        site.redirect(f"/{number}", f"{number + 1}" if number < 4 else "/end", status)

    result = await called(fetching_tool(), url=f"{site.url}/0")

    assert result.text.startswith(f"{site.url}/end (status 200")


async def test_a_circle_of_redirects_ends(site: Site) -> None:
    url = site.redirect("/a", "/a")

    assert await refusal(fetching_tool(), url=url) == f"More than 5 redirects, the last one to {url}."
    assert len(site.asked) == 6


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("file:///etc/passwd", "does not begin with http"),
        ("http://me:secret@127.0.0.1/", "name or password"),
        ("http://[bad/", "is not a web address"),
        ("http://127.0.0.1:port/", "is not a web address"),
        ("gopher://127.0.0.1/", "does not begin with http"),
    ],
)
async def test_a_redirect_leads_only_to_plain_web_addresses(site: Site, target: str, reason: str) -> None:
    url = site.redirect("/", target)

    refused = await refusal(fetching_tool(), url=url)

    assert refused.startswith(f"The redirect of {url}")
    assert reason in refused


async def test_loopback_and_its_disguises_are_refused(site: Site) -> None:
    port = site.port
    hosts = ("127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "0", "[::1]", "[::ffff:127.0.0.1]")
    hosts = (*hosts, "169.254.169.254")

    reasons = [await refusal(fetching_tool(Web()), url=f"http://{host}:{port}/") for host in hosts]

    assert [reason for reason in reasons if "private or reserved network" not in reason] == []
    assert site.asked == []


async def test_a_redirect_into_a_private_network_is_refused(site: Site) -> None:
    async with listening(Site()) as inside:
        inside.html("/", "<p>secret")
        start = site.redirect("/", f"http://127.0.0.1:{inside.port}/")
        client = WebClient(Web(), proxy_for=no_proxy)

        with pytest.raises(ToolFailed) as caught:
            await client.fetch(web_address(start), limit_bytes=1000, trusted=origin_of(web_address(start)))

    assert "127.0.0.1 is an address in a private or reserved network" in str(caught.value)
    assert len(site.asked) == 1
    assert inside.asked == []


async def test_behind_a_proxy_a_redirect_into_a_private_network_is_refused_too(site: Site) -> None:
    async def resolve(host: str, port: int) -> tuple[str, ...]:
        if host == "127.0.0.1":
            return (host,)
        raise OSError

    site.pages["*"] = Sent(status=302, headers={"location": "http://127.0.0.1:1/admin"})
    tool = fetching_tool(Web(), resolve=resolve, proxy_for=lambda scheme, host: site.url)

    reason = await refusal(tool, url="http://public.test/x")

    assert "127.0.0.1 is an address in a private" in reason
    assert [asked.line for asked in site.asked] == ["GET http://public.test/x HTTP/1.1"]


async def test_the_checked_address_is_the_one_connected_to(site: Site) -> None:
    answers = iter([("127.0.0.1",), ("10.255.255.1",)])

    async def resolve(host: str, port: int) -> tuple[str, ...]:
        assert (host, port) == ("rebind.test", site.port)
        return next(answers)

    site.html("/", "<p>first")

    text = await page_text(fetching_tool(resolve=resolve), f"http://rebind.test:{site.port}/")

    assert text == "first"
    assert [asked.headers["host"] for asked in site.asked] == [f"rebind.test:{site.port}"]
    assert next(answers) == ("10.255.255.1",)


async def test_the_next_address_is_tried_when_one_is_dead(site: Site) -> None:
    async def resolve(host: str, port: int) -> tuple[str, ...]:
        return ("127.0.0.2", "127.0.0.1")

    site.html("/", "<p>alive")

    assert await page_text(fetching_tool(resolve=resolve), f"http://two.test:{site.port}/") == "alive"


async def test_https_is_checked_against_the_name_and_not_the_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def resolve(host: str, port: int) -> tuple[str, ...]:
        return ("127.0.0.1",)

    context, certificate = certified(tmp_path, "right.test")
    monkeypatch.setenv("SSL_CERT_FILE", certificate)
    async with listening(Site("https"), context) as site:
        site.html("/", "<p>safe")

        text = await page_text(fetching_tool(resolve=resolve), f"https://right.test:{site.port}/")
        reason = await refusal(fetching_tool(resolve=resolve), url=f"https://wrong.test:{site.port}/")

    assert text == "safe"
    assert "CERTIFICATE_VERIFY_FAILED" in reason


async def test_a_redirect_elsewhere_needs_the_permission_for_that_place(site: Site) -> None:
    async def resolve(host: str, port: int) -> tuple[str, ...]:
        return ("127.0.0.1",)

    target = f"http://other.test:{site.port}/secret?q=1"
    site.redirect("/", target)
    client = WebClient(OPEN, resolve=resolve, proxy_for=no_proxy)
    asked: list[str] = []
    tool = web_fetch(client, OPEN, permits=lambda domain: bool(asked.append(domain)))

    reason = await refusal(tool, url=f"http://start.test:{site.port}/")

    assert reason.endswith(f"redirects to {target}, which needs a permission of its own; fetch that address.")
    assert asked == ["other.test"]
    assert len(site.asked) == 1


async def test_what_is_sent_tells_no_more_than_needed(site: Site) -> None:
    site.redirect("/", "/next")
    site.pages["/next"] = Sent(b"ok", "text/plain", headers={"set-cookie": "a=1"})

    await called(fetching_tool(), url=f"{site.url}/#fragment")

    names = {name for asked in site.asked for name in asked.headers}
    assert names == {"host", "accept", "accept-encoding", "user-agent", "connection"}
    assert [asked.line for asked in site.asked] == ["GET / HTTP/1.1", "GET /next HTTP/1.1"]


async def test_unknown_hosts_and_dead_ports_say_so(site: Site) -> None:
    async def resolve(host: str, port: int) -> tuple[str, ...]:
        if host == "dead.test":
            return ("127.0.0.1",)
        raise OSError

    unknown = await refusal(fetching_tool(resolve=resolve), url="http://nowhere.test/")
    dead = await refusal(fetching_tool(resolve=resolve), url="http://dead.test:1/")

    assert unknown == "There is no host nowhere.test; check the address."
    assert dead.startswith("http://dead.test:1/ could not be fetched: ")


async def test_a_compressed_bomb_takes_no_more_memory_than_a_page(site: Site) -> None:
    bomb = gzip.compress(bytes(64) * 1024 * 1024, 1)
    site.page("/", Sent(bomb, "text/plain", headers={"content-encoding": "gzip"}))
    client = WebClient(OPEN, proxy_for=no_proxy)

    tracemalloc.start()
    fetched = await client.fetch(web_address(site.url), limit_bytes=2**20)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert (len(fetched.body), fetched.is_cut) == (2**20, True)
    assert peak < 16 * 2**20


async def test_a_server_that_stalls_is_left_in_time(site: Site) -> None:
    url = site.page("/", Sent(b"<p>half", stalls=True))

    reason = await refusal(fetching_tool(Web(allow_private=True, timeout_s=1.5)), url=url)

    assert reason == "127.0.0.1 did not answer in full within 1.5 s (web.timeout_s)."
    await site.left.wait()


async def test_cancelling_hangs_up(site: Site) -> None:
    url = site.page("/", Sent(b"<p>half", stalls=True))
    fetching = asyncio.create_task(called(fetching_tool(), url=url))
    await site.came.wait()

    fetching.cancel()

    with pytest.raises(asyncio.CancelledError):
        await fetching
    await site.left.wait()


@pytest.mark.parametrize(
    ("coding", "reason"),
    [("gzip", "does not match its content-encoding"), ("gzip, gzip", "not asked for"), ("br", "not asked for")],
)
async def test_odd_compression_is_refused(site: Site, coding: str, reason: str) -> None:
    url = site.page("/", Sent(b"not compressed at all", headers={"content-encoding": coding}))

    assert reason in await refusal(fetching_tool(), url=url)
