"""What a fetched body is as text: a page becomes Markdown, other text stays as it is, the rest is refused."""

import re

from msgspec import Struct

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.web.html_reader import read_page
from yeaft.tools.web.web_charset import text_of
from yeaft.tools.web.web_client import Fetched

PAGES = frozenset({"text/html", "application/xhtml+xml"})
UNSAID = frozenset({"", "application/octet-stream", "application/x-unknown", "unknown/unknown"})
TEXTS = re.compile(
    r"text/.+|.+\+(?:json|xml|yaml|text)"
    r"|(?:application|model)/(?:x-)?(?:json5?|jsonl|ndjson|xml|yaml|toml|javascript|ecmascript|typescript|sh|python|sql"
    r"|graphql|json-seq|jsonlines|rtf|tex|latex|httpd-php|perl|ruby|subrip|www-form-urlencoded|pem-file|patch|diff)"
)
MEDIA_TYPE = re.compile(r"\s*([\w.+-]{1,60}/[\w.+-]{1,100})\s*(?:;|$)")
LOOKS_LIKE_PAGE = re.compile(
    r"\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
SNIFFED_CHARS = 4096


class Page(Struct, frozen=True, kw_only=True):
    """A page as a model can read it: `form` says what `text` is, `is_cut` that there is more than could be taken."""

    url: str
    status: int
    media_type: str
    form: str
    text: str
    is_cut: bool


async def page_of(fetched: Fetched, *, raw: bool) -> Page:
    """The text of what was fetched, markup converted unless `raw`. Raises `ToolFailed` for what is no text."""
    found = MEDIA_TYPE.match(fetched.content_type)
    media_type = found[1].lower() if found else ""
    if media_type not in PAGES | UNSAID and not TEXTS.fullmatch(media_type):
        raise _no_text(fetched, media_type)
    text = text_of(fetched.body, fetched.content_type, is_cut=fetched.is_cut)
    if "\0" in text:
        raise _no_text(fetched, media_type)
    is_page = media_type in PAGES or (media_type in UNSAID and LOOKS_LIKE_PAGE.match(text[:SNIFFED_CHARS]))
    form, is_cut = "text", fetched.is_cut
    if is_page and not raw:
        page = await read_page(text, fetched.url)
        text = f"Title: {page.title}\n\n{page.text}" if page.title else page.text
        form, is_cut = "Markdown", is_cut or page.is_cut
    return Page(
        url=fetched.url, status=fetched.status, media_type=media_type or "no type", form=form, text=text, is_cut=is_cut
    )


def _no_text(fetched: Fetched, media_type: str) -> ToolFailed:
    size = f"{'more than ' if fetched.is_cut else ''}{len(fetched.body):,} bytes"
    return ToolFailed(
        f"{fetched.url} is not text ({media_type or 'no type'}, {size}). "
        "Download it with Bash (curl -o) and use a program that understands it, or ViewImage for a picture."
    )
