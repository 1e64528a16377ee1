"""Whatever is wrong with a file is told with its line and the nearest name, all at once, and nothing is begun."""

import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tests.workflows.graph_files import VPS, find_vp, read
from yeaft.kernel.errors import BadData, NotFound
from yeaft.workflows.graphs.files.made_steps import Names
from yeaft.workflows.graphs.files.reading import read_graphs

STEPS = "graph:\n  steps: [{id: a, agent: omni}, {id: b, agent: builder}, {id: c, agent: skeptic}]\n"


def step(more: str) -> str:
    return f"graph:\n  steps:\n    - {{id: a, {more}}}\n"


def edges(*written: str) -> str:
    return STEPS + "  edges:\n" + "".join(f"    - {{{one}}}\n" for one in written)


BAD = {
    "a cycle without a bound": (
        edges("from: a, to: b", "from: b, to: c", "from: c, to: a"),
        "6: the cycle a -> b -> c -> a has no end; give one of its edges max_visits or a stop_condition",
    ),
    "a step that follows itself": (
        edges("from: a, to: a"),
        "4: the cycle a -> a has no end; give one of its edges max_visits or a stop_condition",
    ),
    "a cycle by way of an error": (
        (
            "graph:\n  steps: [{id: a, agent: omni, on_error: 'route:b'}, {id: b, agent: omni}]\n"
            "  edges:\n    - {from: b, to: a}\n    - {from: a, to: end}\n"
        ),
        "4: the cycle a -> b -> a has no end; give one of its edges max_visits or a stop_condition",
    ),
    "a VP like none": (
        step("agent: zebra"),
        "3: there is no VP or agent named 'zebra'. Write it down under `agents:`, or see `yeaft vp ls`.",
    ),
    "an unknown VP": (step("agent: bulider"), "3: there is no VP or agent named 'bulider'. Did you mean 'builder'?"),
    "an unknown member of a team": (
        "agents: {scout: {}}\nteams:\n  t:\n    members:\n      - scout\n      - scuot\n",
        "6: there is no VP or agent named 'scuot'. Did you mean 'scout'?",
    ),
    "an unknown judge": (
        edges("from: a, to: b, condition: {type: judge, vp: skepitc, question: Good?}", "from: a, to: c, else: true"),
        "4: there is no VP or agent named 'skepitc'. Did you mean 'skeptic'?",
    ),
    "an unknown step": (
        edges("from: a, to: b", "from: b, to: omnii"),
        "5: there is no step 'omnii' in this graph.",
    ),
    "an unknown step after an error": (
        step("agent: omni, on_error: 'route:mend'"),
        "3: there is no step 'mend' in this graph.",
    ),
    "the result of an unknown step": (
        edges("from: a, to: b, result_of: x"),
        "4: there is no step 'x' in this graph.",
    ),
    "an unknown graph": (
        "graphs:\n  one: {steps: [{id: a, graph: tow}]}\n  two: {steps: [{id: a, agent: omni}]}\n",
        "2: there is no graph named 'tow'. Did you mean 'two'?",
    ),
    "an unknown tool": (step("tool: glob"), "3: there is no tool named 'glob'. Did you mean 'Glob'?"),
    "a tool that asks for its VP": (
        step("tool: AskUser, args: {question: Why?}"),
        "3: the tool 'AskUser' is for VPs alone. Write `ask: TEXT`.",
    ),
    "a tool for tasks of a VP": (step("tool: ListTasks"), "3: the tool 'ListTasks' is for VPs alone."),
    "a list that is none": (
        (
            "graph:\n  steps: [{id: a, agent: omni, out: image}, {id: b, agent: omni}, {id: c, agent: omni}]\n"
            "  edges:\n    - {from: a, to: b, map: true}\n    - {from: b, to: c, join: true}\n"
        ),
        "4: 'a' gives image, which is no list that could be spread",
    ),
    "a list of which one thing is spread": (
        (
            "graph:\n  steps: [{id: a, agent: omni, output: {n: int}}, {id: b, agent: omni}, {id: c, agent: omni}]\n"
            "  edges:\n    - {from: a, to: b, map: true}\n    - {from: b, to: c, join: true}\n"
        ),
        "4: 'a' gives a mapping, which is no list that could be spread; a transform can take one out of it",
    ),
    "a match on what a step never gives": (
        (
            "graph:\n  steps: [{id: a, agent: omni, output: {verdict: [yes, no]}}, {id: b, agent: omni}]\n"
            "  edges:\n    - {from: a, to: b, condition: {type: match, field: verdcit, value: yes}}\n"
            "    - {from: a, to: end, else: true}\n"
        ),
        "4: 'a' gives no 'verdcit'. Did you mean 'verdict'?",
    ),
    "a match on a value that is none of the choices": (
        (
            "graph:\n  steps: [{id: a, agent: omni, output: {verdict: [accept, revise]}}, {id: b, agent: omni}]\n"
            "  edges:\n    - {from: a, to: b, condition: {type: match, field: verdict, value: acept}}\n"
            "    - {from: a, to: end, else: true}\n"
        ),
        "4: 'verdict' of 'a' is one of accept, revise, never 'acept'",
    ),
    "a join over a conditional branch": (
        edges("from: a, to: b, condition: {type: expr, expr: value == 1}", "from: a, to: c", "from: [b, c], to: end"),
        (
            "6: the join of b, c waits for 'b', which the condition at 'a' can leave out; "
            "say `partial: true` to go on with those that come"
        ),
    ),
    "a join over ways that a condition keeps apart": (
        edges(
            "from: a, to: b, condition: {type: expr, expr: value == 1}",
            "from: a, to: c, condition: {type: expr, expr: value == 2}",
            "from: [b, c], to: end",
        ),
        (
            "6: the join of b, c waits for 'b', which the condition at 'a' can leave out; "
            "say `partial: true` to go on with those that come"
        ),
    ),
    "a spread list that is never gathered": (
        edges("from: a, to: b, map: true", "from: b, to: c"),
        "2: 'c' leads to the end within a map; gather it first with join: true",
    ),
    "a list that is gathered and was never spread": (
        edges("from: a, to: b, join: true", "from: b, to: c"),
        "4: the edge a -> b gathers (join) what nothing has spread",
    ),
    "a step within a map and outside of it": (
        edges("from: a, to: b, map: true", "from: a, to: c", "from: b, to: c", "from: c, to: end, join: true"),
        None,
    ),
    "an edge that spreads and gathers": (
        edges("from: a, to: b, map: true, join: true"),
        "4: an edge cannot spread (map) and gather (join) at once",
    ),
    "an else with a condition": (
        edges("from: a, to: b, else: true, condition: {type: expr, expr: 'true'}"),
        "4: an edge has a condition or is the else of others, not both",
    ),
    "an async edge into a join": (
        STEPS + "  joins: [{id: j, inputs: [a, b]}]\n  edges:\n    - {from: a, to: j, async: true}\n",
        "5: an async edge cannot lead into the join 'j': nobody waits for it",
    ),
    "an input of a join that is none": (
        "graph:\n  steps: [{id: draft, agent: omni}]\n  joins:\n    - {id: j, inputs: [draft, darft]}\n",
        "4: there is no input 'darft' in this graph. Did you mean 'draft'?",
    ),
    "an unknown reducer": (
        STEPS + "  joins:\n    - {id: j, inputs: [a, b], reducer: sums}\n",
        "4: there is no reducer 'sums'. Did you mean sum?",
    ),
    "more winners than there are": (
        STEPS + "  joins:\n    - {id: j, inputs: [a, b], first: 3}\n",
        "4: first is 3, but there are 2 inputs",
    ),
    "a step that nothing leads to": (
        (
            "graph:\n  steps: [{id: a, agent: omni}, {id: b, agent: omni}, {id: c, agent: omni}]\n"
            "  edges:\n    - {from: start, to: a}\n    - {from: b, to: c}\n    - {from: c, to: b, max_visits: 1}\n"
        ),
        (
            "2: nothing leads to step 'b'; add an edge to it, or leave it out\n"
            "2: nothing leads to step 'c'; add an edge to it, or leave it out"
        ),
    ),
    "an edge to the start": (edges("from: a, to: start"), "4: no edge can go to 'start'"),
    "an edge from the end": (edges("from: end, to: a"), "4: no edge can go from 'end'"),
    "two steps of one id": (
        "graph:\n  steps:\n    - {id: a, agent: omni}\n    - {id: a, agent: omni}\n",
        "4: two steps have the id 'a'",
    ),
    "a join by the id of a step": (STEPS + "  joins:\n    - {id: a, inputs: [b]}\n", "4: the id 'a' is taken already"),
    "an id that is there already": (
        "graph:\n  steps:\n    - {id: end, agent: omni}\n",
        "3: 'end' is there already; give the step another id",
    ),
    "an id that leads out of the folder": (
        "graph:\n  steps:\n    - {id: ../../etc, agent: omni}\n",
        "3: '../../etc' cannot be an id: letters, digits, `_`, `-`, `.` and blanks, 80 at most",
    ),
    "an id of a joint that leads out of the folder": (
        STEPS + "  joins:\n    - {id: ../j, inputs: [a, b]}\n",
        "4: '../j' cannot be an id: letters, digits, `_`, `-`, `.` and blanks, 80 at most",
    ),
    "an output that is a path": (
        step("agent: omni, out: ../../secrets.txt"),
        (
            "3: '../../secrets.txt' is no type of output. "
            "There are text, json, list, table, image, diff, file, url, model."
        ),
    ),
    "an output that says no type": (
        step("agent: omni, output: {n: integre}"),
        (
            "3: 'integre' says no type; there are str, text, int, float, number, bool, list, dict, json, any, "
            "lists and mappings of them"
        ),
    ),
    "a template that is none": (
        step("agent: omni, prompt: 'About {{ input'"),
        (
            "3: the template of step 'a' is wrong: unexpected end of template, expected 'end of print statement'. "
            "(its line 1)"
        ),
    ),
    "a template with a filter that is none": (
        step("agent: omni, prompt: '{{ input | uper }}'"),
        "3: the template of step 'a' is wrong: No filter named 'uper'. (its line 1)",
    ),
    "a template that speaks of nothing": (
        step("agent: omni, prompt: '{{ inptu }}'"),
        "3: the template of step 'a' is wrong: 'inptu' is nothing it could speak of; did you mean 'input'?",
    ),
    "a template in the arguments of a tool": (
        step("tool: Glob, args: {pattern: '{% if %}'}"),
        (
            "3: the template of 'pattern' in step 'a' is wrong: Expected an expression, got 'end of statement block' "
            "(its line 1)"
        ),
    ),
    "an expression that is none": (
        edges("from: a, to: b, condition: {type: expr, expr: 'value >'}", "from: a, to: c, else: true"),
        "4: 'value >' is no expression: unexpected 'end of template'",
    ),
    "an expression that speaks of nothing": (
        edges("from: a, to: b, condition: {type: expr, expr: 'valeu == 1'}", "from: a, to: c, else: true"),
        "4: 'valeu == 1' is no expression: 'valeu' is nothing it could speak of; did you mean 'value'?",
    ),
    "a template that is no expression": (
        edges("from: a, to: b, condition: {type: jinja2, template: '{{ value }} yes'}", "from: a, to: c, else: true"),
        "4: a jinja2 condition must be one expression in {{ }} that is true or false",
    ),
    "a regular expression that is none": (
        edges("from: a, to: b, condition: {type: match, regex: '('}", "from: a, to: c, else: true"),
        "4: '(' is no regular expression: missing ), unterminated subpattern at position 0",
    ),
    "a match that asks nothing": (
        edges("from: a, to: b, condition: {type: match, field: x}", "from: a, to: c, else: true"),
        "4: a match needs one of value, in, regex, gt, lt",
    ),
    "a condition of no known type": (
        edges("from: a, to: b, condition: {type: mach, value: 1}", "from: a, to: c, else: true"),
        "4: there is no condition of the type 'mach'. Did you mean 'match'?",
    ),
    "a condition that lacks something": (
        edges("from: a, to: b, condition: {type: contains}", "from: a, to: c, else: true"),
        "4: 'words' is missing",
    ),
    "a module that is not there": (
        step("call: nowhere_at_all.function"),
        "3: there is no module 'nowhere_at_all' to be imported, neither in /nowhere nor where Python looks",
    ),
    "a key that is none": (step("agent: omni, promt: Hi"), "3: 'promt' is no key here. Did you mean 'prompt'?"),
    "a key of an edge that is none": (
        edges("from: a, to: b, conditoin: {type: match}"),
        "4: 'conditoin' is no key here. Did you mean 'condition'?",
    ),
    "a key of a condition that is none": (
        edges("from: a, to: b, condition: {type: contains, wrods: [x]}", "from: a, to: c, else: true"),
        "4: 'wrods' is no key here. Did you mean 'words'?",
    ),
    "a key of another condition": (
        edges("from: a, to: b, stop_condition: {type: cost_limit, max_cost: 1, words: [x]}"),
        "4: 'words' is no key here. There are max, max_cost, name, scope, type.",
    ),
    "a key of another condition within one": (
        edges("from: a, to: b, condition: {type: not, condition: {type: word_match, words: [x], maxx: 1}}"),
        "4: 'maxx' is no key here. There are case_sensitive, mode, name, type, whole_word, words.",
    ),
    "a step without an id": ("graph:\n  steps:\n    - {agent: omni}\n", "3: 'id' is missing"),
    "a step that nobody does": (
        "graph:\n  steps:\n    - {id: a}\n",
        "3: step 'a' needs exactly one of agent, tool, ask, approve, graph, call, fail; it has none",
    ),
    "a step that two do": (
        step("agent: omni, tool: Glob"),
        "3: step 'a' needs exactly one of agent, tool, ask, approve, graph, call, fail; it has agent, tool",
    ),
    "a way out of trouble that is none": (
        step("agent: omni, on_error: retry"),
        "3: on_error is fail, skip, continue or route:STEP, not 'retry'",
    ),
    "a time span that is none": (
        step("agent: omni, timeout: soon"),
        "3: timeout: 'soon' is no time span; write seconds, or for example 90s, 5m, 1h",
    ),
    "a number that is none": (
        "graph:\n  limits: {max_steps: many}\n  steps: [{id: a, agent: omni}]\n",
        "2: max_steps: a whole number is needed",
    ),
    "a graph without steps": ("graph: {name: empty}\n", "1: the graph 'empty' has no steps"),
    "a graph in itself": (
        "graphs:\n  one: {steps: [{id: a, graph: two}]}\n  two: {steps: [{id: a, graph: one}]}\n",
        "2: the graph 'one' is a step of itself",
    ),
    "a team in itself": (
        "teams:\n  one: {members: [two]}\n  two: {members: [one]}\n",
        "2: the team 'one' is a member of itself",
    ),
    "a team of no known mode": (
        "agents: {s: {}}\nteams:\n  t:\n    mode: paralel\n    members: [s]\n",
        "4: the team 't' has the mode 'paralel'. Did you mean 'parallel'?",
    ),
    "a condition of a type like none": (
        edges("from: a, to: b, condition: {type: pigeon}"),
        (
            "4: there is no condition of the type 'pigeon'. There are and, callable, contains, cost, cost_limit, count, "
            "elapsed, expr, jinja2, judge, match, message_count, not, or, time, token_threshold, tokens, word_match."
        ),
    ),
    "a connection of no known type": (
        "agents:\n  a:\n    connections:\n      - type: nodes\n        name: b\n  b: {}\n",
        "4: there is no connection of the type 'nodes'. Did you mean 'node'?",
    ),
    "a connection of a type like none": (
        "agents:\n  a:\n    connections: [{type: pigeon, name: b}]\n  b: {}\n",
        "3: there is no connection of the type 'pigeon'. There are node, callable, file.",
    ),
    "a connection to nobody": (
        "agents:\n  a:\n    connections:\n      - {type: node, target: b}\n      - {type: callable}\n  b: {}\n",
        (
            "4: a connection of 'a' says no name, so it leads nowhere\n"
            "5: a connection of 'a' says no callable, so it leads nowhere"
        ),
    ),
    "a team without members": (
        "agents: {a: {}}\nteams:\n  t: {mode: parallel}\n",
        "3: the team 't' has no members",
    ),
    "members that are no list": ("teams:\n  t: {members: 5}\n", "2: the members of team 't' are no list"),
    "an exit condition": (
        (
            "agents:\n  s:\n    connections:\n      - {type: node, name: s, exit_condition: {type: cost, max_cost: 1},\n"
            "         stop_condition: {type: cost, max_cost: 1}}\n"
        ),
        "4: exit_condition would end the whole program; use a stop_condition, which closes the connection",
    ),
    "an agent that inherits from nobody": (
        "agents:\n  base: {}\n  a: {inherits: bsae}\n",
        "3: the agent 'a' inherits from 'bsae', which is no agent here. Did you mean 'base'?",
    ),
    "an agent that inherits from itself": ("agents:\n  a: {inherits: b}\n  b: {inherits: a}\n", None),
    "an agent that is none": ("agents:\n  a: text\n", "2: the agent 'a' must be a mapping"),
    "two agents of one name": (
        "agents: {a: {}}\nclaude_code_agents:\n  a: {}\n",
        "3: 'a' stands here a second time",
    ),
    "agents that nobody could speak to": (
        "agents:\n  '@a': {}\n  All: {}\nteams:\n  t: {members: ['@a', All]}\n",
        (
            "2: the agent '@a' cannot be spoken to by that name; give it another\n"
            "3: the agent 'All' cannot be spoken to by that name; give it another"
        ),
    ),
    "agents that are a list": ("agents:\n  - a\n", "1: agents must be a mapping by name"),
    "a prompt that is not in the library": (
        "agents:\n  a: {system_prompt: [{type: library, reference: calm}]}\n",
        "2: agent 'a': there is no prompt named 'calm' among `prompts:`",
    ),
    "prompts that are not in the library, one of them inherited": (
        (
            "agents:\n  a:\n    system_prompts:\n      - Be brief.\n      - {type: library, reference: calm}\n"
            "  b:\n    inherits: a\n    library_system_prompts:\n      - loud\n"
        ),
        (
            "5: agent 'a': there is no prompt named 'calm' among `prompts:`\n"
            "9: agent 'b': there is no prompt named 'loud' among `prompts:`"
        ),
    ),
    "a prompt in itself": (
        (
            "prompts:\n  x: {type: library, reference: y}\n  y: {type: library, reference: x}\n"
            "agents:\n  a:\n    system_prompt: {type: library, reference: x}\n"
        ),
        "6: agent 'a': the prompt 'x' is a part of itself",
    ),
    "a prompt file that is not there": (
        "agents:\n  a: {system_prompt: [{type: file, path: role.md}]}\n",
        "2: agent 'a': a system prompt is missing: there is no file 'role.md' beside the graph",
    ),
    "a prompt file that leads out of the folder": (
        "agents:\n  a: {system_prompt: [{type: file, path: ../../../etc/passwd}]}\n",
        "2: agent 'a': a system prompt is missing: '../../../etc/passwd' leads out of the folder of the graph",
    ),
    "an included file that leads out of the folder": (
        "graph: !include /etc/passwd\n",
        "1: '/etc/passwd' leads out of the folder of the graph",
    ),
    "an inherited file from elsewhere": (
        "INHERIT: https://example.com/base.yml\n",
        "1: INHERIT: 'https://example.com/base.yml' is not on this machine, and nothing is fetched",
    ),
    "no YAML": ("graph: [\n", None),
    "a tab": ("graph:\n\tsteps: []\n", "2: it is no YAML: a tab stands where only blanks may"),
    "an alias of nothing": ("graph: *g\n", "1: nothing before has the anchor 'g'"),
    "an alias within itself": ("graph: &g {a: *g}\n", "1: the alias 'g' stands within what it names"),
    "a key twice": ("graph: {name: a, name: b}\n", "1: 'name' stands here a second time"),
    "a key that is a list": ("? [a]\n: 1\n", "1: a key must be text"),
    "a merge key of text": ("graph: {<<: text}\n", "1: `<<` takes a mapping, or a list of them"),
    "two documents": (
        "# Two of them\n---\ngraph: {}\n---\ngraph: {}\n",
        "4: it holds a second document; only one can be meant, so keep each in a file of its own",
    ),
    "a list": ("- a\n", "1: it must be a mapping with `graph:`, `graphs:`, `teams:` or `agents:`"),
    "nothing": ("", "1: it must be a mapping with `graph:`, `graphs:`, `teams:` or `agents:`"),
    "nothing to run": (
        "storage: {}\n",
        "1: there is nothing to run: no graph, teams, connections or agents; it has storage",
    ),
    "nothing to run, by another name": (
        "version: 1\nagent: {name: a}\n",
        (
            "1: there is nothing to run: no graph, teams, connections or agents; it has version, agent. "
            "Did you mean 'agents'?"
        ),
    ),
    "no agents": ("name: pool\nagents:\n", "2: there is nothing to run: agents is empty"),
    "connections of nobody": (
        "connections: [{type: node, name: a}]\n",
        "1: connections stand in an agent or in a team, not by themselves",
    ),
    "a file to inherit that is no name": (
        "INHERIT: {base: x}\n",
        "1: INHERIT takes the name of a file, or a list of them",
    ),
    "a file that inherits itself": ("INHERIT: ./graph.yaml\n", "1: INHERIT: 'graph.yaml' includes itself"),
    "a join that waits for itself": (
        STEPS + "  joins:\n    - {id: j, inputs: [j, a]}\n",
        "4: the cycle j -> j has no end; give one of its edges max_visits or a stop_condition",
    ),
    "joins that wait for each other": (
        STEPS + "  joins:\n    - {id: j, inputs: [k, a]}\n    - {id: k, inputs: [j, b]}\n",
        "5: the cycle j -> k -> j has no end; give one of its edges max_visits or a stop_condition",
    ),
    "a delay without end": (
        edges("from: a, to: b, delay: 1e400"),
        "4: delay: inf is too long: a year is the most",
    ),
    "a time limit of ages": (
        step("agent: omni, timeout: 99999999d"),
        "3: timeout: '99999999d' is too long: a year is the most",
    ),
    "an effort that is none": (
        step("agent: omni, effort: gigantic"),
        ("3: 'gigantic' is no effort. Choose one of: none, minimal, low, medium, high, xhigh, max, ultra."),
    ),
    "an output that is no schema": (
        step("agent: omni, output: {type: object, properties: 5}"),
        "3: it is no JSON Schema: properties: 5 is not of type 'object'",
    ),
    "a schema that is elsewhere": (
        step("agent: omni, output: {type: object, properties: {a: {$ref: 'http://example.com/s'}}}"),
        "3: 'http://example.com/s' is not in this schema, and nothing is fetched",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_one_mistake_is_one_line_with_its_place(name: str) -> None:
    yaml, expected = BAD[name]

    with pytest.raises(BadData) as caught:
        read(yaml)

    lines = str(caught.value).splitlines()
    assert all(line.startswith("/nowhere/graph.yaml:") for line in lines)
    if expected is not None:
        assert lines == [f"/nowhere/graph.yaml:{line}" for line in expected.split("\n")]


def test_all_mistakes_are_told_at_once_in_the_order_of_the_file() -> None:
    yaml = dedent("""\
        graph:
          limits: {max_step: 5}
          steps:
            - {id: draft, agent: wrtier, prompt: "{{ input"}
            - {id: check, agent: editor, on_error: sometimes}
            - {id: check, tool: bash}
          joins: [{id: j, inputs: [draft, chekc], reducer: merge}]
          edges:
            - {from: draft, to: chekc}
            - {from: check, to: draft, condition: {type: match, field: verdict}}
    """)

    with pytest.raises(BadData) as shape:
        read(yaml)
    with pytest.raises(BadData) as names:
        read(yaml.replace("max_step:", "max_steps:"))

    assert str(shape.value) == "/nowhere/graph.yaml:2: 'max_step' is no key here. Did you mean 'max_steps'?"
    assert [line.removeprefix("/nowhere/graph.yaml:") for line in str(names.value).splitlines()] == [
        (
            "4: the template of step 'draft' is wrong: unexpected end of template, expected 'end of print statement'. "
            "(its line 1)"
        ),
        "4: there is no VP or agent named 'wrtier'. Did you mean 'writer'?",
        "5: on_error is fail, skip, continue or route:STEP, not 'sometimes'",
        "6: there is no tool named 'bash'. Did you mean 'Bash'?",
        "6: two steps have the id 'check'",
        "7: there is no input 'chekc' in this graph. Did you mean 'check'?",
        (
            "7: there is no reducer 'merge'. There are list, extend, dict, sum, text, first, last, majority, "
            "and import paths."
        ),
        "9: there is no step 'chekc' in this graph. Did you mean 'check'?",
        "10: a match needs one of value, in, regex, gt, lt",
    ]


def test_no_more_than_twenty_mistakes_are_listed() -> None:
    steps = "".join(f"    - {{id: s{number}, agent: nobody{number}}}\n" for number in range(50))

    with pytest.raises(BadData) as caught:
        read(f"graph:\n  steps:\n{steps}")

    lines = str(caught.value).splitlines()
    assert (len(lines), lines[-1]) == (21, "and 30 more")


FUNCTIONS = {
    "async def decide(value): return False": "functions.decide is an async function; only a plain one can be called here",
    "class Decider:\n    async def __call__(self, value): return True\ndecide = Decider()": None,
    "def decided(value): return True": "{file} defines no 'decide'",
    "def decide(value) return True": "{file} cannot be read: expected ':' (functions.py, line 1)",
    "DECIDE = 1": "{file} defines no 'decide'",
}


@pytest.mark.parametrize("source", FUNCTIONS)
def test_a_function_is_looked_at_and_never_run(source: str, tmp_path: Path) -> None:
    file = tmp_path / "functions.py"
    file.write_text(source + "\nraise SystemExit('imported')\n")
    yaml = edges(
        "from: a, to: b, condition: {type: callable, predicate: functions.decide}", "from: a, to: c, else: true"
    )
    expected = FUNCTIONS[source]

    if expected is None:
        assert read(yaml, tmp_path).main == "graph"
    else:
        with pytest.raises(BadData) as caught:
            read(yaml, tmp_path)
        assert str(caught.value) == f"{tmp_path}/graph.yaml:4: {expected.format(file=file)}"
    assert "functions" not in sys.modules


def test_a_package_on_the_way_to_a_function_is_not_run_either(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("raise SystemExit('imported')")
    (tmp_path / "package" / "inner.py").write_text("def go(value): ...\n")

    read(step("call: package.inner.go"), tmp_path)
    with pytest.raises(BadData, match=r"defines no 'gone'"):
        read(step("call: package.inner.gone"), tmp_path)

    assert "package" not in sys.modules


LARGE = "graph: {steps: [{id: a, agent: omni}]}\n" + "# " + "x" * 2_000_000
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
MANY = "graph: {name: a}\nx: [" + ", ".join(["a"] * 60_000) + "]\n"
DEEP = "x: " + "[" * 5000
FILES = {
    "2 MB": (LARGE.encode(), "{path} is larger than 256 KiB, which no graph needs."),
    "much Chinese": (("# " + "图" * 100_000).encode(), "{path} is larger than 256 KiB, which no graph needs."),
    "an alias bomb": (BOMB.encode(), "{path}:5: it holds too many values, or values nested too deep"),
    "very many values": (MANY.encode(), "{path}:2: it holds too many values, or values nested too deep"),
    "values within values": (DEEP.encode(), "{path}:1: it holds too many values, or values nested too deep"),
    "no text": (b"graph: \xff\xfe", "{path}:1: it is no UTF-8 from here on; save it as UTF-8"),
    "text of another encoding": (
        "agents:\n  a: {description: Café}\n".encode("latin-1"),
        "{path}:2: it is no UTF-8 from here on; save it as UTF-8",
    ),
    "a picture": (b"\x89PNG\r\n\x1a\n\x00\x00", "{path}:1: it is no UTF-8 from here on; save it as UTF-8"),
    "control characters": (
        b"graph:\n  name: a\x07\n",
        "{path}:2: it is no YAML: the character U+0007 may not stand in it",
    ),
    "half a character": (
        b'graph:\n  steps:\n    - {id: s, agent: omni, prompt: "\\ud83d\\ude00 \\udfff"}\n',
        "{path}:3: it is no YAML: the character U+DFFF may not stand in it",
    ),
    "thousands of steps": (
        ("graph:\n  steps:\n" + "    - {id: s, agent: omni}\n" * 5000).encode(),
        "{path}:2: the graph 'graph' has 5000 steps; 1000 are the most",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_no_graph_can_be_is_refused_before_it_costs_anything(name: str, tmp_path: Path) -> None:
    content, expected = FILES[name]
    path = tmp_path / "graph.yaml"
    path.write_bytes(content)

    with pytest.raises(BadData) as caught:
        read_graphs(path, find_vp, ())

    assert str(caught.value).startswith(expected.format(path=path))


def test_a_graph_may_have_a_thousand_steps_and_no_more() -> None:
    line = "".join(f"    - {{id: s{number}, agent: omni}}\n" for number in range(1000))

    assert len(read(f"graph:\n  steps:\n{line}").graph().steps) == 1000
    with pytest.raises(BadData, match=r":2: the graph 'graph' has 1001 steps; 1000 are the most"):
        read(f"graph:\n  steps:\n{line}    - {{id: last, agent: omni}}\n")


def test_what_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"There is no file .*gone\.yaml"):
        read_graphs(tmp_path / "gone.yaml", find_vp, ())
    with pytest.raises(BadData, match=r"is a folder"):
        read_graphs(tmp_path, find_vp, ())
    with pytest.raises(NotFound, match=r":1: there is no graph 'mian'\. Did you mean 'main'\?"):
        read("graph: {name: main, steps: [{id: a, agent: omni}]}").graph("mian")
    with pytest.raises(NotFound, match=r":1: several can be run\. It has one, two; say --graph NAME\."):
        read("graphs: {one: {steps: [{id: a, agent: omni}]}, two: {steps: [{id: a, agent: omni}]}}").graph()


def test_of_very_many_unknown_names_only_the_first_are_guessed() -> None:
    names = Names(find_vp, VPS, {}, {})

    told = [names.vp_mistake("bulider") for _ in range(1000)]

    assert [text for text in told if "Did you mean 'builder'?" in text] == told[:20]
    assert set(told[20:]) == {
        "there is no VP or agent named 'bulider'. Write it down under `agents:`, or see `yeaft vp ls`."
    }
