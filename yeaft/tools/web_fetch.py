"""The tool that lets a model read a page of the web, in portions it can ask on from."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct

from yeaft.config.settings import Web
from yeaft.kernel.errors import ToolFailed
from yeaft.kernel.text import head_bytes
from yeaft.tools.tool import Running, Tool, ToolResult, Touches
from yeaft.tools.web.untrusted import fenced
from yeaft.tools.web.web_address import domains_in, web_address
from yeaft.tools.web.web_client import WebClient, everywhere

if TYPE_CHECKING:
    from yeaft.tools.web.web_page import Page

MAX_LENGTH_CHARS = 50_000
OUTPUT_BYTES = 30 * 1024  # a model is sent 32 KiB of a result; the rest is for the lines around the page
KEPT_PAGES = 4
SHOWN_URL_CHARS = 500
FIRST_FAILED_STATUS = 400


class WebFetch(Struct, frozen=True, kw_only=True):
    """Arguments."""

    url: str
    max_length: Annotated[int, Meta(ge=1, description="Characters.")] = MAX_LENGTH_CHARS
    offset: Annotated[int, Meta(ge=0, description="Characters to skip.")] = 0
    raw: Annotated[bool, Meta(description="Source instead of Markdown.")] = False


def web_fetch(web: WebClient, settings: Web, *, permits: Callable[[str], bool] = everywhere) -> Tool[WebFetch]:
    """Let the model read pages; `permits` says for the domain a redirect leads to whether this VP may visit it.

    The last pages are kept, so that a portion with an offset is of the page that the model saw the beginning of.
    """
    pages: dict[tuple[str, bool], Page] = {}

    async def run(args: WebFetch, _: Running) -> ToolResult:
        from yeaft.tools.web.web_page import page_of

        url = web_address(args.url)
        key = (str(url), args.raw)
        page = pages.get(key) if args.offset else None
        if page is None:
            fetched = await web.fetch(url, limit_bytes=settings.max_bytes, permits=permits)
            page = await page_of(fetched, raw=args.raw)
            pages.pop(key, None)
            pages[key] = page
            while len(pages) > KEPT_PAGES:
                del pages[next(iter(pages))]
        return ToolResult(text=portion(page, args.offset, args.max_length), failed=page.status >= FIRST_FAILED_STATUS)

    return Tool(
        name="WebFetch",
        args=WebFetch,
        run=run,
        guard="read",
        touches=lambda args: Touches(domains=domains_in(args.url)),
        timeout_s=None,
    )


def portion(page: "Page", offset: int, max_length: int) -> str:
    """The characters from `offset`, at most `max_length` and `OUTPUT_BYTES` of UTF-8, with a note how to go on.

    Raises `ToolFailed` for an offset at or behind the end.
    """
    total = len(page.text)
    if offset and offset >= total:
        raise ToolFailed(f"The page has {total} characters; offset {offset} is at or behind its end.")
    shown = head_bytes(page.text[offset : offset + max_length], OUTPUT_BYTES)
    end = offset + len(shown)
    head = f"{page.url[:SHOWN_URL_CHARS]} (status {page.status}, {page.media_type}, {total} characters of {page.form})"
    if end < total:
        note = f"\n[characters {offset}-{end} of {total}; continue with offset={end}]"
    elif page.is_cut:
        note = "\n[this is only the beginning of the page; the rest is more than can be taken]"
    else:
        note = ""
    return f"{head}\n{fenced(shown, kind='web page')}{note}"
