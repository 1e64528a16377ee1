"""A graph that is written as YAML and read again is the same graph, and runs as it did."""

import random
from pathlib import Path
from textwrap import dedent

import pytest

from tests.workflows.graph_files import read, structure
from tests.workflows.programs import Builder, Runner, random_program
from yeaft.workflows.graphs.files.writing import file_text

AGENTS = """
agents:
  scout:
    model: x/y
    system_prompt: |
      You look.
       Far.
  judge: {type: human, description: D}
"""
FILES = {
    "a line": "graph: {steps: [{id: a, agent: omni}, {id: b, agent: builder}]}",
    "a fork and a join": """
        graph:
          name: both
          steps: [{id: a, agent: omni}, {id: b, agent: builder}, {id: c, agent: skeptic}]
          edges: [{from: start, to: [a, b]}, {from: [a, b], to: [c, end]}]
    """,
    "every kind of step": """
        graphs:
          main:
            params: {depth: 2, names: [a, "true", "1"]}
            limits: {max_steps: 7, max_parallel: 2, cost: 0.5, tokens: 9, minutes: 3.5}
            on_end: cancel
            steps:
              - id: a
                agent: omni
                label: "Draft: one"
                prompt: "Say {{ input }}\\n\\n  - and {{ params.depth }}\\n"
                shared_prompt: " lead"
                template_vars: {tone: [calm, null, true, 1.5]}
                mcp_servers: [docs]
                model: x/y
                effort: high
                workspace: isolated
                output: {verdict: [accept, revise], issues: [str]}
                retries: {max: 2, delay: 1.5, on: [timeout]}
                timeout: 250ms
                on_error: "route:f"
              - {id: b, agent: builder, out: file}
              - {id: c, tool: Glob, args: {pattern: "{{ input }}", deep: {x: [1, "2"]}}, on_error: continue}
              - {id: d, ask: "Which?", options: ["yes", no]}
              - {id: e, approve: "Go on with 'it' # now?"}
              - {id: f, graph: other, prompt: "{{ input }}", retries: 1}
              - {id: g, call: json.dumps, out: json, on_error: skip}
          other: {steps: [{id: only, agent: omni, out: text}]}
    """,
    "every kind of edge": """
        graph:
          steps: [{id: a, agent: omni}, {id: b, agent: omni}, {id: c, agent: omni}, {id: d, agent: omni}]
          edges:
            - {from: a, to: b, map: true, max_parallel: 3, max_items: 7, label: each}
            - {from: b, to: c, join: true, priority: -2, delay: 1.5}
            - {from: c, to: a, max_visits: 2, condition: {type: match, field: "x[0].y", value: 1, in: [1, 2], gt: 0}}
            - {from: c, to: d, else: true, transform: json.dumps, result_of: a}
            - {from: d, to: b, mode: context}
            - {from: d, to: end, transform: "{'v': value}", mode: run, async: true}
    """,
    "every kind of join": """
        graph:
          steps: [{id: a, agent: omni}, {id: b, agent: omni}, {id: c, agent: omni}, {id: d, agent: omni}]
          joins:
            - {id: quick, inputs: [b, a], first: 1}
            - {id: all, inputs: [a, b], reducer: dict, initial: {x: [1]}}
            - {id: mine, inputs: [quick, all], reducer: json.dumps, initial: []}
          edges:
            - {from: start, to: a}
            - {from: start, to: b}
            - {from: mine, to: c}
            - {from: start, to: d, condition: {type: contains, words: ["no", "1"], mode: all, whole_word: true}}
            - {from: [c, d], to: end, partial: true}
    """,
    "every condition": """
        graph:
          steps: [{id: a, agent: omni}, {id: b, agent: omni}]
          edges:
            - from: a
              to: b
              stop_condition:
                type: or
                conditions:
                  - {type: tokens, max: 5, count_type: prompt, scope: run}
                  - {type: not, condition: {type: elapsed, max: 1.5}}
                  - {type: and, conditions: [{type: cost, max: 0.1}, {type: count, max: 3, scope: run}]}
              condition:
                type: and
                conditions:
                  - {type: judge, vp: skeptic, question: "Is it good: 'yes'?"}
                  - {type: callable, predicate: json.dumps}
                  - {type: expr, expr: "value == 'x' and {'a': 1}.a < 3"}
                  - {type: match, regex: "^a\\\\.b$", lt: 3}
            - {from: a, to: end, else: true}
    """,
    "teams and connections": """
        agents: {scout: {connections: [{type: node, name: inner, delay: 5s, wait_for_completion: false}]}}
        teams:
          inner: {mode: parallel, members: [omni, builder], shared_prompt: S}
          outer: {mode: sequential, members: [scout, inner]}
    """,
}


def written(yaml: str) -> str:
    return AGENTS + dedent(yaml)


@pytest.mark.parametrize("name", FILES)
def test_what_is_written_is_read_as_the_same_graphs(name: str) -> None:
    before = read(written(FILES[name]))

    text = file_text(before.graphs, before.agents, before.main)

    after = read(text)
    assert {one: structure(graph) for one, graph in after.graphs.items()} == {
        one: structure(graph) for one, graph in before.graphs.items()
    }
    assert (after.main, after.agents.keys()) == (before.main, before.agents.keys())
    assert {one.name: (one.persona, one.model, one.kind) for one in after.agents.values()} == {
        one.name: (one.persona, one.model, one.kind) for one in before.agents.values()
    }
    assert file_text(after.graphs, after.agents, after.main) == text


def test_a_random_graph_that_went_through_yaml_comes_to_the_same() -> None:
    for seed in range(150):
        graph = Builder().graph(random_program(seed))
        if len(graph.steps) > 1000:
            continue

        again = read("agents: {x: {}}\n" + file_text({"g": graph}, {}, "g")).graph()

        assert Runner(again).run(random.Random(seed)) == Runner(graph).run(random.Random(seed)), seed


def test_a_file_stays_readable() -> None:
    found = read('graph: {steps: [{id: a, agent: omni, prompt: "One.\\nTwo."}]}', Path("/nowhere"))

    assert file_text(found.graphs, {}, found.main) == (
        "graph:\n"
        "  name: graph\n"
        "  steps:\n"
        "    - id: a\n"
        "      agent: omni\n"
        "      prompt: |-\n"
        "        One.\n"
        "        Two.\n"
        "  edges:\n"
        "    - {from: start, to: a}\n"
        "    - {from: a, to: end}\n"
    )
