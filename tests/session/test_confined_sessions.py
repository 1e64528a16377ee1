"""Sessions whose commands run in the sandbox: VPs know it, sub-agents too, and questions stay what they are."""

import os
from pathlib import Path

import pytest

from tests.session.agents_given import spawns
from tests.session.session_given import Given, calls, cast, for_vp, says
from yeaft.events.call import CallFinished
from yeaft.events.codec import Recorded
from yeaft.llm.scripted.script import Calls
from yeaft.llm.scripted.server import Received
from yeaft.store.blobs import FileBlobs
from yeaft.store.sqlite import SqliteJournal
from yeaft.tools.shell.sandbox import find_program, obstacle
from yeaft.tools.shell.sandbox_plan import Plan, arguments

OBSTACLE = obstacle(find_program(os.environ), arguments(Plan(folders=()), Path("/")))
ON = '\n[sandbox]\nmode = "on"\n'

pytestmark = pytest.mark.skipif(bool(OBSTACLE), reason=OBSTACLE)


def runs(command: str, wire_id: str = "c1") -> Calls:
    return calls("Bash", wire_id, command=command)


def said_of_bash(received: Received) -> str:
    return next(tool["description"] for tool in received.body["tools"] if tool["name"] == "Bash")


async def test_a_vp_is_told_of_its_confines_before_and_after(given: Given) -> None:
    given.file("try.sh", 'touch "$YEAFT_DIR/outside"')
    await given.session(runs("sh try.sh"), says("I cannot."))
    given.config(ON)
    talk = await given.session(mode="auto")
    await talk.types("go")

    assert await talk.outcome() == "answered"
    told = talk.told_model("c1")
    assert "Read-only file system" in told
    note = told.splitlines()[-1]
    assert note.startswith("[sandbox: writes only in /tmp, ")
    assert said_of_bash(talk.server.requests[0]).endswith(note)
    assert not (given.home / "outside").exists()


async def test_a_sandbox_allows_nothing(given: Given) -> None:
    await given.session(runs("touch a.txt"), says("never said"))
    given.config(ON)
    talk = await given.session(has_human=False)
    await talk.types("go")

    assert await talk.outcome() == "needs_human"
    assert not (given.folder / "a.txt").exists()


async def test_sub_agents_and_what_is_left_running_are_confined_too(given: Given) -> None:
    given.file("try.sh", 'sleep 300 & touch "$YEAFT_DIR/outside" || echo kept in')
    await given.session(
        cast(
            for_vp("omni", spawns("ann"), says("On it."), says("Done.")),
            for_vp("omni/ann", runs("sh try.sh"), says("I cannot.")),
        )
    )
    given.config(ON)
    talk = await given.session(mode="auto")
    root = await talk.types("go")
    await talk.outcomes(root)
    await talk.close()

    journal = SqliteJournal.for_reading(talk.paths.db, FileBlobs(talk.paths.blobs))
    (stream,) = [one for one in journal.streams() if one != "session"]
    finished = [one.event for one in journal.read(stream) if is_result(one)]
    assert "kept in" in finished[0].text
    assert not (given.home / "outside").exists()


def is_result(recorded: Recorded) -> bool:
    return isinstance(recorded.event, CallFinished)
