"""Sub-agents: spawned, told, waited for and ended by a VP, and what they find reaches it exactly once."""

import asyncio
import json
from pathlib import Path

from tests.session.agents_given import agent, ended, envelope, notices, requests_of, spawns, waits
from tests.session.session_given import (
    Given,
    a_call,
    calls,
    cast,
    for_vp,
    hands_on,
    held,
    lines_of,
    says,
)
from yeaft.events.agent import AgentEnded, AgentPrompted, AgentReported
from yeaft.events.call import AskWithdrawn, CallStarted
from yeaft.events.session import MessagePosted
from yeaft.events.turn import TurnEnded
from yeaft.llm.scripted.script import Calls, Fails
from yeaft.store.copying import copy_session
from yeaft.store.directory import session_paths


async def test_a_report_that_nobody_waits_for_starts_one_further_turn(given: Given) -> None:
    talk = await given.session(
        cast(
            for_vp("omni", spawns("ann", task="Find the list."), says("On it."), says("It is in notes.txt.")),
            for_vp("omni/ann", held(says("The list is in notes.txt."), "gate")),
        ),
        has_human=False,
    )
    root = talk.say("where is my list?")
    await talk.heard_of(TurnEnded)
    talk.server.release("gate")

    assert await talk.outcome(root) == "answered"
    assert talk.said_by("omni") == ["On it.", "It is in notes.txt."]
    assert len(notices(talk)) == 1
    assert "\nThe list is in notes.txt.\n" in notices(talk)[0]
    assert lines_of(requests_of(talk, "omni/ann")[0]) == [("user", "Find the list.")]
    assert [one.state for one in talk.all_of(AgentEnded)] == ["completed"]


async def test_several_agents_end_in_one_further_turn_not_in_several(given: Given) -> None:
    two = Calls(
        calls=(a_call("SpawnAgent", "s1", name="ann", task="a"), a_call("SpawnAgent", "s2", name="bob", task="b"))
    )
    talk = await given.session(
        cast(
            for_vp("omni", two, says("Both work."), says("Both are done.")),
            for_vp("omni/ann", held(says("A"), "ann")),
            for_vp("omni/bob", held(says("B"), "bob")),
        )
    )
    root = talk.say("go")
    await talk.heard_of(TurnEnded)

    talk.server.release("bob")
    await ended(talk, "bob")
    assert notices(talk) == []
    talk.server.release("ann")

    assert await talk.outcome(root) == "answered"
    assert talk.said_by("omni") == ["Both work.", "Both are done."]
    assert len(notices(talk)) == 2


async def test_a_vp_at_work_is_told_between_its_rounds(given: Given) -> None:
    given.file("a.txt", "x")
    talk = await given.session(
        cast(
            for_vp(
                "omni",
                spawns("ann"),
                held(calls("FileRead", "r1", file_path="a.txt"), "omni"),
                says("Thanks, ann."),
            ),
            for_vp("omni/ann", says("Here you are.")),
        )
    )
    talk.say("go")
    await ended(talk)
    talk.server.release("omni")

    assert await talk.outcome() == "answered"
    assert talk.said_by("omni") == ["Thanks, ann."]
    assert "Here you are." in lines_of(talk.server.requests[-1])[-1][1]
    assert len(notices(talk)) == 1


async def test_what_waiting_returned_is_not_told_again(given: Given) -> None:
    talk = await given.session(
        cast(for_vp("omni", spawns("ann"), waits("ann"), says("Done.")), for_vp("omni/ann", says("x" * 9_000)))
    )
    talk.say("go")

    assert await talk.outcome() == "answered"
    told = envelope(talk, "w1")
    assert (told["status"], told["success"], list(told)[-1]) == ("completed", True, "result")
    assert told["result"] == "x" * 8192
    assert talk.said_by("omni") == ["Done."]
    assert notices(talk) == []


async def test_waiting_ends_with_its_time_and_the_agent_goes_on(given: Given) -> None:
    talk = await given.session(
        cast(
            for_vp("omni", spawns("ann"), waits("ann", timeout_ms=1), says("I go on."), says("Now it is there.")),
            for_vp("omni/ann", held(says("late"), "gate")),
        )
    )
    talk.say("go")
    await talk.heard_of(TurnEnded)
    talk.server.release("gate")
    await talk.outcome()

    told = envelope(talk, "w1")
    assert (told["status"], told["timedOut"], told["runningInBackground"]) == ("running", True, True)
    assert "result" not in told
    assert talk.said_by("omni") == ["I go on.", "Now it is there."]


async def test_the_user_ends_a_wait_by_saying_something(given: Given) -> None:
    talk = await given.session(
        cast(
            for_vp("omni", spawns("ann"), waits("ann", timeout_ms=300_000), says("I heard you."), says("End.")),
            for_vp("omni/ann", held(says("late"), "gate")),
        )
    )
    talk.say("go")
    await talk.until(lambda: next((one for one in talk.all_of(CallStarted) if one.tool == "WaitAgent"), None))

    talk.steer("never mind")
    await talk.heard_of(TurnEnded)
    talk.server.release("gate")

    assert await talk.outcome() == "answered"
    assert talk.said_by("omni")[0] == "I heard you."
    assert lines_of(requests_of(talk, "omni")[2])[-1][1].endswith("never mind")


async def test_what_is_said_to_a_running_agent_is_done_in_order(given: Given) -> None:
    talk = await given.session(
        cast(
            for_vp(
                "omni",
                spawns("ann"),
                calls("PromptAgent", "p1", agent_id="ann", message="Second."),
                calls("PromptAgent", "p2", agent_id="ann", message="Third."),
                held(waits("ann"), "omni"),
                says("Done."),
            ),
            for_vp("omni/ann", held(says("one"), "ann"), says("two"), says("three")),
        )
    )
    talk.say("go")
    await talk.until(lambda: True if len(talk.all_of(AgentPrompted)) == 2 else None)
    talk.server.release("ann")
    talk.server.release("omni")

    assert await talk.outcome() == "answered"
    assert envelope(talk, "w1")["result"] == "three"
    assert envelope(talk, "w1")["messages"] == 3
    last = lines_of(requests_of(talk, "omni/ann")[-1])
    assert [text for who, text in last if who == "user"] == ["Do it.", "Second.", "Third."]


async def test_an_agent_that_may_stay_goes_on_with_all_it_knows(given: Given) -> None:
    talk = await given.session(
        cast(
            for_vp(
                "omni",
                spawns("ann", stay=True),
                waits("ann"),
                calls("PromptAgent", "p1", agent_id="ann", message="And the rest?"),
                waits("ann", "w2"),
                says("Done."),
            ),
            for_vp("omni/ann", says("one"), says("two")),
        ),
        has_human=False,
    )
    talk.say("go")

    assert await talk.outcome() == "answered"
    assert (envelope(talk, "w1")["status"], envelope(talk, "w1")["result"]) == ("idle", "one")
    assert (envelope(talk, "w2")["status"], envelope(talk, "w2")["result"]) == ("idle", "two")
    assert lines_of(requests_of(talk, "omni/ann")[1]) == [
        ("user", "Do it."),
        ("assistant", "one"),
        ("user", "And the rest?"),
    ]
    assert len(talk.all_of(AgentReported)) == 2
    assert notices(talk) == []


async def test_an_agent_that_nobody_tells_more_is_let_go_and_nobody_is_woken(given: Given) -> None:
    await given.model(
        cast(
            for_vp("omni", spawns("ann", stay=True), says("Waiting."), says("Thanks.")), for_vp("omni/ann", says("one"))
        )
    )
    given.config("\n[limits]\nagent_idle_s = 0.01\n")
    talk = await given.session()
    talk.say("go")

    assert await talk.outcome() == "answered"
    assert (await ended(talk)).state == "abandoned"
    assert len(notices(talk)) == 1
    assert agent(talk).result == "one"
    assert talk.said_by("omni")[-1] in ("Waiting.", "Thanks.")


async def test_closing_an_agent_kills_what_it_runs_and_returns_what_it_has(given: Given) -> None:
    begun = given.pipe("begun")
    runs = Calls(text="Half of it.", calls=(a_call("Bash", "b1", command="echo $$ > begun; sleep 600"),))
    talk = await given.session(
        cast(
            for_vp("omni", spawns("ann"), held(calls("CloseAgent", "c1", agent_id="ann"), "omni"), says("Enough.")),
            for_vp("omni/ann", runs),
        ),
        mode="auto",
    )
    talk.say("go")
    pid = (await asyncio.to_thread(begun.read_text)).strip()
    talk.server.release("omni")

    assert await talk.outcome() == "answered"
    told = envelope(talk, "c1")
    assert (told["status"], told["result"]) == ("closed", "Half of it.")
    assert not _is_there(Path(f"/proc/{pid}"))
    assert notices(talk) == []


async def test_an_ended_agent_says_why_it_cannot_be_told_more_and_strangers_do_not_exist(given: Given) -> None:
    talk = await given.session(
        cast(
            for_vp(
                "omni",
                spawns("ann"),
                waits("ann"),
                calls("PromptAgent", "p1", agent_id="ann", message="more"),
                calls("CloseAgent", "c1", agent_id="ann", result="mine"),
                calls("WaitAgent", "w2", agent_id="nobody"),
                calls("ListAgents", "l1"),
                calls("ListAgents", "l2", include_closed=True),
                says("Done."),
            ),
            for_vp("omni/ann", says("the end")),
        )
    )
    talk.say("go")
    await talk.outcome()

    assert "has ended (completed)" in envelope(talk, "p1")["error"]
    assert (envelope(talk, "c1")["status"], envelope(talk, "c1")["result"]) == ("completed", "the end")
    assert "no agent 'nobody'" in envelope(talk, "w2")["error"]
    assert envelope(talk, "l1")["agents"] == []
    (row,) = envelope(talk, "l2")["agents"]
    assert (row["name"], row["status"], row["task"], row["resultTail"]) == ("ann", "completed", "Do it.", "the end")


async def test_agents_of_two_vps_and_their_reports_stay_apart(given: Given) -> None:
    given.vp("ada")
    talk = await given.session(
        cast(
            for_vp("omni", spawns("ann"), calls("ListAgents", "l1"), says("o1"), says("o2")),
            for_vp("ada", spawns("ann", "s2"), calls("ListAgents", "l2"), says("s1"), says("s2")),
            for_vp("omni/ann", held(says("for omni"), "omni")),
            for_vp("ada/ann", held(says("for ada"), "ada")),
        ),
        roster=("omni", "ada"),
    )
    root = talk.say("@all go")
    await talk.until(lambda: True if len(talk.all_of(TurnEnded)) == 2 else None)
    talk.server.release("omni")
    talk.server.release("ada")

    assert set((await talk.outcomes(root)).values()) == {"answered"}
    assert [len(envelope(talk, wire_id)["agents"]) for wire_id in ("l1", "l2")] == [1, 1]
    assert "for ada" not in str(talk.requests_of("omni"))
    assert "for omni" not in str(talk.requests_of("ada"))
    assert talk.said_by("omni") == ["o1", "o2"]


async def test_stopping_a_vp_stops_its_agents_with_their_questions_and_wakes_nobody(given: Given) -> None:
    talk = await given.session(
        cast(
            for_vp("omni", spawns("ann"), spawns("bob", "s2"), says("They work."), says("I see.")),
            for_vp("omni/ann", calls("FileWrite", "f1", file_path="a.txt", content="x")),
            for_vp("omni/bob", held(says("never"), "bob")),
        )
    )
    root = talk.say("go")
    await talk.asked()
    await talk.server.reached("bob")
    await talk.heard_of(TurnEnded)

    talk.interrupt()

    await talk.outcome(root)
    assert [one.state for one in talk.all_of(AgentEnded)] == ["closed", "closed"]
    assert [one.reason for one in talk.all_of(AskWithdrawn)] == ["aborted"]
    assert len(requests_of(talk, "omni")) == 3
    talk.say("what now?")
    assert await talk.outcome() == "answered"
    assert str(lines_of(talk.server.requests[-1])).count('status="closed"') == 2


async def test_a_vp_that_fails_takes_its_agents_with_it(given: Given) -> None:
    talk = await given.session(
        cast(
            for_vp("omni", spawns("ann"), Fails(status=400, message="no")), for_vp("omni/ann", held(says("x"), "gate"))
        )
    )
    talk.say("go")

    assert await talk.outcome() == "failed"
    assert (await ended(talk)).state == "closed"
    assert len(requests_of(talk, "omni")) == 2


async def test_an_agent_whose_model_fails_says_so(given: Given) -> None:
    talk = await given.session(
        cast(
            for_vp("omni", spawns("ann"), waits("ann"), says("I do it myself.")),
            for_vp("omni/ann", Fails(status=400, message="no such thing")),
        )
    )
    talk.say("go")

    assert await talk.outcome() == "answered"
    assert envelope(talk, "w1")["status"] == "failed"
    assert "no such thing" in envelope(talk, "w1")["error"]


async def test_whoever_waits_for_the_end_gives_up_an_agent_that_shows_no_sign_of_life(given: Given) -> None:
    await given.model(
        cast(
            for_vp("omni", spawns("ann"), says("It works."), says("It was silent.")),
            for_vp("omni/ann", held(says("x"), "never")),
        )
    )
    given.config("\n[limits]\nagent_silence_s = 0.2\n")
    talk = await given.session(has_human=False)
    root = talk.say("go")

    await talk.idle()

    assert await talk.outcome(root) == "answered"
    assert agent(talk).status == "abandoned"
    assert talk.said_by("omni") == ["It works.", "It was silent."]


async def test_a_vp_that_was_handed_work_answers_only_when_its_agents_are_done(given: Given) -> None:
    given.vp("ada")
    talk = await given.session(
        cast(
            for_vp("omni", hands_on("ada", "Check it."), says("Ada found it.")),
            for_vp("ada", spawns("ann"), says("I let it check."), says("It is wrong.")),
            for_vp("ada/ann", held(says("wrong"), "gate")),
        ),
        roster=("omni", "ada"),
    )
    root = talk.say("is it right?")
    await talk.until(lambda: True if talk.said_by("ada") == ["I let it check."] else None)
    talk.server.release("gate")

    assert (await talk.outcomes(root))["omni"] == "answered"
    (returned,) = [message.text for message in talk.all_of(MessagePosted) if message.kind == "return"]
    assert "It is wrong." in returned
    assert talk.said_by("omni")[-1] == "Ada found it."


async def test_what_the_user_says_meanwhile_is_answered_and_the_report_comes_with_it(given: Given) -> None:
    talk = await given.session(
        cast(
            for_vp("omni", spawns("ann"), says("On it."), says("It is noon."), says("And here is the list.")),
            for_vp("omni/ann", held(says("the list"), "gate")),
        )
    )
    first = talk.say("find the list")
    await talk.heard_of(TurnEnded)
    second = talk.say("what time is it?")
    assert await talk.outcome(second) == "answered"
    talk.server.release("gate")

    assert await talk.outcome(first) == "answered"
    assert talk.said_by("omni") == ["On it.", "It is noon.", "And here is the list."]
    assert str(talk.requests_of("omni")).count("the list\\n</agent-report>") == 1


async def test_the_log_of_an_agent_tells_its_life_in_short_lines(given: Given) -> None:
    given.file("long.txt", "line\n" * 2_000)
    talk = await given.session(
        cast(
            for_vp("omni", spawns("ann"), waits("ann"), says("Done.")),
            for_vp("omni/ann", calls("FileRead", "r1", file_path="long.txt"), says("read")),
        )
    )
    talk.say("go")
    await talk.outcome()

    lines = [json.loads(line) for line in _text(envelope(talk, "w1")["outputFile"]).splitlines()]
    types = [line["type"] for line in lines]
    assert {"agent.spawned", "turn.started", "call.finished", "turn.ended", "agent.ended"} <= set(types)
    assert all(list(line)[:2] == ["t", "type"] for line in lines)
    (finished,) = (line for line in lines if line["type"] == "call.finished")
    assert len(finished["text"]) == 2049


async def test_after_a_crash_agents_are_lost_their_streams_closed_and_their_vp_is_told_once(given: Given) -> None:
    begun = given.pipe("begun")
    talk = await given.session(
        cast(
            for_vp("omni", spawns("ann"), spawns("bob", "s2"), says("They work."), says("I see.")),
            for_vp("omni/ann", Calls(text="Half.", calls=(a_call("Bash", "b1", command="echo x > begun; sleep 600"),))),
            for_vp("omni/bob", held(says("never"), "bob")),
        ),
        mode="auto",
    )
    talk.say("go")
    await talk.heard_of(TurnEnded)
    await talk.server.reached("bob")
    await asyncio.to_thread(begun.read_text)
    crashed = session_paths(given.home, "crashed1")
    copy_session(talk.paths, crashed)

    second = await given.session(ref="crashed1")
    second.say("what happened?")

    assert await second.outcome() == "answered"
    assert [one.status for one in second.state.agents.values()] == ["lost", "lost"]
    assert agent(second).result == "Half."
    assert str(second.requests_of("omni")[-1]).count("<agent-report") == 2
    second.say("and now?")
    await second.outcome()
    assert str(second.requests_of("omni")[-1]).count("<agent-report") == 2
    assert len(notices(second)) == 2


async def test_a_fork_leaves_the_agents_with_the_session_that_spawned_them(given: Given) -> None:
    talk = await given.session(
        cast(for_vp("omni", spawns("ann"), says("On it."), says("Hi.")), for_vp("omni/ann", held(says("x"), "gate")))
    )
    talk.say("go")
    await talk.heard_of(TurnEnded)

    fork = await given.session(ref=talk.state.session_id, fork=True)
    fork.say("hello")

    assert await fork.outcome() == "answered"
    assert agent(fork).status == "lost"
    assert 'status="lost"' in str(fork.requests_of("omni")[-1])
    assert agent(talk).status == "running"


def _is_there(path: Path) -> bool:
    return path.exists()


def _text(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")
