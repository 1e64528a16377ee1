"""The model has images made, which are saved where it says and never lost once they are paid for."""

import base64
import json
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path

import pytest
from PIL.Image import new

from tests.tools.folder_given import Folder
from tests.tools.web_given import Page, Site, call, listening, no_proxy, refusal
from yeaft.config.settings import Images, Web
from yeaft.tools.files.file_bytes import sha256_of
from yeaft.tools.files.reads import Reads
from yeaft.tools.image_generation import image_generation
from yeaft.tools.tool import AnyTool, Touches
from yeaft.tools.web.image_service import IMAGE_BYTES, ImageService
from yeaft.tools.web.web_client import WebClient


def picture(kind: str = "PNG") -> bytes:
    stream = BytesIO()
    new("RGB", (8, 6), "navy").save(stream, kind)
    return stream.getvalue()


PNG = picture()


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with listening(Site()) as site:
        yield site


def answering(site: Site, answer: object, status: int = 200) -> Images:
    body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    return Images(url=site.page("/v1/images/generations", Page(body, "application/json", status)), model="painter-1")


def b64(content: bytes) -> dict[str, list[dict[str, str]]]:
    return {"data": [{"b64_json": base64.b64encode(content).decode()}]}


def tool_for(
    folder: Folder,
    images: Images,
    environ: dict[str, str] | None = None,
    web: Web | None = None,
    reads: Reads | None = None,
) -> AnyTool:
    service = ImageService(images, environ or {}, WebClient(web or Web(), proxy_for=no_proxy))
    return image_generation(service, folder.paths, reads or Reads(), folder.locks)


async def test_an_image_is_saved_where_the_model_says(site: Site, tmp_path: Path) -> None:
    folder, reads = Folder(tmp_path), Reads()
    images = Images(url=answering(site, b64(PNG)).url, model="painter-1", api_key_env="PAINT_KEY")
    tool = tool_for(folder, images, {"PAINT_KEY": "sk-1"}, reads=reads)

    result = await call(tool, prompt="a tide", output_path="art/tide.png", size="512x512")

    file = folder.root / "art/tide.png"
    assert result.text == f"Generated a png picture ({len(PNG)} bytes); saved as art/tide.png."
    assert folder.all_files() == {"art/tide.png": PNG}
    assert [(fact.path, fact.sha256, fact.written) for fact in result.facts.files] == [
        (str(file), sha256_of(PNG), True)
    ]
    assert reads.last(file) == sha256_of(PNG)
    assert result.images == ()
    assert json.loads(site.asked[0].body) == {"prompt": "a tide", "size": "512x512", "model": "painter-1"}
    assert site.asked[0].headers["authorization"] == "Bearer sk-1"


async def test_without_a_path_nothing_is_written_and_the_model_sees_the_image(site: Site, tmp_path: Path) -> None:
    folder = Folder(tmp_path)

    result = await call(tool_for(folder, answering(site, b64(PNG))), prompt="a tide")

    assert result.text == f"Generated a png picture ({len(PNG)} bytes); not saved, because output_path was not given."
    assert [image.mime for image in result.images] == ["image/png"]
    assert folder.all_files() == {}


@pytest.mark.parametrize("form", ["list", "top"])
async def test_an_image_that_is_linked_to_at_the_service_is_downloaded(site: Site, tmp_path: Path, form: str) -> None:
    folder = Folder(tmp_path)
    url = site.page("/made/1", Page(PNG, "image/png"))
    images = answering(site, {"data": [{"url": url}]} if form == "list" else {"url": url})

    result = await call(tool_for(folder, images), prompt="a tide", output_path="tide.jpg")

    assert result.text == (
        f"Generated a png picture ({len(PNG)} bytes) from {url}; saved as tide.jpg. Mind that its name does not end "
        "like a png."
    )
    assert folder.all_files() == {"tide.jpg": PNG}


async def test_a_link_into_a_private_network_is_not_followed(site: Site, tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    async with listening(Site()) as inside:
        inside.page("/", Page(PNG, "image/png"))
        straight = answering(site, {"url": inside.url})
        first = await refusal(tool_for(folder, straight), prompt="x", output_path="x.png")
        around = answering(site, {"url": site.redirect("/go", inside.url)})
        second = await refusal(tool_for(folder, around), prompt="x", output_path="x.png")
        allowed = await call(tool_for(folder, around, web=Web(allow_private=True)), prompt="x", output_path="y.png")

    assert "private or reserved network" in first
    assert "private or reserved network" in second
    assert "saved as y.png" in allowed.text
    assert len(inside.asked) == 1
    assert list(folder.all_files()) == ["y.png"]


@pytest.mark.parametrize(
    ("answer", "status", "reason"),
    [
        ({"error": {"message": "no such size"}}, 400, 'status 400: {"error": {"message": "no such size"}}.'),
        ({"data": []}, 200, "the answer has neither url nor b64_json."),
        ({"data": "x"}, 200, "there is none in its answer (Expected `array`, got `str` - at `$.data`)."),
        (b"<html>", 200, "the answer is not JSON."),
    ],
)
async def test_a_service_that_makes_no_image_is_quoted(
    site: Site, tmp_path: Path, answer: object, status: int, reason: str
) -> None:
    images = answering(site, answer, status)

    assert await refusal(tool_for(Folder(tmp_path), images), prompt="x") == f"No image from {images.url}: {reason}"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"data": [{"b64_json": "***"}]}, "is not base64"),
        (b64(b"<svg xmlns='x'/>"), "What the service made is an SVG picture"),
        (b64(b"<script>alert(1)</script>"), "What the service made is not a picture"),
        (b64(PNG[:20]), "What the service made is broken"),
        (b64(bytes(IMAGE_BYTES + 1)), "more than 20,971,520 bytes"),
    ],
)
async def test_what_is_no_image_is_refused(site: Site, tmp_path: Path, answer: object, reason: str) -> None:
    folder = Folder(tmp_path)

    assert reason in await refusal(tool_for(folder, answering(site, answer)), prompt="x")


async def test_a_download_is_bounded_and_must_work(site: Site, tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    large = site.page("/large", Page(PNG + bytes(IMAGE_BYTES), "image/png"))

    reasons = [
        await refusal(tool_for(folder, answering(site, {"url": url})), prompt="x", output_path="x.png")
        for url in (large, f"{site.url}/gone", "ftp://x/y")
    ]

    assert reasons[0] == f"The image was made, but {large} has more than 20,971,520 bytes."
    assert reasons[1] == f"The image was made, but {site.url}/gone answers with status 404."
    assert "does not begin with http" in reasons[2]
    assert folder.all_files() == {}


async def test_a_data_address_in_place_of_base64_is_understood(site: Site, tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    jpeg = picture("JPEG")
    text = "data:image/jpeg;base64," + base64.b64encode(jpeg).decode()

    await call(tool_for(folder, answering(site, {"data": [{"b64_json": text}]})), prompt="x", output_path="x.jpeg")

    assert folder.all_files() == {"x.jpeg": jpeg}


async def test_an_image_that_cannot_be_saved_is_still_shown(site: Site, tmp_path: Path) -> None:
    folder, reads = Folder(tmp_path), Reads()
    file = folder.file("x.png", "seen")
    reads.note(file, sha256_of(b"seen"))
    folder.file("x.png", "changed by the user")
    tool = tool_for(folder, answering(site, b64(PNG)), reads=reads)

    result = await call(tool, prompt="x", output_path="x.png")

    assert result.failed
    assert result.text.endswith(
        "but it could not be saved: x.png changed since you read it; read it again. Nothing was written."
    )
    assert len(result.images) == 1
    assert folder.all_files() == {"x.png": b"changed by the user"}


async def test_nothing_is_paid_for_what_cannot_work(site: Site, tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    images = answering(site, b64(PNG))
    keyed = Images(url=images.url, api_key_env="PAINT_KEY")

    reasons = [
        await refusal(tool_for(folder, images), prompt=" "),
        await refusal(tool_for(folder, images), prompt="x", output_path="."),
        await refusal(tool_for(folder, images), prompt="x", output_path="new/"),
        await refusal(tool_for(folder, keyed), prompt="x"),
        await refusal(tool_for(folder, images), prompt="x", size="huge"),
    ]

    assert reasons[:4] == [
        "The prompt is empty; nothing was generated.",
        ". is a folder; give the file's name too. Nothing was generated.",
        "new/ is a folder; give the file's name too. Nothing was generated.",
        "images.api_key_env names the variable PAINT_KEY, which is not set.",
    ]
    assert "size" in reasons[4]
    assert site.asked == []


def test_a_paid_call_is_unsafe_and_tells_what_it_writes(tmp_path: Path) -> None:
    tool = tool_for(Folder(tmp_path), Images(url="http://127.0.0.1:1/"))

    assert tool.guard == "unsafe"
    assert tool.bind('{"prompt": "x", "output_path": "a.png"}').touches == Touches(writes=("a.png",))
    assert tool.bind('{"prompt": "x"}').touches == Touches()
