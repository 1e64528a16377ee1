"""Pictures that tools give back: drawn with half blocks where there are colours, else named. Decoded off the screen."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from yeaft.interfaces.tui.transcript.line import Line, Part, decor

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from yeaft.events.fact import BlobRef
    from yeaft.interfaces.tui.transcript.view import View

MOST_COLUMNS = 60
MOST_ROWS = 16
MOST_KEPT = 32
Rows = list[tuple[Part, ...]]


class Pictures:
    """Pictures that were drawn. `run` runs what takes its time, and `drawn` is called when one has come."""

    def __init__(self, run: Callable[[Coroutine[None, None, None]], object], drawn: Callable[[], None]) -> None:
        self.blob: Callable[[str], bytes | None] | None = None
        self._run = run
        self._drawn = drawn
        self._rows: dict[tuple[str, int], Rows] = {}

    def rows(self, sha256: str, columns: int) -> Rows:
        """Return the rows of a picture; none as long as it is not there."""
        key = (sha256, columns)
        if key not in self._rows and self.blob is not None:
            while len(self._rows) >= MOST_KEPT:
                del self._rows[next(iter(self._rows))]
            self._rows[key] = []
            self._run(self._draw(key, self.blob))
        return self._rows.get(key, [])

    async def _draw(self, key: tuple[str, int], blob: Callable[[str], bytes | None]) -> None:
        sha256, columns = key
        content = await asyncio.to_thread(blob, sha256)
        if content is not None:
            self._rows[key] = await asyncio.to_thread(_drawn, content, columns)
            self._drawn()


def picture_lines(images: Sequence[BlobRef], view: View, indent: int) -> list[Line]:
    """Return pictures as lines, and below each of them what it is."""
    lines = list[Line]()
    for image in images:
        if view.look.colours == "full" and not view.palette.is_plain:
            rows = view.pictures(image.sha256, min(view.columns - indent, MOST_COLUMNS))
            lines += [Line((decor(" " * indent), *row)) for row in rows]
        said = view.ui.text("transcript.picture", mime=image.mime, size=f"{image.size_bytes:,}")
        lines.append(Line((decor(" " * indent), decor(said, view.palette.dim))))
    return lines


def _drawn(content: bytes, columns: int) -> Rows:
    from rich.text import Text

    from yeaft.interfaces.cli.commands.half_blocks import half_blocks
    from yeaft.kernel.errors import BadData

    try:
        texts = [Text.from_ansi(row) for row in half_blocks(content, columns, MOST_ROWS)]
    except BadData:
        return []
    return [
        tuple(Part(text.plain[at.start : at.end], at.style, "") for at in text.spans if not isinstance(at.style, str))
        for text in texts
    ]
