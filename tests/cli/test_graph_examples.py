"""The graphs that help shows run as they are printed, in both languages."""

import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tests.cli.commands_given import Given, scripted_model
from tests.cli.graph_stories import run, says
from tests.workflows.graph_files import ways
from yeaft.prompts.find import templates_dir
from yeaft.workflows.graphs.files.reading import read_text
from yeaft.workflows.graphs.graph import Graph

BLOCK = re.compile(r"[(（](\S+\.yaml)[)）][:：]\n\n((?:  .*\n)+)")
NAMES = ("three-eyes.yaml", "polish.yaml", "purposes.yaml", "release.yaml", "triage.yaml", "report.yaml")


def hands_over(vp: str, when: str, *values: Mapping[str, Any]) -> dict[str, Any]:
    """A line of a script: a VP gives values by the tool of its step, one each time it is asked."""
    calls = [{"step": "calls", "calls": [{"tool": "FinishStep", "args": {"value": value}}]} for value in values]
    steps = [step for call in calls for step in (call, {"step": "says", "text": "There it is."})]
    return {"vp": vp, "when": when, "steps": steps, "order": "arrival", "repeat": True}


SCRIPT = {
    "lines": [
        hands_over(
            "skeptic", "Judge", {"verdict": "revise", "issues": ["too long"]}, {"verdict": "accept", "issues": []}
        ),
        hands_over("writer", "file,purpose", {"content": "file,purpose\na.py,to add\n", "name": "purposes.csv"}),
        hands_over("omni", "It hangs", {"kind": "bug"}),
        hands_over("omni", "Thanks", {"kind": "wish"}),
        says("writer", "a first draft", "a second draft"),
        *(says(vp, f"{vp} has spoken") for vp in ("reviewer", "skeptic", "tester", "omni", "debugger", "operator")),
        *(says(vp, f"{vp} has spoken") for vp in ("scout", "critic", "clerk")),
    ]
}


def example(name: str, lang: str = "en") -> str:
    text = (templates_dir() / "help" / f"graph-examples.{lang}.md").read_text("utf-8")
    return dedent(dict(BLOCK.findall(text))[name])


@pytest.fixture
def given(tmp_path: Path) -> Iterator[Given]:
    with scripted_model(tmp_path, SCRIPT) as url:
        given = Given(tmp_path, url)
        for name in NAMES:
            (given.folder / name).write_text(example(name), encoding="utf-8")
        yield given


def test_several_look_at_once_and_one_makes_a_list(given: Given) -> None:
    ran = run(given, file="three-eyes.yaml", text="src/parser.py")

    assert (ran.code, ran.value) == (0, "omni has spoken")
    assert ran.told()["sum"] == (
        "Make one list of these, the gravest first:\nreviewer has spoken\n\nskeptic has spoken\n\ntester has spoken"
    )
    assert ran.at_once("code", "doubts", "tests")


def test_what_is_judged_is_mended_and_the_result_is_what_was_written(given: Given) -> None:
    ran = run(given, file="polish.yaml", text="an announcement")

    assert (ran.code, ran.value) == (0, "a second draft")
    assert [one.told.partition("\n\n")[0] for one in ran.visits] == [
        "Write an announcement",
        "Judge: a first draft",
        'Write an announcement\nMend your draft: a first draft\nIssues: ["too long"]',
        "Judge: a second draft",
    ]


def test_each_file_is_looked_at_and_a_table_is_kept(given: Given) -> None:
    (given.folder / "src").mkdir()
    for name in ("a.py", "b.py"):
        (given.folder / "src" / name).write_text("x = 1\n")

    ran = run(given, file="purposes.yaml", text="src/**/*.py")

    assert (ran.code, ran.value) == (0, [{"file": "a.py", "purpose": "to add"}])
    looked = sorted(one.told for one in ran.visits if one.node == "look")
    assert looked == ["What is src/a.py for? One line.", "What is src/b.py for? One line."]
    assert "sum/purposes.csv" in given.says("artifact", "ls", "--json")


@pytest.mark.parametrize("fails", [False, True])
def test_nothing_is_done_without_a_yes_and_what_fails_goes_to_somebody_else(given: Given, *, fails: bool) -> None:
    subprocess.run(["git", "init", "-q", str(given.folder)], check=True)
    git = ["git", "-C", str(given.folder), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "one"], check=True)
    if fails:
        subprocess.run([*git, "tag", "v1.4"], check=True)

    waits = given.process("graph", "run", "release.yaml", "-p", "version=1.4", stdin="abc one\n")
    tags = subprocess.run([*git, "tag"], capture_output=True, encoding="utf-8", check=True).stdout
    done = given.yeaft("graph", "resume", "last", "--answer", "yes", "--allow", "Bash(git tag:*)")

    assert (waits.code, tags) == (3, "v1.4\n" if fails else "")
    assert "Tag 1.4 with these notes?" in waits.err
    assert (done.code, done.out) == (0, "operator has spoken\n" if fails else "a first draft\n")
    assert subprocess.run([*git, "tag"], capture_output=True, encoding="utf-8", check=True).stdout == "v1.4\n"


@pytest.mark.parametrize(
    ("text", "who"), [("It hangs if the file is empty.", "debugger has spoken"), ("Thanks!", "a first draft")]
)
def test_what_it_is_about_decides_who_does_it(given: Given, text: str, who: str) -> None:
    ran = run(given, file="triage.yaml", text=text)

    assert (ran.code, ran.value) == (0, who)
    assert len(ran.visits) == 2


def test_teams_from_elsewhere_run_and_are_translated(given: Given) -> None:
    done = given.yeaft("graph", "run", "report.yaml", "How old?", "--json")
    translated = given.says("graph", "translate", "report.yaml")
    (given.folder / "translated.yaml").write_text(translated, encoding="utf-8")
    again = given.yeaft("graph", "run", "translated.yaml", "How old?", "--json")

    assert (done.json["value"], again.json["value"]) == ("clerk has spoken", "clerk has spoken")


@pytest.mark.parametrize("name", NAMES)
def test_both_languages_show_the_same_graph(name: str) -> None:
    def read(lang: str) -> dict[str, Graph]:
        found = read_text(example(name, lang), Path("/nowhere") / name, str, ())
        assert found.warnings == ()
        return dict(found.graphs)

    english, chinese = read("en"), read("zh")

    assert {one: ways(graph) for one, graph in english.items()} == {one: ways(graph) for one, graph in chinese.items()}
