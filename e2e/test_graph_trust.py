"""Functions that a graph names are code of whoever wrote it: they run unasked, so only where the user trusts the folder."""

import json
from pathlib import Path

import pytest

from e2e.conftest import Serve
from e2e.given import Yeaft
from e2e.graphs_given import ANSWERS, put, runs
from yeaft.llm.scripted.script import Line, Says, Script

CODE = """
from pathlib import Path

Path("was-here").touch()


def shown(value):
    return str(value).upper()


def fine(value):
    return True


def joined(values, initial=None):
    return " ".join(values)
"""
CALLS = {
    "a step": "steps: [{id: a, call: own.shown}]",
    "a condition": """
  steps: [{id: a, agent: omni}, {id: b, agent: omni}]
  edges:
    - {from: start, to: a}
    - {from: a, to: b, condition: {type: not, condition: {type: callable, predicate: own.fine}}}
    - {from: a, to: end, else: true}""",
    "an end of a way": """
  steps: [{id: a, agent: omni}, {id: b, agent: omni}]
  edges:
    - {from: start, to: a}
    - {from: a, to: b, max_visits: 2, stop_condition: {type: callable, predicate: own.fine}}
    - {from: b, to: end}""",
    "a change on the way": """
  steps: [{id: a, agent: omni}, {id: b, agent: omni}]
  edges: [{from: start, to: a}, {from: a, to: b, transform: own.shown}]""",
    "a join": """
  steps: [{id: a, agent: omni}, {id: b, agent: omni}]
  joins: [{id: both, inputs: [a, b], reducer: own.joined}]""",
    "a graph within": """
  steps: [{id: a, graph: inner}]
graphs:
  inner: {steps: [{id: b, call: own.shown}]}""",
}


def written(yeaft: Yeaft, call: str) -> None:
    (yeaft.folder / "own.py").write_text(CODE, encoding="utf-8")
    put(yeaft, f"graph:\n  {CALLS[call].strip()}\n")


@pytest.mark.parametrize("call", CALLS)
async def test_no_function_runs_in_a_folder_that_is_not_trusted(yeaft: Yeaft, serve: Serve, call: str) -> None:
    await serve(ANSWERS)
    written(yeaft, call)

    checked = yeaft.here("graph", "check", "g.yaml")
    shown = yeaft.here("graph", "show", "g.yaml")
    refused = await yeaft.run("graph", "run", "g.yaml", "tea")

    for told in (checked, shown):
        assert told.code == 0, told.err
        assert "It calls functions, which run without being asked about: own." in told.out.decode()
        assert f"yeaft trust {yeaft.folder}" in told.out.decode()
    assert (refused.code, refused.out) == (77, b"")
    assert f"{yeaft.folder} is not trusted" in refused.err
    assert "(own." in refused.err
    assert "for once: yeaft --trust …, or yeaft -y …" in refused.err  # behind `graph run` they mean something else
    assert runs(yeaft) == []
    assert not (yeaft.folder / "was-here").exists()


async def test_functions_run_once_their_folder_is_trusted_or_nothing_is_asked_and_not_after_that_is_taken_back(
    yeaft: Yeaft, serve: Serve
) -> None:
    await serve(ANSWERS)
    (yeaft.folder / "own.py").write_text(CODE, encoding="utf-8")
    put(yeaft, "graph: {steps: [{id: ok, approve: Go on?}, {id: a, call: own.shown}]}")

    once = await yeaft.run("--trust", "graph", "run", "g.yaml", "tea", "--answer", "yes")
    unasked = await yeaft.run("-y", "graph", "run", "g.yaml", "water", "--answer", "yes")
    await yeaft.run("trust", "--yes")
    waiting = await yeaft.run("graph", "run", "g.yaml", "tea")
    checked = yeaft.here("graph", "check", "g.yaml")
    await yeaft.run("trust", "rm", ".")
    refused = await yeaft.run("graph", "resume", "last", "--answer", "yes")
    cancelled = await yeaft.run("graph", "cancel", "last")

    assert (once.out, unasked.out) == (b"TEA\n", b"WATER\n"), (once.err, unasked.err)
    assert waiting.code == 3, waiting.err
    assert checked.out.decode().splitlines()[-1] == (
        "It calls functions, which run without being asked about: own.shown"
    )
    assert refused.code == 77
    assert "own.shown" in refused.err
    assert cancelled.code == 0, cancelled.err
    assert [row["state"] for row in runs(yeaft)] == ["cancelled", "completed", "completed"]


async def test_a_graph_from_elsewhere_is_trusted_by_where_it_is(yeaft: Yeaft, tmp_path: Path) -> None:
    elsewhere = tmp_path / "downloaded"
    elsewhere.mkdir()
    by_model = yeaft.dir / "sessions" / "s1" / "out"
    for folder in (elsewhere, by_model, yeaft.folder / "graphs", yeaft.dir / "graphs"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "own.py").write_text(CODE, encoding="utf-8")
        (folder / "g.yaml").write_text("graph: {steps: [{id: a, call: own.shown}]}", encoding="utf-8")
    yeaft.here("trust", "--yes")

    foreign = await yeaft.run("graph", "run", str(elsewhere / "g.yaml"), "tea")
    within = await yeaft.run("graph", "run", "graphs/g.yaml", "tea")
    mine = await yeaft.run("graph", "run", str(yeaft.dir / "graphs" / "g.yaml"), "tea")

    unknown = await yeaft.run("graph", "run", str(by_model / "g.yaml"), "tea")

    assert (foreign.code, unknown.code) == (77, 77)
    assert f"{elsewhere} is not trusted" in foreign.err
    assert (within.out, mine.out) == (b"TEA\n", b"TEA\n")


async def test_patterns_call_functions_of_yeaft_and_need_no_trust(yeaft: Yeaft, serve: Serve) -> None:
    await serve(Script(lines=(Line(steps=(Says(text="done"),), repeat=True),)))

    ran = await yeaft.run("flow", "test-repair", "@builder", "--cmd", "true", "--mode", "auto", "--", "Do it")
    put(yeaft, yeaft.here("flow", "show", "test-repair", "@builder", "--cmd", "true").out.decode())
    checked = yeaft.here("graph", "check", "g.yaml", "--json")

    assert "is not trusted" not in ran.err
    assert json.loads(checked.out)["graphs"][0]["functions"] == []


EVERYWHERE = """agents:
  reader:
    connections:
      - type: callable
        callable: own.shown
        filter_condition:
          type: not
          condition: {type: callable, predicate: own.fine}
graphs:
  main:
    steps:
      - {id: a, agent: omni}
      - {id: b, agent: omni}
      - id: c
        call: own.shown
    joins:
      - id: both
        inputs: [a, b]
        reducer: own.joined
    edges:
      - {from: start, to: [a, b]}
      - from: both
        to: c
        transform: own.shown
      - from: c
        to: end
        condition:
          type: and
          conditions:
            - {type: contains, words: [TEA]}
            - type: callable
              predicate: own.fine
      - {from: c, to: end, else: true}
"""


async def test_a_refusal_says_in_which_lines_the_functions_are_called(yeaft: Yeaft, serve: Serve) -> None:
    await serve(ANSWERS)
    (yeaft.folder / "own.py").write_text(CODE, encoding="utf-8")
    file = put(yeaft, EVERYWHERE)

    refused = await yeaft.run("graph", "run", "g.yaml", "tea", "--graph", "main")
    checked = yeaft.here("graph", "check", "g.yaml")

    *places, last = refused.err.removeprefix("yeaft: ").splitlines()
    assert (refused.code, refused.out) == (77, b"")
    assert places == [
        f"{file}:5: the function own.shown is called here",
        f"{file}:8: the function own.fine is called here",
        f"{file}:15: the function own.shown is called here",
        f"{file}:19: the function own.joined is called here",
        f"{file}:24: the function own.shown is called here",
        f"{file}:32: the function own.fine is called here",
    ]
    assert last.startswith("The graph 'main' calls functions")
    assert checked.code == 0, checked.err


async def test_every_way_to_run_a_graph_says_in_which_line_it_is_refused_in_the_language_of_the_user(
    yeaft: Yeaft, serve: Serve
) -> None:
    await serve(ANSWERS)
    yeaft.here("trust", "--yes")
    (yeaft.folder / "own.py").write_text(CODE, encoding="utf-8")
    file = put(yeaft, "graph:\n  steps:\n    - {id: ok, approve: Go on?}\n    - {id: a, call: own.shown}\n")
    recorded = await yeaft.run("graph", "test", "g.yaml", "tea", "--cassette", "t.jsonl", "--record", "--answer", "yes")
    await yeaft.run("graph", "run", "g.yaml", "tea")
    yeaft.here("trust", "rm", ".")
    place = f"{file}:4: "

    ran = await yeaft.run("graph", "run", "g.yaml", "tea")
    resumed = await yeaft.run("graph", "resume", "last", "--answer", "yes")
    tested = await yeaft.run("graph", "test", "g.yaml", "--cassette", "t.jsonl")
    typed = await yeaft.run("--line", given=b"/graph g.yaml tea\n/quit\n")
    chinese = await yeaft.run("--lang", "zh", "graph", "run", "g.yaml", "tea")
    typed_chinese = await yeaft.run("--lang", "zh", "--line", given=b"/graph g.yaml tea\n/quit\n")

    assert recorded.code == 0, recorded.err
    assert [one.code for one in (ran, resumed, tested, chinese)] == [77, 77, 77, 77]
    for told in (ran.err, resumed.err, tested.err, typed.err + typed.out.decode()):
        assert f"{place}the function own.shown is called here\n" in told
        assert "is not trusted. If you know what they do: yeaft trust" in told
    for told in (chinese.err, typed_chinese.err + typed_chinese.out.decode()):
        assert f"{place}这里调用函数 own.shown\n" in told
        assert "未被信任" in told


async def test_a_function_beside_a_graph_that_the_folder_brings_is_agreed_to_as_it_is(
    yeaft: Yeaft, serve: Serve
) -> None:
    await serve(ANSWERS)
    place = yeaft.folder / ".yeaft" / "recipes"
    place.mkdir(parents=True)
    (place / "g.yaml").write_text("graph: {steps: [{id: a, call: own.shown}]}", encoding="utf-8")
    (place / "own.py").write_text(CODE, encoding="utf-8")
    yeaft.here("trust", "--yes")

    agreed = await yeaft.run("graph", "run", ".yeaft/recipes/g.yaml", "tea")
    (place / "own.py").write_text(CODE.replace("upper", "lower"), encoding="utf-8")
    changed = await yeaft.run("graph", "run", ".yeaft/recipes/g.yaml", "tea")

    assert (agreed.code, agreed.out) == (0, b"TEA\n"), agreed.err
    assert (changed.code, changed.out) == (77, b"")
    assert f"{place}/g.yaml:1: the function own.shown is called here" in changed.err
