"""Pictures of messages and of results share what a request may carry; the newest go along, words stand for the rest."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.engine.engine_given import ENTRIES, PHRASES, encoder, message, settings_for
from tests.engine.test_pictures import BLIND, Gallery, names
from yeaft.engine.pictures import MOST_PICTURES, look_into
from yeaft.engine.request import build_request
from yeaft.engine.view import Own, Posted
from yeaft.events.history import AttachmentAdded
from yeaft.llm.model import ModelEntry
from yeaft.llm.scripted.validate import validate
from yeaft.prompts.fill import fill


def attached(gallery: Gallery, number: int, mime: str = "image/png") -> AttachmentAdded:
    """A file that was attached; its content is its number."""
    ref = gallery.blobs.put(f"a{number}".encode(), mime)
    return AttachmentAdded(
        attachment_id=f"f_{number}",
        name=f"{number}.png",
        file=f"{number}.png",
        mime=mime,
        size_bytes=ref.size_bytes,
        sha256=ref.sha256,
    )


def body(gallery: Gallery, entry: ModelEntry, files: tuple[AttachmentAdded, ...]) -> dict[str, Any]:
    """The request whose message had these files, before all that the gallery has looked at."""
    units = [Posted(message=message("Look."), attachments=files), Own(turn=gallery.story.state)]
    built = build_request(units, settings_for(entry), encoder(entry), 0, look_into(gallery.blobs.get))
    found: dict[str, Any] = json.loads(built.body)
    assert validate(entry.protocol, found) == []
    return found


def parts(request: dict[str, Any]) -> list[str]:
    """What the first message of the user holds: `picture`, or the text."""
    first = next(one for one in request.get("input", request.get("messages", ())) if one.get("role") == "user")
    return ["picture" if "image" in part["type"] else part["text"] for part in first["content"]]


@pytest.mark.parametrize("entry", ENTRIES, ids=names)
def test_pictures_follow_the_words_they_came_with_and_other_files_are_not_shown(
    tmp_path: Path, entry: ModelEntry
) -> None:
    gallery = Gallery(tmp_path)
    gallery.looked_at(b"one")
    files = (attached(gallery, 1), attached(gallery, 2, "application/pdf"), attached(gallery, 3))

    assert parts(body(gallery, entry, files)) == ["Look.", "picture", "picture"]


@pytest.mark.parametrize("entry", ENTRIES, ids=names)
def test_what_was_looked_at_since_goes_before_what_was_attached(tmp_path: Path, entry: ModelEntry) -> None:
    gallery = Gallery(tmp_path)
    for number in range(MOST_PICTURES - 1):
        gallery.looked_at(f"p{number}".encode())

    told = parts(body(gallery, entry, tuple(attached(gallery, number) for number in range(3))))

    notes = [fill(PHRASES["attachment_left_out"], {"name": f"{number}.png"}) for number in range(2)]
    assert told == ["\n\n".join(("Look.", *notes)), "picture"]


@pytest.mark.parametrize("entry", ENTRIES, ids=names)
def test_an_attached_picture_that_is_gone_is_named(tmp_path: Path, entry: ModelEntry) -> None:
    gallery = Gallery(tmp_path)
    gallery.looked_at(b"one")
    one = attached(gallery, 1)
    gallery.blobs.path(one.sha256).unlink()

    assert parts(body(gallery, entry, (one,))) == [f"Look.\n\n{fill(PHRASES['attachment_gone'], {'name': '1.png'})}"]


@pytest.mark.parametrize("entry", BLIND, ids=names)
def test_a_model_that_takes_no_pictures_is_told_which_there_were(tmp_path: Path, entry: ModelEntry) -> None:
    gallery = Gallery(tmp_path)
    gallery.looked_at(b"one")

    told = parts(body(gallery, entry, (attached(gallery, 1),)))

    assert told == [f"Look.\n\n{fill(PHRASES['attachment_omitted'], {'name': '1.png'})}"]
