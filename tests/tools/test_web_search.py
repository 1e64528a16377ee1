"""The model searches the web through each kind of provider, and is told what to do when none answers."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.tools.web_given import Asked, Page, Site, call, certified, heard, listening, refusal
from yeaft.config.settings import Search
from yeaft.tools.web_search import web_search

RESULTS = [
    {"title": "Tides", "url": "https://sea.example/tides", "content": "How  the <b>Moon</b> pulls &amp; lets go."},
    {"title": "Moon", "url": "https://sky.example/moon", "content": "About the Moon."},
]
FOUND = [
    {"title": "Tides", "url": "https://sea.example/tides", "snippet": "How the Moon pulls & lets go."},
    {"title": "Moon", "url": "https://sky.example/moon", "snippet": "About the Moon."},
]


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with listening(Site()) as site:
        yield site


def serving(site: Site, path: str, answer: object) -> str:
    return site.page(path, Page(json.dumps(answer).encode(), "application/json"))


async def searched(search: Search, environ: dict[str, str] | None = None, **args: object) -> dict:
    result = await call(web_search(search, environ or {}), query="tides", **args)
    assert result.failed == ("error" in json.loads(result.text))
    return json.loads(result.text)


async def test_tavily_gives_results_and_its_answer(site: Site) -> None:
    url = serving(site, "/search", {"answer": "The Moon does it.", "results": RESULTS})

    told = await searched(Search(provider="tavily", url=url, api_key_env="MY_KEY"), {"MY_KEY": "tvly-1"}, limit=7)

    assert told == {"provider": "tavily", "query": "tides", "results": FOUND, "answer": "The Moon does it."}
    assert json.loads(site.asked[0].body) == {"query": "tides", "max_results": 7, "include_answer": True}
    assert site.asked[0].headers["authorization"] == "Bearer tvly-1"


async def test_brave_gives_results(site: Site) -> None:
    rows = [{"title": row["title"], "url": row["url"], "description": row["content"]} for row in RESULTS]
    url = serving(site, "/res", {"type": "search", "web": {"results": rows}})

    told = await searched(Search(provider="brave", url=url, api_key="bk"))

    assert told == {"provider": "brave", "query": "tides", "results": FOUND}
    assert site.asked[0].line == "GET /res?q=tides&count=5 HTTP/1.1"
    assert site.asked[0].headers["x-subscription-token"] == "bk"


@pytest.mark.parametrize("answers", [["The", "Moon"], [{"answer": "The Moon", "url": None}]])
async def test_searxng_gives_results_and_answers(site: Site, answers: list[object]) -> None:
    serving(site, "/search", {"results": RESULTS, "answers": answers})

    told = await searched(Search(provider="searxng", url=f"{site.url}/"), limit=1)

    assert told == {"provider": "searxng", "query": "tides", "results": FOUND[:1], "answer": "The Moon"}
    assert site.asked[0].line == "GET /search?q=tides&format=json HTTP/1.1"


@pytest.mark.parametrize(
    "answer",
    [
        [{"name": "Tides", "link": "https://sea.example/tides", "body": "x"}, {"name": "no address"}],
        {"items": [{"title": "Tides", "href": "https://sea.example/tides", "snippet": "x", "score": 0.5}]},
        {"organic": [{"title": "Tides", "link": "https://sea.example/tides", "description": "x"}], "answer": None},
    ],
)
async def test_any_endpoint_that_lists_results_will_do(site: Site, answer: object) -> None:
    told = await searched(Search(provider="json", url=serving(site, "/find", answer)))

    result = {"title": "Tides", "url": "https://sea.example/tides", "snippet": "x"}
    assert told == {"provider": "json", "query": "tides", "results": [result]}
    assert site.asked[0].line == "GET /find?q=tides&limit=5 HTTP/1.1"


async def test_no_key_is_shown_in_an_error(site: Site) -> None:
    url = site.page("/", Page(b'{"message": "bad key sk-secret"}', "application/json", status=401))

    told = await searched(Search(provider="json", url=url, api_key="sk-secret"))

    assert told["attempted"] == [{"provider": "json", "reason": "status 401"}]


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (Page(b"try later", status=503), "status 503: try later"),
        (Page(b"<html>"), "the answer is not JSON"),
        (Page(b'{"results": "none"}'), "the answer does not hold results as expected (Expected `array`, got `str`)"),
        (Page(b" " * (5 * 1024 * 1024)), "the answer is larger than 4,194,304 bytes"),
        (Page(status=302, headers={"location": "http://127.0.0.1:1/"}), "status 302"),
    ],
)
async def test_a_provider_that_cannot_be_used_is_named_with_the_reason(site: Site, page: Page, reason: str) -> None:
    told = await searched(Search(provider="json", url=site.page("/", page)))

    assert told == {
        "error": "No search provider could be used.",
        "query": "tides",
        "attempted": [{"provider": "json", "reason": reason}],
        "hint": "The user can choose one with search.provider = tavily, brave, searxng, json or ddgs in config.toml.",
    }


async def test_finding_nothing_is_not_the_same_as_not_searching(site: Site) -> None:
    told = await searched(Search(provider="json", url=serving(site, "/", {"results": []})))

    assert (told["error"], told["hint"]) == ("Nothing was found.", "Try other or fewer words.")


async def test_without_a_choice_everybody_who_can_be_asked_is_asked_in_turn() -> None:
    dead = "http://127.0.0.1:1"
    told = await searched(Search(), {"TAVILY_API_KEY": "bad\nkey", "BRAVE_API_KEY": "schlüssel", "HTTPS_PROXY": dead})

    assert [one["provider"] for one in told["attempted"]] == ["tavily", "brave", "ddgs"]
    assert all(one["reason"] for one in told["attempted"])
    assert "schl" not in json.dumps(told)


async def test_ddgs_finds_pages_without_a_key(tmp_path: Path) -> None:
    async with search_engines(tmp_path) as (proxy, certificate, asked):
        told = await searched(Search(), {"HTTPS_PROXY": proxy, "SSL_CERT_FILE": certificate}, limit=2)

    assert told == {
        "provider": "ddgs",
        "query": "tides",
        "results": [{"title": "Tides", "url": "https://sea.example/tides", "snippet": "How tides work"}],
    }
    assert any("html.duckduckgo.com" in one.line for one in asked)


async def test_an_empty_query_is_not_sent() -> None:
    assert await refusal(web_search(Search(), {}), query=" \n") == "The query is empty."


ENGINE_HOSTS = (
    *("en.wikipedia.org", "grokipedia.com", "www.bing.com", "search.brave.com", "html.duckduckgo.com"),
    *("www.google.com", "www.mojeek.com", "search.yahoo.com", "yandex.com", "www.startpage.com"),
)
DUCKDUCKGO = b"""<html><body><div class="result__body body"><h2>Tides</h2>
<a href="https://sea.example/tides">How tides work</a></div></body></html>"""


@asynccontextmanager
async def search_engines(folder: Path) -> AsyncIterator[tuple[str, str, list[Asked]]]:
    """A proxy that is itself every search engine: all answer as DuckDuckGo does, so only that one is understood."""
    context, certificate = certified(folder, *ENGINE_HOSTS)
    asked: list[Asked] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            asked.append(await heard(reader))
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            await writer.start_tls(context)
            await heard(reader)
            head = f"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {len(DUCKDUCKGO)}\r\n"
            writer.write(head.encode() + b"connection: close\r\n\r\n" + DUCKDUCKGO)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", certificate, asked
    finally:
        server.close()
