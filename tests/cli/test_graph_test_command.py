"""Runs that are recorded and made again: `yeaft graph test` with a cassette, and `yeaft replay RUN`."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands_given import Done, Given, scripted_model

GRAPH = """\
graph:
  name: review
  params: {tone: kind}
  steps:
    - {id: draft, agent: writer, prompt: "Draft {{ input }} in a {{ params.tone }} tone."}
    - {id: look, agent: skeptic, prompt: "Look at {{ input }}", output: {verdict: [good, bad]}}
    - {id: files, tool: Glob, args: {pattern: "*.txt"}}
    - {id: ask, ask: "Publish it?"}
  edges:
    - {from: draft, to: look}
    - {from: look, to: files, condition: {type: match, field: verdict, value: good}}
    - {from: look, to: end, else: true}
    - {from: files, to: ask}
"""
SCRIPT = {
    "lines": [
        {
            "vp": "writer",
            "when": "Draft",
            "repeat": True,
            "order": "round",
            "steps": [{"step": "says", "text": "Draft 1"}],
        },
        {
            "vp": "skeptic",
            "when": "Look at",
            "repeat": True,
            "order": "round",
            "steps": [
                {"step": "calls", "calls": [{"tool": "FinishStep", "args": {"value": {"verdict": "good"}}}]},
                {"step": "says", "text": "Done."},
            ],
        },
    ]
}
TEST = ("graph", "test", "review.yaml", "--cassette", "review.jsonl")
MODEL = ("YEAFT_BASE_URL", "YEAFT_MODEL", "YEAFT_PROTOCOL")


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with scripted_model(tmp_path_factory.mktemp("scripted"), SCRIPT) as url:
        yield url


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, url: str) -> Path:
    """A folder with a graph and a cassette of a run of it."""
    given = Given(tmp_path_factory.mktemp("recorded"), url)
    (given.folder / "review.yaml").write_text(GRAPH, encoding="utf-8")
    (given.folder / "notes.txt").write_text("x", encoding="utf-8")
    done = given.yeaft(*TEST, "the news", "--record", "--answer", "yes")
    assert (done.code, done.out) == (0, ""), done.err
    assert "graph review: recorded (4 visits, completed)." in done.err
    return given.folder


@pytest.fixture
def given(tmp_path: Path, recorded: Path) -> Given:
    """Another machine, without any model, that has the graph and its cassette."""
    given = Given(tmp_path)
    shutil.copytree(recorded, given.folder, dirs_exist_ok=True)
    return given


def edited(given: Given, old: str, new: str) -> None:
    file = given.folder / "review.yaml"
    file.write_text(file.read_text("utf-8").replace(old, new), encoding="utf-8")


def changes(done: Done) -> list[str]:
    return list(json.loads(done.out)["changes"])


def test_a_recorded_run_goes_the_same_way_elsewhere_without_any_model_or_key(given: Given) -> None:
    done = given.yeaft(*TEST)

    assert (done.code, done.out) == (0, "")
    assert "graph review: as recorded (4 visits, completed)." in done.err


def test_a_request_that_was_never_sent_is_named_with_what_is_different(given: Given) -> None:
    edited(given, "tone.", "voice.")

    done = given.yeaft(*TEST)

    assert done.code == 1
    assert done.out.startswith('- draft: ok "Draft 1"\n+ draft: failed null\n')
    assert "- Draft the news in a kind tone.\n+ Draft the news in a kind voice.\n" in done.err


def test_a_lenient_test_takes_the_nearest_reply_and_says_so(given: Given) -> None:
    edited(given, "tone.", "voice.")

    done = given.yeaft(*TEST, "--lenient")

    assert (done.code, done.out) == (0, "")
    assert "Not asked in the same way when it was recorded: Draft the news in a kind voice." in done.err


def test_another_way_through_the_graph_and_other_results_are_changes(given: Given) -> None:
    edited(given, "value: good}", "value: bad}")
    other_way = given.yeaft(*TEST, "--json")
    edited(given, "value: bad}", "value: good}")
    (given.folder / "more.txt").write_text("y", encoding="utf-8")

    other_files = given.yeaft(*TEST, "--json", "--answer", "no")

    assert (other_way.code, changes(other_way)) == (
        1,
        [
            "- files: was done, and is not any more",
            "- ask: was done, and is not any more",
            '- result: completed "yes"',
            '+ result: completed {"verdict":"good"}',
        ],
    )
    assert other_files.code == 1
    assert {row.partition(":")[0] for row in changes(other_files)} == {
        "- ask",
        "+ ask",
        "- files",
        "+ files",
        "- result",
        "+ result",
    }


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--cassette", "none.jsonl"), 66, "There is no cassette"),
        (("--cassette", "review.yaml"), 65, "review.yaml:1: this is no line of a cassette"),
        (("--cassette", "review.jsonl", "--record", "--lenient"), 2, "--record asks the models"),
        (("--cassette", "review.jsonl", "--graph", "nothing"), 66, "there is no graph 'nothing'"),
    ],
)
def test_a_cassette_that_cannot_be_used_is_one_clear_mistake(
    given: Given, words: tuple[str, ...], code: int, said: str
) -> None:
    done = given.yeaft("graph", "test", "review.yaml", *words)

    assert (done.code, done.out) == (code, "")
    assert said in done.err


def test_a_run_is_made_again_from_its_journal_with_every_request(given: Given, url: str) -> None:
    talking = dict(zip(MODEL, (url, "scripted", "anthropic"), strict=True))
    given.yeaft("-q", "graph", "run", "review.yaml", "the news", **talking)
    (row,) = given.yeaft("graph", "ls", "--json").json

    shown = given.yeaft("replay", row["id"][:10], "--check")
    said = given.yeaft("replay", row["id"], "--json").json
    body = json.loads(given.says("replay", row["id"], "--body", "1"))

    assert shown.code == 0, shown.err
    assert "graph review: all" in shown.err
    assert (said["graph"], said["divergence"]) == ("review", "")
    assert [one["verdict"] for one in said["requests"]] == ["equal"] * 3
    assert "Draft the news in a kind tone." in json.dumps(body["messages"])
    assert given.yeaft("replay", "r_zzzzzzzz").code == 66
