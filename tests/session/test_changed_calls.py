"""A change that the human takes only in part, or writes otherwise, before it is made."""

import json
from typing import Any

import pytest

from tests.session.hooks_given import NOTES_DOWN, decides, hook, listen, told
from tests.session.session_given import CLAUDE, Given, calls, says
from yeaft.events.call import AskAnswered, CallFinished, CallStarted
from yeaft.events.ops import ContinueTurn
from yeaft.events.tools import HookRan
from yeaft.kernel.errors import BadData
from yeaft.llm.scripted.script import Calls, Line, Script, Step
from yeaft.store.blobs import FileBlobs
from yeaft.store.journal import SESSION_STREAM
from yeaft.store.sqlite import SqliteJournal


def writes(wire_id: str, content: str, name: str = "a.txt") -> Calls:
    return calls("FileWrite", wire_id, file_path=name, content=content)


def by_round(*steps: Step) -> Script:
    """What the model says, chosen by how far the turn is, so that a request that is sent again gets the same reply."""
    return Script(lines=(Line(steps=steps, order="round"),))


def changed(**args: Any) -> str:
    return json.dumps(args, indent=1)


@pytest.mark.parametrize("model", ["", CLAUDE])
async def test_what_runs_is_what_the_human_made_of_it_and_the_model_is_told(given: Given, model: str) -> None:
    talk = await given.session(writes("c1", "milk\nbeer\neggs\n"), says("Noted."), model=model)
    talk.say("write")

    talk.answer(await talk.asked(), changed=changed(file_path="a.txt", content="milk\neggs\n"))

    assert await talk.outcome() == "answered"
    assert (given.folder / "a.txt").read_text() == "milk\neggs\n"
    (started,) = talk.all_of(CallStarted)
    assert json.loads(bytes(started.args)) == {"file_path": "a.txt", "content": "milk\neggs\n"}
    text = talk.told_model("c1")
    assert "The user changed this call" in text
    assert "--- content as you sent it\n+++ content as it was run\n" in text
    assert "\n-beer\n" in text


async def test_a_yes_to_the_same_arguments_in_other_words_is_a_plain_yes(given: Given) -> None:
    talk = await given.session(writes("c1", "milk"), says("Noted."))
    talk.say("write")

    talk.answer(await talk.asked(), changed=changed(file_path="a.txt", content="milk"))

    assert await talk.outcome() == "answered"
    assert "changed this call" not in talk.told_model("c1")


async def test_a_change_may_be_allowed_for_the_whole_session(given: Given) -> None:
    talk = await given.session(writes("c1", "milk"), writes("c2", "eggs"), says("Noted."))
    talk.say("write twice")

    talk.answer(await talk.asked(), decision="session", changed=changed(file_path="a.txt", content="tea"))

    assert await talk.outcome() == "answered"
    assert len(talk.all_of(AskAnswered)) == 1
    assert (given.folder / "a.txt").read_text() == "eggs"


@pytest.mark.parametrize(
    "args",
    [{"file_path": "b.txt", "content": "x"}, {"file_path": "a.txt"}, {"old_string": "x"}],
    ids=["another file", "no content", "another tool's"],
)
async def test_a_changed_call_that_is_not_the_same_tool_on_the_same_file_is_not_run(
    given: Given, args: dict[str, Any]
) -> None:
    talk = await given.session(writes("c1", "milk"), says("Well."))
    talk.say("write")

    talk.answer(await talk.asked(), changed=changed(**args))

    assert await talk.outcome() == "answered"
    assert talk.result("c1").status == "denied"
    assert list(given.folder.iterdir()) == []


async def test_a_command_cannot_be_changed(given: Given) -> None:
    talk = await given.session(calls("Bash", "c1", command="touch a"), says("Well."))
    talk.say("run")

    talk.answer(await talk.asked(), changed=changed(command="touch b"))

    assert await talk.outcome() == "answered"
    assert talk.result("c1").status == "denied"
    assert list(given.folder.iterdir()) == []


async def test_what_is_no_json_object_is_refused_and_the_question_stays_open(given: Given) -> None:
    talk = await given.session(writes("c1", "milk"), says("Noted."))
    talk.say("write")
    ask = await talk.asked()

    with pytest.raises(BadData):
        talk.answer(ask, changed="[1]")
    talk.answer(ask)

    assert await talk.outcome() == "answered"
    assert (given.folder / "a.txt").read_text() == "milk"


async def test_a_patch_may_lose_files_but_gain_none(given: Given) -> None:
    def patch(*names: str) -> str:
        return "".join(f"--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+x\n" for name in names)

    two, three = (calls("ApplyPatch", wire_id, patch=patch("a.txt", "b.txt")) for wire_id in ("c1", "c2"))
    talk = await given.session(two, three, says("Done."))
    talk.say("patch twice")

    talk.answer(await talk.asked(1), changed=changed(patch=patch("a.txt")))
    ask = await talk.asked(2)
    (given.folder / "a.txt").unlink()
    talk.answer(ask, changed=changed(patch=patch("c.txt")))

    assert await talk.outcome() == "answered"
    assert (talk.result("c1").status, talk.result("c2").status) == ("ok", "denied")
    assert list(given.folder.iterdir()) == []


async def test_hooks_have_a_say_about_what_really_runs(given: Given) -> None:
    denies = decides("deny", "No tea.").removeprefix("cat > /dev/null; ")
    listen(given, hook("PreToolUse", NOTES_DOWN), hook("PreToolUse", f"grep -q tea && {denies}; true"))
    talk = await given.session(writes("c1", "milk"), says("Well."))
    talk.say("write")

    talk.answer(await talk.asked(), changed=changed(file_path="a.txt", content="tea"))

    assert await talk.outcome() == "answered"
    assert [one["tool_input"]["content"] for one in told(given)] == ["milk", "tea"]
    assert talk.result("c1").status == "denied"
    assert "No tea." in talk.told_model("c1")
    assert not (given.folder / "a.txt").exists()


async def _until_started(given: Given) -> str:
    """A Session whose process died between the start of a changed write and the write."""
    talk = await given.session(by_round(writes("c1", "milk\nbeer\n"), says("Noted.")))
    talk.say("write")
    talk.answer(await talk.asked(), changed=changed(file_path="a.txt", content="milk\n"))
    await talk.outcome()
    return await given.crashed(talk, lambda one: isinstance(one.event, CallStarted))


async def test_after_a_crash_before_the_write_the_changed_call_is_the_one_that_runs(given: Given) -> None:
    session_id = await _until_started(given)
    (given.folder / "a.txt").unlink()

    talk = await given.session(ref=session_id)
    talk.send(ContinueTurn())

    assert await talk.outcome() == "answered"
    assert (given.folder / "a.txt").read_text() == "milk\n"
    assert "\n-beer\n" in talk.told_model("c1")


async def test_after_a_crash_behind_the_write_the_file_is_known_to_be_as_the_human_wanted_it(given: Given) -> None:
    session_id = await _until_started(given)

    talk = await given.session(ref=session_id)
    talk.send(ContinueTurn())

    assert await talk.outcome() == "answered"
    assert [finished.status for finished in talk.all_of(CallFinished)] == ["ok"]
    text = talk.told_model("c1")
    assert "as the call was going to leave them" in text
    assert "\n-beer\n" in text


async def test_after_a_crash_behind_the_answer_the_question_is_not_put_again(given: Given) -> None:
    talk = await given.session(by_round(writes("c1", "milk\nbeer\n"), says("Noted.")))
    talk.say("write")
    talk.answer(await talk.asked(), changed=changed(file_path="a.txt", content="milk\n"))
    await talk.outcome()
    session_id = await given.crashed(talk, lambda one: isinstance(one.event, AskAnswered))
    (given.folder / "a.txt").unlink()

    talk = await given.session(ref=session_id)
    talk.send(ContinueTurn())

    assert await talk.outcome() == "answered"
    assert (given.folder / "a.txt").read_text() == "milk\n"


async def test_a_turn_that_is_given_up_tells_what_the_human_had_allowed(given: Given) -> None:
    session_id = await _until_started(given)

    talk = await given.session(ref=session_id)
    talk.say("leave it")
    talk.answer(await talk.asked(), decision="deny")

    assert await talk.outcome() == "answered"
    lost = talk.all_of(CallFinished)[0]
    assert lost.status == "ok"
    assert "\n-beer\n" in lost.text


async def test_a_question_that_the_human_declines_is_told_as_that(given: Given) -> None:
    talk = await given.session(calls("AskUser", "c1", question="Tea?", options=["yes", "no"]), says("Fine."))
    talk.say("ask me")

    talk.answer(await talk.asked(), decision="deny")

    assert await talk.outcome() == "answered"
    answer = json.loads(talk.told_model("c1"))
    assert (answer["answers"], "declined" in answer["note"]) == ([], True)


async def test_the_humans_answer_is_kept_before_anybody_acts_on_it(given: Given) -> None:
    copies = 'cat > /dev/null; rm -rf copy; mkdir copy; cp "$YEAFT_DIR"/sessions/*/session.db* copy'
    listen(given, hook("PreToolUse", copies))
    talk = await given.session(writes("c1", "milk"), says("Noted."))
    talk.say("write")

    talk.answer(await talk.asked(), changed=changed(file_path="a.txt", content="tea"))

    assert await talk.outcome() == "answered"
    assert len(talk.all_of(HookRan)) == 2, "what the human wrote is shown to the hook too"
    kept = SqliteJournal.for_reading(given.folder / "copy/session.db", FileBlobs(talk.paths.blobs)).read(SESSION_STREAM)
    assert [one.type for one in kept if one.type.startswith("ask.")] == ["ask.opened", "ask.answered"]
