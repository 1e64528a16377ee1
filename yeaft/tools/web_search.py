"""The tool that searches the web through whichever provider can be asked."""

from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from yeaft.config.settings import Search
from yeaft.kernel.errors import ToolFailed
from yeaft.tools.tool import Running, Tool, ToolResult

LIMIT, MOST_RESULTS = 5, 20
NO_RESULTS = "it found nothing"


class WebSearch(Struct, frozen=True, kw_only=True):
    """Arguments."""

    query: str
    limit: Annotated[int, Meta(ge=1)] = LIMIT


class Attempt(Struct, frozen=True, kw_only=True):
    """A provider that was asked in vain."""

    provider: str
    reason: str


def web_search(search: Search, environ: Mapping[str, str]) -> Tool[WebSearch]:
    """Let the model search with the provider that `search` names, or with all whose keys are in `environ`.

    The result is JSON: provider, query, perhaps answer, and results with title, url and snippet.
    """

    async def run(args: WebSearch, _: Running) -> ToolResult:
        from yeaft.tools.web.search_providers import providers

        query = " ".join(args.query.split())
        if not query:
            raise ToolFailed("The query is empty.")
        limit = min(args.limit, MOST_RESULTS)
        attempted: list[Attempt] = []
        for name, provider in providers(search, environ).items():
            try:
                found = await provider(query, limit)
            except ToolFailed as failure:
                attempted.append(Attempt(provider=name, reason=str(failure)))
                continue
            if found.results or found.answer:
                told = {"provider": name, "query": query, **msgspec.to_builtins(found)}
                return ToolResult(text=_json(told))
            attempted.append(Attempt(provider=name, reason=NO_RESULTS))
        return _in_vain(query, attempted)

    return Tool(name="WebSearch", args=WebSearch, run=run, guard="read", timeout_s=None)


def _in_vain(query: str, attempted: list[Attempt]) -> ToolResult:
    if any(attempt.reason == NO_RESULTS for attempt in attempted):
        error, hint = "Nothing was found.", "Try other or fewer words."
    else:
        error = "No search provider could be used."
        hint = "The user can choose one with search.provider = tavily, brave, searxng, json or ddgs in config.toml."
    told = {"error": error, "query": query, "attempted": msgspec.to_builtins(attempted), "hint": hint}
    return ToolResult(text=_json(told), failed=True)


def _json(told: Mapping[str, object]) -> str:
    return msgspec.json.encode(told).decode()
