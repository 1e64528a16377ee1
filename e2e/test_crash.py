"""kill -9 costs nothing that was shown, runs nothing twice, and leaves a Session that goes on."""

from pathlib import Path

import pytest

from e2e.drill import crash, prefixes, stories
from e2e.drill.place import Place, helpers
from e2e.drill.reopened import resume
from yeaft.events.call import CallStarted
from yeaft.events.ops import Say
from yeaft.llm.scripted.server import ScriptedServer
from yeaft.prompts.phrases import load_phrases
from yeaft.store.blobs import FileBlobs
from yeaft.store.directory import session_paths
from yeaft.tools.shell import wrapper

PROTOCOLS = ("anthropic", "openai-responses")
KILLS = 5
EVERY = 22
"""The other protocol takes the cuts between."""


@pytest.mark.parametrize(("seed", "protocol"), list(enumerate(PROTOCOLS, 1)))
async def test_a_session_survives_kill_9_at_any_moment(tmp_path: Path, seed: int, protocol: str) -> None:
    async with ScriptedServer(stories.tool_loop(delay_s=0.002)) as server:
        length = await crash.measured(tmp_path / "whole", server, protocol)

        trials = [
            await crash.kill_trial(tmp_path / str(number), server, protocol, *pair)
            for number, pair in enumerate(crash.moments(seed, KILLS, length))
        ]

    assert [trial for trial in trials if trial.problems] == []
    assert await helpers(tmp_path) == []


async def test_what_a_crash_left_open_is_closed_the_same_way_however_often_that_crashes(tmp_path: Path) -> None:
    async with ScriptedServer(stories.tool_loop()) as server:
        place = Place(tmp_path / "whole", server.base_url, PROTOCOLS[0])
        session_id = await prefixes.recorded(place)
    records = place.records(session_id)
    blobs = FileBlobs(session_paths(place.home, session_id).blobs)

    problems = {
        count: list(prefixes.closing_problems(records[:count], blobs, load_phrases("en")))
        for count in range(1, len(records) + 1)
    }

    assert {count: found for count, found in problems.items() if found} == {}


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_session_cut_after_any_event_can_be_asked_something_new_or_be_continued(
    tmp_path: Path, protocol: str
) -> None:
    async with ScriptedServer(stories.tool_loop()) as server:
        place = Place(tmp_path / "whole", server.base_url, protocol)
        session_id = await prefixes.recorded(place)

        problems = {
            count: await prefixes.reopening_problems(tmp_path / str(count), server, place, session_id, count)
            for count in range(1 + PROTOCOLS.index(protocol) * EVERY // 2, len(place.records(session_id)) + 1, EVERY)
        }

    assert {count: found for count, found in problems.items() if found} == {}


async def test_a_command_that_was_about_to_start_is_not_said_to_have_had_no_effect(tmp_path: Path) -> None:
    async with ScriptedServer(stories.tool_loop()) as server:
        whole = Place(tmp_path / "whole", server.base_url, PROTOCOLS[0])
        session_id = await prefixes.recorded(whole)
        records = whole.records(session_id)
        started = next(one for one in records if isinstance(one.event, CallStarted) and one.event.guard == "unsafe")
        place = Place(tmp_path / "killed", server.base_url, PROTOCOLS[0])
        await prefixes.lay_out_cut(place, whole, session_id, started.seq)
        wrapper.prepare(session_paths(place.home, session_id).tasks, started.event.call_id)

        problems = await resume(place, session_id, Say(text=stories.NEXT))

    results = {one.event.call_id: one.event for one in place.records(session_id) if one.type == "call.finished"}
    assert (problems, results[started.event.call_id].status) == ([], "unknown")
