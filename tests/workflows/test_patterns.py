"""Patterns become graphs that load, and what those graphs think between rounds is right for any rounds."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from yeaft.kernel.errors import UsageError
from yeaft.prompts.find import read_template, templates_dir
from yeaft.prompts.phrases import sections
from yeaft.workflows.graphs.files.reading import read_text
from yeaft.workflows.graphs.graph import END, START, CodeTask, Graph
from yeaft.workflows.patterns.answers import counted, gathered, listed, signed
from yeaft.workflows.patterns.assigning import planned, supervised
from yeaft.workflows.patterns.citations import checked, pattern_of
from yeaft.workflows.patterns.cited import Cite
from yeaft.workflows.patterns.delegated import Plan, Supervise
from yeaft.workflows.patterns.lines import Chain, Route
from yeaft.workflows.patterns.looped import Critic, Repair
from yeaft.workflows.patterns.named import NAMES, PATTERNS, Wanted, expanded
from yeaft.workflows.patterns.panels import Parallel, Vote
from yeaft.workflows.patterns.pattern import Budget
from yeaft.workflows.patterns.rounds import reviewed, signature_of, tried
from yeaft.workflows.patterns.spreads import Map
from yeaft.workflows.patterns.yaml_text import yaml_text

VPS = ["a", "b", "c"]
WISHES: dict[str, tuple[Wanted, list[str]]] = {
    "chain": (Chain(members=("a", "b", "a")), ["start-a", "a-b", "b-a-2", "a-2-end"]),
    "chain, approved": (
        Chain(members=("a", "b"), names=("draft", "edit"), approve=True),
        ["start-draft", "draft-look at draft", "look at draft-edit", "edit-end"],
    ),
    "route": (
        Route(choices=(("bug", "a"),), other="b", by="c"),
        ["start-choose", "choose-bug", "choose-other", "bug-end", "other-end"],
    ),
    "route by words": (
        Route(choices=(("bug", "a"),), other="b"),
        ["start-bug", "start-other", "bug-end", "other-end"],
    ),
    "parallel": (Parallel(members=("a", "b")), ["all~in-all", "start-a", "start-b", "a-all~in", "b-all~in", "all-end"]),
    "parallel, merged": (
        Parallel(members=("a", "b"), merge="c"),
        ["all~in-all", "start-a", "start-b", "a-all~in", "b-all~in", "all-merge", "merge-end"],
    ),
    "chain, gated": (
        Chain(members=("a", "b"), approve=True, gate="json.loads"),
        ["start-a", "a-look at a", "a-closed", "look at a-b", "b-end"],
    ),
    "vote, keyed and stopped early": (
        Vote(members=("a", "b"), stop="majority", key="json.loads"),
        ["count~in-count", "start-a", "start-b", "a-a key", "a key-count~in", "b-b key", "b key-count~in", "count-end"],
    ),
    "critic, with a function that accepts": (
        Critic(writer="a", critic="b", accept="json.loads"),
        [
            *("start-draft", "draft-review", "review-weigh", "review-weigh", "weigh-end", "weigh-draft"),
            *("weigh-stuck", "weigh-spent"),
        ],
    ),
    "vote": (
        Vote(members=("a",), times=2),
        ["count~in-count", "start-a", "start-a-2", "a-count~in", "a-2-count~in", "count-end"],
    ),
    "map": (Map(member="a", over="*.py"), ["start-find", "find-list", "list-do", "do-all", "all-end"]),
    "map, listed": (Map(member="a", items=("x",), collect="b"), ["start-do", "do-all", "all-collect", "collect-end"]),
    "critic": (
        Critic(writer="a", critic="b"),
        ["start-draft", "draft-review", "review-weigh", "weigh-end", "weigh-draft", "weigh-stuck", "weigh-spent"],
    ),
    "test-repair": (
        Repair(coder="a", command="pytest -q 'x: y' # z"),
        ["start-code", "code-test", "test-weigh", "weigh-end", "weigh-code", "weigh-stuck", "weigh-spent"],
    ),
    "plan": (
        Plan(planner="a", workers=("b", "c"), approve=True),
        [
            *("b-did", "c-did", "start-plan", "plan-approve", "approve-next", "next-end", "next-work", "work-b"),
            *("work-c", "did-next", "next-plan", "next-stuck", "next-spent"),
        ],
    ),
    "supervise": (
        Supervise(lead="a", workers=("b",)),
        [
            *("b-did", "start-lead", "lead-next", "next-end", "next-work", "work-b", "did-next", "next-lead"),
            *("next-stuck", "next-spent"),
        ],
    ),
    "cite": (
        Cite(member="a", glob="*.md"),
        [
            *("start-terms", "terms-pattern", "pattern-search", "search-answer", "answer-check", "check-end"),
            *("check-answer", "check-stuck", "check-spent"),
        ],
    ),
}


def graph_of(text: str) -> Graph:
    read = read_text(text, Path("/nowhere/flow.yaml"), lambda name: name, VPS)
    assert read.warnings == ()
    return read.graph()


def words(lang: str = "en") -> dict[str, str]:
    return sections(read_template("prompts/flows", lang))


def ways(graph: Graph) -> list[str]:
    return [f"{edge.source}-{edge.target}" for edge in graph.edges]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", WISHES)
def test_a_pattern_becomes_a_graph_of_the_same_shape_in_both_languages(name: str, lang: str) -> None:
    wanted, expected = WISHES[name]

    graph = graph_of(expanded(wanted, words(lang)))

    assert ways(graph) == expected
    assert {edge.source for edge in graph.edges} - {START} <= {one.id for one in (*graph.steps, *graph.joins)}
    assert any(edge.target == END for edge in graph.edges)


def test_every_pattern_is_shown_here_and_debate_is_a_file_that_loads() -> None:
    shown = {type(wanted) for wanted, _ in WISHES.values()}

    graph = graph_of((templates_dir() / "flows" / "debate.yaml").read_text("utf-8"))

    assert shown == {pattern.wanted for pattern in PATTERNS.values()}
    assert {*PATTERNS, "debate"} == set(NAMES)
    assert graph.name == "debate"
    assert graph.limits.max_steps == 10


def test_a_budget_and_the_bounds_of_a_pattern_are_limits_of_its_graph() -> None:
    budget = Budget(cost=0.5, tokens=1000, minutes=3, max_parallel=2)

    graph = graph_of(expanded(Critic(writer="a", critic="b", rounds=4, budget=budget), words()))

    limits = graph.limits
    assert (limits.cost_usd, limits.tokens, limits.minutes, limits.max_parallel) == (0.5, 1000, 3, 2)
    assert next(edge.max_visits for edge in graph.edges if (edge.source, edge.target) == ("weigh", "draft")) == 20
    assert graph.params == {"rounds": 4}


def test_the_functions_that_graphs_of_patterns_call_all_exist() -> None:
    for wanted, _ in WISHES.values():
        for step in graph_of(expanded(wanted, words())).steps:
            own = ("yeaft.workflows.patterns.", "json.loads")
            assert not isinstance(step.task, CodeTask) or step.task.path.startswith(own)


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (Critic(writer="a", critic="b", rounds=0), "rounds is a number from 1 to 20, not 0."),
        (Parallel(members=("a",)), "parallel needs 2 VPs or more, such as @builder; there are 1."),
        (Vote(members=("a",), times=1), "vote needs 2 VPs or more, such as @builder; there are 1."),
        (Vote(members=("a", "b"), times=20), "vote takes 20 votes at most; there would be 40."),
        (Map(member="a"), "map needs either a pattern of file names (--over 'src/**/*.py') or things (--item)."),
        (
            Map(member="a", items=("x", "y"), max_items=1),
            "There are 2 things to go over; max_items allows 1.",
        ),
        (Repair(coder="a", command=" "), "test-repair needs the command that judges: --cmd 'pytest -q'."),
        (Supervise(lead="a", workers=()), "supervise needs 1 VPs or more, such as @builder; there are 0."),
        (Route(choices=(("x", "a"), ("x", "b")), other="c"), "route has the same kind of task twice."),
    ],
)
def test_a_wish_that_cannot_be_meant_says_what_is_needed(wanted: Wanted, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        expanded(wanted, words())

    assert str(refused.value) == said


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
VALUES = st.recursive(
    st.one_of(TEXTS, st.integers(), st.booleans()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=8,
)
KEYS = st.from_regex(r"[a-z]{1,8}", fullmatch=True).filter(lambda key: key not in ("edges", "joins", "steps"))


@given(
    st.dictionaries(KEYS, VALUES, min_size=1, max_size=3),
    st.lists(st.dictionaries(KEYS, VALUES, min_size=1), max_size=3),
)
def test_what_is_written_as_yaml_reads_back_as_the_same(values: dict[str, Any], steps: list[dict[str, Any]]) -> None:
    graph = {**values, "steps": steps, "edges": steps} if steps else values

    text = yaml_text(graph, "a remark\nof two lines")

    assert YAML(typ="safe", pure=True).load(text) == {"graph": graph}


def rounds_of(reviews: list[list[str]], most: int) -> list[dict[str, Any]]:
    """What `reviewed` says of reviews with these issues, one after another; an empty one accepts."""
    said: list[dict[str, Any]] = []
    for number, issues in enumerate(reviews, start=1):
        review = {"verdict": "revise" if issues else "accept", "issues": issues}
        before = said[-1] if said else None
        said.append(reviewed({"review": review, "draft": f"v{number}", "before": before, "rounds": most}))
        if said[-1]["state"] != "again":
            break
    return said


@given(st.lists(st.lists(st.sampled_from("wxyz"), unique=True, max_size=4), min_size=1, max_size=8), st.integers(1, 6))
def test_a_critic_ends_within_its_rounds_and_keeps_the_version_with_the_fewest_issues(
    reviews: list[list[str]], most: int
) -> None:
    said = rounds_of(reviews, most)

    seen = reviews[: len(said)]
    assert len(said) <= most
    assert len(seen[said[-1]["best_round"] - 1]) == min(map(len, seen))
    assert said[-1]["best"] == f"v{said[-1]['best_round']}"
    match said[-1]["state"]:
        case "done":
            assert seen[-1] == []
        case "stuck":
            assert set(seen[-1]) == set(seen[-2])
        case "spent":
            assert len(said) == most
        case state:
            assert (state, len(said)) == ("again", len(reviews))


def test_issues_in_other_words_of_the_same_letters_are_the_same() -> None:
    said = rounds_of([["Too  long.", "No rhyme"], ["no rhyme!", "too long"]], 5)

    assert [one["state"] for one in said] == ["again", "stuck"]
    assert said[-1]["why"].startswith("no progress: round 2 left the same issues as the one before")


FIRST = "Exit code: 1\n=== short test summary ===\nFAILED tests/test_a.py::test_x - assert 1 == 2\n1 failed in 0.31s"
AGAIN = FIRST.replace("0.31s", "2.05s").replace("===", "=======")
FEWER = "Exit code: 1\nFAILED tests/test_b.py::test_y - assert 3 == 4"


def test_the_same_failure_at_another_time_is_no_progress_and_another_failure_is() -> None:
    once = tried({"output": FIRST, "report": "r", "before": None, "command": "pytest", "tries": 5})
    same = tried({"output": AGAIN, "report": "r", "before": once, "command": "pytest", "tries": 5})
    other = tried({"output": FEWER, "report": "r", "before": once, "command": "pytest", "tries": 5})
    last = tried({"output": FIRST, "report": "r", "before": other, "command": "pytest", "tries": 3})
    good = tried({"output": "2 passed", "report": "mended", "before": once, "command": "pytest", "tries": 5})

    assert [one["state"] for one in (once, same, other, last, good)] == ["again", "stuck", "again", "spent", "done"]
    assert last["why"] == (
        "it still fails after 3 tries (fewest lines about failures: 1, in try 2); the result is that of the last try"
    )
    assert good["text"] == "mended\n\n`pytest` succeeds, try 2."


def test_a_failure_is_told_by_its_lines_without_what_changes_from_run_to_run() -> None:
    one = "x\nERROR at 0x7f3a12 after 12.5 s in /tmp/pytest-of-me/pytest-3/a\n"
    two = "y\nERROR at 0x11 after 3 s in /tmp/pytest-of-me/pytest-9/b\n"

    assert signature_of(one) == signature_of(two)
    assert signature_of(one) != signature_of("ERROR somewhere else")


FAILED = {"error": "it broke", "status": "failed", "step": "b"}


def test_answers_are_signed_counted_and_gathered_with_those_that_failed() -> None:
    answers = [{"vp": "a", "answer": "yes"}, {"vp": "b", "answer": FAILED}]
    ballots = [
        {"vp": vp, "answer": {"answer": said, "reason": ""}} for vp, said in (("a", "Yes "), ("b", "no"), ("c", "yes"))
    ]

    count = counted([*ballots, {"vp": "d", "answer": FAILED}])

    assert signed(answers) == "## @a\n\nyes\n\n## @b\n\n(failed: it broke)"
    assert (count["answer"], count["votes"], round(count["agreement"], 2)) == ("Yes", 3, 0.67)
    assert count["text"] == "Yes\n\n2 of 3 agree.\n- @a: Yes\n- @b: no\n- @c: yes\n- @d: (failed: it broke)"
    early = counted(ballots[::2], {"asked": 3, "stop": "majority"})
    assert "2 of 2 agree. The other 1 could change nothing, and were stopped.\n" in early["text"]
    assert "2 of 2 agree. 1 gave no answer.\n" in counted(ballots[::2], {"asked": 3, "stop": ""})["text"]
    results = [{"item": "x.py", "result": "ok"}, {"item": "y.py", "result": FAILED}]
    assert gathered(results) == "## x.py\n\nok\n\n## y.py\n\n(failed: it broke)\n\n1 of 2 failed."


@pytest.mark.parametrize("whole", [signed, counted])
def test_nobody_who_answers_is_a_failure(whole: Any) -> None:
    with pytest.raises(ValueError, match="nobody answered: it broke"):
        whole([{"vp": "a", "answer": FAILED}])


def test_a_list_of_files_has_no_remarks_in_it() -> None:
    assert listed("a.py\nb.py\n... (more results omitted)\n[Output truncated]") == ["a.py", "b.py"]
    with pytest.raises(ValueError, match="nothing to go over"):
        listed("(no matches)")


def plan_step(name: str, *after: str, vp: str = "b") -> dict[str, Any]:
    return {"id": name, "vp": vp, "task": f"do {name}", "after": list(after)}


def worked(state: dict[str, Any], *results: Any) -> dict[str, Any]:
    return planned([{"result": result, "state": state} for result in results])


def test_a_plan_goes_on_in_waves_with_what_each_step_builds_on() -> None:
    steps = [plan_step("x"), plan_step("y"), plan_step("z", "x", "y")]

    first = planned({"plan": {"steps": steps}, "state": None, "replans": 1})
    second = worked(first, "X", "Y")
    last = worked(second, "Z")

    assert [[one["id"] for one in state["ready"]] for state in (first, second, last)] == [["x", "y"], ["z"], []]
    assert [state["state"] for state in (first, second, last)] == ["work", "work", "done"]
    assert second["ready"][0]["context"] == "## x (@b)\n\nX\n\n## y (@b)\n\nY"
    assert last["text"].endswith("## z (@b)\n\nZ")


def test_a_plan_that_fails_is_made_anew_and_ends_when_the_same_step_fails_twice() -> None:
    first = planned({"plan": {"steps": [plan_step("x"), plan_step("y")]}, "state": None, "replans": 3})
    failed = worked(first, "X", FAILED)
    anew = planned({"plan": {"steps": [plan_step("y", "x")]}, "state": failed, "replans": 3})
    over = worked(anew, FAILED)

    assert (failed["state"], failed["problem"]) == ("ask", "step 'y' (@b): it broke")
    assert [one["id"] for one in anew["ready"]] == ["y"]
    assert (over["state"], over["text"]) == ("stuck", "## x (@b)\n\nX")
    assert over["why"] == "no progress: step 'y' has failed twice: it broke"


def test_a_plan_without_new_plans_left_keeps_what_is_done() -> None:
    first = planned({"plan": {"steps": [plan_step("x"), plan_step("y")]}, "state": None, "replans": 0})

    over = worked(first, "X", FAILED)

    assert (over["state"], over["text"]) == ("spent", "## x (@b)\n\nX")


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([], "the plan has no steps"),
        ([plan_step("x"), plan_step("x")], "two steps of the plan have the same id"),
        ([plan_step("x", "q")], "step 'x' waits for 'q', which is no step"),
        ([plan_step("x", "y"), plan_step("y", "x")], "the steps x, y wait for one another"),
    ],
)
def test_a_plan_that_cannot_be_carried_out_is_sent_back(steps: list[dict[str, Any]], said: str) -> None:
    state = planned({"plan": {"steps": steps}, "state": None, "replans": 1})

    assert (state["state"], state["problem"], state["ready"]) == ("ask", said, [])


def decision(*tasks: str, answer: str = "", finished: bool = False) -> dict[str, Any]:
    return {"finished": finished, "answer": answer, "assignments": [{"vp": "b", "task": task} for task in tasks]}


def led(state: dict[str, Any] | None, said: dict[str, Any], *, rounds: int = 5, most: int = 3) -> dict[str, Any]:
    return supervised({"decision": said, "state": state, "rounds": rounds, "most": most})


def reported(state: dict[str, Any], *results: Any) -> dict[str, Any]:
    return supervised([{"result": result, "state": state} for result in results])


def test_a_lead_hands_out_no_more_than_it_may_and_ends_with_its_answer() -> None:
    first = led(None, decision("one", "two"))
    after = reported(first, "1", FAILED)
    second = led(after, decision("three", "four"))
    last = led(reported(second, "3"), decision(answer="all", finished=True))

    assert [one["task"] for one in first["ready"]] == ["one", "two"]
    assert after["text"] == "## 1. @b: one\n\n1\n\n## 2. @b: two\n\n(failed: it broke)"
    assert [(one["id"], one["task"]) for one in second["ready"]] == [("3", "three")]
    assert (last["state"], last["text"]) == ("done", "all")


def test_a_lead_that_hands_out_the_same_again_or_too_much_is_stopped_with_what_there_is() -> None:
    after = reported(led(None, decision("one")), "1")

    same = led(after, decision("one"))
    nothing = led(after, decision())
    late = led(after, decision("two"), rounds=1)
    full = led(reported(led(None, decision("a", "b", "c")), "1", "2", "3"), decision("d"))

    assert [one["state"] for one in (same, nothing, late, full)] == ["stuck", "stuck", "spent", "spent"]
    assert same["text"] == "## 1. @b: one\n\n1"
    assert full["why"] == "the lead has not finished within 3 pieces of work"


FOUND = "docs/a.md:3:The limit is 40 files.\ndocs/a.md-4-More of it.\nmy-2-x.md:12:Other"


def citation(file: str, line: int, quote: str) -> dict[str, Any]:
    return {"file": file, "line": line, "quote": quote}


@pytest.mark.parametrize(
    ("cited", "wrong"),
    [
        (citation("docs/a.md", 3, "limit is 40"), []),
        (citation("./docs/a.md", 4, "More of it"), []),
        (citation("my-2-x.md", 12, "Other"), []),
        (citation("docs/a.md", 3, "limit is 50"), ["docs/a.md:3: the quote does not stand there"]),
        (citation("docs/b.md", 3, "limit is 40"), ["docs/b.md:3: no such line was found"]),
        (citation("docs/a.md", 3, "40"), ["docs/a.md:3: the quote is too short to be checked"]),
    ],
)
def test_a_citation_is_right_if_its_quote_stands_at_its_place(cited: dict[str, Any], wrong: list[str]) -> None:
    answer = {"answer": "40", "citations": [cited]}

    found = checked({"answer": answer, "found": FOUND, "before": None, "tries": 2})

    assert (found["state"], found["wrong"]) == ("again" if wrong else "done", wrong)


def test_an_answer_without_right_citations_ends_with_the_better_of_its_tries() -> None:
    bad = {"answer": "worse", "citations": [citation("x", 1, "nothing"), citation("y", 1, "nothing")]}
    half = {"answer": "better", "citations": [citation("docs/a.md", 3, "40 files"), citation("x", 1, "nothing")]}

    once = checked({"answer": half, "found": FOUND, "before": None, "tries": 2})
    over = checked({"answer": bad, "found": FOUND, "before": once, "tries": 2})

    assert over["state"] == "spent"
    assert over["best"] == "better\n\n- docs/a.md:3: 40 files"


def test_terms_are_looked_for_as_they_are_written() -> None:
    assert pattern_of({"terms": ["a.b", " c|d ", ""]}) == r"a\.b|c\|d"
    with pytest.raises(ValueError, match="no terms"):
        pattern_of({"terms": [" "]})
