"""What graphs are given and need around their steps: typed input, servers, answers, estimates, and what stays."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands_given import CHECKOUT, Given, scripted_model

SERVER = CHECKOUT / "tests" / "mcp" / "sample_server.py"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    script = {"lines": [{"vp": "", "when": "", "repeat": True, "steps": [{"step": "says", "text": "said"}]}]}
    with scripted_model(tmp_path_factory.mktemp("scripted"), script) as url:
        yield url


@pytest.fixture
def given(tmp_path: Path, url: str) -> Given:
    return Given(tmp_path, url)


def graph(given: Given, text: str) -> None:
    (given.folder / "g.yaml").write_text(text, encoding="utf-8")


def test_a_step_that_uses_a_server_starts_it_though_no_model_is_asked(given: Given) -> None:
    given.home.mkdir()
    (given.home / "config.toml").write_text(
        f"[mcp.servers.sample]\ncommand = {json.dumps(sys.executable)}\nargs = [{json.dumps(str(SERVER))}, 'stdio']\n"
        "connect_timeout_s = 60\n"
        "[mcp.servers.gone]\ncommand = 'no-such-program'\n",
        encoding="utf-8",
    )
    graph(given, "graph: {steps: [{id: sum, tool: mcp__sample__add, args: {a: 2, b: 3}}]}")
    added = given.says("-q", "graph", "run", "g.yaml", "--allow", "mcp__sample__*")
    graph(given, "graph: {steps: [{id: sum, tool: mcp__gone__add, args: {a: 2, b: 3}}]}")
    gone = given.yeaft("-q", "graph", "run", "g.yaml", "--allow", "mcp__gone__*")

    assert "5" in added
    assert gone.code == 1
    assert "Step 'sum' failed: " in gone.err
    assert "gone" in gone.err


def test_input_is_text_unless_the_graph_says_that_it_takes_something_else(given: Given) -> None:
    given.says("trust", "-y")
    steps = "steps: [{id: one, call: json.dumps}]"
    graph(given, f"graph: {{{steps}}}")
    text = given.says("-q", "graph", "run", "g.yaml", '{"a": 1}')
    graph(given, f"graph: {{input: {{a: int}}, {steps}}}")
    typed = given.says("-q", "graph", "run", "g.yaml", '{"a": 1}')
    piped = given.process("-q", "graph", "run", "g.yaml", "-", stdin='{"a": 2}')
    unfit = given.yeaft("graph", "run", "g.yaml", '{"a": "x"}')
    none = given.yeaft("graph", "run", "g.yaml", "a is 1")

    assert text == '"{\\"a\\": 1}"'
    assert (typed, piped.out) == ('{"a": 1}', '{"a": 2}\n')
    assert (unfit.code, none.code) == (65, 65)
    assert "The graph 'graph' cannot take this input: a: 'x' is not of type 'integer'." in unfit.err
    assert "The graph 'graph' cannot take this input: it is no JSON." in none.err
    assert len(given.yeaft("graph", "ls", "--json").json) == 3


def test_an_answer_to_a_run_that_has_ended_is_refused_with_what_can_be_done(given: Given) -> None:
    graph(given, 'graph: {steps: [{id: ok, approve: "Go on?"}]}')
    done = given.yeaft("-q", "graph", "run", "g.yaml", "tea", "--answer", "yes")

    late = given.yeaft("graph", "resume", "last", "--answer", "no")

    assert (done.code, done.out) == (0, "tea\n")
    assert late.code == 2
    command = late.err.strip().partition("other answers: yeaft ")[2]
    assert command.startswith("graph fork r_")
    assert given.yeaft(*command.replace("STEP", "ok").replace("TEXT", "no").split()).code == 1


def test_what_is_estimated_counts_the_things_that_are_given(given: Given, url: str) -> None:
    given.home.mkdir()
    (given.home / "config.toml").write_text(
        f'[providers.box]\nbase_url = "{url}/v1"\nprotocol = "openai-responses"\n'
        'models = [{id = "scripted", price_usd_per_mtok = {in = 1.0, out = 1.0}}]\n[graphs]\nconfirm_usd = 0.001\n',
        encoding="utf-8",
    )
    items = ("--item", "one", "--item", "two", "--item", "three")

    asked = given.yeaft("flow", "map", *items, "DO it", "--yes", "-m", "box/scripted")

    assert "3 requests" in asked.err, asked.err


def test_a_test_of_a_graph_leaves_no_session_unless_it_is_to_be_kept(given: Given) -> None:
    graph(given, "graph: {steps: [{id: one, agent: omni}]}")
    words = ("graph", "test", "g.yaml", "tea", "--cassette", "c.jsonl")
    given.says(*words, "--record")
    given.says(*words)
    nothing = given.yeaft("session", "ls", "--json").json

    kept = given.yeaft(*words, "--keep")

    assert nothing == []
    (session,) = given.yeaft("session", "ls", "--json").json
    (run,) = given.yeaft("graph", "ls", "--json").json
    assert (kept.code, run["session"]) == (0, session["id"])
    assert f"yeaft graph logs {run['id'][:10]}" in kept.err


def test_a_copy_of_a_session_from_a_run_on_says_how_runs_are_forked(given: Given) -> None:
    graph(given, "graph: {steps: [{id: one, agent: omni}]}")
    ran = given.yeaft("--json", "graph", "run", "g.yaml", "tea").json

    done = given.yeaft("session", "fork", ran["session"], "--at", ran["run"])

    assert done.code == 66
    assert f"yeaft graph fork {ran['run'][:10]} --at STEP" in done.err


@pytest.mark.parametrize("text", ["green", "not yet", "别", ""])
def test_what_is_neither_yes_nor_no_approves_nothing(given: Given, text: str) -> None:
    graph(given, 'graph: {steps: [{id: ok, approve: "Ship it?"}]}')

    waits = given.yeaft("graph", "run", "g.yaml", "tea", "--answer", text)
    shipped = given.yeaft("-q", "graph", "resume", "last", "--answer", "好的")

    assert (waits.code, waits.out) == (3, "")
    assert f"{text!r} is none of the answers: yes, no." in waits.err
    assert (shipped.code, shipped.out) == (0, "tea\n")


@pytest.mark.parametrize("word", ["No", "不可以", "reject"])
def test_a_no_in_any_of_its_words_declines_an_approval(given: Given, word: str) -> None:
    graph(given, 'graph: {steps: [{id: ok, approve: "Ship it?"}]}')

    declined = given.yeaft("graph", "run", "g.yaml", "tea", "--answer", word)

    assert declined.code == 1
    assert "it was not approved" in declined.err


def test_a_function_between_steps_that_fails_is_told_by_the_step_it_follows(given: Given) -> None:
    given.says("trust", "-y")
    (given.folder / "own.py").write_text("def gate(value):\n    raise ValueError('no such thing')\n", encoding="utf-8")
    (given.folder / "own2.py").write_text("def turned(value):\n    return value.nothing\n", encoding="utf-8")
    first = "{id: a, agent: omni}, {id: b, agent: omni}"
    judged = "[{from: a, to: b, condition: {type: callable, predicate: own.gate}}, {from: a, to: end, else: true}]"
    graph(given, f"graph: {{steps: [{first}], edges: {judged}}}")
    gate = given.yeaft("graph", "run", "g.yaml", "tea")
    graph(given, f"graph: {{steps: [{first}], edges: [{{from: a, to: b, transform: own2.turned}}]}}")
    transform = given.yeaft("graph", "run", "g.yaml", "tea")

    assert gate.code == transform.code == 1
    assert "What follows 'a' failed: own.gate: no such thing" in gate.err
    assert "What follows 'a' failed: own2.turned: 'str' object has no attribute 'nothing'" in transform.err
    assert "~" not in gate.err + transform.err


def test_a_server_that_a_step_names_and_nobody_has_set_up_is_told_before_it_is_missed(given: Given) -> None:
    given.home.mkdir()
    (given.home / "config.toml").write_text("[mcp.servers.sample]\ncommand = 'no-such-program'\n", encoding="utf-8")
    graph(
        given,
        "graph:\n  steps:\n    - {id: a, agent: omni, mcp_servers: [sample]}\n"
        "    - {id: b, agent: omni, mcp_servers: [sampel, github]}\n",
    )

    checked = given.yeaft("graph", "check", "g.yaml")
    chinese = given.yeaft("graph", "check", "g.yaml", "--lang", "zh")
    ran = given.yeaft("graph", "run", "g.yaml", "tea")

    near = "g.yaml:4: step 'b' goes without the MCP server 'sampel', which is not set up here. Did you mean 'sample'?"
    assert (checked.code, ran.code) == (0, 0)
    for told in (checked.err, ran.err):
        assert near in told
        assert "g.yaml:4: step 'b' goes without the MCP server 'github', which is not set up here\n" in told
        assert "'a'" not in told
    assert "g.yaml:4: 步骤“b”用不到 MCP 服务器“sampel”：这里没有配置它。是不是指“sample”？" in chinese.err


def test_bytes_that_are_no_text_become_marks_wherever_a_graph_is_given_them(given: Given) -> None:
    odd = os.fsdecode(b"\xff")
    graph(given, "graph: {params: {k: v}, steps: [{id: s, agent: omni, prompt: x}, {id: q, ask: what?}]}")
    (given.folder / f"{odd}.yaml").write_bytes((given.folder / "g.yaml").read_bytes())

    ran = given.yeaft("graph", "run", f"{odd}.yaml", odd, "-p", f"k={odd}", "--answer", odd, "--json")
    waiting = given.yeaft("graph", "run", "g.yaml", "tea", "-q")
    cancelled = given.yeaft("graph", "cancel", "last", "--reason", odd, "--json")
    checked = given.yeaft("graph", "check", f"{odd}.yaml", "--json")
    flowed = given.yeaft("flow", "map", "@writer", "--item", odd, "--item", "tea", odd, "-q")

    assert (ran.code, ran.json["text"], waiting.code) == (0, "\ufffd", 3), ran.err
    assert (cancelled.code, cancelled.json["error"]) == (0, "\ufffd"), cancelled.err
    assert (checked.code, Path(checked.json["file"]).name) == (0, "\ufffd.yaml"), checked.err
    assert (flowed.code, "## \ufffd\n\nsaid" in flowed.out) == (0, True), flowed.err


def test_a_step_that_a_run_has_not_has_no_log(given: Given) -> None:
    graph(given, "graph: {steps: [{id: draft, agent: omni, prompt: x}]}")
    given.says("graph", "run", "g.yaml", "tea", "-q")

    wrong = [given.yeaft("graph", "logs", "last", "--step", "draff", *how) for how in ((), ("--json",))]

    assert [(one.code, one.out) for one in wrong] == [(66, "")] * 2
    assert "The graph 'graph' has no step 'draff'. Did you mean 'draft'?" in wrong[0].err
    assert "said" in given.says("graph", "logs", "last", "--step", "draft")
