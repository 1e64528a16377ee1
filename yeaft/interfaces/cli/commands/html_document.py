"""A Session as one HTML file that needs nothing else: no scripts, no network, pictures inside, every text escaped."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft import __version__
from yeaft.interfaces.cli.commands.printing import iso_time, local_time
from yeaft.interfaces.cli.commands.transcript import speaker
from yeaft.interfaces.cli.terminal_text import unmasked
from yeaft.prompts.fill import fill
from yeaft.prompts.find import templates_dir

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.transcript import AttachmentTold, CallTold, MessageTold, RoundTold, TurnTold
    from yeaft.prompts.ui import Ui

PICTURE_BYTES, PICTURES_BYTES = 5 * 1024 * 1024, 25 * 1024 * 1024
"""How large one picture may be to be put in, and all of them together."""
PICTURE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""What a browser only draws; an SVG is a document of its own, so it is named and not shown."""
_FENCED = re.compile(r"^```[^\n]*\n(.*?)(?:^```[ \t]*$\n?|\Z)", re.MULTILINE | re.DOTALL)


class Heading(Struct, frozen=True, kw_only=True):
    """What stands above the conversation."""

    title: str
    facts: tuple[str, ...]
    lang: str


class Pictures:
    """Gives pictures as data URIs until there are too many bytes of them; `blob` and `attachment` read their bytes."""

    def __init__(self, blob: Callable[[str], bytes | None], attachment: Callable[[str, str], bytes | None]) -> None:
        self._blob = blob
        self._attachment = attachment
        self._left_bytes = PICTURES_BYTES

    def of_blob(self, sha256: str, mime: str) -> str:
        """Return the picture kept as a blob; empty if it cannot be put in."""
        return self._uri(mime, lambda: self._blob(sha256))

    def of_attachment(self, kept: AttachmentTold) -> str:
        """Return the picture that was attached; empty if it is none, or cannot be put in."""
        return self._uri(kept.mime, lambda: self._attachment(kept.file, kept.sha256))

    def _uri(self, mime: str, read: Callable[[], bytes | None]) -> str:
        content = read() if mime in PICTURE_TYPES else None
        if content is None or len(content) > min(PICTURE_BYTES, self._left_bytes):
            return ""
        self._left_bytes -= len(content)
        return f"data:{mime};base64,{base64.b64encode(content).decode()}"


def document(heading: Heading, messages: Sequence[MessageTold], pictures: Pictures, ui: Ui) -> str:
    """Return the whole file."""
    page = (templates_dir() / "export" / "session.html").read_text("utf-8")
    writer = _Writer(pictures, ui)
    return fill(
        page,
        {
            "lang": escaped(heading.lang),
            "version": escaped(__version__),
            "title": escaped(heading.title),
            "facts": " · ".join(map(escaped, heading.facts)),
            "messages": "\n".join(line for message in messages for line in writer.message(message)),
        },
    )


def escaped(text: str) -> str:
    """Return text that is only text in HTML; what no eye can see, or turns letters round, is written out."""
    return html.escape(unmasked(text))


class _Writer:
    def __init__(self, pictures: Pictures, ui: Ui) -> None:
        self._pictures = pictures
        self._ui = ui

    def message(self, message: MessageTold) -> Iterator[str]:
        sender = self._ui.text("speaker.user") if message.sender == "user" else speaker(message)
        to = " ".join(f"@{vp_id}" for vp_id in message.to)
        yield f'<article id="{escaped(message.id)}">'
        yield f"<h2>{escaped(f'{sender} → {to}')} {_time(message.at_ms)}</h2>"
        yield from _prose(message.text)
        for kept in message.attachments:
            yield from self._attachment(kept)
        for turn in message.turns:
            yield from self._turn(turn)
        yield "</article>"

    def _turn(self, turn: TurnTold) -> Iterator[str]:
        outcome = self._ui.text(f"transcript.outcome_{turn.outcome}")
        facts = " · ".join(part for part in (outcome, turn.model) if part)
        yield f'<section id="{escaped(turn.turn)}">'
        yield f'<h3>{escaped(f"@{turn.vp}")} <span class="outcome">{escaped(facts)}</span></h3>'
        for one in turn.each_round:
            yield from self._round(one)
        if turn.error:
            yield f'<div class="text error">{escaped(turn.error)}</div>'
        yield "</section>"

    def _round(self, one: RoundTold) -> Iterator[str]:
        for thought in one.thinking:
            yield f"<details><summary>{escaped(self._ui.text('export.thinking'))}</summary>"
            yield f'<div class="text thinking">{escaped(thought.strip())}</div></details>'
        yield from _prose(one.text)
        for call in one.calls:
            yield from self._call(call)

    def _call(self, call: CallTold) -> Iterator[str]:
        yield f"<details><summary>{escaped(f'{call.tool} · {call.status}')}</summary>"
        yield f"<pre>{escaped(call.args)}</pre>"
        if call.result:
            yield f"<pre>{escaped(call.result)}</pre>"
        yield "</details>"
        for sha256, mime in call.pictures:
            yield self._picture(self._pictures.of_blob(sha256, mime), call.tool)

    def _attachment(self, kept: AttachmentTold) -> Iterator[str]:
        yield f'<p class="facts">{escaped(f"{kept.name} ({kept.mime}, {kept.size_bytes} B)")}</p>'
        if kept.mime in PICTURE_TYPES:
            yield self._picture(self._pictures.of_attachment(kept), kept.name)

    def _picture(self, uri: str, name: str) -> str:
        if not uri:
            return f'<p class="facts">{escaped(self._ui.text("export.no_picture", name=name))}</p>'
        return f'<img src="{uri}" alt="{escaped(name)}">'


def _prose(text: str) -> Iterator[str]:
    """Yield text as it was written, and what stands between lines of ``` as code."""
    end = 0
    for found in _FENCED.finditer(text):
        yield from _plain(text[end : found.start()])
        yield f"<pre><code>{escaped(found[1])}</code></pre>"
        end = found.end()
    yield from _plain(text[end:])


def _plain(text: str) -> Iterator[str]:
    if text.strip():
        yield f'<div class="text">{escaped(text.strip())}</div>'


def _time(at_ms: int) -> str:
    return f'<time datetime="{iso_time(at_ms)}">{local_time(at_ms)}</time>'
