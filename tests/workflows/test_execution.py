"""What a run does with each construct of a graph, step by step, without a model or a disk."""

from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workflows.programs import Runner
from yeaft.events.graph import GraphCancelled, StepFinished, StepStarted, TimerFired, TimerSet
from yeaft.workflows.graphs.executor.meeting import JoinBuffer
from yeaft.workflows.graphs.expressions import evaluated
from yeaft.workflows.graphs.files.reading import read_text
from yeaft.workflows.graphs.graph import Join
from yeaft.workflows.graphs.reducers import REDUCERS, folded
from yeaft.workflows.graphs.runs.run_end import end_of


class Run(Runner):
    """A run of a graph that is written as YAML; steps are ended by hand."""

    def __init__(self, yaml: str) -> None:
        graph = read_text(yaml, Path("/nowhere/graph.yaml"), lambda name: name, ()).graph()
        super().__init__(graph, evaluate=evaluated)

    @property
    def ready(self) -> list[str]:
        return [one.node for one in self.execution.ready()]

    def begin(self, node: str) -> str:
        """Begin a step that is ready."""
        act = next(one.act_id for one in self.execution.ready() if one.node == node)
        self.append(StepStarted(act_id=act, attempt=0))
        return act

    def do(self, node: str, value: Any = None, status: str = "ok", **more: Any) -> Any:
        """Let a step that is ready, or that has begun, give a value; returns what it was given."""
        running = {one.node: one.act_id for one in self.execution.running}
        act = running.get(node) or self.begin(node)
        given = self.execution.visited[act].value
        raw = msgspec.Raw(msgspec.json.encode(value))
        self.append(StepFinished(act_id=act, status=status, value=raw, **more))
        return given


def graph(steps: str, *edges: str, more: str = "") -> str:
    written = "\n".join(f"    - {edge}" for edge in edges)
    named = "\n".join(f"    - {{id: {name}, agent: x}}" for name in steps.split())
    return f"graph:\n{more}  steps:\n{named}\n" + (f"  edges:\n{written}\n" if edges else "")


def test_steps_without_edges_follow_one_another() -> None:
    run = Run(graph("a b c"))

    assert (run.do("a", 1), run.do("b", 2), run.do("c", 3)) == ("go", 1, 2)

    assert run.execution.is_quiet
    assert run.execution.result() == 3


def test_a_join_takes_its_values_in_declared_order_whoever_is_first() -> None:
    run = Run(graph("a b c", "{from: start, to: [a, b]}", "{from: [a, b], to: c}"))
    run.begin("a")
    run.do("b", "B")

    assert run.ready == []
    run.do("a", "A")

    assert run.do("c") == ["A", "B"]


def test_edges_are_taken_by_their_conditions_and_else_by_nothing_better() -> None:
    yaml = graph(
        "a b c",
        "{from: a, to: b, condition: {type: match, field: verdict, value: revise}}",
        "{from: a, to: c, else: true}",
    )
    revised, accepted, free = Run(yaml), Run(yaml), Run(yaml)

    revised.do("a", {"verdict": "revise"})
    accepted.do("a", '{"verdict": "accept"}')
    free.do("a", "I would say it is fine.")

    assert (revised.ready, accepted.ready, free.ready) == (["b"], ["c"], ["c"])


def test_what_an_agent_gives_is_the_result_unless_it_passes_a_filter_of_its_connections() -> None:
    yaml = """
    agents:
      a: {connections: [{type: node, name: b, filter_condition: {type: word_match, words: [urgent]}}]}
      b: {}
    """
    urgent, usual = Run(yaml), Run(yaml)

    urgent.do("a", "It is urgent.")
    usual.do("a", "It can wait.")

    assert (urgent.ready, usual.ready) == (["b"], [])
    assert (usual.execution.is_quiet, usual.execution.result()) == (True, "It can wait.")


@pytest.mark.parametrize("how", ["connection_type: context", "wait_for_completion: false"])
def test_what_an_agent_gives_is_the_result_where_nobody_waits_for_those_whom_it_tells(how: str) -> None:
    run = Run(f"""
    agents:
      a: {{connections: [{{name: b, {how}, filter_condition: {{type: word_match, words: [urgent]}}}}]}}
      b: {{}}
    """)

    run.do("a", "It is urgent.")

    assert run.execution.result() == "It is urgent."


def test_a_value_that_matches_nothing_ends_its_way_and_the_place_is_known() -> None:
    run = Run(graph("a b", "{from: a, to: b, condition: {type: match, value: yes}}"))

    run.do("a", "no")

    assert run.execution.is_quiet
    assert not run.execution.has_result
    assert run.execution.dead_end == "what 'a' gave ('no') matched no edge"


def test_a_partial_join_goes_on_with_what_can_still_come() -> None:
    run = Run(
        graph(
            "s a b c",
            "{from: s, to: a}",
            "{from: s, to: b, condition: {type: match, value: 1}}",
            "{from: [a, b], to: c, partial: true}",
        )
    )
    run.do("s", 2)

    run.do("a", "A")

    assert run.do("c") == ["A"]


def test_the_first_one_wins_and_the_others_are_stopped() -> None:
    run = Run(
        graph(
            "a b c",
            "{from: start, to: [a, b]}",
            "{from: fast, to: c}",
            more="  joins: [{id: fast, inputs: [a, b], first: 1}]\n",
        )
    )
    slow = run.begin("a")
    run.do("b", "B")

    assert slow not in run.execution.pending
    assert run.do("c") == "B"
    run.append(StepFinished(act_id=slow, status="cancelled", cost_usd=0.5))
    assert run.execution.is_quiet
    assert run.execution.cost_usd == 0.5


def test_a_cycle_goes_round_as_often_as_it_may() -> None:
    run = Run(
        graph(
            "draft check",
            "{from: draft, to: check}",
            "{from: check, to: draft, condition: {type: match, value: again}, max_visits: 2}",
            "{from: check, to: end, else: true, result_of: draft}",
        )
    )

    for number in range(3):
        run.do("draft", f"draft {number}")
        run.do("check", "again")

    assert run.execution.is_quiet
    assert run.execution.result() == "draft 2"


def test_an_edge_is_closed_for_good_by_its_stop_condition() -> None:
    run = Run(
        graph(
            "a b c",
            "{from: a, to: b, stop_condition: {type: cost, max: 1.0}}",
            "{from: b, to: c}",
            "{from: c, to: a}",
        )
    )
    for _ in range(2):
        run.do("a", "x", cost_usd=0.4)
        run.do("b", "x")
        run.do("c", "x")

    run.do("a", "x", cost_usd=0.4)

    assert run.execution.is_quiet
    assert [run.topology.edges[edge].source for edge in run.execution.closed] == ["a"]


def test_a_list_is_spread_four_at_once_and_gathered_in_its_order() -> None:
    run = Run(
        graph(
            "list do sum",
            "{from: list, to: do, map: true, max_parallel: 2}",
            "{from: do, to: sum, join: true}",
            more="  limits: {max_parallel: 10}\n",
        )
    )
    run.do("list", ["a", "b", "c"])

    assert run.ready == ["do", "do"]
    second = run.execution.ready()[1].act_id
    run.append(StepStarted(act_id=second, attempt=0))
    run.append(StepFinished(act_id=second, status="ok", value=msgspec.Raw(b'"B"')))
    assert run.do("do", "A") == "a"
    assert run.do("do", "C") == "c"
    assert run.do("sum") == ["A", "B", "C"]


def test_of_an_empty_list_an_empty_one_is_gathered_at_once() -> None:
    run = Run(graph("list do sum", "{from: list, to: do, map: true}", "{from: do, to: sum, join: true}"))

    run.do("list", "[]")

    assert run.do("sum") == []


def test_what_is_no_list_cannot_be_spread() -> None:
    run = Run(graph("list do sum", "{from: list, to: do, map: true}", "{from: do, to: sum, join: true}"))

    run.do("list", "three files")

    assert run.execution.failure == ("The edge list -> do (line 7) spreads a list, but 'list' gave 'three files'")
    assert run.ready == []


def test_elements_that_fail_may_be_left_out() -> None:
    yaml = graph("list do sum", "{from: list, to: do, map: true}", "{from: do, to: sum, join: true}")
    run = Run(yaml.replace("{id: do, agent: x}", "{id: do, agent: x, on_error: skip}"))
    run.do("list", [1, 2, 3])

    run.do("do", "one")
    run.do("do", status="failed", error="no")
    run.do("do", "three")

    assert run.do("sum") == ["one", "three"]


@pytest.mark.parametrize(
    ("how", "following", "given"),
    [
        ("continue", "b", {"error": "no", "status": "failed", "step": "a"}),
        ("route:mend", "mend", {"error": "no", "status": "failed", "step": "a", "input": "go"}),
    ],
)
def test_a_step_that_failed_can_be_gone_on_from(how: str, following: str, given: object) -> None:
    yaml = graph("a b mend", "{from: a, to: b}", "{from: mend, to: end}")
    run = Run(yaml.replace("{id: a, agent: x}", f"{{id: a, agent: x, on_error: '{how}'}}"))

    run.do("a", status="failed", error="no")

    assert run.do(following) == given


def test_a_step_that_failed_ends_the_run_once_its_siblings_are_through() -> None:
    run = Run(graph("a b c", "{from: start, to: [a, b]}", "{from: [a, b], to: c}"))
    run.begin("a")
    run.begin("b")

    run.do("a", status="failed", error="no model")

    assert not run.execution.is_quiet
    run.do("b", "B")
    assert run.execution.is_quiet
    assert run.execution.failure == "Step 'a' failed: no model"
    assert run.execution.last_output == ["B"]


def test_context_is_left_for_the_next_visit_and_forward_passes_a_step_by() -> None:
    run = Run(
        graph(
            "a b c d",
            "{from: start, to: [a, d]}",
            "{from: a, to: b, mode: context}",
            "{from: d, to: b}",
            "{from: b, to: c, mode: forward}",
            "{from: c, to: end}",
        )
    )
    run.do("a", "by the way")
    run.do("d", "do it")

    visit = next(one for one in run.execution.ready() if one.node == "b")
    run.do("b", "done")

    assert (visit.value, visit.inbox) == ("do it", ("by the way",))
    assert run.execution.is_quiet
    assert run.execution.result() == "done"


def test_a_delay_waits_for_its_timer() -> None:
    run = Run(graph("a b", "{from: a, to: b, delay: 90s}"))
    run.do("a", "x")
    (timer,) = run.execution.timers.values()

    assert timer.delay_ms == 90_000
    assert run.ready == []
    run.append(TimerSet(timer_id=timer.timer_id, due_ms=100_000))
    run.append(TimerFired(timer_id=timer.timer_id, due_ms=100_000))
    assert run.do("b") == "x"


def test_nobody_waits_for_what_is_async() -> None:
    yaml = graph("a b c", "{from: a, to: b}", "{from: a, to: c, async: true}", "{from: b, to: end}")
    run = Run(yaml)
    run.do("a", 1)
    run.do("b", 2)

    assert run.execution.result() == 2
    assert not run.execution.is_quiet  # on_end: wait
    assert Run(yaml.replace("graph:\n", "graph:\n  on_end: cancel\n")).topology.graph.on_end == "cancel"
    run.do("c", 3)
    assert run.execution.is_quiet
    assert run.execution.result() == 2


def test_several_edges_that_lead_to_the_end_give_a_list_in_declared_order() -> None:
    run = Run(graph("a b", "{from: start, to: [a, b]}", "{from: a, to: end}", "{from: b, to: end}"))
    run.begin("a")

    run.do("b", "B")
    run.do("a", "A")

    assert run.execution.result() == ["A", "B"]


def test_a_limit_of_steps_lets_nothing_more_begin() -> None:
    run = Run(graph("a b c", more="  limits: {max_steps: 2}\n"))

    run.do("a")
    run.do("b")

    assert (run.ready, run.execution.limit, run.execution.is_quiet) == ([], "steps", True)


def test_after_a_cancel_nothing_begins_and_late_results_revive_nothing() -> None:
    run = Run(graph("a b"))
    act = run.begin("a")
    run.append(GraphCancelled(run_id="r", by="user"))

    assert not run.execution.is_quiet
    run.append(StepFinished(act_id=act, status="ok", value=msgspec.Raw(b'"late"'), cost_usd=0.1))

    assert run.execution.is_quiet
    assert run.ready == []
    assert run.execution.cost_usd == 0.1


def test_priority_decides_who_is_first_where_not_all_can() -> None:
    run = Run(
        graph(
            "a b c",
            "{from: a, to: b, priority: 5}",
            "{from: a, to: c, priority: 1}",
            more="  limits: {max_parallel: 1}\n",
        )
    )

    run.do("a", 1)

    assert run.ready == ["c"]


def test_a_transform_and_a_reducer_make_something_else_of_values() -> None:
    run = Run(
        graph(
            "a b c",
            "{from: start, to: [a, b]}",
            "{from: total, to: c, transform: 'value * 10'}",
            more="  joins: [{id: total, inputs: [a, b], reducer: sum, initial: 1}]\n",
        )
    )

    run.do("a", 2)
    run.do("b", "3")

    assert run.do("c") == 60


def test_a_condition_that_is_neither_true_nor_false_ends_the_run_with_its_place() -> None:
    run = Run(graph("a b", "{from: a, to: b, condition: {type: expr, expr: value + 1}}"))

    run.do("a", 1)

    assert run.execution.failure == (
        "The condition of the edge a -> b (line 6): 'value + 1' comes to 2, which is neither true nor false"
    )


def test_the_reviewer_that_failed_reviews_again_and_the_other_one_counts_with_what_it_said() -> None:
    run = Run(
        graph(
            "a b sum",
            "{from: start, to: [a, b]}",
            "{from: both, to: sum}",
            "{from: sum, to: a, condition: {type: match, value: again}, max_visits: 1}",
            "{from: sum, to: end, else: true}",
            more="  joins: [{id: both, inputs: [a, b]}]\n",
        )
    )
    run.do("a", "bad")
    run.do("b", "good")
    assert run.do("sum", "again") == ["bad", "good"]

    run.do("a", "better")

    assert run.do("sum", "fine") == ["better", "good"]


VOTE = graph(
    "a b c d e",
    "{from: start, to: [a, b, c, d, e]}",
    more="  joins: [{id: votes, inputs: [a, b, c, d, e], stop: majority, key: answer}]\n",
)


def test_a_vote_goes_on_once_more_than_half_say_the_same_and_stops_the_rest() -> None:
    run = Run(VOTE.replace("graph:\n", "graph:\n  limits: {max_parallel: 5}\n"))
    for node in "abcde":
        run.begin(node)
    run.do("a", {"answer": "Yes"})
    run.do("b", {"answer": "no"})
    run.do("c", '{"answer": " yes "}')

    assert not run.execution.is_quiet
    run.do("e", {"answer": "yes"})

    assert run.execution.is_quiet
    assert [one.node for one in run.execution.abandoned] == ["d"]
    assert run.execution.result() == [
        {"answer": "Yes"},
        {"answer": "no"},
        '{"answer": " yes "}',
        {"answer": "yes"},
    ]


def test_a_vote_without_a_majority_waits_for_all() -> None:
    run = Run(VOTE)
    for number, node in enumerate("abcde"):
        assert not run.execution.is_quiet
        run.do(node, {"answer": number // 2})

    assert run.execution.is_quiet
    assert len(run.execution.result()) == 5


def test_a_step_that_is_there_to_fail_ends_the_run_with_what_it_says_and_what_was_best_so_far() -> None:
    yaml = (
        "graph:\n  steps:\n    - {id: a, agent: x}\n    - {id: bad, fail: 'It is {{ input }}.'}\n"
        "    - {id: spent, fail: 'It takes too long.', limit: rounds}\n  edges:\n    - {from: a, to: end}\n"
        "    - {from: a, to: bad, condition: {type: match, value: bad}}\n"
        "    - {from: a, to: spent, condition: {type: match, value: late}}\n"
    )
    run, late = Run(yaml), Run(yaml)
    for one, said, node, text in ((run, "bad", "bad", "It is bad."), (late, "late", "spent", "It takes too long.")):
        one.do("a", said)
        one.do(node, status="failed", error=text)

    failed, limited = end_of(run.execution), end_of(late.execution)

    assert (failed.outcome, failed.error, failed.limit) == ("failed", "It is bad.", "")
    assert (limited.outcome, limited.error, limited.limit) == ("limit", "It takes too long.", "rounds")
    assert (run.execution.result(), late.execution.result()) == ("bad", "late")


@given(st.lists(st.sampled_from(["x", "X ", "y", "z"]), min_size=2, max_size=9), st.randoms())
def test_a_vote_that_ends_early_ends_as_it_would_have_with_all_votes(votes: list[str], order: Random) -> None:
    names = [f"v{number}" for number in range(len(votes))]
    buffer = JoinBuffer(Join(id="j", inputs=tuple(names), stop="majority", key="answer"), ())
    ballots = list(zip(names, votes, strict=True))
    order.shuffle(ballots)

    for name, vote in ballots:
        buffer.put(name, {"answer": vote})
        if buffer.is_decided:
            break

    early = REDUCERS["majority"]([one["answer"] for one in buffer.take()], None)
    whole = REDUCERS["majority"](votes, None)
    assert folded(early["answer"]) == folded(whole["answer"])
    assert early["votes"] == len(votes) or 2 * round(early["agreement"] * early["votes"]) > len(votes)


def test_a_join_waits_for_what_a_step_that_may_still_fail_would_lead_to() -> None:
    text = """
graph:
  steps:
    - {id: a, agent: x}
    - {id: b, agent: x, on_error: "route:mend"}
    - {id: mend, agent: x}
    - {id: sum, agent: x}
  joins: [{id: both, inputs: [a, mend], partial: true}]
  edges:
    - {from: start, to: [a, b]}
    - {from: b, to: end}
    - {from: both, to: sum}
"""
    failing, fine = Run(text), Run(text)

    for run in (failing, fine):
        run.do("a", "A")
        assert run.ready == ["b"]
    failing.do("b", status="failed")
    failing.do("mend", "M")
    fine.do("b", "B")

    assert failing.do("sum", "S") == ["A", "M"]
    assert fine.do("sum", "S") == ["A"]
    assert failing.execution.is_quiet


@pytest.mark.parametrize(
    ("condition", "is_paid"),
    [('{type: match, regex: "(a+)+$"}', False), ("{type: judge, agent: x, question: Fine?}", True)],
)
def test_once_a_limit_is_used_up_a_regex_is_still_looked_for_and_nobody_is_asked(condition: str, is_paid: bool) -> None:
    run = Run(
        graph(
            "a b",
            "{from: start, to: a}",
            f"{{from: a, to: b, condition: {condition}}}",
            "{from: a, to: end, else: true}",
            more="  limits: {cost: 1}\n",
        )
    )

    run.do("a", "A", cost_usd=1.0)

    assert (run.ready == []) == is_paid
