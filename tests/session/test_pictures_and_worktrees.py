"""Pictures that a VP looks at reach its model, now and after reopening; worktrees belong to the Session that made them."""

import base64
import subprocess
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from tests.session.session_given import Given, Talk, calls, says, tools_of
from yeaft.llm.scripted.script import Step, script
from yeaft.session.replay import replay
from yeaft.store.blobs import FileBlobs
from yeaft.store.journal import SESSION_STREAM
from yeaft.store.sqlite import SqliteJournal


def a_picture(given: Given, name: str = "red.png") -> None:
    stream = BytesIO()
    Image.new("RGB", (30, 20), "red").save(stream, "PNG")
    (given.folder / name).write_bytes(stream.getvalue())


def a_repository(given: Given) -> None:
    environ = {"HOME": str(given.home), "PATH": "/usr/bin:/bin"}
    as_somebody = ("-c", "user.name=A", "-c", "user.email=a@b")
    for args in (("init", "-q"), (*as_somebody, "commit", "-q", "--allow-empty", "-m", "x")):
        subprocess.run(["git", *args], cwd=given.folder, env=environ, check=True)


async def model_with_eyes(given: Given, *steps: Step) -> None:
    await given.model(script(*steps))
    given.config(**{'id = "scripted"\n': 'id = "scripted"\nimages = true\n'})


def seen_by(talk: Talk) -> list[bytes]:
    """The pictures in the newest request, whatever the protocol."""
    found: list[bytes] = []

    def look(node: Any) -> None:
        if isinstance(node, dict):
            if node.get("type") == "input_image":
                found.append(base64.b64decode(node["image_url"].partition(",")[2]))
            elif node.get("type") == "image":
                found.append(base64.b64decode(node["source"]["data"]))
            else:
                look(list(node.values()))
        elif isinstance(node, list):
            for one in node:
                look(one)

    look(talk.server.requests[-1].body)
    return found


@pytest.mark.parametrize("model", ["box/scripted", "claude/scripted"])
async def test_the_model_sees_the_picture_it_asked_for_in_this_turn_and_later_ones(given: Given, model: str) -> None:
    a_picture(given)
    await model_with_eyes(
        given, calls("ViewImage", "c1", file_path="red.png"), says("Red."), says("Still red."), says("Yes.")
    )
    talk = await given.session(model=model)

    talk.say("What colour is red.png?")
    await talk.outcome()
    (first,) = seen_by(talk)
    talk.say("And now?")
    await talk.outcome()

    assert Image.open(BytesIO(first)).getpixel((5, 5)) == (255, 0, 0)
    assert seen_by(talk) == [first]
    assert talk.result("c1").text == f"red.png (png, 30x20, {len((given.folder / 'red.png').read_bytes())} bytes):"
    again = await given.again(talk, model=model)
    again.say("Sure?")
    await again.outcome()
    assert seen_by(again) == [first]


async def test_the_journal_only_names_the_picture_and_a_replay_says_when_it_is_gone(given: Given) -> None:
    a_picture(given)
    await model_with_eyes(given, calls("ViewImage", "c1", file_path="red.png"), says("Red."))
    talk = await given.session()
    talk.say("Look.")
    await talk.outcome()
    (ref,) = talk.result("c1").images
    await talk.close()
    blobs = FileBlobs(talk.paths.blobs)
    records = SqliteJournal.for_reading(talk.paths.db, blobs).read(SESSION_STREAM)

    whole = [one.verdict for one in replay(records, blobs, talk.state.session_id)]
    content = blobs.get(ref.sha256)
    blobs.path(ref.sha256).unlink()
    lost = [one.verdict for one in replay(records, blobs, talk.state.session_id)]

    assert [content] == seen_by(talk)
    assert base64.b64encode(content or b"") not in talk.paths.db.read_bytes()
    assert (whole, lost) == (["equal", "equal"], ["equal", "blob gone"])


async def test_a_model_without_eyes_is_not_offered_to_look(given: Given) -> None:
    talk = await given.session(says("Hi."))

    talk.say("Hello.")
    await talk.outcome()

    assert "ViewImage" not in tools_of(talk.server.requests[-1])


async def test_a_reopened_session_still_owns_its_worktrees_and_a_new_one_does_not(given: Given) -> None:
    a_repository(given)
    path = ".yeaft/worktrees/x"
    talk = await given.session(
        calls("EnterWorktree", "c1", name="x"),
        says("Made."),
        calls("ExitWorktree", "c2", path=path, action="remove"),
        says("Not mine."),
        calls("ExitWorktree", "c3", path=path, action="remove"),
        says("Gone."),
    )
    talk.say("Make a worktree.")
    talk.answer(await talk.asked())
    await talk.outcome()

    other = await given.session()
    other.say("Remove it.")
    other.answer(await other.asked())
    await other.outcome()
    again = await given.again(talk)
    again.say("Remove it.")
    again.answer(await again.asked())
    await again.outcome()

    assert talk.result("c1").status == "ok"
    assert "is no worktree that this session made (none)" in other.result("c2").text
    assert again.result("c3").text.startswith(f"Removed {path}.")
    assert not (given.folder / path).exists()
