"""Which tools models are offered: all 33 where all can work, in a first request that stays small; the same as listed."""

import json

import pytest

from tests.session.session_given import BOX, CLAUDE, Given, calls, cast, for_vp, says, tools_of
from yeaft.events.call import CallStarted
from yeaft.events.ops import SetRoster
from yeaft.events.session import SettingsFrozen
from yeaft.session.catalogue import CATALOGUE
from yeaft.store.blobs import FileBlobs
from yeaft.tools.tool import spec_of

MOST_BYTES = 20 * 1024
EVERYTHING = '\n[images]\nurl = "http://127.0.0.1:9/v1/images/generations"\n'
SEEING = {'id = "scripted"': 'id = "scripted"\nimages = true'}


@pytest.mark.parametrize("model", [BOX, CLAUDE])
async def test_all_the_tools_fit_into_a_small_first_request(given: Given, model: str) -> None:
    await given.model(cast(for_vp("omni", says("Hello.")), for_vp("skeptic", says("Hello."))))
    given.config(EVERYTHING, **SEEING)
    talk = await given.session(roster=("omni", "skeptic"), model=model)

    talk.say("hello")
    await talk.outcomes()

    (request,) = talk.server.requests
    assert sorted(tools_of(request)) == sorted(one.name for one in CATALOGUE)
    assert len(json.dumps(request.body, ensure_ascii=False, separators=(",", ":")).encode()) <= MOST_BYTES


async def test_what_is_offered_is_what_the_catalogue_says(given: Given) -> None:
    await given.model(cast(for_vp("omni", says("Hello.")), for_vp("skeptic", says("Hello."))))
    given.config(EVERYTHING, **SEEING)
    talk = await given.session(roster=("omni", "skeptic"))

    talk.say("hello")
    await talk.outcomes()

    (frozen,) = talk.all_of(SettingsFrozen)
    offered = {
        tool["name"]: tool for tool in json.loads(FileBlobs(talk.paths.blobs).get(frozen.blob.sha256) or b"{}")["tools"]
    }
    for spec in (spec_of(one.name, one.args) for one in CATALOGUE):
        named = "\n- code-review: " if spec.name == "Skill" else ""  # the skills there are follow
        assert offered[spec.name]["description"].startswith(spec.description + named)
        assert offered[spec.name]["schema"] == json.loads(bytes(spec.schema))


async def test_tools_are_guarded_as_the_catalogue_says(given: Given) -> None:
    steps = (
        calls("ListDir", "c1", path="."),
        calls("ListAgents", "c2"),
        calls("FileWrite", "c3", file_path="a", content="x"),
        calls("Bash", "c4", command="true"),
        calls("SpawnAgent", "c5", mission="look", name="spy"),
        calls("ListTasks", "c6"),
    )
    talk = await given.session(cast(for_vp("omni", *steps, says("Done."))), mode="auto")

    talk.say("work")
    await talk.outcomes()

    guards = {one.name: one.guard for one in CATALOGUE}
    started = {call.tool: call.guard for call in talk.all_of(CallStarted)}
    assert started == {name: guards[name] for name in started}
    assert set(started) == {step.calls[0].tool for step in steps}


async def test_a_tool_that_was_offered_once_stays_on_offer(given: Given) -> None:
    talk = await given.session(says("Hello."), says("Hello."), roster=("omni", "skeptic"))
    talk.say("@omni hello")
    await talk.outcomes()

    talk.send(SetRoster(roster=("omni",)))
    talk.say("@omni hello")
    await talk.outcomes()

    first, second = (tools_of(request) for request in talk.server.requests)
    assert "RouteForward" in first
    assert second == first
