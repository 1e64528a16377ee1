"""Runs of graphs in which a user's own functions, nested graphs, loops and lists go ways that are easily got wrong."""

import json

from e2e.conftest import Serve
from e2e.given import Yeaft
from e2e.graphs_given import put
from e2e.typist import Typist
from yeaft.interfaces.cli.terminal_text import width
from yeaft.llm.scripted.script import Calls, Holds, Line, Says, Script, call

DONE = Script(lines=(Line(steps=(Says(text="done"),), repeat=True),))
NESTED = """
graph:
  name: outer
  steps:
    - {id: more, graph: inner}
graphs:
  inner:
    steps:
      - {id: a, agent: omni, prompt: "First {{ input }}"}
      - {id: b, graph: innermost}
  innermost:
    steps:
      - {id: c, agent: omni, prompt: "Last {{ input }}"}
"""
LOOP = """
graph:
  name: loop
  limits: {max_steps: 3}
  steps:
    - {id: write, agent: omni, prompt: "Try {{ visit }}"}
    - {id: judge, agent: skeptic, prompt: "Judge {{ input }}"}
  edges:
    - {from: start, to: write}
    - {from: write, to: judge}
    - {from: judge, to: write, max_visits: 9}
"""


async def test_a_function_that_would_end_the_program_only_fails_its_step(yeaft: Yeaft, serve: Serve) -> None:
    await serve(DONE)
    put(yeaft, "import sys\n\n\ndef stop(value):\n    sys.exit(3)\n", "ending.py")
    put(yeaft, "import sys\n\nsys.exit(4)\n\n\ndef never(value):\n    return value\n", "ending_at_once.py")

    for path in ("ending.stop", "ending_at_once.never"):
        put(yeaft, f"graph:\n  steps:\n    - {{id: own, call: {path}}}\n")
        ran = await yeaft.run("graph", "run", "g.yaml", "tea")

        assert ran.code == 1, ran.err
        assert f"Step 'own' failed: {path}" in ran.err
        (row, *_) = json.loads(yeaft.here("graph", "ls", "--json").out)
        assert row["state"] == "failed"


async def test_what_nested_graphs_cost_is_not_called_nothing_when_nobody_knows(yeaft: Yeaft, serve: Serve) -> None:
    await serve(DONE)
    put(yeaft, NESTED)

    ran = await yeaft.run("graph", "run", "g.yaml", "tea", "--json")

    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["cost"] is None
    assert "$" not in ran.err
    (step,) = json.loads(yeaft.here("graph", "logs", "last", "--json").out)
    assert step["cost"] is None


async def test_requests_of_nested_graphs_are_rebuilt_with_the_run_and_with_its_session(
    yeaft: Yeaft, serve: Serve
) -> None:
    server = await serve(DONE)
    put(yeaft, NESTED)
    ran = json.loads((await yeaft.run("graph", "run", "g.yaml", "tea", "--json")).out)

    for word in (ran["run"], ran["session"]):
        replayed = await yeaft.run("replay", word, "--check")

        assert replayed.code == 0, replayed.err
        assert replayed.out.decode().count("equal") == len(server.requests) == 2


async def test_a_run_whose_start_fits_no_list_names_no_step_to_try_again(yeaft: Yeaft, serve: Serve) -> None:
    await serve(DONE)
    steps = "    - {id: each, agent: omni, prompt: '{{ input }}'}\n    - {id: all, agent: omni}\n"
    edges = "    - {from: start, to: each, map: true}\n    - {from: each, to: all, join: true}\n"
    put(yeaft, f"graph:\n  steps:\n{steps}  edges:\n{edges}")

    ran = await yeaft.run("graph", "run", "g.yaml", "no list")

    assert ran.code == 1
    assert "spreads a list" in ran.err
    assert "graph retry" not in ran.err


async def test_a_loop_cut_short_by_a_limit_gives_what_was_written_last(yeaft: Yeaft, serve: Serve) -> None:
    await serve(
        Script(
            lines=(
                Line(when="Try 0", steps=(Says(text="rough"),)),
                Line(when="Judge", steps=(Says(text="do it again"),), repeat=True),
                Line(when="Try 1", steps=(Says(text="smooth"),)),
            )
        )
    )
    put(yeaft, LOOP)

    ran = await yeaft.run("graph", "run", "g.yaml", "tea", "-q")

    assert (ran.code, ran.out.decode()) == (4, "smooth\n"), ran.err


async def test_values_stand_in_prompts_and_questions_as_json(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(DONE)
    prompt = "Of {{ params.of }}: {{ params.of.ok }}, {{ params.of.no }}"
    put(yeaft, f"graph:\n  params: {{of: }}\n  steps:\n    - {{id: a, agent: omni, prompt: '{prompt}'}}\n")

    ran = await yeaft.run("graph", "run", "g.yaml", "-p", 'of={"ok": true, "no": null, "names": ["茶", "it\'s"]}')

    assert ran.code == 0, ran.err
    said = json.dumps(server.requests[0].body, ensure_ascii=False)
    wanted = 'Of {"ok":true,"no":null,"names":["茶","it\'s"]}: true, null'
    assert json.dumps(wanted, ensure_ascii=False)[1:-1] in said


async def test_what_should_be_a_mapping_is_told_without_names_from_inside(yeaft: Yeaft) -> None:
    put(yeaft, "graph:\n  steps:\n    - null\n    - 5\n")
    checked = yeaft.here("graph", "check", "g.yaml")

    assert checked.code == 65
    assert checked.err.count("steps: each one must be a mapping") == 2
    assert "Written" not in checked.err


async def test_a_flow_that_ends_without_progress_says_why_and_names_no_module_of_ours(
    yeaft: Yeaft, serve: Serve
) -> None:
    await serve(DONE)

    ran = await yeaft.run("flow", "test-repair", "@builder", "--cmd", "false", "--mode", "auto", "mend it")

    assert ran.code == 1
    assert "no progress" in ran.err
    assert "yeaft.workflows" not in ran.err


async def test_a_list_of_runs_says_which_of_them_waits_for_the_user(yeaft: Yeaft, serve: Serve) -> None:
    await serve(DONE)
    put(yeaft, "graph:\n  steps:\n    - {id: q, ask: 'Tea or coffee?'}\n")
    assert (await yeaft.run("graph", "run", "g.yaml")).code == 3

    assert "needs you" in (await yeaft.run("graph", "ls")).out.decode()
    (row,) = json.loads(yeaft.here("graph", "ls", "--json").out)
    assert (row["state"], row["asked"]) == ("open", "Tea or coffee?")

    assert (await yeaft.run("graph", "resume", "last", "--answer", "tea")).code == 0
    (row,) = json.loads(yeaft.here("graph", "ls", "--json").out)
    assert (row["state"], row["asked"]) == ("completed", "")


QUIET = """
graph:
  steps:
    - {id: first, call: quiet.say}
    - {id: second, call: quiet.say}
"""
GIVEN_UP = """
graph:
  steps:
    - {id: look, call: quiet.say}
    - {id: spent, limit: rounds, fail: "Not in {{ params.rounds }} rounds."}
  edges:
    - {from: start, to: look}
    - {from: look, to: spent}
  params: {rounds: 3}
"""


async def test_a_run_that_ends_at_a_limit_with_nothing_to_show_says_how_far_it_came(yeaft: Yeaft) -> None:
    put(yeaft, "def say(value):\n    return ''\n", "quiet.py")
    told = []

    for text, how in ((QUIET, ("--max-steps", "1")), (GIVEN_UP, ())):
        put(yeaft, text)
        ran = await yeaft.run("graph", "run", "g.yaml", "tea", *how)
        assert (ran.code, ran.out) == (4, b""), ran.err
        assert "the best there was" not in ran.err
        told.append(ran.err)

    assert "stopped at its limit of steps (1): it came as far as step first, and there is no result." in told[0]
    assert "stopped at its limit of rounds: Not in 3 rounds.\n" in told[1]
    assert "Nothing to show: it came as far as step look, and there is no result." in told[1]


async def test_a_text_of_brackets_alone_is_text_and_a_value_without_bottom_fails_its_step(
    yeaft: Yeaft, serve: Serve
) -> None:
    await serve(Script(lines=(Line(steps=(Says(text="[" * 50_000),), repeat=True),)))
    put(
        yeaft,
        """
graph:
  steps: [{id: say, agent: omni}, {id: good, call: own.length}, {id: other, call: own.length}]
  edges:
    - {from: start, to: say}
    - {from: say, to: good, condition: {type: match, field: verdict, value: good}}
    - {from: say, to: other, else: true}
""",
    )
    code = "def length(value):\n    return len(value)\n\n\ndef deep(value):\n    for _ in range(400):\n        value = [value]\n"
    put(yeaft, code + "    return value\n", "own.py")

    text = await yeaft.run("graph", "run", "g.yaml", "tea")
    put(yeaft, "graph: {steps: [{id: dig, call: own.deep}]}")
    value = await yeaft.run("graph", "run", "g.yaml", "tea")

    assert text.out == b"50000\n", text.err
    assert value.code == 1
    assert "Step 'dig' failed: what it gave is nested more than 200 deep" in value.err


async def test_a_function_that_never_returns_keeps_nobody_here(yeaft: Yeaft) -> None:
    put(yeaft, "from threading import Event\n\n\ndef waits(value):\n    Event().wait()\n", "own.py")
    put(yeaft, "graph: {steps: [{id: a, call: own.waits, timeout: 200ms}]}")

    ran = await yeaft.run("graph", "run", "g.yaml", "tea")

    assert ran.code == 1
    assert "Step 'a' timed out: it took longer than 0.2 s" in ran.err


async def test_whatever_a_function_raises_its_step_ends(yeaft: Yeaft) -> None:
    raised = ("StopIteration", "KeyboardInterrupt", "GeneratorExit", "__import__('asyncio').CancelledError")
    code = "".join(f"def f{n}(value):\n    raise {one}\n\n\n" for n, one in enumerate(raised))
    put(yeaft, code, "own.py")

    for number in range(len(raised)):
        put(yeaft, f"graph: {{steps: [{{id: a, call: own.f{number}}}]}}")
        ran = await yeaft.run("graph", "run", "g.yaml", "tea")

        assert ran.code == 1, ran.err
        assert f"Step 'a' failed: own.f{number}: it raised " in ran.err


async def test_what_functions_print_is_never_part_of_the_answer(yeaft: Yeaft) -> None:
    (yeaft.folder / "loud.py").write_text(
        "import os, subprocess\nprint('imported')\n"
        "def said(value):\n    print('called')\n    subprocess.run(['echo', 'echoed'])\n    os.write(1, b'bare\\n')\n"
        "    return value\n"
    )
    put(yeaft, "graph: {steps: [{id: a, call: loud.said}]}")

    ran = {
        form: await yeaft.run("--trust", "graph", "run", "g.yaml", "tea", "--output-format", form)
        for form in ("text", "json", "stream-json")
    }
    again = await yeaft.run("--trust", "graph", "retry", "last", "a")
    tested = await yeaft.run("--trust", "graph", "test", "g.yaml", "tea", "--cassette", "t.jsonl", "--record", "--json")

    for one in (*ran.values(), again, tested):
        assert not any(word in one.out for word in (b"imported", b"called", b"echoed", b"bare")), one
        assert {"imported", "called", "echoed", "bare"} <= set(one.err.splitlines()), one
    assert (ran["text"].out, again.out) == (b"tea\n", b"tea\n")
    assert json.loads(tested.out)["outcome"] == "completed"


NARROW = """
graph:
  name: 一个很长的流程名字和更多
  steps:
    - {id: list, agent: omni, prompt: "List {{ input }}", output: [str]}
    - {id: look_at_every_single_one, agent: omni, prompt: "Look at {{ input }}"}
    - {id: 总结, agent: omni, prompt: "Sum {{ input }}"}
  edges:
    - {from: list, to: look_at_every_single_one, map: true}
    - {from: look_at_every_single_one, to: 总结, join: true}
"""


async def test_on_a_narrow_terminal_names_are_cut_and_how_far_it_is_stays(yeaft: Yeaft, serve: Serve) -> None:
    lines = (
        Line(when="List", steps=(Says(text='["a", "b"]'),)),
        Line(when="Look at a", steps=(Says(text="seen"),)),
        Line(when="Look at b", steps=(Holds(of=Says(text="seen"), after_events=0, gate="go"),)),
    )
    server = await serve(Script(lines=lines, fallback=Says(text="done")))
    put(yeaft, NARROW)
    yeaft.environ |= {"COLUMNS": "40"}
    user = Typist(yeaft, "graph", "run", "g.yaml", "tea")

    await user.sees("…  1/2 ")
    await user.sees("…[2/2]  @omni")
    server.release("go")
    shown = await user.ends_with()

    tree = [line for line in shown if line.startswith(("├─ ✓", "└─ ✓"))][-3:]
    assert [" tok" in line and width(line) < 40 for line in tree] == [True] * 3, tree
    assert "…  2/2 " in tree[1]
    assert any(line.startswith("一个很长的…  4 steps done") for line in shown), shown


async def test_what_a_run_was_allowed_is_told_as_it_was_said(yeaft: Yeaft, serve: Serve) -> None:
    await serve(Script(fallback=Holds(of=Says(text="never"), after_events=0, gate="never")))
    put(yeaft, "graph: {steps: [{id: work, agent: omni, prompt: x}]}")

    ran = await yeaft.run("graph", "run", "g.yaml", "tea", "--timeout", "1s")

    assert ran.code == 4, ran.err
    assert "stopped at its limit of time (1.0s)" in ran.err


async def test_a_program_hears_what_a_call_of_a_vp_waits_for(yeaft: Yeaft, serve: Serve) -> None:
    await serve(Script(fallback=Calls(calls=(call("Bash", command="touch made"),))))
    put(yeaft, "graph: {steps: [{id: work, agent: omni, prompt: x}]}")

    ran = await yeaft.run("graph", "run", "g.yaml", "tea", "--json")

    assert (ran.code, ran.result["outcome"]) == (3, "needs_human")
    assert ran.result["error"] == ran.result["questions"][0]["text"]
    assert "touch made" in ran.result["error"]
    (listed,) = json.loads(yeaft.here("graph", "ls", "--json").out)
    assert listed["asked"] == ran.result["error"]
