"""What sub-agents may do and use: tools, models, budgets, numbers, folders, and what needs the human."""

from typing import Any

import pytest

from tests.session.agents_given import ended, envelope, requests_of, spawns, waits
from tests.session.session_given import (
    Given,
    a_call,
    calls,
    cast,
    for_vp,
    held,
    lines_of,
    says,
    system_of,
    tools_of,
)
from yeaft.events.agent import AgentSpawned
from yeaft.events.call import AskWithdrawn
from yeaft.events.ops import SetModel
from yeaft.events.turn import TurnEnded
from yeaft.kernel.usage import Usage
from yeaft.llm.scripted.script import Calls, Stalls


@pytest.mark.parametrize("persona", ["explorer", "reviewer", "researcher", "implementer"])
async def test_a_persona_has_its_tools_and_no_others_whatever_the_model_calls(given: Given, persona: str) -> None:
    wanted = {
        "explorer": {"FileRead", "Grep", "Glob", "ListDir"},
        "reviewer": {"FileRead", "Grep", "Glob", "ListDir", "DiskUsage"},
        "researcher": {"FileRead", "WebSearch", "WebFetch"},
        "implementer": {"FileRead", "Grep", "Glob", "ListDir", "FileEdit", "FileWrite", "ApplyPatch", "NotebookEdit"}
        | {"Bash", "TodoWrite"},
    }[persona]
    tries = Calls(calls=(a_call("SpawnAgent", "x1", name="eve", task="t"), a_call("CreateWorkItem", "x2", title="t")))
    talk = await given.session(
        cast(
            for_vp("omni", spawns("ann", persona=persona), waits("ann"), says("Done.")),
            for_vp("omni/ann", tries, says("I cannot.")),
        ),
        mode="auto",
    )
    talk.say("go")

    assert await talk.outcome() == "answered"
    first, second = requests_of(talk, "omni/ann")
    assert set(tools_of(first)) - {"JsRepl"} == wanted
    assert all("There is no tool named" in text for who, text in lines_of(second) if who in ("x1", "x2"))
    assert len(talk.all_of(AgentSpawned)) == 1


async def test_without_a_persona_an_agent_is_as_its_vp_but_can_spawn_nobody_and_ask_nobody(given: Given) -> None:
    given.vp("tom", tools="{allow: [FileRead, SpawnAgent, WaitAgent, Bash]}")
    talk = await given.session(
        cast(for_vp("tom", spawns("ann"), waits("ann"), says("Done.")), for_vp("tom/ann", says("ok"))), roster=("tom",)
    )
    talk.say("go")

    assert await talk.outcome() == "answered"
    (request,) = requests_of(talk, "tom/ann")
    assert set(tools_of(request)) == {"FileRead", "Bash", "TodoWrite"}
    assert "You help." in system_of(request)
    assert "@tom (Tom) spawned you" in system_of(request)


async def test_a_fast_persona_uses_the_fast_model_and_the_others_that_of_their_vp(given: Given) -> None:
    two = Calls(
        calls=(
            a_call("SpawnAgent", "s1", name="ann", task="a", persona="explorer"),
            a_call("SpawnAgent", "s2", name="bob", task="b", persona="reviewer"),
        )
    )
    await given.model(
        cast(for_vp("omni", two, says("ok")), for_vp("omni/ann", says("A")), for_vp("omni/bob", says("B")))
    )
    given.config(**{'primary = "box/scripted"': 'primary = "box/scripted"\nfast = "box/spare"'})
    talk = await given.session()
    talk.say("go")
    await talk.outcome()

    (ann,), (bob,) = requests_of(talk, "omni/ann"), requests_of(talk, "omni/bob")
    assert (ann.body["model"], bob.body["model"]) == ("spare", "scripted")


async def test_an_agent_has_the_model_that_the_user_has_given_its_vp_meanwhile(given: Given) -> None:
    talk = await given.session(cast(for_vp("omni", spawns("ann"), says("ok")), for_vp("omni/ann", says("A"))))
    talk.send(SetModel(vp_id="omni", model="box/spare"))
    talk.say("go")
    await talk.outcome()

    assert {received.body["model"] for received in talk.server.requests} == {"spare"}


async def test_in_plan_mode_an_agent_only_reads(given: Given) -> None:
    talk = await given.session(
        cast(
            for_vp("omni", spawns("ann", persona="implementer"), waits("ann"), says("Done.")),
            for_vp("omni/ann", calls("FileWrite", "f1", file_path="a.txt", content="x"), says("I may not.")),
        ),
        mode="plan",
    )
    talk.say("go")
    await talk.outcome()

    assert envelope(talk, "w1")["result"] == "I may not."
    assert "Plan mode" in str(lines_of(requests_of(talk, "omni/ann")[1]))
    assert not (given.folder / "a.txt").exists()


@pytest.mark.parametrize(
    ("budget", "requests"),
    [({"max_turns": 2}, 2), ({"max_tokens": 1}, 1), ({"max_cost_usd": 0.000001}, 1)],
)
async def test_a_budget_ends_an_agent_after_a_round_with_what_it_has(
    given: Given, budget: dict[str, float], requests: int
) -> None:
    given.file("a.txt", "x")
    looks = Calls(text="So far: 42.", calls=(a_call("FileRead", "r1", file_path="a.txt"),))
    talk = await given.session(
        cast(
            for_vp("omni", spawns("ann", budget=budget), waits("ann"), says("Done.")),
            for_vp("omni/ann", looks),
        )
    )
    talk.say("go")

    assert await talk.outcome() == "answered"
    told = envelope(talk, "w1")
    (limit,) = budget
    assert (told["status"], told["budget"], told["partial_output"]) == ("budget_exceeded", budget, "So far: 42.")
    assert limit in told["error"]
    assert len(requests_of(talk, "omni/ann")) == requests
    assert told["usage"]["in"] > 0


async def test_the_last_round_of_a_budget_may_be_the_answer(given: Given) -> None:
    talk = await given.session(
        cast(
            for_vp("omni", spawns("ann", budget={"max_turns": 1}), waits("ann"), says("Done.")),
            for_vp("omni/ann", says("In time.")),
        )
    )
    talk.say("go")
    await talk.outcome()

    assert (envelope(talk, "w1")["status"], envelope(talk, "w1")["result"]) == ("completed", "In time.")


async def test_the_time_of_a_budget_ends_even_an_agent_that_hears_nothing(given: Given) -> None:
    talk = await given.session(
        cast(
            for_vp("omni", spawns("ann", budget={"wall_time_ms": 300}), waits("ann"), says("Done.")),
            for_vp("omni/ann", Stalls(of=says("I think that", chunk=3), after_events=5)),
        )
    )
    talk.say("go")

    assert await talk.outcome() == "answered"
    told = envelope(talk, "w1")
    assert told["status"] == "budget_exceeded"
    assert "wall_time_ms" in told["error"]


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        ({"name": "ann", "task": "again"}, "an agent named 'ann' already"),
        ({"name": "a b", "task": "t"}, "name: 1 to 40"),
        ({"name": "bob"}, "Say in task"),
        ({"name": "bob", "task": "t", "cwd": "nowhere"}, "nowhere is no folder"),
        ({"name": "bob", "task": "t", "budget": {"max_turns": 0}}, "max_turns must be positive"),
        ({"name": "bob", "task": "t", "budget": {"rounds": 1}}, "no limit 'rounds'"),
        ({"name": "bob", "task": "t", "budget": {"max_turns": 1.5}}, "budget: "),
    ],
)
async def test_an_order_that_cannot_be_met_says_why_and_starts_nothing(
    given: Given, order: dict[str, Any], reason: str
) -> None:
    talk = await given.session(
        cast(
            for_vp("omni", spawns("ann"), calls("SpawnAgent", "s2", **order), says("ok")),
            for_vp("omni/ann", held(says("x"), "gate")),
        )
    )
    talk.say("go")
    await talk.heard_of(TurnEnded)
    talk.server.release("gate")
    await talk.outcome()

    told = envelope(talk, "s2")
    assert told["success"] is False
    assert reason in told["error"]
    assert talk.result("s2").status == "failed"
    assert len(talk.all_of(AgentSpawned)) == 1


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ("agents_per_vp", "You have 1 live agents"),
        ("agents_per_session", "1 agents live"),
        ("agents_per_message", "1 agents"),
    ],
)
async def test_there_are_caps_on_how_many_agents_there_can_be(given: Given, limit: str, reason: str) -> None:
    await given.model(
        cast(
            for_vp("omni", spawns("ann"), spawns("bob", "s2"), says("ok")), for_vp("omni/ann", held(says("x"), "gate"))
        )
    )
    given.config(f"\n[limits]\n{limit} = 1\n")
    talk = await given.session()
    talk.say("go")
    await talk.heard_of(TurnEnded)
    talk.server.release("gate")
    await talk.outcome()

    assert reason in envelope(talk, "s2")["error"]


async def test_many_questions_at_once_are_answered_in_any_order_while_the_vp_waits(given: Given) -> None:
    names = ("ann", "bob", "eve")
    three = Calls(calls=tuple(a_call("SpawnAgent", f"s{name}", name=name, task="write") for name in names))
    all_at_once = Calls(
        calls=tuple(a_call("WaitAgent", f"w{name}", agent_id=name, timeout_ms=300_000) for name in names)
    )
    lines = [
        for_vp(f"omni/{name}", calls("FileWrite", "f1", file_path=f"{name}.txt", content=name), says(f"{name} ready"))
        for name in names
    ]
    talk = await given.session(cast(for_vp("omni", three, all_at_once, says("All are back.")), *lines))
    talk.say("go")
    asks = [await talk.asked(number) for number in (1, 2, 3)]

    by_vp = {ask.vp_id: ask for ask in asks}
    assert set(by_vp) == {f"omni/{name}" for name in names}
    talk.answer(by_vp["omni/eve"])
    talk.answer(by_vp["omni/bob"], decision="deny", text="not that")
    talk.answer(by_vp["omni/ann"])

    assert await talk.outcome() == "answered"
    assert [(given.folder / f"{name}.txt").exists() for name in names] == [True, False, True]
    assert "not that" in str(lines_of(requests_of(talk, "omni/bob")[-1]))
    assert talk.said_by("omni") == ["All are back."]


async def test_with_nobody_there_an_unmet_question_ends_only_the_agent(given: Given) -> None:
    talk = await given.session(
        cast(
            for_vp("omni", spawns("ann"), waits("ann"), says("It could not write.")),
            for_vp("omni/ann", calls("FileWrite", "f1", file_path="a.txt", content="x"), says("never")),
        ),
        has_human=False,
    )
    talk.say("go")

    assert await talk.outcome() == "answered"
    told = envelope(talk, "w1")
    assert told["status"] == "failed"
    assert "--mode edits" in told["error"]
    assert talk.said_by("omni") == ["It could not write."]
    assert [one.reason for one in talk.all_of(AskWithdrawn)] == ["headless"]


async def test_what_agents_cost_counts_towards_the_limit_of_the_run(given: Given) -> None:
    talk = await given.session(
        cast(
            for_vp("omni", spawns("ann"), waits("ann"), says("never")),
            for_vp("omni/ann", says("x", usage=Usage(output=1_000_000))),
        ),
        max_cost_usd=0.5,
    )
    talk.say("go")

    assert await talk.outcome() == "limit"
    assert (await ended(talk)).cost_usd == pytest.approx(1.0, abs=0.1)
    assert len(requests_of(talk, "omni")) == 2


async def test_an_agent_works_in_its_own_folder_and_rules_follow_it_there(given: Given) -> None:
    given.file("sub/a.txt", "in sub")
    given.file("sub/secret.txt", "hidden")
    given.file("a.txt", "at the top")
    reads = Calls(calls=(a_call("FileRead", "r1", file_path="a.txt"), a_call("FileRead", "r2", file_path="secret.txt")))
    talk = await given.session(
        cast(
            for_vp("omni", spawns("ann", cwd="sub"), waits("ann"), says("Done.")), for_vp("omni/ann", reads, says("ok"))
        ),
        deny=(f"FileRead({given.folder}/sub/secret.txt)",),
    )
    talk.say("go")
    await talk.outcome()

    told = dict(lines_of(requests_of(talk, "omni/ann")[1]))
    assert "in sub" in told["r1"]
    assert "denies" in told["r2"]
    assert f"Work folder: {given.folder}/sub" in system_of(requests_of(talk, "omni/ann")[0])


async def test_a_mission_may_name_vps_and_the_form_of_its_report(given: Given) -> None:
    talk = await given.session(
        cast(
            for_vp("omni", spawns("ann", task="Ask @skeptic?", expected_output={"files": ["path"]}), says("ok")),
            for_vp("omni/ann", says("fine")),
        )
    )
    talk.say("go")
    await talk.outcome()

    (request,) = requests_of(talk, "omni/ann")
    mission = lines_of(request)[0][1]
    assert mission.startswith("Ask @skeptic?")
    assert '"files"' in mission
    assert requests_of(talk, "skeptic") == []
