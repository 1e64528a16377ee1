"""What a user of a Session has of MCP servers: tools for the VPs, asked about before they run, and nothing that hangs."""

import json
import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from tests.mcp.mcp_given import LONG_S, SAMPLE, McpGiven, gone, serving
from tests.session.agents_given import spawns, waits
from tests.session.session_given import CLAUDE, a_call, calls, cast, for_vp, held, says, tools_of
from yeaft.events.call import AskOpened, CallOutput, CallStarted
from yeaft.events.session import NoticePosted, SettingsFrozen
from yeaft.events.tools import ToolsChanged
from yeaft.llm.scripted.script import Calls, ScriptedCall
from yeaft.llm.scripted.server import Received
from yeaft.mcp.places import pin_path
from yeaft.mcp.server import McpServer

ALLOWED: dict[str, Any] = {"allow": ("mcp__sample",)}


@pytest.fixture(scope="module")
def sample() -> Iterator[McpServer]:
    """The sample server behind HTTP, for the stories that leave it as it was."""
    with serving(SAMPLE, "http") as url:
        yield McpServer(name="sample", kind="http", url=url, connect_timeout_s=LONG_S)


def served(received: Received) -> list[str]:
    """The tools of servers that a request offers."""
    return [name for name in tools_of(received) if name.startswith("mcp__")]


def through_call(wire_id: str, tool: str, **arguments: object) -> Calls:
    """The model calls a tool that it has found."""
    return Calls(calls=(ScriptedCall(tool="mcp__call", id=wire_id, args={"tool": tool, "arguments": arguments}),))


async def test_a_new_servers_tools_join_at_the_next_turn_and_never_within_one(given: McpGiven) -> None:
    listing = held(calls("ListDir", "c0", path="."), "gate")
    script = [listing, says("Hi."), calls("mcp__sample__add", "c1", a=1, b=2), says("Three.")]
    talk = await given.talk(*script, servers=(given.odd("sample", "able"),), **ALLOWED)
    talk.say("hello")
    changed = await talk.heard_of(ToolsChanged)
    talk.server.release("gate")
    await talk.outcome()

    talk.say("What is 1 + 2?")

    assert await talk.outcome() == "answered"
    assert (changed.server, changed.reason) == ("sample", "connected")
    tools = [f"mcp__sample__{name}" for name in ("add", "wait", "environment")]
    assert [served(one) for one in talk.server.requests] == [[], [], tools, tools]
    assert "\n3\n" in talk.told_model("c1")
    assert len(talk.all_of(SettingsFrozen)) == 2


@pytest.mark.parametrize("model", ["", CLAUDE])
async def test_a_server_that_was_connected_before_is_offered_at_once_and_called(given: McpGiven, model: str) -> None:
    odd = given.odd("odd", "plain")
    await given.knows(odd)
    talk = await given.talk(calls("mcp__odd__it", "c1"), says("Did it."), servers=(odd,), model=model, mode="auto")

    talk.say("Do it.")

    assert await talk.outcome() == "answered"
    assert served(talk.server.requests[0]) == ["mcp__odd__it"]
    assert talk.all_of(ToolsChanged)[0].reason == "listed"
    assert "Untrusted output of the MCP server odd" in talk.told_model("c1")
    assert "\ndid it\n" in talk.told_model("c1")


async def test_the_user_is_asked_before_a_server_is_and_sees_what_it_would_be_told(given: McpGiven) -> None:
    odd = given.odd("odd", "plain")
    await given.knows(odd)
    script = [calls("mcp__odd__it", "c1", to="Bo\u202e"), says("No?"), calls("mcp__odd__it", "c2"), says("Done.")]
    talk = await given.talk(*script, servers=(odd,))
    talk.say("go")

    ask = await talk.asked()
    talk.answer(ask, decision="deny")
    await talk.outcome()
    talk.say("again")
    talk.answer(await talk.asked(2), decision="session", rule="mcp__odd__*")
    await talk.outcome()

    assert ask.text.startswith('mcp__odd__it: {"to":"Bo⟨U+202E⟩"}')
    assert ask.rule == "mcp__odd__it"
    assert talk.result("c1").status == "denied"
    assert "\ndid it\n" in talk.told_model("c2")
    await given.diary.has("call it")
    assert given.diary.lines.count("call it") == 1


@pytest.mark.parametrize(
    ("rules", "statuses"),
    [
        (
            {"allow": ("mcp__one__it", "mcp__two__*", "mcp__three", "mcp__fourth", "mcp__four__i", "mcp__f")},
            {"one": "ok", "two": "ok", "three": "ok", "four": "not_run"},
        ),
        ({"allow": ("mcp__*",)}, {"one": "ok"}),
        ({"mode": "auto", "deny": ("mcp__two",)}, {"one": "ok", "two": "denied"}),
        ({"mode": "plan", "allow": ("mcp__one",)}, {"one": "denied"}),
        ({"mode": "edits"}, {"one": "not_run"}),
    ],
)
async def test_rules_and_modes_hold_for_tools_of_servers(
    given: McpGiven, rules: dict[str, Any], statuses: dict[str, str]
) -> None:
    servers = tuple(given.odd(name, "plain") for name in statuses)
    await given.knows(*servers)
    every = Calls(calls=tuple(a_call(f"mcp__{name}__it", name) for name in statuses))
    talk = await given.talk(every, says("So."), servers=servers, has_human=False, **rules)

    talk.say("go")
    await talk.outcome()

    assert {name: talk.result(name).status for name in statuses} == statuses
    done = list(statuses.values()).count("ok")
    await given.diary.has("call it", done)
    assert given.diary.lines.count("call it") == done


async def test_a_server_that_hangs_keeps_nobody_waiting(given: McpGiven) -> None:
    hanging = given.odd("slow", "hangs", connect_timeout_s=0.5)
    talk = await given.talk(
        held(says("Hi."), "gate"), says("Still here."), servers=(hanging, given.odd("odd", "plain"))
    )
    talk.say("hello")
    await given.diary.has("hangs")

    received = list(talk.server.requests)
    talk.server.release("gate")

    assert len(received) == 1
    assert await talk.outcome() == "answered"
    failed = await talk.heard_of(NoticePosted, lambda notice: notice.code == "mcp.failed")
    assert failed.params["server"] == "slow"
    await talk.heard_of(ToolsChanged)
    talk.say("and now?")
    await talk.outcome()
    assert served(talk.server.requests[-1]) == ["mcp__odd__it"]


async def test_a_call_of_a_server_that_hangs_fails_and_the_turn_goes_on(given: McpGiven) -> None:
    well, hanging = given.odd("slow", "plain"), given.odd("slow", "hangs", connect_timeout_s=0.3)
    await given.knows(well)
    pin_path(given.home, well).rename(pin_path(given.home, hanging))
    talk = await given.talk(calls("mcp__slow__it", "c1"), says("Too bad."), servers=(hanging,), mode="auto")

    talk.say("go")

    assert await talk.outcome() == "answered"
    assert talk.result("c1").status == "failed"
    assert "has not answered within 0.3 s" in talk.told_model("c1")


@pytest.mark.parametrize("way", ["stdio", "http"])
async def test_a_server_that_is_killed_mid_call_fails_it_and_serves_the_next(given: McpGiven, way: str) -> None:
    server, sample = (given.odd("sample", "able"), None) if way == "stdio" else await given.http()
    await given.knows(server)
    script = [calls("mcp__sample__wait", "c1"), calls("mcp__sample__add", "c2", a=1, b=1), says("Two.")]
    talk = await given.talk(*script, servers=(server,), **ALLOWED)
    talk.say("go")
    await given.diary.has("wait began")

    if sample is None:
        os.kill(given.diary.pids[-1], signal.SIGKILL)
    else:
        await sample.kill()
        await sample.start()

    assert await talk.outcome() == "answered"
    assert "was lost" in talk.told_model("c1")
    assert talk.result("c1").status == "failed"
    assert "\n2\n" in talk.told_model("c2")


async def test_an_interrupt_cancels_the_call_at_the_server(given: McpGiven) -> None:
    able = given.odd("sample", "able")
    await given.knows(able)
    talk = await given.talk(calls("mcp__sample__wait", "c1"), says("?"), servers=(able,), **ALLOWED)
    talk.say("go")
    await given.diary.has("wait began")

    talk.interrupt()

    assert await talk.outcome() == "aborted"
    await given.diary.has("wait cancelled")
    assert talk.result("c1").status == "cancelled"
    assert "may have had part of its effect" in talk.result("c1").text


async def test_pictures_are_seen_by_the_model_everything_else_is_named_and_failures_are_failures(
    given: McpGiven, sample: McpServer
) -> None:
    await given.knows(sample)
    tools = ("picture", "mixed", "march", "fail")
    wanted = {"march": {"steps": 2, "pause_s": 0}, "fail": {"why": "no"}}
    four = Calls(calls=tuple(a_call(f"mcp__sample__{tool}", tool, **wanted.get(tool, {})) for tool in tools))
    talk = await given.talk(four, says("Red."), servers=(sample,), **ALLOWED)

    talk.say("look")
    await talk.outcome()

    (picture,) = talk.result("picture").images
    assert picture.mime == "image/png"
    mixed = talk.result("mixed")
    assert "first\n[audio (audio/wav), 4 bytes, not shown]\n" in mixed.text
    assert "is not a picture" in mixed.text
    assert mixed.images == ()
    assert [one.chunk for one in talk.shown if isinstance(one, CallOutput)] == ["1/2 step 1\n", "2/2 step 2\n"]
    assert talk.result("fail").status == "failed"
    assert "Error executing tool fail" in talk.told_model("fail")


async def test_servers_see_no_keys_of_providers(given: McpGiven) -> None:
    able = given.odd("sample", "able")
    await given.knows(able)
    given.environ["OPENAI_API_KEY"] = "sk-0123456789"
    names = ("OPENAI_API_KEY", "HOME")
    both = Calls(calls=tuple(a_call("mcp__sample__environment", name, name=name) for name in names))
    talk = await given.talk(both, says("So."), servers=(able,), **ALLOWED)

    talk.say("go")
    await talk.outcome()

    assert "\n(unset)\n" in talk.told_model("OPENAI_API_KEY")
    assert f"\n{given.environ['HOME']}\n" in talk.told_model("HOME")


async def test_a_servers_question_is_answered_field_by_field_or_declined_as_a_whole(
    given: McpGiven, sample: McpServer
) -> None:
    await given.knows(sample)
    script = [calls("mcp__sample__order", "c1"), says("Ordered."), calls("mcp__sample__order", "c2"), says("Well.")]
    talk = await given.talk(*script, servers=(sample,), **ALLOWED)
    talk.say("order")
    for number, answer in enumerate(("tea", "many", "2", "yes"), start=1):
        talk.answer(await talk.asked(number), decision="once", text=answer)
    first_outcome = await talk.outcome()
    talk.say("order again")

    talk.answer(await talk.asked(5), text="tea")
    talk.answer(await talk.asked(6), decision="deny")

    assert (first_outcome, await talk.outcome()) == ("answered", "answered")
    first, _, third, fourth, _, _ = talk.all_of(AskOpened)
    assert first.text == "The MCP server sample asks: What shall it be?\nName"
    assert third.text.startswith("many is not a number that fits.")
    assert fourth.options == ("yes", "no", "(decline)")
    assert '"name":"tea","count":2,"wrapped":true' in talk.told_model("c1")
    assert "\ndecline: -\n" in talk.told_model("c2")


async def test_without_a_human_a_servers_question_is_declined(given: McpGiven, sample: McpServer) -> None:
    await given.knows(sample)
    script = [calls("mcp__sample__order", "c1"), says("Nobody there.")]
    talk = await given.talk(*script, servers=(sample,), has_human=False, **ALLOWED)

    talk.say("order")

    assert await talk.outcome() == "answered"
    assert "\ndecline: -\n" in talk.told_model("c1")


async def test_of_many_tools_some_are_listed_and_the_others_found(given: McpGiven, sample: McpServer) -> None:
    await given.knows(given.odd("odd", "many"), sample)
    found = Calls(calls=(a_call("mcp__find", "c1", query="add numbers"),))
    used = through_call("c2", "mcp__sample__add", a=2, b=5)
    slip = through_call("c3", "mcp__sample__ad")
    talk = await given.talk(found, used, slip, says("Seven."), servers=(given.odd("odd", "many"), sample), **ALLOWED)

    talk.say("go")

    assert await talk.outcome() == "answered"
    offered = served(talk.server.requests[0])
    assert len(offered) == 40 + 3
    assert offered[-3:] == ["mcp__find", "mcp__call", "mcp__resource"]
    assert all(len(name) <= 64 for name in offered)
    assert len(set(offered)) == len(offered)
    best = json.loads(talk.told_model("c1").splitlines()[0])
    assert (best["name"], sorted(best["schema"]["properties"])) == ("mcp__sample__add", ["a", "b"])
    assert "\n7\n" in talk.told_model("c2")
    assert [one.tool for one in talk.all_of(CallStarted)] == ["mcp__find", "mcp__sample__add"]
    assert "Did you mean mcp__sample__add?" in talk.told_model("c3")


async def test_a_tool_that_was_found_is_judged_by_its_own_name(given: McpGiven) -> None:
    await given.knows(given.odd("odd", "many"), given.odd("sample", "able"))
    used = through_call("c1", "mcp__sample__add", a=2, b=5)
    servers = (given.odd("odd", "many"), given.odd("sample", "able"))
    talk = await given.talk(used, says("No."), servers=servers, mode="auto", deny=("mcp__sample__add",))

    talk.say("go")
    await talk.outcome()

    assert talk.result("c1").status == "denied"


async def test_resources_are_listed_and_read(given: McpGiven, sample: McpServer) -> None:
    await given.knows(sample)
    script = [
        calls("mcp__resource", "c1", server="sample"),
        calls("mcp__resource", "c2", server="sample", uri="note://today"),
        calls("mcp__resource", "c3", server="simple"),
        says("Milk."),
    ]
    talk = await given.talk(*script, servers=(sample,), mode="auto")

    talk.say("What is on my list?")

    assert await talk.outcome() == "answered"
    assert "[resource today at note://today: The note of today.]" in talk.told_model("c1")
    assert "[note://today]\nBuy milk." in talk.told_model("c2")
    assert "There is no MCP server 'simple'" in talk.told_model("c3")


async def test_a_vps_file_says_which_servers_it_may_use(given: McpGiven, sample: McpServer) -> None:
    await given.knows(sample)
    given.vp("clerk", tools="{allow: [mcp__sample__a*, FileRead]}")
    given.vp("guest", tools="{allow: [FileRead]}")
    script = cast(
        for_vp("clerk", calls("mcp__sample__fail", "c1", why="x"), says("Done.")), for_vp("guest", says("Hello."))
    )
    talk = await given.talk(script, servers=(sample,), mode="auto")

    talk.say("@clerk @guest go")
    await talk.outcomes()

    requests = {("clerk" if "(@clerk)" in str(one.body) else "guest"): served(one) for one in talk.server.requests}
    assert requests == {"clerk": ["mcp__sample__add", "mcp__resource"], "guest": []}
    assert talk.result("c1").status in ("denied", "failed")
    assert "fail" not in given.diary.lines


async def test_a_project_server_waits_for_trust(given: McpGiven) -> None:
    server = {"command": "/bin/sh", "args": ["-c", "touch was-run; exec cat"]}
    given.file(".mcp.json", json.dumps({"mcpServers": {"evil": server}}))
    talk = await given.session(says("Hi."))

    talk.say("hello")

    assert await talk.outcome() == "answered"
    assert served(talk.server.requests[0]) == []
    await talk.close()
    assert not (given.folder / "was-run").exists()


async def test_one_server_is_there_for_every_vp_and_sub_agent_and_is_gone_with_the_session(given: McpGiven) -> None:
    odd = given.odd("odd", "plain")
    await given.knows(odd)
    one = calls("mcp__odd__it", "c1")
    script = cast(
        for_vp("omni/ann", one, says("Done.")),
        for_vp("omni", spawns("ann"), waits("ann"), one, says("Both did it.")),
        for_vp("builder", one, says("I, too.")),
    )
    talk = await given.talk(script, servers=(odd,), allow=("mcp__odd",), roster=("omni", "builder"))

    talk.say("@all go")

    assert await talk.outcomes() == {"omni": "answered", "builder": "answered"}
    await given.diary.has("call it", 3)
    assert given.diary.lines.count("call it") == 3
    assert len([line for line in given.diary.lines if line.startswith("started ")]) == 1
    assert "Done." in talk.told_model("w1")
    await talk.close()
    await gone(*given.diary.pids)
