"""What people write is the graph they mean: every construct, every synonym, and what is brought in from elsewhere."""

from pathlib import Path

import msgspec
import pytest

from tests.workflows.graph_files import graph, read, structure, ways
from yeaft.workflows.graphs.graph import (
    AskTask,
    CodeTask,
    GraphLimits,
    GraphTask,
    Join,
    JudgeTask,
    Retries,
    ToolTask,
    VpTask,
)


def test_steps_without_edges_are_a_line() -> None:
    line = graph("graph: {steps: [{id: a, agent: omni}, {id: b, agent: builder}, {id: c, agent: skeptic}]}")

    assert ways(line) == ["start -> a", "a -> b", "b -> c", "c -> end"]


def test_the_start_leads_to_what_nothing_leads_to_and_what_leads_nowhere_leads_to_the_end() -> None:
    found = graph("""
        graph:
          steps: [{id: a, agent: omni}, {id: b, agent: omni}, {id: c, agent: omni}]
          edges: [{from: a, to: c}]
    """)

    assert sorted(ways(found)) == ["a -> c", "b -> end", "c -> end", "start -> a", "start -> b"]


@pytest.mark.parametrize("how", ["async: true", "mode: context"])
def test_where_nobody_waits_for_what_follows_the_step_before_it_leads_to_the_end(how: str) -> None:
    led = f"edges: [{{from: a, to: b, {how}}}"

    alone = read(f"graph: {{steps: [{{id: a, agent: omni}}, {{id: b, agent: omni}}], {led}]}}")
    beside = read(
        f"graph: {{steps: [{{id: a, agent: omni}}, {{id: b, agent: omni}}], {led}, {{from: start, to: [a, b]}}]}}"
    )

    assert ways(alone.graph()) == ["a -> b", "start -> a", "b -> end", "a -> end"]
    assert ways(beside.graph()) == ["a -> b", "start -> a", "start -> b", "b -> end"]


def test_a_circle_begins_with_the_first_step_that_is_declared() -> None:
    found = graph("""
        graph:
          steps: [{id: one, agent: omni}, {id: two, agent: omni}]
          edges: [{from: one, to: two, max_visits: 2}, {from: two, to: one}]
    """)

    assert ways(found) == ["one -> two", "two -> one", "start -> one"]


def test_several_targets_are_a_fork_and_several_sources_a_join_in_their_order() -> None:
    found = graph("""
        graph:
          steps:
            - {id: split, agent: omni}
            - {id: search, agent: builder}
            - {id: weigh, agent: skeptic}
            - {id: sum, agent: omni}
          edges:
            - {from: start, to: split}
            - {from: split, to: [search, weigh]}
            - {from: [weigh, search], to: sum}
            - {from: sum, to: end}
    """)

    assert [join.inputs for join in found.joins] == [("weigh", "search")]
    assert ways(found) == ["start -> split", "split -> search", "split -> weigh", "weigh & search -> sum", "sum -> end"]


def test_an_explicit_join_takes_its_inputs_without_edges_and_reduces_them() -> None:
    found = graph("""
        graph:
          steps: [{id: a, agent: omni}, {id: b, agent: builder}]
          joins: [{id: merged, inputs: [a, b], reducer: dict, initial: {kept: 1}}]
          edges: [{from: start, to: [a, b]}, {from: merged, to: end}]
    """)

    assert found.joins[0] == Join(
        id="merged", inputs=("a", "b"), reducer="dict", initial='{"kept":1}', line=found.joins[0].line
    )
    assert ways(found) == ["a -> merged", "b -> merged", "start -> a", "start -> b", "merged -> end"]


def test_functions_are_found_in_files_beside_the_graph_and_not_run(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "__init__.py").write_text("raise SystemExit('imported')\n")
    (tmp_path / "mine" / "parts.py").write_text(
        "raise SystemExit('imported')\ndef merge(values, initial): ...\ndef prepare(value): ...\n"
        "def enough(value): ...\ndef do(value): ...\n"
    )

    found = graph(
        """
        graph:
          steps: [{id: a, agent: omni}, {id: b, call: mine.parts.do}, {id: c, agent: omni}]
          joins: [{id: merged, inputs: [a, b], reducer: "mine.parts:merge", initial: []}]
          edges:
            - {from: start, to: [a, b]}
            - {from: merged, to: c, transform: mine.parts.prepare, condition: {type: callable, predicate: mine.parts.enough}}
            - {from: merged, to: end, else: true}
        """,
        folder=tmp_path,
    )

    tasks = {step.id: step.task for step in found.steps}
    assert tasks["merged"] == CodeTask(path="mine.parts:merge", initial="[]")
    assert CodeTask(path="mine.parts.prepare") in tasks.values()
    assert JudgeTask(node="merged") in tasks.values()
    assert "merged -> c" in ways(found)


def test_a_step_can_be_done_in_six_ways() -> None:
    found = graph("""
        graphs:
          main:
            steps:
              - {id: vp, vp: "@omni", prompt: "About {{ input }}", shared_prompt: Be short, mcp_servers: docs, model: x/y}
              - {id: tool, tool: Glob, args: {pattern: "{{ input }}"}}
              - {id: ask, ask: "Which?", options: [this, that]}
              - {id: question, ask: "Why {{ input }}?"}
              - {id: approval, approve: "Go on?"}
              - {id: inner, graph: other}
              - {id: called, call: json.dumps}
          other: {steps: [{id: only, persona: builder}]}
    """)

    tasks = {step.id: step.task for step in found.steps}
    assert tasks == {
        "vp": VpTask(vp_id="omni", prompt="About {{ input }}", shared="Be short", mcp_servers=("docs",), model="x/y"),
        "tool": ToolTask(tool="Glob", args='{"pattern":"{{ input }}"}'),
        "ask": AskTask(kind="choice", text="Which?", options=("this", "that")),
        "question": AskTask(kind="question", text="Why {{ input }}?"),
        "approval": AskTask(kind="approval", text="Go on?"),
        "inner": GraphTask(graph="other"),
        "called": CodeTask(path="json.dumps"),
    }
    assert set(found.graphs) == {"main", "other"}


@pytest.mark.parametrize(
    ("written", "ms"),
    [
        ("90", 90_000),
        ("1.5", 1500),
        ("250ms", 250),
        ("90s", 90_000),
        ("'90 s'", 90_000),
        ("5m", 300_000),
        ("5 min", 300_000),
        ("1h", 3_600_000),
        ("2d", 172_800_000),
        ("'01:30'", 90_000),
        ("'00:05:00'", 300_000),
        ("PT5M", 300_000),
        ("PT1H30M", 5_400_000),
        ("PT0.5S", 500),
        ("P1D", 86_400_000),
        ("P1WT1S", 604_801_000),
    ],
)
def test_a_time_span_can_be_written_in_every_usual_way(written: str, ms: int) -> None:
    found = graph(f"graph: {{steps: [{{id: a, agent: omni, timeout: {written}}}]}}")

    assert found.steps[0].timeout_ms == ms


def test_what_a_step_does_on_trouble_is_kept() -> None:
    found = graph("""
        graph:
          limits: {max_steps: 7, max_parallel: 2, cost: 0.5, tokens: 1000, minutes: 3}
          on_end: cancel
          params: {depth: 2}
          steps:
            - {id: a, agent: omni, retries: 2, on_error: skip}
            - {id: b, agent: omni, retries: {max: 1, delay: 5s, on: [timeout, rate_limit]}, on_error: "route: c"}
            - {id: c, agent: omni, member_retry_attempts: 3, member_retry_delay: 1s, member_timeout: 9, on_error: continue}
    """)

    a, b, c = found.steps
    assert (a.retries, a.on_error) == (Retries(max=2), "skip")
    assert (b.retries, b.on_error, b.error_step) == (
        Retries(max=1, delay_ms=5000, on=("timeout", "rate_limit")),
        "route",
        "c",
    )
    assert (c.retries, c.on_error, c.timeout_ms) == (Retries(max=3, delay_ms=1000), "continue", 9000)
    assert found.limits == GraphLimits(max_steps=7, max_parallel=2, cost_usd=0.5, tokens=1000, minutes=3)
    assert (found.on_end, found.params) == ("cancel", {"depth": 2})


def test_all_that_an_edge_can_say_is_kept() -> None:
    found = graph("""
        graph:
          steps: [{id: list, agent: omni, output: [str]}, {id: do, agent: builder}, {id: sum, agent: omni}]
          edges:
            - {from: list, to: do, map: true, max_parallel: 3, max_items: 50, label: each}
            - {from: do, to: sum, join: true, priority: -1, delay: 2s}
            - {from: sum, to: end, result_of: list, transform: "{{ value[0] }}"}
            - {from: sum, to: list, mode: context, async: false, run: true}
    """)

    spread, gather, last, context = found.edges[:4]
    assert (spread.map, spread.max_parallel, spread.max_items, spread.label) == (True, 3, 50, "each")
    assert (gather.collect, gather.priority, gather.delay_ms) == (True, -1, 2000)
    assert (last.result_of, last.transform) == ("list", "value[0]")
    assert context.mode == "context"


@pytest.mark.parametrize(
    ("written", "out", "schema"),
    [
        ("out: file", "file", None),
        ("out: [str]", "list", {"type": "array", "items": {"type": "string"}}),
        ("output: {n: int}", "json", {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}),
        (
            "output: {verdict: [accept, revise]}",
            "json",
            {"type": "object", "properties": {"verdict": {"enum": ["accept", "revise"]}}, "required": ["verdict"]},
        ),
        ("output: [{name: str}]", "list", None),
        ("output: {type: object, properties: {}}", "json", {"type": "object", "properties": {}}),
    ],
)
def test_what_a_step_gives_has_a_type(written: str, out: str, schema: object) -> None:
    (step,) = graph(f"graph: {{steps: [{{id: a, agent: omni, {written}}}]}}").steps

    assert step.out == out
    assert isinstance(step.task, VpTask)
    if schema is not None:
        assert msgspec.json.decode(step.task.schema) == schema


def test_a_prompt_can_speak_of_what_the_seed_of_teams_calls_it() -> None:
    (step,) = graph("""
        graph:
          steps:
            - id: a
              agent: omni
              shared_prompt: Mind the budget.
              prompt_template: "{{ shared_prompt }} {{ prompt }} {{ extra.tone }} {{ steps.a }} {{ params }}"
              template_vars: {tone: calm}
    """).steps

    assert step.task == VpTask(
        vp_id="omni",
        prompt="{{ shared_prompt }} {{ prompt }} {{ extra.tone }} {{ steps.a }} {{ params }}",
        shared="Mind the budget.",
        extra={"tone": "calm"},
    )


def test_a_key_that_stands_twice_is_merged_with_a_warning() -> None:
    found = read("agents: {one: {model: x}}\nteams: {t: {mode: parallel, members: [one, two]}}\nagents: {two: {}}\n")

    assert set(found.agents) == {"one", "two"}
    assert found.warnings == ("/nowhere/graph.yaml:3: 'agents' stands here a second time; both are merged",)


def test_anchors_and_merge_keys_mean_what_they_say() -> None:
    found = graph("""
        .usual: &usual {agent: omni, timeout: 5s}
        graph:
          steps:
            - {id: a, <<: *usual}
            - {id: b, <<: [*usual, {timeout: 9s, label: L}], agent: builder}
    """)

    a, b = found.steps
    assert (a.task, a.timeout_ms) == (VpTask(vp_id="omni"), 5000)
    assert (b.task, b.timeout_ms, b.label) == (VpTask(vp_id="builder"), 5000, "L")


def test_an_agent_takes_over_what_it_inherits_and_its_prompts_follow() -> None:
    found = read("""
        agents:
          base: {model: "openai:gpt-5", description: Base, system_prompts: [You help.]}
          coder: {inherits: base, system_prompts: [You code.], tools: [bash]}
          expert: {inherits: coder, model: "anthropic:claude-x", system_prompts: You know.}
    """)

    agents = {name: (one.model, one.description, one.persona) for name, one in found.agents.items()}
    assert agents == {
        "base": ("openai/gpt-5", "Base", "You help."),
        "coder": ("openai/gpt-5", "Base", "You help.\n\nYou code."),
        "expert": ("anthropic/claude-x", "Base", "You help.\n\nYou code.\n\nYou know."),
    }
    assert "of the agent 'coder' these are not used here: tools; VPs have yeaft's own tools" in found.warnings[1]


def test_system_prompts_come_from_the_library_of_the_file_and_from_files_beside_it(tmp_path: Path) -> None:
    (tmp_path / "role.md").write_text("You speak {{ LANG }}.")
    (tmp_path / "reviewer.md").write_text("---\nname: reviewer\ndescription: Reviews\n---\nYou review.\n")

    found = read(
        """
        prompts: {system_prompts: {calm: {content: Stay calm., category: tone}}}
        agents:
          a:
            system_prompt:
              - Be kind.
              - {type: library, reference: calm}
              - {type: file, path: role.md, variables: {LANG: German}}
              - {type: function, function: x.y}
        file_agents: {b: reviewer.md}
        """,
        tmp_path,
    )

    assert found.agents["a"].persona == "Be kind.\n\nStay calm.\n\nYou speak German."
    assert (found.agents["b"].persona, found.agents["b"].description) == ("You review.", "Reviews")


def test_a_file_can_include_and_inherit_others_beside_it(tmp_path: Path) -> None:
    (tmp_path / "base.yml").write_text("agents: {a: {model: m, system_prompt: A}, b: {system_prompt: B}}\n")
    (tmp_path / "prompt.txt").write_text("From a file.\n")

    found = read("INHERIT: base.yml\nagents: {a: {system_prompt: !include prompt.txt}}\n", tmp_path)

    agents = {name: (one.model, one.persona) for name, one in found.agents.items()}
    assert agents == {"a": ("m", "From a file."), "b": ("", "B")}


def test_the_first_model_that_can_be_used_is_used_and_others_are_told() -> None:
    from yeaft.workflows.graphs.files.reading import read_text

    yaml = """
        model_variants: {fast: {identifier: "box:small"}}
        agents:
          a: {model: {type: fallback, models: ["openai:gpt-9", "box:large"]}}
          b: {model: fast}
          c: {model: {identifier: "openai:gpt-9", temperature: 0.3}}
          d: {model: "${MODEL}"}
          e: {provider: {type: native, model: "box:large"}}
    """
    found = read_text(
        yaml, Path("/nowhere/g.yaml"), lambda name: "", (), lambda ref: ref if ref.startswith("box/") else ""
    )

    models = {name: one.model for name, one in found.agents.items()}
    assert models == {"a": "box/large", "b": "box/small", "c": "", "d": "", "e": "box/large"}
    assert [line.partition(": ")[2] for line in found.warnings if "model" in line] == [
        "agent 'c': the model 'openai/gpt-9' is not set up here; the default is used",
        "agent 'd': the model that it names is not set up here; the default is used",
    ]


def test_agents_of_other_programs_are_vps_and_a_human_is_asked() -> None:
    found = read("""
        agents:
          boss: {type: native}
          robot: {type: claude_code, system_prompt: You build.}
          me: {provider: human, description: Knows}
          you: {type: native, model: {type: input}}
        graph: {steps: [{id: a, agent: boss}, {id: b, agent: robot}, {id: c, agent: me}, {id: d, agent: you}]}
    """)

    tasks = {step.id: step.task for step in found.graph().steps}
    assert tasks == {
        "a": VpTask(vp_id="boss"),
        "b": VpTask(vp_id="robot"),
        "c": AskTask(kind="question", text="{{ input }}"),
        "d": AskTask(kind="question", text="{{ input }}"),
    }
    assert found.warnings == (
        (
            "/nowhere/graph.yaml:4: the agent 'robot' of type 'claude_code' would be another program; "
            "a VP with its prompt takes its part"
        ),
    )


def test_what_an_agent_must_answer_with_is_asked_for() -> None:
    found = read("""
        responses:
          Mood: {response_schema: {type: inline, fields: {mood: {type: str}, score: {type: float, constraints: {le: 1}}}}}
        agents: {a: {result_type: Mood}, b: {output_type: {type: inline, fields: {names: "list[str]"}}}}
    """)

    assert msgspec.json.decode(found.agents["a"].schema) == {
        "type": "object",
        "properties": {"mood": {"type": "string"}, "score": {"type": "number", "maximum": 1}},
        "required": ["mood", "score"],
    }
    assert msgspec.json.decode(found.agents["b"].schema)["properties"] == {
        "names": {"type": "array", "items": {"type": "string"}}
    }
    (step,) = found.graph("a").steps
    assert isinstance(step.task, VpTask)
    assert (step.out, step.task.schema, step.task.answer) == ("text", "", found.agents["a"].schema)


@pytest.mark.parametrize("given", ["Moood", "{response_schema: {type: import, import_path: moods.Mood}}"])
def test_a_type_of_answers_that_only_another_program_knows_is_told(given: str) -> None:
    found = read(f"agents: {{a: {{output_type: {given}}}, b: {{output_type: str}}, c: {{}}}}")

    named = given if given == "Moood" else "output_type"
    told = f"agent 'a': nothing is known here of the type {named!r}; its answer is taken as it is"
    assert [line.partition(": ")[2] for line in found.warnings if "type" in line] == [told]
    assert [one.schema for one in found.agents.values()] == [""] * 3


def test_of_agents_that_nothing_connects_the_default_one_is_meant_or_the_first() -> None:
    first = read("agents: {a: {}, b: {}}")
    default = read("default_agent: b\nagents: {a: {}, b: {}}")

    assert (first.main, default.main) == ("a", "b")
    assert first.warnings == (
        "/nowhere/graph.yaml:1: nothing connects the agents; 'a', the first, is run, and --graph names another",
    )
    assert default.warnings == ()


def test_a_file_may_be_one_graph_and_nothing_else() -> None:
    alone = graph("steps: [{id: a, agent: omni}]\n")

    assert alone.name == "graph"
    assert structure(alone) == structure(graph("graph: {steps: [{id: a, agent: omni}]}"))


@pytest.mark.parametrize(
    "ways",
    [
        "{from: a, to: [b, c], condition: {type: expr, expr: value == 1}}",
        "{from: a, to: d, condition: {type: expr, expr: value == 1}}, {from: a, to: [b, c], else: true}",
        (
            "{from: a, to: b, condition: {type: expr, expr: value == 1}}, "
            "{from: a, to: c, condition: {type: expr, expr: value == 1}}"
        ),
    ],
)
def test_a_join_may_wait_for_ways_that_one_condition_opens_together(ways: str) -> None:
    steps = ", ".join(f"{{id: {name}, agent: omni}}" for name in ("a", "b", "c", "d"))

    read_graph = graph(
        f"graph:\n  steps: [{steps}]\n  edges: [{{from: d, to: end}}, {ways}, {{from: [b, c], to: end}}]\n"
    )

    assert any(set(join.inputs) == {"b", "c"} for join in read_graph.joins)


@pytest.mark.parametrize("text", ["---\n---\n{}", "{}---\n", "---\n# none yet\n---\n{}...\n---\n"])
def test_a_document_that_holds_nothing_is_no_second_one(text: str) -> None:
    assert ways(graph(text.format("agents: {a: {}}\n"))) == ["start -> a", "a -> end"]


def test_a_file_may_be_named_as_windows_does(tmp_path: Path) -> None:
    (tmp_path / "roles").mkdir()
    (tmp_path / "roles" / "smith.md").write_text("You forge.\n")
    (tmp_path / "roles" / "mason.md").write_text("You build.\n")

    found = read(
        "file_agents: {mason: 'roles\\mason.md'}\n"
        "agents: {smith: {system_prompt: {type: file, path: 'roles\\smith.md'}}}\n",
        tmp_path,
    )

    assert {name: agent.persona for name, agent in found.agents.items()} == {
        "smith": "You forge.",
        "mason": "You build.",
    }


def test_a_function_in_the_place_of_an_agent_is_told_and_a_model_by_an_older_name_is_not() -> None:
    found = read(
        "agents:\n  a: {provider: {type: callback, callback: shop.prices}}\n  b: {type: callback}\n"
        "  c: {type: ai}\n  d: {provider: {type: pydantic_ai}}\nteams: {t: {members: [a, b, c, d]}}\n"
    )

    assert found.warnings == tuple(
        f"/nowhere/graph.yaml:{line}: the agent {name!r} of type 'callback' would be another program; "
        "a VP with its prompt takes its part"
        for line, name in ((2, "a"), (3, "b"))
    )


def test_a_slip_in_a_key_of_an_agent_is_told_once_where_it_stands() -> None:
    found = read("agents:\n  a:\n    modle: x\n    toolsets: []\n  b: {inherits: a}\nteams: {t: {members: [a, b]}}\n")

    assert found.warnings == (
        "/nowhere/graph.yaml:2: of the agent 'a' these are not used here: toolsets; VPs have yeaft's own tools",
        "/nowhere/graph.yaml:3: 'modle' means nothing for an agent. Did you mean 'model'?",
        "/nowhere/graph.yaml:5: of the agent 'b' these are not used here: toolsets; VPs have yeaft's own tools",
    )


TEAMS = "agents: {a: {}, b: {}}\nteams: {day: {members: [a]}, night: {members: [b]}}\n"


def test_of_several_teams_the_default_one_is_meant() -> None:
    assert read(f"default_agent: night\n{TEAMS}").main == "night"


def test_a_default_that_is_nobody_is_told() -> None:
    found = read(f"default_agent: nigth\n{TEAMS}")

    assert found.main == ""
    assert found.warnings == (
        "/nowhere/graph.yaml:1: default_agent names 'nigth', which is no agent or team here. Did you mean 'night'?",
    )
