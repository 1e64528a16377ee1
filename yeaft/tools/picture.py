"""Makes a picture fit to be sent to a model: upright, not too large, and nothing in it but pixels."""

from io import BytesIO
from typing import TYPE_CHECKING, assert_never

from msgspec import Struct

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.picture_kinds import Kind
from yeaft.tools.tool import Picture

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFile import ImageFile

LONG_SIDE = 1568  # what Anthropic scales to; more costs time and shows nothing more
SENT_BYTES = 1536 * 1024
MOST_PIXELS = 50_000_000  # 200 MB while it is decoded
QUALITIES = (85, 70, 50, 30)
BROKEN = (OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError, TypeError, OverflowError)
"""What Pillow raises for files that are not what they say they are."""


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
    """The picture in `raw`, decoded only if its header promises less than `MOST_PIXELS`; raises `ToolFailed`."""
    try:
        found = _opened(raw, kind)
        return _prepared(found, shown)
    except BROKEN as error:
        raise ToolFailed(f"{shown} is broken: it cannot be decoded as {kind.upper()} ({error}).") from error


def _opened(raw: bytes, kind: Kind) -> "ImageFile":
    """Only the header is read. The decoder is the one for this kind: a file must not choose another for itself."""
    stream = BytesIO(raw)
    match kind:
        case "png":
            from PIL.PngImagePlugin import PngImageFile

            return PngImageFile(stream)
        case "jpeg":
            from PIL.JpegImagePlugin import JpegImageFile

            return JpegImageFile(stream)
        case "gif":
            from PIL.GifImagePlugin import GifImageFile

            return GifImageFile(stream)
        case "webp":
            from PIL.WebPImagePlugin import WebPImageFile

            return WebPImageFile(stream)
        case _:
            assert_never(kind)


def _prepared(found: "ImageFile", shown: str) -> Prepared:
    from PIL import ImageOps

    width, height = found.size
    found.draft("RGB", (LONG_SIDE, LONG_SIDE))  # a JPEG is decoded at a fraction of its size
    if found.width * found.height > MOST_PIXELS:
        raise ToolFailed(f"{shown} has {width}x{height} pixels, the limit is {MOST_PIXELS:,}; make it smaller first.")
    upright = ImageOps.exif_transpose(found)
    turned = (upright.width > upright.height) != (found.width > found.height)
    plain = _plain(upright)
    plain.thumbnail((LONG_SIDE, LONG_SIDE))
    return Prepared(
        picture=_encoded(plain, lossless=found.format != "JPEG"),
        width=height if turned else width,
        height=width if turned else height,
        shown_width=plain.width,
        shown_height=plain.height,
        moves=bool(getattr(found, "is_animated", False)),
    )
