"""What stands inside of lines: weight, code, links; as parts in their styles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from rich.style import Style

from yeaft.interfaces.tui.transcript.line import PLAIN, Part
from yeaft.interfaces.tui.transcript.markdown.addresses import readable
from yeaft.interfaces.tui.transcript.shown import shown
from yeaft.kernel.pattern import Pattern

if TYPE_CHECKING:
    from markdown_it.token import Token

    from yeaft.interfaces.tui.transcript.palette import Palette

_URL = Pattern(r"https?://[^\s<>\"'`，。；：）」』】》、]+[^\s<>\"'`，。；：）」』】》、.,;:!?)\]}*_]")
SCHEMES = ("http://", "https://", "mailto:", "file://")


def inline_parts(tokens: Sequence[Token], palette: Palette, outer: Style = PLAIN) -> list[Part]:
    """Return the parts of one paragraph, heading or cell; `outer` is the style of all of it."""
    parts, styles = list[Part](), [outer]
    target = ""
    for token in tokens:
        match token.type:
            case "text" | "text_special":
                parts += _linked(token.content, styles[-1], palette, within=target)
            case "code_inline":
                parts.append(Part(shown(token.content), styles[-1] + palette.code))
            case "softbreak" | "hardbreak":
                parts.append(Part("\n", styles[-1]))
            case "strong_open":
                styles.append(styles[-1] + palette.strong)
            case "em_open":
                styles.append(styles[-1] + palette.stress)
            case "s_open":
                styles.append(styles[-1] + palette.struck)
            case "link_open":
                target = str(token.attrs.get("href", ""))
                styles.append(styles[-1] + palette.link + _link_style(target, palette))
            case "link_close":
                styles.pop()
                if target and not _says(parts, readable(target)):
                    parts.append(Part(f" ({shown(readable(target))})", styles[-1] + palette.dim))
                target = ""
            case "strong_close" | "em_close" | "s_close":
                styles.pop()
            case "image":
                source = readable(str(token.attrs.get("src", "")))
                parts.append(Part(shown(f"[{token.content}] ({source})"), styles[-1] + palette.dim))
            case _:
                parts.append(Part(shown(token.content), styles[-1]))
    return parts


def _linked(text: str, style: Style, palette: Palette, *, within: str) -> Iterator[Part]:
    """Yield a text with the addresses in it as links."""
    text = shown(text)
    at = 0
    for found in _URL.finditer(text) if not within and "://" in text else ():
        if found.start() > at:
            yield Part(text[at : found.start()], style)
        yield Part(readable(found[0]), style + palette.link + _link_style(found[0], palette))
        at = found.end()
    if at < len(text):
        yield Part(text[at:], style)


def _link_style(target: str, palette: Palette) -> Style:
    if not palette.links or not target.lower().startswith(SCHEMES):
        return PLAIN
    return Style(link=quote(target, safe=":/?#[]@!$&'()*+,;=%-._~"))


def _says(parts: Sequence[Part], target: str) -> bool:
    """Whether the text of a link ends with its address, so that nobody has to be told it."""
    end = "".join(part.text for part in parts[-4:])
    return end.endswith((target, target.removeprefix("mailto:"), target.removesuffix("/")))
