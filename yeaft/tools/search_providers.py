"""The services that can search the web, each reduced to one function from a query to results of one form."""

import asyncio
import html
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, cast

from msgspec import Struct

from yeaft.config.settings import Search
from yeaft.kernel.errors import ToolFailed
from yeaft.tools.web_service import Question, ask_service

TIMEOUT_S = 20.0
ANSWER_BYTES = 4 * 1024 * 1024
SNIPPET_CHARS = 500
TAVILY_URL = "https://api.tavily.com/search"
BRAVE_URL = "https://api.search.brave.com/res/v1/web/search"
KEY_VARIABLES = {"tavily": "TAVILY_API_KEY", "brave": "BRAVE_API_KEY"}
TAG = re.compile(r"</?[a-zA-Z][^<>]*>")


class Result(Struct, frozen=True, kw_only=True):
    """One page that was found."""

    title: str
    url: str
    snippet: str


class Found(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a provider found; `answer` is its own summary, if it gives one."""

    results: tuple[Result, ...]
    answer: str = ""


Provider = Callable[[str, int], Awaitable[Found]]
"""Searches for a query with at most so many results; raises `ToolFailed` with a reason."""


def providers(search: Search, environ: Mapping[str, str]) -> dict[str, Provider]:
    """Whom to ask, by name, in this order: the one that `search` names, else all that work as things are."""
    names = [search.provider] if search.provider else [name for name in KEY_VARIABLES if _key(name, search, environ)]
    made: dict[str, Provider] = {}
    for name in names:
        made[name] = _provider(name, search, _key(name, search, environ))
    return made or {"ddgs": _ddgs}


def _key(name: str, search: Search, environ: Mapping[str, str]) -> str:
    variable = search.api_key_env or KEY_VARIABLES.get(name, "")
    return (search.api_key or environ.get(variable, "")).strip()


def _provider(name: str, search: Search, key: str) -> Provider:
    match name:
        case "tavily":
            return lambda query, limit: _tavily(search.url or TAVILY_URL, key, query, limit)
        case "brave":
            return lambda query, limit: _brave(search.url or BRAVE_URL, key, query, limit)
        case "searxng":
            return lambda query, limit: _searxng(search.url, key, query, limit)
        case "json":
            return lambda query, limit: _json(search.url, key, query, limit)
        case _:
            return _ddgs


async def _tavily(url: str, key: str, query: str, limit: int) -> Found:
    body = {"query": query, "max_results": limit, "include_answer": True}
    return _found(await _ask(Question(url=url, body=body, headers=_bearer(key))), limit)


async def _brave(url: str, key: str, query: str, limit: int) -> Found:
    headers = {"x-subscription-token": key, "accept": "application/json"}
    answer = await _ask(Question(url=url, params={"q": query, "count": limit}, headers=headers))
    return _found(answer.get("web", {}), limit)


async def _searxng(url: str, key: str, query: str, limit: int) -> Found:
    address = url.rstrip("/").removesuffix("/search") + "/search"
    question = Question(url=address, params={"q": query, "format": "json"}, headers=_bearer(key))
    return _found(await _ask(question), limit)


async def _json(url: str, key: str, query: str, limit: int) -> Found:
    return _found(await _ask(Question(url=url, params={"q": query, "limit": limit}, headers=_bearer(key))), limit)


async def _ddgs(query: str, limit: int) -> Found:
    """Ask public search engines through the package ddgs, which needs no key and works in threads."""
    from ddgs import DDGS
    from ddgs.exceptions import DDGSException

    try:
        async with asyncio.timeout(TIMEOUT_S):
            return _found(await asyncio.to_thread(lambda: DDGS().text(query, max_results=limit)), limit)
    except TimeoutError as error:
        raise ToolFailed(f"no full answer within {TIMEOUT_S:g} s") from error
    except DDGSException as error:
        raise ToolFailed(str(error)) from error


def _bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"} if key else {}


async def _ask(question: Question) -> dict[str, Any]:
    answer = await ask_service(question, timeout_s=TIMEOUT_S, limit_bytes=ANSWER_BYTES)
    return cast("dict[str, Any]", answer) if isinstance(answer, dict) else {"results": answer}


def _found(answer: Any, limit: int) -> Found:
    """Results from any JSON that holds a list of objects with an address, under the names that services use."""
    fields = cast("dict[str, Any]", answer) if isinstance(answer, dict) else {"results": answer}
    listed = _first(fields, ("results", "items", "data", "organic", "organic_results", "webPages"))
    rows: Iterable[Any] = cast("list[Any]", listed) if isinstance(listed, list) else ()
    results = [_result(cast("dict[str, Any]", row)) for row in rows if isinstance(row, dict)]
    said = _first(fields, ("answer",)) or " ".join(_texts(fields.get("answers")))
    return Found(results=tuple(one for one in results if one.url)[:limit], answer=_plain(said))


def _result(row: dict[str, Any]) -> Result:
    return Result(
        title=_plain(_first(row, ("title", "name"))),
        url=str(_first(row, ("url", "link", "href")) or ""),
        snippet=_plain(_first(row, ("snippet", "content", "description", "body", "text")))[:SNIPPET_CHARS],
    )


def _first(fields: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((fields[name] for name in names if fields.get(name)), None)


def _texts(answers: Any) -> list[str]:
    """SearXNG's answers, which are texts or, since 2024, objects with one."""
    rows: list[Any] = cast("list[Any]", answers) if isinstance(answers, list) else []
    return [str(cast("dict[str, Any]", row).get("answer", "")) if isinstance(row, dict) else str(row) for row in rows]


def _plain(text: Any) -> str:
    """One line of text without markup."""
    return " ".join(html.unescape(TAG.sub("", text)).split()) if isinstance(text, str) else ""
