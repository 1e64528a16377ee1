"""`yeaft graph run --input-format stream-json`: a program that answers what a graph and its steps ask."""

from asyncio.subprocess import PIPE

from e2e.conftest import Serve
from e2e.given import Yeaft
from e2e.test_json_input import TALK, Talk
from yeaft.llm.scripted.script import Calls, Line, Says, Script, call

ASKS = """
graph:
  steps:
    - {id: colour, ask: "Which colour?", options: [red, blue]}
    - {id: ok, approve: "Is {{ input }} right?"}
    - {id: made, tool: Bash, args: {command: "touch {{ input }}"}}
    - {id: write, agent: omni, prompt: "Write {{ steps.colour }}"}
"""


async def graph_of(yeaft: Yeaft, text: str, *words: str) -> Talk:
    (yeaft.folder / "graph.yaml").write_text(text, encoding="utf-8")
    return Talk(yeaft, await yeaft.start("graph", "run", "graph.yaml", *words, *TALK, stdin=PIPE))


async def test_questions_approvals_and_calls_get_the_programs_answers(yeaft: Yeaft, serve: Serve) -> None:
    steps = (Calls(calls=(call("Bash", command="touch by-vp"),)), Says(text="It is written."))
    await serve(Script(lines=(Line(steps=steps),)))
    talk = await graph_of(yeaft, ASKS)

    asked: list[str] = []
    for answer in ({"choices": ["blue"]}, {"decision": "once"}, {"decision": "once"}, {"decision": "once"}):
        ask = await talk.heard("ask.opened")
        asked.append(ask["text"])
        talk.say(type="answer", id=ask["ask_id"], **answer)
    ran = await talk.end()

    assert asked[:2] == ["Which colour?", "Is blue right?"]
    assert ["touch blue" in asked[2], "touch by-vp" in asked[3]] == [True, True]
    assert (ran.code, ran.result["outcome"], ran.result["text"]) == (0, "completed", "It is written.")
    assert [(yeaft.folder / name).exists() for name in ("blue", "by-vp")] == [True, True]


async def test_a_no_to_an_approval_ends_the_run_and_a_wrong_line_is_told_without_harm(yeaft: Yeaft) -> None:
    talk = await graph_of(yeaft, 'graph: {steps: [{id: ok, approve: "Go on?"}]}')

    ask = await talk.heard("ask.opened")
    talk.say(type="answer", id="k_nothing", decision="once")
    refused = await talk.heard("progress.shown")
    talk.say(type="answer", id=ask["ask_id"], decision="deny")
    ran = await talk.end()

    assert refused["code"] == "input.refused"
    assert (ran.code, ran.result["outcome"]) == (1, "failed")


async def test_the_end_of_input_leaves_a_run_that_waits_for_a_human(yeaft: Yeaft) -> None:
    talk = await graph_of(yeaft, 'graph: {steps: [{id: ok, approve: "Go on?"}]}')

    await talk.heard("ask.opened")
    ran = await talk.end()

    assert (ran.code, ran.result["outcome"]) == (3, "needs_human")
    resumed = await yeaft.run("graph", "resume", "last", *TALK, "--answer", "yes")
    assert (resumed.code, resumed.result["outcome"]) == (0, "completed")


async def test_an_interrupt_cancels_the_run(yeaft: Yeaft) -> None:
    talk = await graph_of(yeaft, 'graph: {steps: [{id: ok, approve: "Go on?"}]}')

    await talk.heard("ask.opened")
    talk.say(type="interrupt")
    ran = await talk.end()

    assert (ran.code, ran.result["outcome"]) == (130, "cancelled")
