"""A picture as characters: two pixels above each other in each, in 24-bit colours."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

from yeaft.kernel.errors import BadData

if TYPE_CHECKING:
    from PIL.Image import Image

UPPER_HALF = "▀"
RESET = "\x1b[0m"
MOST_ROWS = 40
FORMATS = ("PNG", "JPEG", "GIF", "WEBP")


def picture_size(content: bytes) -> tuple[int, int]:
    """Return width and height by the header. Raises `BadData`."""
    with _opened(content) as picture:
        return picture.size


def half_blocks(content: bytes, columns: int, rows: int = MOST_ROWS) -> list[str]:
    """Return lines with escape sequences that draw a picture in at most `columns` x `rows` characters.

    What is transparent is black. Raises `BadData` for what cannot be decoded.
    """
    from PIL import Image

    try:
        with _opened(content) as picture:
            picture.draft("RGB", (4 * columns, 8 * rows))
            drawn = picture.convert("RGBA")
            drawn.thumbnail((max(columns, 1), max(2 * rows, 2)))
    except (OSError, SyntaxError, ValueError) as error:
        raise BadData(f"The picture is broken: {error}.") from error
    ground = Image.new("RGBA", drawn.size, (0, 0, 0, 255))
    flat = Image.alpha_composite(ground, drawn).convert("RGB")
    return list(_lines(flat))


def _lines(flat: Image) -> Iterator[str]:
    width, height = flat.size
    raw = flat.tobytes()
    for top in range(0, height, 2):
        cells: list[str] = []
        before = ""
        for left in range(width):
            upper = _pixel(raw, width, left, top)
            lower = _pixel(raw, width, left, top + 1) if top + 1 < height else (0, 0, 0)
            colours = f"\x1b[38;2;{';'.join(map(str, upper))};48;2;{';'.join(map(str, lower))}m"
            cells.append(UPPER_HALF if colours == before else colours + UPPER_HALF)
            before = colours
        yield "".join(cells) + RESET


def _pixel(raw: bytes, width: int, left: int, top: int) -> tuple[int, int, int]:
    at = 3 * (top * width + left)
    return raw[at], raw[at + 1], raw[at + 2]


def _opened(content: bytes) -> Image:
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Image.open(io.BytesIO(content), formats=FORMATS)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise BadData(f"The picture is broken: {error}.") from error
