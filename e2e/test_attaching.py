"""Files on the command line, on standard input and in lines of JSON, over both protocols, by real processes."""

import base64
import json
from typing import Any

import pytest

from e2e.conftest import Serve
from e2e.given import Yeaft
from tests.session.attachments_given import encrypted, pdf, picture
from yeaft.llm.scripted.script import says
from yeaft.llm.scripted.server import Received

HELLO = says("Hello there.")
CONFIG = """
[models]
primary = "box/scripted"
[providers.box]
protocol = "{protocol}"
base_url = "{url}"
[[providers.box.models]]
id = "scripted"
images = true
context_tokens = 200000
"""


@pytest.fixture(params=["openai-responses", "anthropic"])
def protocol(request: pytest.FixtureRequest) -> str:
    return request.param


def with_eyes(yeaft: Yeaft, url: str, protocol: str = "openai-responses") -> None:
    """Let yeaft talk to a model that takes pictures."""
    for name in ("YEAFT_MODEL", "YEAFT_BASE_URL", "YEAFT_PROTOCOL"):
        del yeaft.environ[name]
    yeaft.dir.mkdir(exist_ok=True)
    base_url = url if protocol == "anthropic" else f"{url}/v1"
    (yeaft.dir / "config.toml").write_text(CONFIG.format(url=base_url, protocol=protocol))


def heard(request: Received) -> list[str]:
    """What the user's side of a request holds: its texts, and `mime:size` of its pictures. It must be a valid one."""
    assert request.problems == ()
    messages = [one for one in request.body.get("input", request.body.get("messages", ())) if one.get("role") == "user"]
    return [_said(part) for message in messages for part in message["content"]]


def _said(part: dict[str, Any]) -> str:
    match part["type"]:
        case "input_image":
            head, _, data = part["image_url"].partition(";base64,")
            return f"{head.removeprefix('data:')}:{len(base64.b64decode(data, validate=True))}"
        case "image":
            assert part["source"]["type"] == "base64"
            return f"{part['source']['media_type']}:{len(base64.b64decode(part['source']['data'], validate=True))}"
        case _:
            return part["text"]


async def test_a_picture_a_document_and_a_text_go_along(yeaft: Yeaft, serve: Serve, protocol: str) -> None:
    server = await serve(HELLO)
    with_eyes(yeaft, server.base_url, protocol)
    (yeaft.folder / "图 一.png").write_bytes(picture())
    (yeaft.folder / "doc.pdf").write_bytes(pdf("Milk", "Eggs"))
    (yeaft.folder / "a.py").write_text("one\ntwo\nthree\n")

    ran = await yeaft.run("--attach", "图 一.png", "--attach", "doc.pdf", "-p", "Compare with @a.py:2")

    assert (ran.code, ran.out) == (0, b"Hello there.\n")
    text, image = heard(server.requests[0])
    assert text.startswith("Compare with @a.py:2\n\n[Attached picture: 图 一.png (png, 30x20)]\n\n<attached")
    assert '<attached file="doc.pdf" pages="2">\n--- page 1 ---\nMilk\n\n--- page 2 ---\nEggs\n</attached>' in text
    assert text.endswith('<attached file="a.py" lines="2-2 of 3">\ntwo\n</attached>')
    assert image.startswith("image/png:")
    assert yeaft.here("replay", "--check", _session(yeaft)).code == 0


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP"])
async def test_a_picture_on_standard_input_is_attached(yeaft: Yeaft, serve: Serve, form: str) -> None:
    server = await serve(HELLO)
    with_eyes(yeaft, server.base_url)

    ran = await yeaft.run("-p", "What is this?", given=picture(form=form))

    assert ran.code == 0
    text, image = heard(server.requests[0])
    assert text == f"What is this?\n\n[Attached picture: stdin.{form.lower()} ({form.lower()}, 30x20)]"
    assert image.startswith("image/jpeg:" if form == "JPEG" else "image/png:")


async def test_a_document_on_standard_input_is_read(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(HELLO)

    ran = await yeaft.run("-p", "Sum this up", given=pdf("Milk"))

    assert ran.code == 0
    assert '<attached file="stdin.pdf" pages="1">\n--- page 1 ---\nMilk\n</attached>' in heard(server.requests[0])[0]


async def test_pictures_in_lines_of_json_are_attached(yeaft: Yeaft, serve: Serve, protocol: str) -> None:
    server = await serve(HELLO)
    with_eyes(yeaft, server.base_url, protocol)
    source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(picture()).decode()}
    content = [{"type": "text", "text": "What is this?"}, {"type": "image", "source": source}]
    line = json.dumps({"type": "user", "message": {"role": "user", "content": content}})

    ran = await yeaft.run("--input-format", "stream-json", "--output-format", "stream-json", given=line.encode())

    assert ran.code == 0
    text, image = heard(server.requests[0])
    assert text == "What is this?\n\n[Attached picture: image1.png (png, 30x20)]"
    assert image.startswith("image/png:")
    types = [line["type"] for line in ran.lines]
    assert types.index("attachment.added") < types.index("message.posted")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ({"type": "url", "url": "http://example.com/a.png"}, "the image needs a `source` of the type base64"),
        ({"type": "base64", "data": "%%%"}, "the image is no base64"),
        ({"type": "base64", "data": base64.b64encode(b"\0no picture").decode()}, "image1 is binary"),
    ],
)
async def test_a_picture_that_is_none_is_refused_with_its_line(
    yeaft: Yeaft, serve: Serve, source: dict[str, str], reason: str
) -> None:
    server = await serve(HELLO)
    line = json.dumps({"type": "user", "message": {"content": [{"type": "image", "source": source}]}})

    ran = await yeaft.run("--input-format", "stream-json", "--output-format", "stream-json", given=line.encode())

    assert (ran.code, server.requests) == (65, [])
    assert reason in ran.err


async def test_files_that_cannot_be_attached_end_the_run_before_anything_is_sent(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(HELLO)
    (yeaft.folder / "notes.txt").write_text("x")
    (yeaft.folder / "locked.pdf").write_bytes(encrypted(pdf("Milk"), "secret"))
    (yeaft.folder / "tool.bin").write_bytes(b"\x7fELF\0\0")

    missing = await yeaft.run("--attach", "note.txt", "-p", "Look")
    bad = await yeaft.run("--attach", "locked.pdf", "--attach", "tool.bin", "-p", "Look", "--json")
    denied = await yeaft.run("--attach", "notes.txt", "--deny", "FileRead(notes.txt)", "-p", "Look")

    assert (missing.code, bad.code, denied.code) == (66, 65, 65)
    assert "note.txt to attach. Did you mean notes.txt? Nothing was sent." in missing.err
    assert "locked.pdf is encrypted" in bad.err
    assert "tool.bin is binary" in bad.err
    assert (bad.result["exit_code"], bad.result["session"]) == (65, "")
    assert "notes.txt stays closed: FileRead(notes.txt) denies reading it." in denied.err
    assert server.requests == []
    assert not any((yeaft.dir / "sessions").iterdir())


async def test_what_is_piped_in_reaches_no_file_outside_the_folder(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(HELLO)
    (yeaft.home / "secret.txt").write_text("hunter2")
    (yeaft.folder / "open.txt").write_text("milk")

    ran = await yeaft.run(given=b"Look at @~/secret.txt and @open.txt")

    assert ran.code == 0
    assert "hunter2" not in heard(server.requests[0])[0]
    assert "milk" in heard(server.requests[0])[0]
    assert "~/secret.txt lies outside the work folder" in ran.err


async def test_attach_needs_a_prompt_to_go_with(yeaft: Yeaft) -> None:
    words = ("--attach", "a.png", "--input-format", "stream-json", "--output-format", "stream-json")

    ran = await yeaft.run(*words)

    assert ran.code == 2
    assert "--attach goes with one prompt" in ran.err


def _session(yeaft: Yeaft) -> str:
    (session,) = (yeaft.dir / "sessions").iterdir()
    return session.name
