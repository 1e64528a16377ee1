"""Patterns as a user runs them on the command line, their VPs played by the scripted model over HTTP."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands_given import Given, scripted_model


def hands(value: Any) -> dict[str, Any]:
    return {"step": "calls", "calls": [{"tool": "FinishStep", "args": {"value": value}}]}


def says(text: str) -> dict[str, Any]:
    return {"step": "says", "text": text}


def writes(content: str) -> dict[str, Any]:
    return {"step": "calls", "calls": [{"tool": "FileWrite", "args": {"file_path": "x.txt", "content": content}}]}


def line(vp: str, when: str, *steps: dict[str, Any], order: str = "arrival") -> dict[str, Any]:
    return {"vp": vp, "when": when, "order": order, "repeat": True, "steps": steps}


def revise(*issues: str) -> dict[str, Any]:
    return hands({"verdict": "revise" if issues else "accept", "issues": issues})


def part(name: str, vp: str, *after: str) -> dict[str, Any]:
    return {"id": name, "vp": vp, "task": f"part {name}", "after": after}


PLAN = [part("A", "builder"), part("B", "tester"), part("C", "builder", "A", "B")]
WORK = [{"vp": "builder", "task": "part A"}, {"vp": "tester", "task": "part B"}]
RIGHT = [{"file": "notes.txt", "line": 2, "quote": "answer is 7"}]
WRONG = [{"file": "notes.txt", "line": 1, "quote": "answer is 7"}]
END = says("It is handed over.")
SCRIPT = {
    "lines": [
        line("writer", "POEM", says("first"), says("second")),
        line("skeptic", "POEM", revise("too long", "no rhyme"), END, revise(), END),
        *(
            one
            for task in ("WORSE", "CHINESE", "TALKED", "PROGRAMMED")  # each is gone through in its own order
            for one in (
                line("writer", task, says("good"), says("bad"), says("worst")),
                line("skeptic", task, revise("a"), END, revise("b", "c"), END, revise("d", "e", "f"), END),
            )
        ),
        line("writer", "STUCK", says("same"), says("same again")),
        line("skeptic", "STUCK", revise("dull"), END, order="round"),
        line("builder", "MEND", writes("no"), says("tried"), writes("yes"), says("mended")),
        line("builder", "BREAK", says("nothing done"), order="round"),
        line("architect", "PLAN", hands({"steps": PLAN}), END, order="round"),
        line("builder", "part A", says("A done"), order="round"),
        line("tester", "part B", says("B done"), order="round"),
        line("builder", "part C", says("C done"), order="round"),
        line("operator", "LEAD", hands({"finished": False, "answer": "", "assignments": WORK}), END,
             hands({"finished": True, "answer": "All of it.", "assignments": []}), END),
        line("operator", "LOOP", hands({"finished": False, "answer": "", "assignments": WORK}), END, order="round"),
        line("builder", "VOTE", hands({"answer": "42", "reason": ""}), END, order="round"),
        line("skeptic", "VOTE", hands({"answer": "41", "reason": ""}), END, order="round"),
        line("researcher", "WHERE", hands({"terms": ["answer is"]}), END,
             hands({"answer": "It is 7.", "citations": WRONG}), END,
             hands({"answer": "It is 7.", "citations": RIGHT}), END),
        line("omni", "SORT", hands({"kind": "bug", "reason": "it breaks"}), END, order="round"),
        line("writer", "TOGETHER", says("put together"), order="round"),
        line("", "DO", says("done by one"), order="round"),
    ]
}  # fmt: skip


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with scripted_model(tmp_path_factory.mktemp("scripted"), SCRIPT) as url:
        yield url


@pytest.fixture
def given(tmp_path: Path, url: str) -> Given:
    given = Given(tmp_path, url)
    (given.folder / "notes.txt").write_text("no\nthe answer is 7\n", encoding="utf-8")
    return given


def flow(given: Given, *words: str) -> str:
    return given.says("-q", "flow", *words)


def test_a_writer_goes_on_until_the_critic_accepts(given: Given) -> None:
    assert flow(given, "critic", "--writer", "@writer", "--critic", "@skeptic", "a POEM") == "second"


def test_a_critic_who_names_the_same_issues_again_ends_it_with_the_best_there_is(given: Given) -> None:
    done = given.yeaft("--json", "-q", "flow", "critic", "@writer", "@skeptic", "--rounds", "5", "a STUCK one")

    result = json.loads(done.out)
    assert (done.code, result["outcome"], result["text"], result["graph"]) == (1, "failed", "same again", "critic")
    assert "no progress: round 2 left the same issues as the one before (dull)" in result["error"]


def test_when_the_rounds_are_over_the_version_with_the_fewest_issues_is_the_result(given: Given) -> None:
    done = given.yeaft("-q", "flow", "critic", "@writer", "@skeptic", "--rounds", "3", "it gets WORSE")

    assert (done.code, done.out) == (4, "good\n")
    assert "graph critic stopped at its limit of rounds: not accepted within 3 rounds (d; e; f)" in done.err
    assert "the result is that of round 1, issues: 1" in done.err
    assert "To go on for more rounds: yeaft graph retry r_" in done.err


def test_rounds_that_were_not_enough_go_on_by_the_command_that_is_told(given: Given) -> None:
    spent = given.yeaft("--json", "-q", "flow", "critic", "@writer", "@skeptic", "--rounds", "1", "a POEM")

    result = json.loads(spent.out)
    told = result["error"].partition("To go on for more rounds: yeaft ")[2]
    assert (spent.code, result["outcome"], result["limit"], result["text"]) == (4, "limit", "rounds", "first")
    assert told == f"graph retry {result['run'][:10]} weigh -p rounds=2"
    assert given.says("-q", *told.split()) == "second"


def test_whoever_reads_chinese_is_told_in_chinese_why_it_ended(given: Given) -> None:
    done = given.yeaft("--lang", "zh", "-q", "flow", "critic", "@writer", "@skeptic", "it gets WORSE")

    assert (
        "图 critic 到达轮数上限而停止：3 轮之内没有被接受（d; e; f）；结果是第 1 轮的，问题数：1\n再多几轮：yeaft graph"
        in done.err
    )


def test_a_budget_that_is_spent_ends_it_with_the_best_there_is(given: Given) -> None:
    words = ("critic", "@writer", "@skeptic", "--rounds", "3", "it gets WORSE")

    spent = given.yeaft("--json", "-q", "flow", *words, "--max-tokens", "5000")

    result = json.loads(spent.out)
    assert (spent.code, result["outcome"], result["limit"], result["text"]) == (4, "limit", "tokens", "good")
    assert result["steps"] == 3


def test_a_command_says_when_it_is_mended_under_the_rules_of_the_user(given: Given) -> None:
    (given.folder / "check.sh").write_text("grep -c yes x.txt", encoding="utf-8")
    words = ("test-repair", "--coder", "@builder", "--cmd", "sh check.sh")

    waiting = given.yeaft("-q", "flow", *words, "BREAK it")
    mended = flow(given, *words, "MEND it", "--allow", "FileWrite", "--allow", "Bash(sh check.sh)")

    assert waiting.code == 3
    assert "Bash(sh check.sh)" in waiting.err
    assert mended == "mended\n\n`sh check.sh` succeeds, try 2."


def test_a_failure_that_stays_the_same_ends_the_tries(given: Given) -> None:
    done = given.yeaft("-q", "flow", "test-repair", "@builder", "--cmd", "grep -c 8 notes.txt", "BREAK it")

    assert done.code == 1
    assert "no progress: try 2 left the same failure as the one before" in done.err
    assert done.out.startswith("nothing done\n\n`grep -c 8 notes.txt`:\nExit code: 1")


def test_a_plan_is_carried_out_in_waves_and_shown_first_if_wanted(given: Given) -> None:
    waiting = given.yeaft("-q", "flow", "plan", "@architect", "@builder", "@tester", "--approve", "PLAN it")
    went_on = given.yeaft("-q", "graph", "resume", "last", "--answer", "yes")

    assert waiting.code == 3
    assert "3. C (@builder, after A, B): part C" in waiting.err
    assert (went_on.code, went_on.out) == (
        0,
        "## A (@builder)\n\nA done\n\n## B (@tester)\n\nB done\n\n## C (@builder)\n\nC done\n",
    )


def test_a_lead_hands_out_work_and_answers(given: Given) -> None:
    assert flow(given, "supervise", "--lead", "operator", "--worker", "builder", "--worker", "tester", "LEAD it") == (
        "All of it."
    )


def test_a_lead_that_hands_out_the_same_again_is_stopped(given: Given) -> None:
    done = given.yeaft("-q", "flow", "supervise", "@operator", "@builder", "@tester", "a LOOP")

    assert (done.code, done.out) == (1, "## 1. @builder: part A\n\nA done\n\n## 2. @tester: part B\n\nB done\n")
    assert "the lead hands out nothing new" in done.err


def test_votes_are_counted_and_named(given: Given) -> None:
    said = flow(given, "vote", "@builder", "@builder", "@skeptic", "a VOTE")

    assert said == "42\n\n2 of 3 agree.\n- @builder: 42\n- @builder: 42\n- @skeptic: 41"


def test_a_vote_ends_early_when_nothing_can_change_it_any_more(given: Given) -> None:
    said = flow(given, "vote", "@builder", "-n", "5", "--stop", "majority", "--max-parallel", "1", "a VOTE")

    assert said == (
        "42\n\n3 of 3 agree. The other 2 could change nothing, and were stopped.\n"
        "- @builder: 42\n- @builder: 42\n- @builder: 42"
    )


def test_a_wrong_citation_is_mended_and_only_right_ones_are_shown(given: Given) -> None:
    assert flow(given, "cite", "@researcher", "WHERE is it") == "It is 7.\n\n- notes.txt:2: answer is 7"


def test_files_are_gone_over_and_put_together(given: Given) -> None:
    (given.folder / "more.txt").write_text("x", encoding="utf-8")

    each = flow(given, "map", "@builder", "--over", "*.txt", "DO it")
    together = flow(given, "map", "--item", "one", "--item", "two", "--collect", "@writer", "TOGETHER")

    assert sorted(each.split("\n\n")) == ["## more.txt", "## notes.txt", "done by one", "done by one"]
    assert together == "put together"


def test_several_answer_at_once_and_one_puts_it_together(given: Given) -> None:
    signed = flow(given, "parallel", "@builder", "@skeptic", "DO it")
    merged = flow(given, "parallel", "@builder", "@skeptic", "--merge", "@writer", "DO it TOGETHER")

    assert signed == "## @builder\n\ndone by one\n\n## @skeptic\n\ndone by one"
    assert merged == "put together"


def test_tasks_go_down_a_chain_or_to_whom_they_fit(given: Given) -> None:
    assert flow(given, "chain", "draft:@builder", ">", "@skeptic", "DO it") == "done by one"
    assert flow(given, "route", "bug=@debugger", "--else", "@writer", "DO it, there is a bug") == "done by one"
    assert flow(given, "route", "bug=@writer", "--by", "@omni", "SORT it TOGETHER") == "put together"


def test_what_is_shown_is_what_can_be_changed_and_run(given: Given) -> None:
    shown = given.says("flow", "show", "critic", "--writer", "@writer", "--critic", "@skeptic")
    (given.folder / "mine.yaml").write_text(shown.replace("writer", "builder"), encoding="utf-8")

    checked = given.yeaft("graph", "check", "mine.yaml")
    debate = given.says("flow", "show", "debate", "--for", "@writer")
    (given.folder / "d.yaml").write_text(given.says("flow", "show", "debate"), encoding="utf-8")

    assert checked.code == 0, checked.err
    assert given.yeaft("flow", "show", "debate", "--json").json == given.yeaft("graph", "show", "d.yaml", "--json").json
    assert "agent: writer" in debate
    assert "agent: architect" not in debate


def test_all_patterns_are_listed_in_both_languages_with_help(given: Given) -> None:
    rows = given.yeaft("flow", "ls", "--json").json

    assert [row["name"] for row in rows][:3] == ["chain", "route", "parallel"]
    for row in rows:
        assert given.says("flow", row["name"], "--help").startswith(f"Usage: yeaft flow {row['name']}")
        assert given.says("--lang", "zh", "flow", row["name"], "--help").startswith(f"用法：yeaft flow {row['name']}")
        assert row["name"] in given.says("help", "flows")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("critic", "DO it"), 2, "yeaft flow critic needs --writer @VP."),
        (("critic", "@writer", "@skeptic"), 2, "yeaft flow critic needs a task"),
        (("chain", "@writer", "--max-cost", "0", "DO"), 2, "0.0 is not in the range x>0."),
        (("critic", "@writter", "@skeptic", "DO"), 66, "No VP named 'writter'. Did you mean writer?"),
        (("critic", "@writer", "@skeptic", "@builder", "DO"), 2, "has no role for @builder"),
        (("critik", "DO"), 2, "Did you mean `yeaft flow critic`?"),
        (("map", "DO"), 2, "map needs either a pattern of file names"),
        (("route", "@writer", "DO"), 2, "takes KIND=@VP, such as bug=@writer"),
    ],
)
def test_what_cannot_be_meant_is_told_before_anything_begins(
    given: Given, words: tuple[str, ...], code: int, said: str
) -> None:
    done = given.yeaft("flow", *words)

    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert given.yeaft("graph", "ls", "--json").json == []


def test_line_mode_starts_a_pattern_beside_its_conversation(given: Given) -> None:
    done = given.process("--line", stdin='/flow chain @builder "DO it"\n/flow chain "DO\n/quit\n')

    assert "done by one" in done.out
    assert "A quotation mark is missing" in done.out + done.err


def test_a_conversation_is_told_what_helps_when_rounds_are_used_up(given: Given) -> None:
    done = given.process("--line", stdin='/flow critic @writer @skeptic "it gets TALKED"\n/quit\n')

    told = done.out + done.err
    assert "graph critic stopped at its limit of rounds: not accepted within 3 rounds (d; e; f)" in told
    assert "To go on for more rounds: yeaft graph retry r_" in told


PROGRAM = """
import asyncio
from yeaft import flows
from yeaft.kernel.errors import YeaftError

async def main():
    handle = await flows.critic("@writer", "skeptic", rounds=3)("a POEM")
    types = [recorded.type async for recorded in handle.events()]
    result = await handle.result()
    print(types[0], types[-1], result.outcome, result.text, result.outputs["weigh"]["round"])
    fork = await handle.fork("review")
    print((await fork.result()).outcome, fork.session_id == handle.session_id, fork.run_id != handle.run_id)
    for wrong in (flows.critic("nobody", "skeptic")("x"), handle.fork("nothing")):
        try:
            await wrong
        except YeaftError as error:
            print(error)
    spent = await flows.critic("writer", "skeptic", rounds=1)("it is PROGRAMMED")
    more = await (await spent.retry("weigh", rounds=3)).result()
    print((await spent.result()).limit, more.limit, more.outputs["weigh"]["round"], more.text)
    async with await flows.chain("builder")("DO it") as stopped:
        await stopped.cancel("enough")
        print((await stopped.result()).outcome)
    plan = await flows.plan("architect", ["builder", "tester"], approve=True)("PLAN it")
    print((await plan.result()).outcome)
    plan = await flows.plan("architect", ["builder", "tester"], approve=True)("PLAN it", answers=["yes"])
    print((await plan.result()).text.count("done"))

asyncio.run(main())
print(flows.vote("a", n=3).yaml().splitlines()[0])
"""


def test_a_program_runs_patterns_watches_forks_and_stops_them(given: Given) -> None:
    (given.folder / "program.py").write_text(PROGRAM, encoding="utf-8")

    printed = given.prints(given.folder / "program.py")

    assert printed == [
        "graph.started graph.ended completed second 2",
        "completed True True",
        "flows.critic(): writer: there is no VP 'nobody'. `yeaft vp ls` lists those there are.",
        "The graph 'critic' has no step 'nothing'. It has draft, review, weigh, stuck, spent.",
        "rounds rounds 3 good",
        "cancelled",
        "needs_human",
        "3",
        "# vote: the same question several times; what most say counts, and how many agree is shown.",
    ]


def test_importing_flows_loads_nothing_heavy(given: Given) -> None:
    asked = "import sys, yeaft.flows; print([name for name in ('pydantic', 'httpx2', 'msgspec', 'asyncio') if name in sys.modules])"

    done = subprocess.run(
        [sys.executable, "-c", asked], env=given.environ, capture_output=True, encoding="utf-8", check=True
    )

    assert done.stdout.strip() == "[]"
