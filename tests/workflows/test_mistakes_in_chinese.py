"""Whatever is wrong with a file of graphs is told in Chinese to whoever reads Chinese, to the last word of it."""

import re

import pytest

from tests.workflows.graph_files import read
from tests.workflows.test_bad_graphs import BAD
from yeaft.kernel.errors import BadData
from yeaft.prompts.ui import Ui

A = "{id: a, agent: omni"


def steps(*written: str, more: str = "") -> str:
    return f"graph:\n  steps: [{', '.join(written)}]\n{more}"


def edges(*written: str) -> str:
    return steps(A + "}", "{id: b, agent: omni}", more=f"  edges: [{', '.join(written)}]\n")


MORE = {
    "limits": "graph:\n  limits: {max_steps: 0, cost: 0, minutes: x}\n  on_end: stop\n  params: [1]\n  steps: []\n",
    "retries": steps(A + ", retries: 20}", A + "b, retries: {max: 30, on: [never]}}", A + "c, retries: often}"),
    "keys of steps": steps(A + ", timeout: soon, workspace: mine, args: x, options: x, model: 3}"),
    "keys of edges": edges("{from: [], to: a, mode: walk, max_items: 0, priority: high, map: maybe}"),
    "keys of joins": steps(A + "}", more="  joins: [{id: j, inputs: [], first: -1, stop: soon, key: 3}]\n"),
    "conditions": edges(
        *(
            f"{{from: a, to: b, condition: {one}}}"
            for one in (
                *("{type: count, max: 0}", "{type: contains, words: []}", "{type: judge, vp: omni}", "text"),
                *("{type: match, field: x, gt: much}", "{type: and, conditions: []}", "{field: x}"),
            )
        )
    ),
    "regular expressions": edges(
        *(
            f"{{from: a, to: b, condition: {{type: match, regex: '{one}'}}}}"
            for one in ("(x", "x)", "*", "[a", "[z-a]", r"\\q")
        )
    ),
    "expressions": edges(
        "{from: a, to: b, transform: 'value +'}",
        "{from: a, to: b, transform: 'valu.x'}",
        "{from: a, to: b, condition: {type: expr, expr: 'value ==='}}",
        "{from: a, to: b, condition: {type: expr, expr: '__import__(1)'}}",
    ),
    "templates": steps(
        *(
            f'{{id: s{number}, agent: omni, prompt: "{one}"}}'
            for number, one in enumerate(
                (
                    "{% for %}",
                    "{{ input | }}",
                    "{% block %}",
                    "{% bad %}",
                    "{% if input %}",
                    "{{ a is odder }}",
                    "{{ ? }}",
                )
            )
        )
    ),
    "declared failures and votes": steps(
        A + "}",
        "{id: b, agent: omni, limit: rounds}",
        "{id: c, fail: '{{ inpt }}'}",
        more="  joins: [{id: j, inputs: [a, b], first: 1, stop: majority}, {id: k, inputs: [a, b], key: x}]\n",
    ),
    "a limit that is none": steps("{id: c, fail: x, limit: hours}"),
    "outputs": steps(
        *(f"{{id: s{number}, agent: omni, output: {one}}}" for number, one in enumerate(("3", "[]", "{}")))
    ),
    "functions": steps("{id: a, call: nope}", "{id: b, call: a.b.c}", "{id: c, call: 1x}"),
    "agents": "agents:\n  a: text\n  b: {inherits: zzz}\nteams:\n  t: {mode: walk, members: [a]}\nconnections: text\n",
    **{
        f"no YAML: {text!r}": text
        for text in (
            *("graph: {a: [}\n", "graph:\n  - a\n b: c\n", "\tgraph: x\n", "graph: 'x\n", "graph: @x\n", "a: b: c\n"),
            *("graph: |3x\n", "%YAML 9.0\n---\ngraph: x", "graph: !<a b\n", "graph: &\n", 'graph: "\\q"\n'),
            *("a: 1\n- b\n", "{a: 1\nb: 2}\n", "--- a\n... b\n"),
        )
    },
}
QUOTED = re.compile(r"“[^”]*”|'[^']*'|`[^`]*`")
ENGLISH = re.compile(r"[A-Za-z]{2,} [a-z]{2,}")


@pytest.mark.parametrize("name", [*BAD, *MORE])
def test_no_part_of_a_mistake_is_left_in_english(name: str) -> None:
    ui = Ui("zh")

    with pytest.raises(BadData) as caught:
        read(MORE[name] if name in MORE else BAD[name][0])

    told = [ui.retold(line) for line in str(caught.value).splitlines()]
    assert [line for line in told if ENGLISH.search(QUOTED.sub("", line))] == []
    assert set(told).isdisjoint(str(caught.value).splitlines())
