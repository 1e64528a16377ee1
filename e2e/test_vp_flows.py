"""VPs that start flows by themselves: only where the user lets them, under the user's rules, and within bounds."""

import json
import signal
from asyncio.subprocess import PIPE
from typing import Any

from e2e.conftest import Serve
from e2e.given import Ran, Yeaft
from yeaft.llm.scripted.script import Calls, Line, Says, Script, ScriptedCall, Stalls

LETS = "[graphs]\nvps_may_start = true\n"


def call(flow: str) -> Calls:
    return Calls(calls=(ScriptedCall(tool="RunFlow", args={"flow": flow}),))


def lets(yeaft: Yeaft, more: str = "") -> None:
    yeaft.dir.mkdir(exist_ok=True)
    (yeaft.dir / "config.toml").write_text(LETS + more, encoding="utf-8")


def flow_script(flow: str) -> Script:
    return Script(
        lines=(
            Line(vp="omni", when="brew", steps=(call(flow), Says(text="They are done."))),
            Line(vp="builder", steps=(Says(text="hot water"),), repeat=True),
            Line(vp="skeptic", steps=(Says(text="green tea"),), repeat=True),
        )
    )


def runs(ran: Ran) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(ran.out)
    return found


def call_result(ran: Ran) -> str:
    return next(line["data"]["text"] for line in ran.lines if line["type"] == "call.finished")


def tools_of(body: dict[str, Any]) -> list[str]:
    return [tool["name"] for tool in body.get("tools", ())]


async def test_a_vp_has_a_flow_run_and_gets_what_came_of_it(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(flow_script('chain @builder @skeptic "a pot of tea"'))
    lets(yeaft)

    ran = await yeaft.run("-p", "brew", "--allow", "RunFlow", "--output-format", "stream-json")

    assert ran.code == 0, ran.err
    assert ran.result["text"] == "They are done."
    assert "completed" in call_result(ran)
    assert "green tea" in call_result(ran)
    (row,) = runs(yeaft.here("graph", "ls", "--json"))
    assert (row["state"], row["source"]) == ("completed", "flow:chain")
    assert "green tea" in str(server.requests[-1].body)


async def test_without_a_word_of_the_user_s_vps_have_no_such_tool(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(Script(lines=(Line(steps=(Says(text="Nothing to run."),), repeat=True),)))

    await yeaft.run("-p", "brew")

    assert "RunFlow" not in tools_of(server.requests[0].body)


async def test_nobody_there_to_ask_means_that_nothing_is_started(yeaft: Yeaft, serve: Serve) -> None:
    await serve(flow_script('chain @builder @skeptic "a pot of tea"'))
    lets(yeaft)

    ran = await yeaft.run("-p", "brew")

    assert ran.code == 3, ran.err
    assert "RunFlow" in ran.err
    assert runs(yeaft.here("graph", "ls", "--json")) == []


async def test_a_vp_cannot_give_its_flow_more_rights_or_a_larger_bound(yeaft: Yeaft, serve: Serve) -> None:
    await serve(flow_script('test-repair @builder --cmd "rm -rf /" --allow Bash --mode auto "tea"'))
    lets(yeaft)
    ran = await yeaft.run("-p", "brew", "--allow", "RunFlow", "--output-format", "stream-json")
    assert "holds for the whole Session" in call_result(ran)
    assert runs(yeaft.here("graph", "ls", "--json")) == []

    lets(yeaft, "vp_run_tokens = 10\n")
    await serve(flow_script('chain @builder @skeptic @builder --max-tokens 900000 "a pot of tea"'))
    ran = await yeaft.run("-p", "brew", "--allow", "RunFlow", "--output-format", "stream-json")
    assert "ended: limit" in call_result(ran)
    assert "hot water" in call_result(ran)


async def test_what_is_wrong_with_the_words_is_told_to_the_vp(yeaft: Yeaft, serve: Serve) -> None:
    for flow, said in (
        ('chian @builder "tea"', "Did you mean 'chain'?"),
        ('chain @nobody "tea"', "nobody"),
        ('chain @builder "tea', "quotes"),
        ("", "flow is empty"),
        ("chain @builder @skeptic", "needs a task"),
    ):
        await serve(flow_script(flow))
        lets(yeaft)
        ran = await yeaft.run("-p", "brew", "--allow", "RunFlow", "--output-format", "stream-json")
        assert said in call_result(ran), flow
        assert ran.result["text"] == "They are done."


async def test_steps_of_a_flow_start_none(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(flow_script('chain @builder @skeptic "a pot of tea"'))
    lets(yeaft)

    await yeaft.run("-p", "brew", "--allow", "RunFlow")

    with_tool = [one for one in server.requests if "RunFlow" in tools_of(one.body)]
    assert len(with_tool) == 2
    assert len(server.requests) == 4


async def test_interrupting_the_vp_ends_its_flow_in_good_order(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(
        Script(
            lines=(
                Line(vp="omni", when="brew", steps=(call('chain @builder @skeptic "tea"'), Says(text="never"))),
                Line(vp="builder", steps=(Stalls(of=Says(text="hot water for all"), after_events=2),)),
            )
        )
    )
    lets(yeaft)
    process = await yeaft.start("-p", "brew", "--allow", "RunFlow", stdout=PIPE)
    await server.received(2)
    process.send_signal(signal.SIGINT)

    assert (await yeaft.ended(process)).code == 130
    (row,) = runs(yeaft.here("graph", "ls", "--json"))
    assert row["state"] == "cancelled"
