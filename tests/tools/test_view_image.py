"""Pictures reach the model upright, small and clean; what is no picture, or a trap, is refused with a way out."""

import struct
import zlib
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, PngImagePlugin

from tests.tools.folder_given import Folder, Vp
from yeaft.tools.pictures.picture import LONG_SIDE, SENT_BYTES
from yeaft.tools.tool import Picture
from yeaft.tools.view_image import view_image

GPS, ORIENTATION, MAKER = 0x8825, 0x0112, 0x010F
SECRET = "52.5200 N, my home"


def desk(tmp: Path, **limits: int) -> tuple[Folder, Vp]:
    folder = Folder(tmp)
    vp = folder.vp()
    vp.tools["ViewImage"] = view_image(folder.paths, **limits)
    return folder, vp


def encoded(image: Image.Image, form: str, **how: object) -> bytes:
    stream = BytesIO()
    image.save(stream, form, **how)
    return stream.getvalue()


def half_red(width: int = 400, height: int = 200, mode: str = "RGB") -> Image.Image:
    """A picture whose left half is red, the rest blue."""
    image = Image.new("RGB", (width, height), "blue")
    ImageDraw.Draw(image).rectangle((0, 0, width // 2 - 1, height), fill="red")
    return image.convert(mode)


async def seen(vp: Vp, name: str) -> tuple[str, Picture, Image.Image]:
    result = await vp.call("ViewImage", file_path=name)
    (picture,) = result.images
    image = Image.open(BytesIO(picture.content))
    image.load()
    return result.text, picture, image


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP"])
async def test_a_small_picture_of_each_kind_is_shown_as_it_is_whatever_its_name(tmp_path: Path, form: str) -> None:
    folder, vp = desk(tmp_path)
    raw = encoded(half_red(), form)
    folder.file("picture.dat", raw)

    told, picture, image = await seen(vp, "picture.dat")

    assert told == f"picture.dat ({form.lower()}, 400x200, {len(raw):,} bytes):"
    assert picture.mime == ("image/jpeg" if form == "JPEG" else "image/png")
    assert (image.size, image.format) == ((400, 200), "JPEG" if form == "JPEG" else "PNG")
    left, right = (image.convert("RGB").getpixel((x, 100)) for x in (50, 350))
    assert (left[0] > 240, right[2] > 240) == (True, True)


async def test_a_large_photograph_is_scaled_down_and_the_model_knows_its_real_size(tmp_path: Path) -> None:
    folder, vp = desk(tmp_path)
    raw = encoded(half_red(6000, 4000), "JPEG")
    folder.file("photo.jpg", raw)

    told, picture, image = await seen(vp, "photo.jpg")

    assert told == f"photo.jpg (jpeg, 6000x4000, {len(raw):,} bytes; scaled down to 1568x1045):"
    assert image.size == (1568, 1045)
    assert len(picture.content) <= SENT_BYTES


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
async def test_noise_that_does_not_compress_still_fits(tmp_path: Path, form: str) -> None:
    folder, vp = desk(tmp_path)
    noise = Image.merge("RGB", [Image.effect_noise((2000, 1800), 120) for _ in range(3)])
    folder.file("noise", encoded(noise, form, quality=95))

    _, picture, image = await seen(vp, "noise")

    assert len(picture.content) <= SENT_BYTES
    assert max(image.size) == LONG_SIDE


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
async def test_nothing_but_pixels_leaves_the_machine(tmp_path: Path, form: str) -> None:
    folder, vp = desk(tmp_path)
    exif = Image.Exif()
    exif[MAKER] = SECRET
    exif.get_ifd(GPS)[1] = SECRET
    text = PngImagePlugin.PngInfo()
    text.add_text("Comment", SECRET)
    more = {"pnginfo": text} if form == "PNG" else {"comment": SECRET} if form == "JPEG" else {"xmp": SECRET.encode()}
    raw = encoded(half_red(), form, exif=exif, icc_profile=SECRET.encode() * 10, **more)
    folder.file("p", raw + SECRET.encode())
    assert SECRET.encode() in raw

    _, picture, image = await seen(vp, "p")

    assert SECRET.encode() not in picture.content
    assert not image.getexif()
    assert not image.info.keys() - {"jfif", "jfif_version", "jfif_unit", "jfif_density"}


@pytest.mark.parametrize("orientation", range(1, 9))
async def test_pictures_stand_upright_as_the_camera_was_held(tmp_path: Path, orientation: int) -> None:
    folder, vp = desk(tmp_path)
    ways = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }
    upright = half_red()
    stored = upright.transpose(ways[orientation]) if orientation in ways else upright
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    folder.file("p.jpg", encoded(stored, "JPEG", exif=exif))

    told, _, image = await seen(vp, "p.jpg")

    assert "jpeg, 400x200," in told
    assert image.size == (400, 200)
    assert image.getpixel((50, 100))[0] > 240
    assert image.getpixel((350, 100))[2] > 240


async def test_transparency_palettes_grey_and_sixteen_bits_keep_what_can_be_seen(tmp_path: Path) -> None:
    folder, vp = desk(tmp_path)
    clear = Image.new("RGBA", (10, 10), (255, 0, 0, 0))
    grey = Image.new("I;16", (10, 10), 32768)
    palette = half_red(10, 10, "P")
    cmyk = half_red(10, 10).convert("CMYK")
    pictures = {"clear": clear, "grey": grey, "palette": palette, "bits": half_red(10, 10, "1")}
    for name, image in pictures.items():
        folder.file(name, encoded(image, "PNG"))
    folder.file("cmyk", encoded(cmyk, "JPEG"))

    found = {name: (await seen(vp, name))[2] for name in (*pictures, "cmyk")}

    assert found["clear"].getpixel((5, 5)) == (255, 0, 0, 0)
    assert found["grey"].getpixel((5, 5)) == 128
    assert found["palette"].getpixel((2, 5))[0] > 240
    assert found["cmyk"].mode == "RGB"


async def test_of_an_animation_the_first_frame_is_shown_and_that_is_said(tmp_path: Path) -> None:
    folder, vp = desk(tmp_path)
    frames = [half_red(20, 10), Image.new("RGB", (20, 10), "green")]
    for form in ("GIF", "WEBP", "PNG"):
        folder.file(form, encoded(frames[0], form, save_all=True, append_images=frames[1:]))

        told, _, image = await seen(vp, form)

        assert told.endswith("; only the first frame of an animation):"), form
        assert image.convert("RGB").getpixel((2, 5))[0] > 240


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "is a HEIC or AVIF picture, which cannot be shown; convert it first"),
        (b"\0\0\0\x1cftypavif\0\0\0\0avif", "HEIC or AVIF"),
        (encoded(half_red(), "BMP"), "is a BMP picture"),
        (encoded(half_red(), "TIFF"), "is a TIFF picture"),
        (b"%PDF-1.7\n", "is a PDF document"),
        (b'<?xml version="1.0"?>\n<!-- x -->\n<svg xmlns="x">', "is an SVG picture, which is text: use FileRead"),
        (b"<svg>", "is an SVG picture"),
        (b"<html>", "is not a picture: it begins like neither PNG, JPEG, GIF nor WebP."),
        (b"", "is not a picture"),
        (encoded(half_red(), "PNG")[:200], "is broken: it cannot be decoded as PNG"),
        (encoded(half_red(), "JPEG")[:300], "is broken: it cannot be decoded as JPEG"),
        (b"GIF89a", "is broken: it cannot be decoded as GIF"),
    ],
)
async def test_what_cannot_be_shown_is_named_with_a_way_out(tmp_path: Path, raw: bytes, why: str) -> None:
    folder, vp = desk(tmp_path)
    folder.file("p.png", raw)

    assert why in await vp.refusal("ViewImage", file_path="p.png")


def bomb(width: int, height: int) -> bytes:
    """A PNG of a few hundred kilobytes at most that promises a huge picture."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    rows = zlib.compress(b"\0" * 1_000_000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.mark.parametrize("size", [(60_000, 60_000), (10_000, 9_000)])
async def test_a_picture_that_would_explode_is_refused_by_its_header(tmp_path: Path, size: tuple[int, int]) -> None:
    folder, vp = desk(tmp_path)
    folder.file("bomb.png", bomb(*size))

    refusal = await vp.refusal("ViewImage", file_path="bomb.png")

    assert refusal == "bomb.png has more than 50,000,000 pixels, which is the limit; make it smaller first."


async def test_large_files_are_refused_before_they_are_read(tmp_path: Path) -> None:
    folder, vp = desk(tmp_path)
    with folder.file("large.png", b"").open("wb") as stream:
        stream.truncate(20 * 1024 * 1024 + 1)

    refusal = await vp.refusal("ViewImage", file_path="large.png")

    assert refusal == "large.png has 20,971,521 bytes, the limit is 20,971,520; make it smaller first."


async def test_pictures_between_ten_and_twenty_megabytes_are_shown(tmp_path: Path) -> None:
    folder, vp = desk(tmp_path)
    folder.file("p.png", encoded(half_red(), "PNG") + b"\0" * 15_000_000)

    told, _, _ = await seen(vp, "p.png")

    assert "400x200" in told


async def test_folders_pipes_and_missing_files_are_no_pictures(tmp_path: Path) -> None:
    folder, vp = desk(tmp_path)
    folder.file("photos/cat.png", encoded(half_red(), "PNG"))

    refusals = [await vp.refusal("ViewImage", file_path=path) for path in ("photos", "photos/cot.png")]

    assert refusals == [
        "photos is a folder; use ListDir or Glob.",
        "No file photos/cot.png. Did you mean cat.png in the same folder?",
    ]
