"""Makes a picture fit to be sent to a model: upright, not too large, and nothing in it but pixels."""

from __future__ import annotations

import warnings
from io import BytesIO
from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.tool import Picture

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFile import ImageFile

    from yeaft.tools.pictures.picture_kinds import Kind

LONG_SIDE = 1568  # what Anthropic scales to; more costs time and shows nothing more
SENT_BYTES = 1536 * 1024
MOST_PIXELS = 50_000_000  # 200 MB while it is decoded
QUALITIES = (85, 70, 50, 30)
ORIENTATION = 0x0112  # EXIF tag
UPRIGHT, LYING = 1, frozenset({5, 6, 7, 8})
PLAIN_MODES = frozenset({"L", "RGB", "RGBA"})
BROKEN = (OSError, SyntaxError, ValueError, EOFError)
"""What Pillow raises for a file that is not what its beginning says."""


class Prepared(Struct, frozen=True, kw_only=True):
    """A picture to send. Width and height are those of the file, seen upright."""

    picture: Picture
    width: int
    height: int
    shown_width: int
    shown_height: int
    moves: bool

    @property
    def scaled(self) -> bool:
        """Whether it is sent smaller than it is."""
        return (self.width, self.height) != (self.shown_width, self.shown_height)


def prepare(raw: bytes, kind: Kind, shown: str) -> Prepared:
    """The picture in `raw`, decoded only if its header promises at most `MOST_PIXELS`; raises `ToolFailed`."""
    from PIL.Image import DecompressionBombError

    warnings.filterwarnings("ignore", module=r"PIL\.")  # about damaged metadata, which goes away anyway
    try:
        found, moves = _opened(raw, kind)
        return _prepared(found, shown, moves=moves)
    except DecompressionBombError as error:
        raise _too_large(shown) from error
    except BROKEN as error:
        raise ToolFailed(f"{shown} is broken: it cannot be decoded as {kind.upper()} ({error}).") from error


def _opened(raw: bytes, kind: Kind) -> tuple[ImageFile, bool]:
    """Read the header alone, and whether more frames follow.

    The decoder is the one for this kind: `Image.open` would let the file choose among fifty.
    """
    stream = BytesIO(raw)
    match kind:
        case "png":
            from PIL.PngImagePlugin import PngImageFile

            png = PngImageFile(stream)
            return png, png.n_frames > 1
        case "jpeg":
            from PIL.JpegImagePlugin import JpegImageFile

            return JpegImageFile(stream), False
        case "gif":
            from PIL.GifImagePlugin import GifImageFile

            gif = GifImageFile(stream)
            return gif, gif.is_animated
        case "webp":
            from PIL.WebPImagePlugin import WebPImageFile

            webp = WebPImageFile(stream)
            return webp, webp.is_animated


def _prepared(found: ImageFile, shown: str, *, moves: bool) -> Prepared:
    width, height = found.size
    found.draft("RGB", (2 * LONG_SIDE, 2 * LONG_SIDE))  # a large JPEG is decoded at a fraction of its size
    if found.width * found.height > MOST_PIXELS:
        raise _too_large(shown)
    orientation = found.getexif().get(ORIENTATION, UPRIGHT)
    plain = _plain(found)
    plain.thumbnail((LONG_SIDE, LONG_SIDE))
    plain = _turned(plain, orientation)
    if orientation in LYING:
        width, height = height, width
    return Prepared(
        picture=_encoded(plain, lossless=found.format != "JPEG"),
        width=width,
        height=height,
        shown_width=plain.width,
        shown_height=plain.height,
        moves=moves,
    )


def _turned(image: Image, orientation: int) -> Image:
    """The picture as the camera was held; `ImageOps.exif_transpose` stumbles over broken EXIF, which it rewrites."""
    from PIL.Image import Transpose

    turns = {
        2: Transpose.FLIP_LEFT_RIGHT,
        3: Transpose.ROTATE_180,
        4: Transpose.FLIP_TOP_BOTTOM,
        5: Transpose.TRANSPOSE,
        6: Transpose.ROTATE_270,
        7: Transpose.TRANSVERSE,
        8: Transpose.ROTATE_90,
    }
    return image.transpose(turns[orientation]) if orientation in turns else image


def _plain(image: Image) -> Image:
    """Grey, RGB or RGBA with 8 bits each, and no metadata."""
    if image.mode == "I;16":
        from PIL.Image import frombytes

        image = frombytes("L", image.size, image.tobytes()[1::2])  # the high bytes; Pillow's own way clips at 255
    if image.mode not in PLAIN_MODES:
        image = image.convert("RGBA" if image.has_transparency_data else "RGB")
    image.info.clear()
    return image


def _encoded(image: Image, *, lossless: bool) -> Picture:
    if lossless:
        content = _saved(image, "PNG")
        if len(content) <= SENT_BYTES:
            return Picture(mime="image/png", content=content)
    content = b""
    flat = _on_white(image)
    for quality in QUALITIES:
        content = _saved(flat, "JPEG", quality)
        if len(content) <= SENT_BYTES:
            break
    return Picture(mime="image/jpeg", content=content)


def _on_white(image: Image) -> Image:
    """JPEG knows no transparency."""
    if image.mode != "RGBA":
        return image
    from PIL.Image import new

    flat = new("RGB", image.size, "white")
    flat.paste(image, mask=image.getchannel("A"))
    return flat


def _saved(image: Image, form: str, quality: int = 0) -> bytes:
    stream = BytesIO()
    image.save(stream, form, quality=quality)
    return stream.getvalue()


def _too_large(shown: str) -> ToolFailed:
    return ToolFailed(f"{shown} has more than {MOST_PIXELS:,} pixels, which is the limit; make it smaller first.")
