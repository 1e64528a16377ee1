"""Pictures of results are sent while they can be, and words stand for them when they cannot."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.engine_given import CLAUDE, ENTRIES, PHRASES, Story, encoder, fitted, message, settings_for
from yeaft.engine.pictures import MOST_PICTURES, look_into, nothing_kept
from yeaft.engine.request import Built, build_request
from yeaft.engine.view import Own, Posted
from yeaft.events.call import CallFinished
from yeaft.events.fact import BlobRef
from yeaft.llm.model import ModelEntry
from yeaft.llm.scripted.validate import validate
from yeaft.prompts.fill import fill
from yeaft.store.blobs import FileBlobs

BLIND = tuple(replace(entry, images=False) for entry in ENTRIES)


def names(entry: ModelEntry) -> str:
    return f"{entry.protocol}{'' if entry.images else ', blind'}"


class Gallery:
    """A turn that has looked at pictures, and where they are kept."""

    def __init__(self, tmp: Path) -> None:
        self.blobs = FileBlobs(tmp)
        self.story = Story()

    def looked_at(self, *contents: bytes, text: str = "see:", mime: str = "image/png") -> tuple[BlobRef, ...]:
        """One more round in which a call gave these pictures."""
        self.story.sent().replied(tools=["ViewImage"])
        (state,) = self.story.state.open_calls
        images = tuple(self.blobs.put(content, mime) for content in contents)
        self.story.started(state.call).add(
            CallFinished(
                call_id=state.call.call_id,
                turn_id=self.story.turn_id,
                tool="ViewImage",
                status="ok",
                text=text,
                images=images,
            )
        )
        return images

    def units(self) -> list[Posted | Own]:
        return [Posted(message=message("Look.")), Own(turn=self.story.state)]

    def request(self, entry: ModelEntry, context_tokens: int = 0) -> Built:
        frozen = settings_for(entry, context_tokens=context_tokens)
        built = build_request(self.units(), frozen, encoder(frozen.entry), 0, look_into(self.blobs.get))
        assert validate(entry.protocol, json.loads(built.body)) == []
        return built

    def results(self, entry: ModelEntry, context_tokens: int = 0) -> list[list[str]]:
        """What each result holds: its texts, and the pictures by their content."""
        return results_in(json.loads(self.request(entry, context_tokens).body))


def results_in(body: dict[str, Any]) -> list[list[str]]:
    if "input" in body:
        found = [item["output"] for item in body["input"] if item["type"] == "function_call_output"]
    else:
        blocks = [block for one in body["messages"] for block in one["content"]]
        found = [block["content"] for block in blocks if block["type"] == "tool_result"]
    return [[one] if isinstance(one, str) else [_said(part) for part in one] for one in found]


def _said(part: dict[str, Any]) -> str:
    match part["type"]:
        case "image":
            assert part["source"]["type"] == "base64"
            return f"{part['source']['media_type']}:{base64.b64decode(part['source']['data']).decode()}"
        case "input_image":
            head, _, data = part["image_url"].partition(";base64,")
            return f"{head.removeprefix('data:')}:{base64.b64decode(data).decode()}"
        case _:
            return part["text"]


@pytest.mark.parametrize("entry", ENTRIES, ids=names)
def test_pictures_follow_the_text_of_their_result(tmp_path: Path, entry: ModelEntry) -> None:
    gallery = Gallery(tmp_path)
    gallery.looked_at(b"one", b"two")
    gallery.looked_at(b"three", mime="image/jpeg", text="")

    results = gallery.results(entry)

    assert results == [["see:", "image/png:one", "image/png:two"], ["image/jpeg:three"]]


@pytest.mark.parametrize("entry", ENTRIES, ids=names)
def test_a_picture_whose_file_is_gone_is_said_to_be_gone(tmp_path: Path, entry: ModelEntry) -> None:
    gallery = Gallery(tmp_path)
    gone, _ = gallery.looked_at(b"one", b"two")
    gallery.blobs.path(gone.sha256).unlink()

    note = fill(PHRASES["image_gone"], {"mime": "image/png"})
    assert gallery.results(entry) == [[f"see:\n{note}", "image/png:two"]]
    bare = build_request(gallery.units(), settings_for(entry), encoder(entry))
    assert results_in(json.loads(bare.body)) == [[f"see:\n{note}\n{note}"]]
    assert nothing_kept(gone) is None


@pytest.mark.parametrize("entry", BLIND, ids=names)
def test_a_model_that_takes_no_pictures_is_told_what_was_there(tmp_path: Path, entry: ModelEntry) -> None:
    gallery = Gallery(tmp_path)
    gallery.looked_at(b"one")

    assert gallery.results(entry) == [["see:\n" + fill(PHRASES["image_omitted"], {"mime": "image/png"})]]


@pytest.mark.parametrize("entry", ENTRIES, ids=names)
def test_the_newest_pictures_go_along_and_older_ones_can_be_asked_for_again(tmp_path: Path, entry: ModelEntry) -> None:
    gallery = Gallery(tmp_path)
    for number in range(MOST_PICTURES + 2):
        gallery.looked_at(f"p{number}".encode())

    results = gallery.results(entry)

    left_out = ["see:\n" + fill(PHRASES["image_left_out"], {"mime": "image/png"})]
    assert results[:2] == [left_out, left_out]
    assert results[2:] == [["see:", f"image/png:p{number}"] for number in range(2, MOST_PICTURES + 2)]


def test_a_request_with_many_large_pictures_stays_within_what_providers_take(tmp_path: Path) -> None:
    gallery = Gallery(tmp_path)
    for number in range(12):
        gallery.looked_at(bytes([65 + number]) * 1_500_000)

    built = gallery.request(CLAUDE)

    assert 17_000_000 > len(built.body) > 14_000_000


def test_pictures_count_as_tokens_and_are_stubbed_with_their_result(tmp_path: Path) -> None:
    gallery = Gallery(tmp_path)
    before = fitted(gallery.units()).tokens_est
    for number in range(3):
        gallery.looked_at(bytes([65 + number]) * 30_000)

    window = fitted(gallery.units())
    results = gallery.results(CLAUDE, context_tokens=6000)

    assert window.tokens_est - before > 3 * (1024 + 40_000 // 16)
    assert [len(one) for one in results] == [1, 1, 2]
    assert all(one[0].startswith("[The result of ViewImage") for one in results[:2])


def test_the_same_journal_and_blobs_give_the_same_bytes(tmp_path: Path) -> None:
    gallery = Gallery(tmp_path)
    gallery.looked_at(b"one")

    first = gallery.request(CLAUDE)
    again = build_request(gallery.units(), settings_for(CLAUDE), encoder(CLAUDE), 0, look_into(FileBlobs(tmp_path).get))

    assert again == first
