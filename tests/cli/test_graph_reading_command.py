"""`yeaft graph check|show|translate`: what a file of graphs says is shown, and nothing is begun by looking at it."""

import json
import os
import re
from pathlib import Path

import pytest

from tests.cli.commands_given import Given

REVIEW = """\
graph:
  name: review
  steps:
    - {id: draft, agent: writer, prompt: "Write about {{ input }}."}
    - {id: style, agent: editor}
    - {id: facts, agent: skeptic, timeout: 5m}
    - {id: judge, agent: editor, output: {verdict: [accept, revise]}}
    - {id: files, tool: Glob, args: {pattern: "*.md"}}
    - {id: fix, agent: builder, on_error: skip}
    - {id: ok, approve: "Publish?"}
  edges:
    - {from: start, to: draft}
    - {from: draft, to: [style, facts]}
    - {from: [style, facts], to: judge}
    - {from: judge, to: draft, condition: {type: match, field: verdict, value: revise}, max_visits: 3}
    - {from: judge, to: files, else: true}
    - {from: files, to: fix, map: true, max_parallel: 2}
    - {from: fix, to: ok, join: true}
agents:
  writer: {system_prompt: You write., model: "nowhere:gpt-9"}
  editor: {}
"""
TEAMS = """\
agents: {scout: {system_prompt: You look.}, judge: {}, clerk: {}}
teams:
  pair: {mode: parallel, members: [scout, judge]}
  office: {mode: sequential, members: [pair, clerk]}
"""


@pytest.fixture
def review(given: Given) -> Path:
    path = given.folder / "review.yaml"
    path.write_text(REVIEW)
    return path


def test_a_file_that_can_be_run_is_said_to_be_and_warnings_go_beside_it(given: Given, review: Path) -> None:
    done = given.yeaft("graph", "check", "review.yaml")

    assert (done.code, done.out) == (
        0,
        "review: can be run (7 steps, 11 edges); this one if none is named\n",
    )
    assert done.err == (
        f"yeaft: {review}:20: agent 'writer': the model 'nowhere/gpt-9' is not set up here; the default is used\n"
    )
    assert given.yeaft("-q", "graph", "check", "review.yaml").err == ""


def test_what_is_wrong_ends_with_65_and_a_line_for_each_mistake(given: Given, review: Path) -> None:
    review.write_text(REVIEW.replace("agent: skeptic", "agent: skepitc").replace("Glob", "glob"))

    checked, run, as_json = (
        given.yeaft("graph", "check", "review.yaml"),
        given.yeaft("graph", "run", "review.yaml", "go"),
        given.yeaft("graph", "check", "review.yaml", "--json"),
    )

    lines = [
        f"{review}:6: there is no VP or agent named 'skepitc'. Did you mean 'skeptic'?",
        f"{review}:8: there is no tool named 'glob'. Did you mean 'Glob'?",
    ]
    assert (checked.code, checked.out, checked.err) == (65, "", "yeaft: " + "\n".join(lines) + "\n")
    assert (run.code, run.out, run.err) == (65, "", checked.err)
    assert (as_json.code, json.loads(as_json.out)["mistakes"]) == (65, lines)
    assert not (given.home / "sessions").exists()


def test_what_is_not_there_ends_with_66(given: Given, review: Path) -> None:
    gone = given.yeaft("graph", "check", "reveiw.yaml")
    other = given.yeaft("graph", "show", "review.yaml", "--graph", "reviw")

    assert (gone.code, gone.err) == (66, f"yeaft: There is no file {given.folder}/reveiw.yaml.\n")
    assert (other.code, other.err) == (66, f"yeaft: {review}:1: there is no graph 'reviw'. Did you mean 'review'?\n")


def test_a_program_is_told_which_graphs_a_file_holds(given: Given) -> None:
    (given.folder / "teams.yml").write_text(TEAMS)

    found = given.yeaft("graph", "check", "teams.yml", "--json").json

    assert found == {
        "file": "teams.yml",
        "ok": True,
        "graphs": [
            {"name": "pair", "main": False, "steps": ["scout", "judge"], "joins": 0, "edges": 5, "functions": []},
            {"name": "office", "main": True, "steps": ["pair", "clerk"], "joins": 0, "edges": 3, "functions": []},
        ],
        "warnings": [],
        "mistakes": [],
    }


@pytest.mark.usefixtures("review")
def test_a_graph_is_drawn_as_a_tree_in_words(given: Given) -> None:
    drawn = given.yeaft("graph", "show", "review.yaml").out

    assert (
        drawn
        == """\
graph review: at most 100 steps, 4 at once
start
draft  @writer
├─ style  @editor
│  → join of style, facts
└─ facts  @skeptic  at most 300 s
   → join of style, facts
join of style, facts
judge  @editor  → json
├─ if verdict is revise, at most 3 times: ↑ back to draft
└─ else: files  tool Glob
   each element, 2 at once: fix  @builder  left out if it fails
   all gathered in order: ok  asks for your approval: Publish?
   end
"""
    )


@pytest.mark.usefixtures("review")
def test_a_graph_is_drawn_in_the_users_language(given: Given) -> None:
    drawn = given.yeaft("graph", "show", "review.yaml", "--lang", "zh").out.splitlines()

    assert drawn[1:4] == ["开始", "draft  @writer", "├─ style  @editor"]
    assert "├─ 若 verdict 是 revise, 最多 3 次: ↑ 回到 draft" in drawn


def test_a_graph_is_drawn_for_mermaid_and_no_name_can_break_it(given: Given) -> None:
    (given.folder / "odd.yaml").write_text(
        "graph:\n  steps: [{id: end of the, agent: omni, label: '\"]; click n0 \"x\" %% {{'}, {id: 图, ask: 'a|b\n\n`c`'}]\n"
    )

    lines = given.yeaft("graph", "show", "odd.yaml", "--format", "mermaid").out.splitlines()

    assert lines[0] == "flowchart TD"
    node = r"n\d+(?:\(\[|\[\[|\[/|\[\(|\[|\{\{)\"[^\"\[\]{}|`]*\"(?:\]\)|\]\]|/\]|\)\]|\]|\}\})"
    arrow = r"n\d+ (?:-->|-\.->|==>)(?:\|\"[^\"\[\]{}|`]*\"\|)? n\d+"
    assert all(re.fullmatch(rf"  (?:{node}|{arrow})", line) for line in lines[1:]), lines
    assert len(lines) == 1 + 4 + 3


def test_teams_are_translated_to_a_file_that_says_the_same(given: Given) -> None:
    (given.folder / "teams.yml").write_text(TEAMS)

    done = given.yeaft("graph", "translate", "teams.yml")
    (given.folder / "graphs.yaml").write_text(done.out)
    before, after = (given.yeaft("graph", "check", name, "--json").json for name in ("teams.yml", "graphs.yaml"))

    assert (
        done.out
        == """\
agents:
  scout: {system_prompt: You look.}
  judge: {}
  clerk: {}
graph:
  name: office
  steps:
    - {id: pair, graph: pair}
    - {id: clerk, agent: clerk}
  edges:
    - {from: start, to: pair}
    - {from: pair, to: clerk}
    - {from: clerk, to: end}
graphs:
  pair:
    name: pair
    steps:
      - {id: scout, agent: scout}
      - {id: judge, agent: judge}
    edges:
      - {from: start, to: [scout, judge]}
      - {from: [scout, judge], to: end}
"""
    )
    assert {one["name"]: one for one in after["graphs"]} == {one["name"]: one for one in before["graphs"]}
    assert given.yeaft("graph", "show", "graphs.yaml").out == given.yeaft("graph", "show", "teams.yml").out


def test_one_team_is_translated_with_what_it_is_made_of(given: Given) -> None:
    (given.folder / "teams.yml").write_text(TEAMS)

    assert list(given.yeaft("graph", "translate", "teams.yml", "--graph", "pair", "--json").json) == ["pair"]
    assert list(given.yeaft("graph", "translate", "teams.yml", "--graph", "office", "--json").json) == [
        "office",
        "pair",
    ]


def test_the_example_in_the_help_can_be_run(given: Given) -> None:
    for lang in ("en", "zh"):
        help_text = given.yeaft("graph", "check", "--help", "--lang", lang).out
        example = re.search(r"^  graph:\n(?:    .*\n)+", help_text, re.MULTILINE)
        assert example is not None
        (given.folder / "example.yaml").write_text(
            "agents: {writer: {}, editor: {}}\n" + re.sub("(?m)^  ", "", example[0])
        )

        assert given.yeaft("graph", "check", "example.yaml").code == 0


def test_the_tools_that_steps_may_name_are_those_there_are(given: Given) -> None:
    from yeaft.kernel.tool_names import BUILT_IN

    listed = given.yeaft("tool", "ls", "--json").json

    assert sorted(one["name"] for one in listed if not one["name"].startswith("mcp__")) == sorted(BUILT_IN)


def fifo(path: Path) -> None:
    os.mkfifo(path)


def link_to_nowhere(path: Path) -> None:
    path.symlink_to("nowhere")


def link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


ODD_FILES = {
    "a pipe that nobody writes to": (fifo, 65, "{path} is no ordinary file."),
    "a folder": (Path.mkdir, 65, "{path} is a folder."),
    "a link to nowhere": (link_to_nowhere, 66, "There is no file {path}."),
    "a link to itself": (link_to_itself, 66, "There is no file {path}."),
    "UTF-16": (lambda path: path.write_bytes(REVIEW.encode("utf-16")), 65, "{path}:1: it is no UTF-8"),
    "bytes that are no text": (lambda path: path.write_bytes(b"graph: {}\0"), 65, "{path}:1: it is no YAML: "),
    "a file that includes itself": (
        lambda path: path.write_text("graph: !include odd.yaml\n"),
        65,
        "{path}:1: 'odd.yaml' includes itself",
    ),
    "a program for the reader": (
        lambda path: path.write_text("graph: !!python/object/apply:os.system ['touch begun']\n"),
        65,
        "{path}:1: it must be a mapping",
    ),
    "a template that fills the memory": (
        lambda path: path.write_text(
            "graph: {steps: [{id: a, agent: omni, prompt: \"{{ '%9999999999d' % 1 }}{{ nobody }}\"}]}\n"
        ),
        65,
        "{path}:1: the template of step 'a' is wrong: 'nobody' is nothing it could speak of",
    ),
}


@pytest.mark.parametrize("kind", ODD_FILES)
def test_a_file_of_an_odd_kind_is_refused_in_one_line_and_nothing_is_begun(given: Given, kind: str) -> None:
    write, code, expected = ODD_FILES[kind]
    path = given.folder / "odd.yaml"
    write(path)
    said = expected.format(path=path)

    checked, run = given.yeaft("graph", "check", "odd.yaml", "--json"), given.yeaft("graph", "run", "odd.yaml", "go")

    assert (checked.code, run.code) == (code, code)
    assert run.out == ""
    assert run.err.startswith(f"yeaft: {said}")
    assert len(run.err.splitlines()) == 1
    told = json.loads(checked.out)
    assert not told["ok"]
    assert [one[: len(said)] for one in told["mistakes"]] == [said]
    assert not (given.home / "sessions").exists()
    assert not (given.folder / "begun").exists()
