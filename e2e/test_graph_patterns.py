"""Regular expressions in graphs that a model's text makes slow: stopped, told, and not in the way of the others."""

import json

from e2e.conftest import Serve
from e2e.given import Yeaft
from e2e.graphs_given import put, visits
from yeaft.llm.scripted.script import Calls, Line, Says, Script, call

EVIL = "a" * 50 + "!"
SLOW = """
graph:
  name: slow
  steps:
    - {id: say, agent: omni, prompt: "Say it"ROUTE}
    - {id: good, agent: omni, prompt: "Good: {{ input }}"}
    - {id: bad, agent: omni, prompt: "Bad: {{ input }}"}
  edges:
    - {from: start, to: say}
    - {from: say, to: good, condition: {type: match, regex: PATTERN}}
    - {from: say, to: bad, else: true}
"""
EVIL_SAID = Script(
    lines=(
        Line(when="Say it", steps=(Says(text=EVIL),), repeat=True),
        Line(when="Good:", steps=(Says(text="it was good"),), repeat=True),
        Line(when="Bad:", steps=(Says(text="it was bad"),), repeat=True),
    )
)


def slow(pattern: str, route: str = "") -> str:
    return SLOW.replace("PATTERN", f"'{pattern}'").replace("ROUTE", route)


async def test_a_pattern_that_never_ends_fails_its_run_with_its_name_and_its_place(yeaft: Yeaft, serve: Serve) -> None:
    await serve(EVIL_SAID)
    put(yeaft, slow("(a+)+$"))

    checked = await yeaft.run("graph", "check", "g.yaml")
    ran = await yeaft.run("graph", "run", "g.yaml", "tea")

    assert checked.code == 0, checked.err
    assert ran.code == 1, ran.err
    assert (
        "What follows 'say' failed: The condition of the edge say -> good (line 10): "
        "the regular expression '(a+)+$' takes more than 2 s on what 'say' gave" in ran.err
    )


async def test_a_pattern_that_never_ends_takes_the_way_for_errors_of_the_step_before(
    yeaft: Yeaft, serve: Serve
) -> None:
    await serve(EVIL_SAID)
    put(yeaft, slow("(a+)+$", ", on_error: 'route:bad'"))

    ran = await yeaft.run("graph", "run", "g.yaml", "tea")

    assert ran.code == 0, ran.err
    assert ran.out == b"it was bad\n"


WAYS = {"^a{50}!$": "good", "a+b": "bad", r"(?P<one>a)(?P=one)+\W\Z": "good", "^a": "good", "b|c": "bad"}


async def test_patterns_mean_what_they_mean_in_python_wherever_they_are_tried(yeaft: Yeaft, serve: Serve) -> None:
    await serve(EVIL_SAID)
    steps, edges = [], []
    for number, pattern in enumerate(WAYS):
        steps.append(f"{{id: say{number}, agent: omni, prompt: Say it}}")
        steps += [f"{{id: {way}{number}, agent: omni, prompt: '{way.title()}:'}}" for way in ("good", "bad")]
        edges.append(f"{{from: start, to: say{number}}}")
        edges.append(f"{{from: say{number}, to: good{number}, condition: {{type: match, regex: '{pattern}'}}}}")
        edges.append(f"{{from: say{number}, to: bad{number}, else: true}}")
    put(yeaft, f"graph:\n  steps: [{', '.join(steps)}]\n  edges: [{', '.join(edges)}]\n")

    ran = await yeaft.run("graph", "run", "g.yaml", "tea")

    assert ran.code == 0, ran.err
    gone = {visit["step"] for visit in visits(yeaft)} - {f"say{number}" for number in range(len(WAYS))}
    assert gone == {f"{way}{number}" for number, way in enumerate(WAYS.values())}


async def test_what_a_vp_hands_over_is_not_held_for_ever_against_a_pattern(yeaft: Yeaft, serve: Serve) -> None:
    handed = [Calls(calls=(call("FinishStep", value={"word": word}),)) for word in (EVIL, "aa")]
    server = await serve(Script(lines=(Line(steps=(*handed, Says(text="Handed over.")), order="round", repeat=True),)))
    put(
        yeaft,
        """
graph:
  steps:
    - id: say
      agent: omni
      output: {type: object, properties: {word: {type: string, pattern: "^(a+)+$"}}, required: [word]}
""",
    )

    ran = await yeaft.run("graph", "run", "g.yaml", "tea")

    assert ran.code == 0, ran.err
    assert json.loads(ran.out) == {"word": "aa"}
    assert any("a pattern there may be too slow" in str(one.body) for one in server.requests)
