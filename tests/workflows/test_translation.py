"""Teams and connections are graphs: what is written in the one form is equal to what is written in the other."""

from itertools import combinations
from textwrap import dedent

import pytest

from tests.workflows.graph_files import graph, read, structure, ways
from yeaft.kernel.errors import BadData
from yeaft.prompts.ui import Ui
from yeaft.workflows.graphs.graph import CodeTask, GraphTask, VpTask

AGENTS = """
agents:
  scout: {type: native, model: "openai:gpt-5-nano"}
  judge: {type: native, model: "openai:gpt-5-nano"}
  clerk: {type: native, model: "openai:gpt-5-nano"}
  smith: {type: native, model: "openai:gpt-5-nano"}
  mason: {type: native, model: "openai:gpt-5-nano"}
"""


def with_agents(text: str) -> str:
    return AGENTS + dedent(text)


PAIRS = [
    pytest.param(
        "teams: {pipeline: {mode: sequential, members: [scout, judge, clerk]}}",
        """
        graph:
          name: pipeline
          steps: [{id: scout, agent: scout}, {id: judge, agent: judge}, {id: clerk, agent: clerk}]
        """,
        id="rule 1: a sequential team is a line",
    ),
    pytest.param(
        "teams: {builders: {mode: parallel, members: [smith, mason]}}",
        """
        graph:
          name: builders
          steps: [{id: smith, agent: smith}, {id: mason, agent: mason}]
          edges: [{from: start, to: [smith, mason]}, {from: [smith, mason], to: end}]
        """,
        id="rule 2: a parallel team is a fork and a join",
    ),
    pytest.param(
        """
        agents:
          scout: {connections: [{type: node, name: judge, connection_type: run, wait_for_completion: true}]}
        """,
        """
        graph:
          name: connections
          steps: [{id: scout, agent: scout}, {id: judge, agent: judge}]
          edges: [{from: scout, to: judge}]
        """,
        id="rule 3: a connection is an edge",
    ),
    pytest.param(
        """
        agents:
          scout:
            connections:
              - {type: node, name: judge, filter_condition: {type: word_match, words: [error]}}
              - {type: node, name: clerk, filter_condition: {type: word_match, words: [fine]}}
        """,
        """
        graph:
          name: connections
          steps: [{id: scout, agent: scout}, {id: judge, agent: judge}, {id: clerk, agent: clerk}]
          edges:
            - {from: scout, to: judge, condition: {type: word_match, words: [error]}}
            - {from: scout, to: clerk, condition: {type: word_match, words: [fine]}}
            - {from: scout, to: end, else: true}
        """,
        id="what passes no filter is the result",
    ),
    pytest.param(
        """
        agents:
          scout:
            connections:
              - type: node
                name: judge
                connection_type: context
                priority: 2
                delay: 5s
                wait_for_completion: false
                transform: json.dumps
                filter_condition: {type: word_match, words: [error, warning]}
                stop_condition: {type: message_count, max_messages: 9}
              - {type: node, name: clerk, connection_type: forward}
              - {type: node, name: smith, connection_type: run}
        """,
        """
        graph:
          name: connections
          steps:
            - {id: scout, agent: scout}
            - {id: judge, agent: judge}
            - {id: clerk, agent: clerk}
            - {id: smith, agent: smith}
          edges:
            - from: scout
              to: judge
              mode: context
              priority: 2
              delay: 5
              async: true
              transform: json.dumps
              condition: {type: contains, words: [error, warning], whole_word: true}
              stop_condition: {type: count, max: 9}
            - {from: scout, to: clerk, mode: forward}
            - {from: scout, to: smith, run: true, async: false}
        """,
        id="rule 4: what a connection says, its edge says",
    ),
    pytest.param(
        """
        agents:
          scout:
            connections: [{type: node, name: judge, stop_condition: {type: cost_limit, max_cost: 0.01}}]
          judge: {connections: [{type: node, name: clerk, connection_type: run}]}
          clerk: {connections: [{type: node, name: scout, connection_type: run}]}
        """,
        """
        graph:
          name: connections
          steps: [{id: scout, agent: scout}, {id: judge, agent: judge}, {id: clerk, agent: clerk}]
          edges:
            - {from: scout, to: judge, stop_condition: {type: cost_limit, max_cost: 0.01}}
            - {from: judge, to: clerk}
            - {from: clerk, to: scout}
        """,
        id="rule 5: a circle stays one",
    ),
    pytest.param(
        """
        teams:
          tuned:
            mode: parallel
            members: [scout, judge]
            shared_prompt: Mind the budget.
            prompt_template: "{{ shared_prompt }} {{ prompt }}"
            template_vars: {a: 1}
            mcp_servers: [docs]
            member_timeout: 30
            member_retry_attempts: 2
            member_retry_delay: 1.5
        """,
        """
        .all: &all
          shared_prompt: Mind the budget.
          prompt: "{{ shared_prompt }} {{ prompt }}"
          template_vars: {a: 1}
          mcp_servers: [docs]
          timeout: 30s
          retries: {max: 2, delay: 1.5}
        graph:
          name: tuned
          steps: [{id: scout, agent: scout, <<: *all}, {id: judge, agent: judge, <<: *all}]
          edges: [{from: start, to: [scout, judge]}, {from: [scout, judge], to: end}]
        """,
        id="what a team says of all its members, each of its steps says",
    ),
]


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_what_was_a_team_or_a_connection_is_the_graph_it_stands_for(before: str, after: str) -> None:
    translated, written = read(with_agents(before)), read(with_agents(after))

    assert translated.main == written.main
    assert structure(translated.graph()) == structure(written.graph())


def test_two_pairs_are_never_equal_so_that_the_comparison_says_something() -> None:
    found = [structure(graph(with_agents(str(pair.values[1])))) for pair in PAIRS]

    assert all(one != other for one, other in combinations(found, 2))


def test_several_teams_and_connections_stay_graphs_of_their_own() -> None:
    found = read(
        with_agents("""
        agents: {scout: {connections: [{type: node, name: judge}]}}
        teams:
          group: {mode: parallel, members: [smith, mason]}
          line: {mode: sequential, members: [clerk, judge]}
        """)
    )

    assert {name: ways(one) for name, one in found.graphs.items()} == {
        "group": ["start -> smith", "start -> mason", "smith & mason -> end"],
        "line": ["start -> clerk", "clerk -> judge", "judge -> end"],
        "connections": ["scout -> judge", "start -> scout", "judge -> end"],
    }
    assert found.main == ""


def test_together_they_are_the_one_graph_that_would_be_written_for_all_of_them() -> None:
    apart = read(
        with_agents("""
        agents: {scout: {connections: [{type: node, name: judge}]}}
        teams:
          group: {mode: parallel, members: [smith, mason]}
          line: {mode: sequential, members: [clerk, omni, editor]}
        """)
    )
    together = read(
        with_agents("""
        graph:
          steps:
            - {id: scout, agent: scout}
            - {id: judge, agent: judge}
            - {id: smith, agent: smith}
            - {id: mason, agent: mason}
            - {id: clerk, agent: clerk}
            - {id: omni, agent: omni}
            - {id: editor, agent: editor}
          edges:
            - {from: scout, to: judge}
            - {from: start, to: [smith, mason]}
            - {from: [smith, mason], to: end}
            - {from: start, to: clerk}
            - {from: clerk, to: omni}
            - {from: omni, to: editor}
            - {from: editor, to: end}
        """)
    )

    parts = [structure(one) for one in apart.graphs.values()]
    whole = structure(together.graph())
    assert {name: step for part in parts for name, step in part["steps"].items()} == whole["steps"]
    assert sorted((edge for part in parts for edge in part["edges"]), key=repr) == whole["edges"]


def test_a_team_in_a_team_is_a_graph_that_is_a_step_and_is_told_what_all_are_told() -> None:
    found = read(
        with_agents("""
        teams:
          inner: {mode: parallel, members: [smith, mason]}
          outer: {mode: sequential, members: [scout, inner, clerk], shared_prompt: Mind the budget.}
        """)
    )

    tasks = {step.id: step.task for step in found.graph().steps}
    assert found.main == "outer"
    assert tasks == {
        "scout": VpTask(vp_id="scout", shared="Mind the budget."),
        "inner": GraphTask(graph="inner", shared="Mind the budget."),
        "clerk": VpTask(vp_id="clerk", shared="Mind the budget."),
    }
    assert ways(found.graph("inner")) == ["start -> smith", "start -> mason", "smith & mason -> end"]


def test_a_team_can_have_connections_and_be_led_to() -> None:
    found = read(
        with_agents("""
        agents: {scout: {connections: [{type: node, name: group}]}}
        teams: {group: {mode: parallel, members: [smith, mason], connections: [{type: node, name: clerk}]}}
        """)
    )

    tasks = {step.id: step.task for step in found.graph().steps}
    assert found.main == "connections"
    assert tasks == {
        "scout": VpTask(vp_id="scout"),
        "group": GraphTask(graph="group"),
        "clerk": VpTask(vp_id="clerk"),
    }
    assert ways(found.graph()) == ["scout -> group", "group -> clerk", "start -> scout", "clerk -> end"]


@pytest.mark.parametrize(
    ("members", "mode", "expected"),
    [
        ("[scout]", "sequential", ["start -> scout", "scout -> end"]),
        ("[scout]", "parallel", ["start -> scout", "scout -> end"]),
        ("[scout, scout]", "sequential", ["start -> scout", "scout -> scout-2", "scout-2 -> end"]),
        ("[scout, scout]", "parallel", ["start -> scout", "start -> scout-2", "scout & scout-2 -> end"]),
        ("[{name: scout}, judge]", "sequential", ["start -> scout", "scout -> judge", "judge -> end"]),
    ],
)
def test_small_and_odd_teams_are_what_they_say(members: str, mode: str, expected: list[str]) -> None:
    found = graph(with_agents(f"teams: {{t: {{mode: {mode}, members: {members}}}}}"))

    assert ways(found) == expected


def test_a_validator_comes_last_in_a_line() -> None:
    found = graph(with_agents("teams: {t: {mode: sequential, members: [scout], validator: judge}}"))

    assert ways(found) == ["start -> scout", "scout -> judge", "judge -> end"]


def test_a_function_can_be_led_to_and_files_are_left_out_with_a_warning() -> None:
    found = read(
        with_agents("""
        agents:
          scout:
            connections:
              - {type: callable, callable: json.dumps}
              - {type: file, path: "out/{date}.txt"}
              - {type: node, name: judge, queued: true}
        """)
    )

    assert ways(found.graph()) == [
        "scout -> scout call",
        "scout -> judge",
        "start -> scout",
        "scout call -> end",
        "judge -> end",
    ]
    assert [line.partition(": ")[2] for line in found.warnings] == [
        "'agents' stands here a second time; both are merged",
        "a connection of type 'file' is left out; VPs write files by tools",
        "queued is not kept: a step is given each value as it comes",
    ]


def test_a_graph_that_is_written_wins_over_teams_which_stay_at_hand() -> None:
    found = read(
        with_agents("""
        teams: {group: {mode: parallel, members: [smith, mason]}}
        graph: {name: mine, steps: [{id: a, agent: scout}, {id: b, agent: group}]}
        """)
    )

    assert found.main == "mine"
    assert [step.task for step in found.graph().steps] == [VpTask(vp_id="scout"), GraphTask(graph="group")]
    assert set(found.graphs) == {"mine", "group"}


def test_a_team_that_calls_its_mode_a_strategy_means_it() -> None:
    found = read("agents: {a: {}, b: {}}\nteams: {t: {strategy: parallel, members: [a, b]}}")

    assert structure(found.graph("t")) == structure(
        read("agents: {a: {}, b: {}}\nteams: {t: {mode: parallel, members: [a, b]}}").graph("t")
    )
    assert found.warnings == ()


def test_what_means_nothing_for_a_team_or_a_connection_is_said_with_its_line() -> None:
    found = read(
        "agents:\n  a:\n    connections:\n      - name: b\n        filter_conditon: {type: cost, max: 1}\n  b: {}\n"
        "teams:\n  t:\n    members: [a, b]\n    pick_prompt: Choose.\n"
    )

    assert found.warnings == (
        "/nowhere/graph.yaml:5: 'filter_conditon' means nothing for a connection. Did you mean 'filter_condition'?",
        "/nowhere/graph.yaml:10: 'pick_prompt' means nothing for a team",
    )
    assert [Ui("zh").retold(warning) for warning in found.warnings] == [
        "/nowhere/graph.yaml:5: “filter_conditon”对连接没有意义。是不是指“filter_condition”？",
        "/nowhere/graph.yaml:10: “pick_prompt”对团队没有意义",
    ]


def test_a_mistake_in_a_setting_of_a_team_is_told_once_where_it_stands() -> None:
    with pytest.raises(BadData) as refused:
        read("agents: {a: {}, b: {}}\nteams:\n  t:\n    members: [a, b]\n    member_timeout: soon\n")

    assert str(refused.value).startswith("/nowhere/graph.yaml:5: ")
    assert "\n" not in str(refused.value)


def test_agents_of_whatever_section_are_connected() -> None:
    found = read("""
    claude_code_agents:
      coder: {connections: [{type: node, name: judge}]}
    acp_agents:
      judge: {provider: gemini, connections: [{type: node, name: clerk}]}
    agents:
      clerk: {}
    """)

    assert ways(found.graph()) == ["judge -> clerk", "coder -> judge", "start -> coder", "clerk -> end"]


def test_an_agent_takes_over_the_connections_of_the_one_that_it_inherits_from() -> None:
    found = read("""
    agents:
      smith: {connections: [{type: node, name: clerk}]}
      mason: {inherits: smith, description: Also one of the builders}
      scout: {inherits: mason, connections: []}
      clerk: {}
    """)

    assert ways(found.graph()) == [
        "smith -> clerk",
        "mason -> clerk",
        "start -> smith",
        "start -> mason",
        "clerk -> end",
    ]


def test_whoever_cannot_be_an_id_by_name_takes_part_under_one_that_can() -> None:
    found = read("""
    agents:
      🦊: {connections: [{type: node, name: "ops/night"}]}
      🐻: {}
      ops/night: {connections: [{type: node, name: end}]}
      end: {}
    teams:
      "night shift #1": {members: [🦊, 🐻, "ops/night", end]}
    """)

    team, connected = found.graph("night shift #1"), found.graph("connections")
    assert [(step.id, step.label, step.task) for step in team.steps] == [
        ("_", "🦊", VpTask(vp_id="🦊")),
        ("_-2", "🐻", VpTask(vp_id="🐻")),
        ("ops_night", "ops/night", VpTask(vp_id="ops/night")),
        ("end-2", "end", VpTask(vp_id="end")),
    ]
    assert ways(connected) == ["_ -> ops_night", "ops_night -> end-2", "start -> _", "end-2 -> end"]


def test_an_agent_alone_can_have_any_name() -> None:
    found = read("agents: {'🦊 / night': {}}")

    assert found.main == "🦊 / night"
    assert [step.task for step in found.graph().steps] == [VpTask(vp_id="🦊 / night")]


def test_names_that_look_like_numbers_are_names() -> None:
    found = graph("agents: {1: {}, 2.5: {}, true: {}}\nteams: {9: {members: [1, 2.5, true]}}\n")

    assert ways(found) == ["start -> 1", "1 -> 2.5", "2.5 -> true", "true -> end"]


def test_each_function_that_an_agent_leads_to_is_called() -> None:
    found = graph(
        with_agents("""
        agents:
          scout: {connections: [{type: callable, callable: json.dumps}, {type: callable, callable: json.loads}]}
        """)
    )

    assert {step.id: step.task.path for step in found.steps if isinstance(step.task, CodeTask)} == {
        "scout call": "json.dumps",
        "scout call-2": "json.loads",
    }


def test_a_team_may_be_called_connections() -> None:
    found = read("agents: {a: {connections: [b]}, b: {}, c: {}}\nteams: {connections: {members: [c]}}\n")

    assert ways(found.graph("connections")) == ["start -> c", "c -> end"]
    assert ways(found.graph("connections-2")) == ["a -> b", "start -> a", "b -> end"]


def test_whoever_has_a_long_name_can_take_part_twice() -> None:
    long, longer = "x" * 80, "y" * 90

    found = graph(f"agents: {{{long}: {{}}, {longer}: {{}}}}\nteams: {{t: {{members: [{long}, {long}, {longer}]}}}}\n")

    assert [step.id for step in found.steps] == [long, "x" * 70 + "-2", "y" * 70]
