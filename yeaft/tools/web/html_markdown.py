"""A web page as Markdown: links kept and made absolute, what a reader would not see left out.

Run as a program it converts one page and ends; `html_reader` does that, because hostile markup can take any time.
"""

import contextlib
import re
import resource
import sys
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import msgspec
from msgspec import Struct

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

MOST_CHARS = 3 * 1024 * 1024
MOST_TAGS = 100_000
MOST_MEMORY_BYTES = 1024 * 1024 * 1024
MOST_CPU_S = 20
MOST_LEVELS = 120  # the converter recurses, three frames for each level
UNSEEN = (
    "head, script, style, template, noscript, iframe, object, embed, svg, canvas, audio, video, map, "
    "button, input, select, textarea"
)
AROUND = "nav, footer, [role=navigation], [role=banner], [role=contentinfo], [role=search]"
HIDDEN = ", ".join(
    ("[hidden]", "[aria-hidden=true]", *(f"[style*='{style}' i]" for style in ("display:none", "display: none")))
)
INVISIBLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]")
"""Controls, reordering and tag characters, in which a page can hide text from its readers but not from a model."""
SCHEMES = ("http:", "https:", "mailto:")


class Markdown(Struct, frozen=True, kw_only=True):
    """A page's title and text; `is_cut` if only the beginning of the markup was converted."""

    title: str
    text: str
    is_cut: bool


def main() -> None:
    """Read an address in one line and its markup from stdin; write a `Markdown` as JSON."""
    for kind, most in ((resource.RLIMIT_AS, MOST_MEMORY_BYTES), (resource.RLIMIT_CPU, MOST_CPU_S)):
        with contextlib.suppress(ValueError, OSError):  # not every system knows every limit
            resource.setrlimit(kind, (most, most))
    url, _, markup = sys.stdin.buffer.read().decode().partition("\n")
    sys.stdout.buffer.write(msgspec.json.encode(markdown_of(markup, url)))


def markdown_of(markup: str, url: str) -> Markdown:
    """The page with this `markup` from `url`.

    Of more than `MOST_CHARS` or `MOST_TAGS` only the beginning is used, because markup takes a hundred times its size
    in memory. Navigation and footers are left out unless nothing else is there.
    """
    from bs4 import BeautifulSoup

    bounded = _bounded(markup)
    soup = BeautifulSoup(bounded, "lxml")
    title = " ".join(soup.title.get_text().split()) if soup.title else ""
    place = soup.select_one("base[href]")
    _make_absolute(soup, _joined(url, str(place["href"])) if place else url)
    _remove(soup, f"{UNSEEN}, {HIDDEN}")
    _flatten(soup)
    around = _remove(soup, AROUND)
    text = _converted(soup)
    if not text and soup.body:
        soup.body.extend(around)
        text = _converted(soup)
    is_cut = len(bounded) < len(markup) or len(text) > MOST_CHARS
    return Markdown(title=title, text=text[:MOST_CHARS], is_cut=is_cut)


def _bounded(markup: str) -> str:
    markup = markup[:MOST_CHARS]
    if markup.count("<") <= MOST_TAGS:
        return markup
    return "<".join(markup.split("<", MOST_TAGS + 1)[:-1])


def _remove(soup: "BeautifulSoup", selector: str) -> "list[Tag]":
    return [element.extract() for element in soup.select(selector)]


def _flatten(soup: "BeautifulSoup") -> None:
    """Make plain text of what is nested too deep."""
    level: list[Tag] = [soup]
    for _ in range(MOST_LEVELS):
        level = [child for tag in level for child in tag.find_all(name=True, recursive=False)]
    for tag in level:
        tag.string = tag.get_text(" ")


def _make_absolute(soup: "BeautifulSoup", url: str) -> None:
    """Let every link and picture say where it leads; what leads nowhere else becomes plain text or goes."""
    for link in soup.select("a[href]"):
        href = str(link["href"]).strip()
        target = _joined(url, href)
        del link["title"]
        if href.startswith("#") or not target.startswith(SCHEMES):
            del link["href"]
        else:
            link["href"] = target
    for picture in soup.select("img"):
        target = _joined(url, str(picture.get("src") or "").strip())
        if picture.get("alt") and target.startswith(SCHEMES):
            picture["src"] = target
        else:
            picture.extract()


def _joined(url: str, href: str) -> str:
    try:
        return urljoin(url, href)
    except ValueError:
        return ""


def _converted(soup: "BeautifulSoup") -> str:
    from markdownify import ATX, MarkdownConverter

    converter = MarkdownConverter(
        heading_style=ATX,
        bullets="-",
        escape_asterisks=False,
        escape_underscores=False,
        table_infer_header=True,
        code_language_callback=_language,
    )
    soup.smooth()  # blanks around what was removed become one
    return INVISIBLE.sub("", converter.convert_soup(soup)).strip()


def _language(block: "Tag") -> str:
    """The language of a code block, as the usual highlighters note it in a class."""
    code = block.code or block
    names = code.get_attribute_list("class")
    return next((name[9:] for name in names if name and name.startswith("language-")), "")


if __name__ == "__main__":
    main()
