"""The services that can search the web, each reduced to one function from a query to results of one form."""

import asyncio
import html
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from yeaft.config.settings import Search
from yeaft.kernel.errors import ToolFailed
from yeaft.tools.web.web_service import Question, ask_service

TIMEOUT_S = 20.0
ANSWER_BYTES = 4 * 1024 * 1024
SNIPPET_CHARS = 500
TAVILY_URL = "https://api.tavily.com/search"
BRAVE_URL = "https://api.search.brave.com/res/v1/web/search"
KEY_VARIABLES = {"tavily": "TAVILY_API_KEY", "brave": "BRAVE_API_KEY"}
LISTS = ("results", "items", "data", "organic")
TITLES, ADDRESSES = ("title", "name"), ("url", "link", "href")
SNIPPETS = ("snippet", "content", "description", "body", "text")
"""The names under which services have their results, and a result its parts."""
TAG = re.compile(r"</?[a-zA-Z][^<>]*>")

T = TypeVar("T")


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
    """Whom to ask, by name, in this order: only the one that `search` names, else all that work as things are."""
    keyed = [] if search.provider else [name for name in KEY_VARIABLES if _key(name, search, environ)]
    return {name: _provider(name, search, environ) for name in (*keyed, search.provider or "ddgs")}


def _key(name: str, search: Search, environ: Mapping[str, str]) -> str:
    variable = search.api_key_env or KEY_VARIABLES.get(name, "")
    return (search.api_key or environ.get(variable, "")).strip()


def _provider(name: str, search: Search, environ: Mapping[str, str]) -> Provider:
    key = _key(name, search, environ)
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
            return lambda query, limit: _ddgs(environ, query, limit)


async def _tavily(url: str, key: str, query: str, limit: int) -> Found:
    body: dict[str, str | int] = {"query": query, "max_results": limit, "include_answer": True}
    return _found(await _ask(Question(url=url, body=body, headers=_bearer(key))), limit)


async def _brave(url: str, key: str, query: str, limit: int) -> Found:
    headers = {"x-subscription-token": key, "accept": "application/json"}
    answer = await _ask(Question(url=url, params={"q": query, "count": limit}, headers=headers))
    return _found(_read(answer, dict[str, Any]).get("web", {}), limit)


async def _searxng(url: str, key: str, query: str, limit: int) -> Found:
    address = url.rstrip("/").removesuffix("/search") + "/search"
    question = Question(url=address, params={"q": query, "format": "json"}, headers=_bearer(key))
    return _found(await _ask(question), limit)


async def _json(url: str, key: str, query: str, limit: int) -> Found:
    return _found(await _ask(Question(url=url, params={"q": query, "limit": limit}, headers=_bearer(key))), limit)


async def _ddgs(environ: Mapping[str, str], query: str, limit: int) -> Found:
    """Ask public search engines through the package ddgs, which needs no key and works in threads."""
    from ddgs.ddgs import DDGS
    from ddgs.exceptions import DDGSException

    proxy = _set_in(environ, "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")
    certificates = _set_in(environ, "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
    engines = DDGS(proxy=proxy or None, verify=certificates or True)
    try:
        async with asyncio.timeout(TIMEOUT_S):
            return _found(await asyncio.to_thread(engines.text, query, max_results=limit), limit)
    except TimeoutError as error:
        raise ToolFailed(f"no full answer within {TIMEOUT_S:g} s") from error
    except DDGSException as error:
        raise ToolFailed(str(error)) from error


def _set_in(environ: Mapping[str, str], *names: str) -> str:
    return next((environ[name] for name in names if environ.get(name)), "")


def _bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"} if key else {}


async def _ask(question: Question) -> Any:
    return await ask_service(question, timeout_s=TIMEOUT_S, limit_bytes=ANSWER_BYTES)


def _found(answer: Any, limit: int) -> Found:
    """Results from a list of objects, or from an object that has one. Raises `ToolFailed`."""
    fields = _read(answer, dict[str, Any]) if isinstance(answer, dict) else {"results": answer}
    rows = _read(_first(fields, LISTS) or [], list[dict[str, Any]])
    results = [
        Result(
            title=_plain(_first(row, TITLES)),
            url=str(_first(row, ADDRESSES)),
            snippet=_plain(_first(row, SNIPPETS))[:SNIPPET_CHARS],
        )
        for row in rows
        if _first(row, ADDRESSES)
    ]
    return Found(results=tuple(results[:limit]), answer=_plain(fields.get("answer")) or _own_answers(fields))


def _own_answers(fields: dict[str, Any]) -> str:
    """SearXNG's answers, which are texts in older versions and objects with one in newer."""
    answers = _read(fields.get("answers") or [], list[str | dict[str, Any]])
    return " ".join(_plain(one if isinstance(one, str) else one.get("answer")) for one in answers)


def _read(value: Any, kind: type[T]) -> T:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise ToolFailed(f"the answer does not hold results as expected ({error})") from error


def _first(fields: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((fields[name] for name in names if fields.get(name)), None)


def _plain(text: Any) -> str:
    """One line of text without markup."""
    return " ".join(html.unescape(TAG.sub("", text)).split()) if isinstance(text, str) else ""
