"""Each construct of the graph syntax runs as it is meant: in which order, who is told what, and what comes of it."""

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from tests.cli.commands_given import Given, scripted_model
from tests.cli.graph_stories import Visit, priced, run, says
from yeaft.config.trust import agree, trust_of

NAMES = (
    *("clerk", "expert", "taster", "cook", "baker", "waiter", "host", "buyer", "farmer", "judge", "mender", "herald"),
    *("reader", "binder", "north", "south", "east"),
)
SCRIPT = {
    "lines": [
        says("critic", '{"mood": "sour"}'),
        says("optimist", '{"mood": "sweet"}'),
        says("silent", "I cannot say."),
        says("lister", '["ink", "pen", "wax"]'),
        says("nobody", "[]"),
        *(says(name, f"{name} is done", tokens=1000) for name in NAMES),
    ]
}
FUNCTIONS = """\
def bind(values, initial):
    return initial | {"bound": values}


def wrap(value):
    return f"wrapped: {value}"
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with scripted_model(tmp_path_factory.mktemp("scripted"), SCRIPT) as url:
        yield url


@pytest.fixture
def given(tmp_path: Path, url: str) -> Given:
    given = Given(tmp_path, url)
    (given.folder / "functions.py").write_text(FUNCTIONS, encoding="utf-8")
    agree(given.home, trust_of(given.home, given.folder, given.environ), {}, 0)
    return given


def written(given: Given, text: str, *agents: str) -> None:
    """Write the graph of a story with the agents that take part in it, unless it brings them along."""
    listed = "".join(f"  {agent}: {{}}\n" for agent in agents)
    (given.folder / "graph.yaml").write_text(dedent(text) + (f"agents:\n{listed}" if agents else ""), encoding="utf-8")


def test_block_1_one_step_follows_the_other_whatever_they_are_called(given: Given) -> None:
    written(
        given,
        """
        graph:
          name: help_desk
          steps:
            - {id: sort, agent: clerk, label: Sort the mail}
            - {id: answer, agent: expert}
          edges:
            - {from: sort, to: answer, label: hand over}
        """,
        "clerk",
        "expert",
    )

    ran = run(given)

    assert (ran.code, ran.outcome, ran.value) == (0, "completed", "expert is done")
    assert ran.told() == {"sort": "go", "answer": "clerk is done"}


def test_block_2_start_and_end_can_be_named(given: Given) -> None:
    written(
        given,
        """
        graph:
          steps: [{id: taste, agent: taster}]
          edges:
            - {from: start, to: taste}
            - {from: taste, to: end}
        """,
        "taster",
    )

    ran = run(given)

    assert (ran.code, ran.value, ran.told()) == (0, "taster is done", {"taste": "go"})


def test_block_3_without_edges_steps_follow_one_another_as_they_are_declared(given: Given) -> None:
    written(
        given,
        "graph: {steps: [{id: one, agent: cook}, {id: two, agent: baker}, {id: three, agent: waiter}]}\n",
        "cook",
        "baker",
        "waiter",
    )

    ran = run(given)

    assert (ran.code, ran.value) == (0, "waiter is done")
    assert ran.told() == {"one": "go", "two": "cook is done", "three": "baker is done"}


def test_block_4_a_fork_tells_all_the_same_and_a_join_waits_for_all_in_the_order_it_names(given: Given) -> None:
    written(
        given,
        """
        graph:
          name: menu
          steps:
            - {id: open, agent: host}
            - {id: shop, agent: buyer}
            - {id: grow, agent: farmer}
            - {id: serve, agent: waiter}
          edges:
            - {from: start, to: open}
            - {from: open, to: [shop, grow]}
            - {from: [shop, grow], to: serve}
            - {from: serve, to: end}
        """,
        "host",
        "buyer",
        "farmer",
        "waiter",
    )

    ran = run(given)

    assert (ran.code, ran.value) == (0, "waiter is done")
    assert ran.told() == {
        "open": "go",
        "shop": "host is done",
        "grow": "host is done",
        "serve": '["buyer is done","farmer is done"]',
    }
    assert ran.at_once("shop", "grow")


def test_block_5_a_join_of_its_own_gives_its_inputs_to_a_function_with_what_it_begins_with(given: Given) -> None:
    written(
        given,
        """
        graph:
          steps: [{id: shop, agent: buyer}, {id: grow, agent: farmer}]
          joins:
            - {id: pantry, inputs: [shop, grow], reducer: functions.bind, initial: {kept: true}}
          edges:
            - {from: start, to: [shop, grow]}
            - {from: pantry, to: end}
        """,
        "buyer",
        "farmer",
    )

    ran = run(given)

    assert (ran.code, ran.value) == (0, {"kept": True, "bound": ["buyer is done", "farmer is done"]})
    assert ran.at_once("shop", "grow")
    assert ran.order[-2:] == ("begun pantry", "over pantry")


@pytest.mark.parametrize(
    ("agent", "outcome", "taken"),
    [("critic", "completed", ["mend"]), ("optimist", "completed", ["cheer"]), ("silent", "failed", [])],
)
def test_block_6_of_two_branches_the_one_is_taken_whose_condition_holds(
    given: Given, agent: str, outcome: str, taken: list[str]
) -> None:
    written(
        given,
        f"""
        graph:
          steps: [{{id: judge, agent: {agent}}}, {{id: mend, agent: mender}}, {{id: cheer, agent: herald}}]
          edges:
            - {{from: start, to: judge}}
            - {{from: judge, to: mend, condition: {{type: match, field: mood, value: sour}}}}
            - {{from: judge, to: cheer, condition: {{type: match, field: mood, value: sweet}}}}
            - {{from: mend, to: end}}
            - {{from: cheer, to: end}}
        """,
        agent,
        "mender",
        "herald",
    )

    ran = run(given)

    assert (ran.outcome, [one.node for one in ran.visits]) == (outcome, ["judge", *taken])
    assert ran.code == (0 if taken else 1)
    assert [one.told for one in ran.visits[1:]] == [one.gave for one in ran.visits[:1] if taken]
    assert "'judge' gives free text; 'mood' is looked for in it only if it is JSON" in ran.err


@pytest.mark.parametrize(("agent", "items"), [("lister", ["ink", "pen", "wax"]), ("nobody", [])])
def test_block_7_each_element_of_a_list_is_done_and_all_are_gathered_in_order(
    given: Given, agent: str, items: list[str]
) -> None:
    written(
        given,
        f"""
        graph:
          steps: [{{id: list, agent: {agent}}}, {{id: each, agent: reader}}, {{id: all, agent: binder}}]
          edges:
            - {{from: start, to: list}}
            - {{from: list, to: each, map: true}}
            - {{from: each, to: all, join: true}}
            - {{from: all, to: end}}
        """,
        agent,
        "reader",
        "binder",
    )

    ran = run(given)

    each = {one.element: one.told for one in ran.visits if one.node == "each"}
    gathered = [one.told for one in ran.visits if one.node == "all"]
    assert (ran.code, ran.value) == (0, "binder is done")
    assert each == {(number,): item for number, item in enumerate(items)}
    assert gathered == ["[" + ",".join('"reader is done"' for _ in items) + "]"]


def test_block_8_a_function_changes_what_goes_over_an_edge(given: Given) -> None:
    written(
        given,
        """
        graph:
          steps: [{id: read, agent: reader}, {id: bind, agent: binder}]
          edges: [{from: read, to: bind, transform: functions.wrap}]
        """,
        "reader",
        "binder",
    )

    ran = run(given)

    assert (ran.code, ran.value) == (0, "binder is done")
    assert [(one.node, one.told) for one in ran.visits if "~" not in one.node] == [
        ("read", "go"),
        ("bind", "wrapped: reader is done"),
    ]


LINE = {
    "block 9": "teams: {printing: {mode: sequential, members: [reader, judge, binder]}}\n",
    "block 10": (
        "graph: {name: printing, steps: [{id: reader, agent: reader}, {id: judge, agent: judge}, "
        "{id: binder, agent: binder}]}\n"
    ),
}


@pytest.mark.parametrize("form", LINE)
def test_blocks_9_and_10_a_sequential_team_hands_on_from_one_to_the_next(given: Given, form: str) -> None:
    written(given, LINE[form], "reader", "judge", "binder")

    ran = run(given)

    assert (ran.code, ran.value) == (0, "binder is done")
    assert ran.told() == {"reader": "go", "judge": "reader is done", "binder": "judge is done"}


BESIDE = {
    "block 11": "teams: {kitchen: {mode: parallel, members: [cook, baker]}}\n",
    "block 12": """
        graph:
          name: kitchen
          steps: [{id: cook, agent: cook}, {id: baker, agent: baker}]
          edges: [{from: start, to: [cook, baker]}, {from: [cook, baker], to: end}]
        """,
}


@pytest.mark.parametrize("form", BESIDE)
def test_blocks_11_and_12_a_parallel_team_gives_what_all_of_it_say_in_its_order(given: Given, form: str) -> None:
    written(given, BESIDE[form], "cook", "baker")

    ran = run(given)

    assert (ran.code, ran.value) == (0, ["cook is done", "baker is done"])
    assert ran.told() == {"cook": "go", "baker": "go"}
    assert ran.at_once("cook", "baker")


CONNECTED = {
    "block 13": """
        agents:
          buyer:
            type: native
            model: openai:gpt-5-nano
            connections: [{type: node, name: cook, connection_type: run, wait_for_completion: true}]
          cook: {type: native, model: "openai:gpt-5-nano"}
        """,
    "block 14": """
        agents:
          buyer: {type: native, model: "openai:gpt-5-nano"}
          cook: {type: native, model: "openai:gpt-5-nano"}
        graph:
          steps: [{id: buyer, agent: buyer}, {id: cook, agent: cook}]
          edges: [{from: buyer, to: cook}]
        """,
}


@pytest.mark.parametrize("form", CONNECTED)
def test_blocks_13_and_14_a_connection_hands_on_what_an_agent_says(given: Given, form: str) -> None:
    written(given, CONNECTED[form])

    ran = run(given)

    assert (ran.code, ran.value) == (0, "cook is done")
    assert ran.told() == {"buyer": "go", "cook": "buyer is done"}
    assert "agent 'cook': the model 'openai/gpt-5-nano' is not set up here; the default is used" in ran.err


ROUND = {
    "block 15": """
        agents:
          north:
            connections:
              - {type: node, name: south, connection_type: run, stop_condition: {type: cost_limit, max_cost: 0.01}}
          south: {connections: [{type: node, name: east, connection_type: run}]}
          east: {connections: [{type: node, name: north, connection_type: run}]}
        """,
    "block 16": """
        agents: {north: {}, south: {}, east: {}}
        graph:
          steps: [{id: north, agent: north}, {id: south, agent: south}, {id: east, agent: east}]
          edges:
            - {from: north, to: south, stop_condition: {type: cost_limit, max_cost: 0.01}}
            - {from: south, to: east}
            - {from: east, to: north}
        """,
}


@pytest.mark.parametrize("form", ROUND)
def test_blocks_15_and_16_a_round_goes_on_until_it_has_cost_what_it_may(given: Given, url: str, form: str) -> None:
    priced(given, url)
    written(given, ROUND[form])

    ran = run(given, "-m", "box/scripted")

    assert (ran.code, ran.outcome, ran.value) == (0, "completed", "north is done")
    assert [(one.node, one.number) for one in ran.visits] == [
        *(("north", 0), ("south", 0), ("east", 0)),
        *(("north", 1), ("south", 1), ("east", 1)),
        ("north", 2),
    ]
    assert [one.told for one in ran.visits[:4]] == ["go", "north is done", "south is done", "east is done"]


def test_a_round_that_costs_nobody_knows_what_is_ended_by_its_steps_and_that_is_said_before(given: Given) -> None:
    written(given, ROUND["block 16"].replace("graph:", "graph:\n          limits: {max_steps: 4}"))

    ran = run(given)

    assert (ran.code, ran.outcome) == (4, "limit")
    assert [one.node for one in ran.visits] == ["north", "south", "east", "north"]
    assert "The price of the model is not known, so no condition on the cost will ever hold" in ran.err


def test_the_model_of_a_step_that_is_not_set_up_is_told_with_its_line_and_nothing_is_begun(
    given: Given, url: str
) -> None:
    priced(given, url)
    for variable in ("YEAFT_BASE_URL", "YEAFT_MODEL", "YEAFT_PROTOCOL"):
        del given.environ[variable]
    written(given, "graph:\n  steps:\n    - {id: a, agent: omni, model: nowhere/gpt}\n")

    done = given.yeaft("graph", "run", "graph.yaml", "go")

    assert (done.code, done.out) == (66, "")
    assert done.err.startswith("yeaft: line 3, step 'a': no provider named 'nowhere'")
    assert not (given.home / "sessions").exists()


TOGETHER = """
    agents:
      clerk: {type: native, connections: [{type: node, name: expert}]}
      expert: {type: native}
    teams:
      market: {mode: parallel, members: [buyer, farmer]}
      printing: {mode: sequential, members: [reader, judge, binder]}
    agents:
      buyer: {type: native}
      farmer: {type: native}
      reader: {type: native}
      judge: {type: native}
      binder: {type: native}
    """


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("market", ["buyer is done", "farmer is done"], {"buyer": "go", "farmer": "go"}),
        ("printing", "binder is done", {"reader": "go", "judge": "reader is done", "binder": "judge is done"}),
        ("connections", "expert is done", {"clerk": "go", "expert": "clerk is done"}),
    ],
)
def test_block_17_agents_that_stand_twice_are_merged_and_each_team_is_run_by_its_name(
    given: Given, name: str, value: object, told: dict[str, str]
) -> None:
    written(given, TOGETHER)

    ran, unnamed = run(given, "--graph", name), given.yeaft("graph", "run", "graph.yaml", "go")

    assert (ran.code, ran.value, ran.told()) == (0, value, told)
    assert "graph.yaml:8: 'agents' stands here a second time; both are merged" in ran.err
    assert (unnamed.code, unnamed.out) == (66, "")
    assert "graph.yaml:1: several can be run. It has market, printing, connections; say --graph NAME." in unnamed.err


def test_block_18_lines_and_forks_in_one_graph_go_on_beside_one_another(given: Given) -> None:
    written(
        given,
        """
        graph:
          name: all_of_it
          steps:
            - {id: clerk, agent: clerk}
            - {id: expert, agent: expert}
            - {id: buyer, agent: buyer}
            - {id: farmer, agent: farmer}
            - {id: reader, agent: reader}
            - {id: judge, agent: judge}
            - {id: binder, agent: binder}
          edges:
            - {from: clerk, to: expert}
            - {from: start, to: [buyer, farmer]}
            - {from: [buyer, farmer], to: end}
            - {from: start, to: reader}
            - {from: reader, to: judge}
            - {from: judge, to: binder}
            - {from: binder, to: end}
        """,
        *("clerk", "expert", "buyer", "farmer", "reader", "judge", "binder"),
    )

    ran = run(given)

    assert (ran.code, ran.outcome) == (0, "completed")
    assert ran.value == [["buyer is done", "farmer is done"], "binder is done", "expert is done"]
    assert ran.told() == {
        "clerk": "go",
        "expert": "clerk is done",
        "buyer": "go",
        "farmer": "go",
        "reader": "go",
        "judge": "reader is done",
        "binder": "judge is done",
    }
    assert ran.at_once("clerk", "buyer", "farmer", "reader")


def test_what_is_told_of_a_visit_is_what_the_journal_holds(given: Given) -> None:
    written(given, "graph: {steps: [{id: a, agent: cook, prompt: 'Cook {{ input }}.'}]}\n", "cook")

    assert run(given).visits == (Visit("a", 0, (), "Cook go.", "cook is done"),)
