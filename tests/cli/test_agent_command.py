"""`yeaft agent`: what sub-agents do and did, seen from another terminal, live and after their yeaft is gone."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands_given import PATIENCE_S, Given, scripted_model

SCRIPT = {
    "lines": [
        {
            "vp": "omni",
            "steps": [
                {
                    "step": "calls",
                    "calls": [
                        {"tool": "SpawnAgent", "args": {"name": "quick", "task": "Be quick.", "persona": "explorer"}},
                        {"tool": "SpawnAgent", "args": {"name": "slow", "task": "Be slow."}},
                    ],
                },
                {"step": "says", "text": "They work."},
                {"step": "says", "text": "They are done."},
            ],
        },
        {
            "vp": "omni/quick",
            "steps": [
                {"step": "calls", "text": "I look.", "calls": [{"tool": "ListDir", "args": {"path": "."}}]},
                {"step": "says", "text": "Nothing here."},
            ],
        },
        {
            "vp": "omni/slow",
            "steps": [
                {
                    "step": "calls",
                    "text": "Half of it.",
                    "calls": [
                        {
                            "tool": "Bash",
                            "args": {"command": "echo $$ > pid; echo > began; cat gate > /dev/null; sleep 0.1"},
                        }
                    ],
                },
                {"step": "says", "text": "Slow and done."},
            ],
        },
    ],
    "fallback": {"step": "says", "text": "Hello."},
}


@contextmanager
def working_at(place: Path) -> Iterator[Given]:
    """A scripted model whose agent `slow` says through the pipe `began` that it works, and waits until `gate` is opened."""
    with scripted_model(place, SCRIPT) as url:
        given = Given(place, url)
        os.mkfifo(given.folder / "began")
        os.mkfifo(given.folder / "gate")
        yield given


@pytest.fixture
def agents(tmp_path: Path) -> Iterator[Given]:
    with working_at(tmp_path) as given:
        yield given


@pytest.fixture(scope="module")
def over(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Given, str]]:
    """Agents that have done their work, and the id of their Session."""
    with working_at(tmp_path_factory.mktemp("over")) as given:
        yeaft = at_work(given)
        open_gate(given)
        out, _ = yeaft.communicate(timeout=PATIENCE_S)
        yield given, json.loads(out)["session"]


def started(given: Given, *words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "yeaft", *words],
        cwd=given.folder,
        env=given.environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def at_work(given: Given) -> "subprocess.Popen[str]":
    """A yeaft whose agent `slow` runs a command and whose agent `quick` is done."""
    yeaft = started(given, "--mode", "auto", "--json", "go")
    (given.folder / "began").read_bytes()  # now there is a Session
    follower = started(given, "agent", "logs", "-f", "quick")
    assert "agent.ended" in follower.communicate(timeout=PATIENCE_S)[0]
    rows = {row["name"]: row for row in listed(given, "--all")}
    while rows["slow"]["recent_tools"] != ["Bash"]:
        rows = {row["name"]: row for row in listed(given, "--all")}
    return yeaft


def listed(given: Given, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = given.yeaft("agent", "ls", "--json", *words).json
    return found


def open_gate(given: Given) -> None:
    (given.folder / "gate").open("w").close()


def test_agents_can_be_listed_shown_and_followed_from_another_terminal(agents: Given) -> None:
    yeaft = at_work(agents)

    (slow,) = listed(agents)
    assert (slow["name"], slow["status"], slow["vp"], slow["mission"]) == ("slow", "running", "omni", "Be slow.")
    assert (slow["tool_uses"], slow["rounds"], slow["stale"]) == (1, 1, False)
    assert "@omni/slow" in agents.says("agent", "ls")
    quick = agents.yeaft("agent", "show", "quick", "--json").json
    assert (quick["status"], quick["result"], quick["persona"]) == ("completed", "Nothing here.", "explorer")
    assert "结果：Nothing here." in agents.says("--lang", "zh", "agent", "show", quick["id"][:8])

    follower = started(agents, "agent", "logs", "-f", "slow")
    open_gate(agents)
    told, _ = follower.communicate(timeout=PATIENCE_S)
    out, _ = yeaft.communicate(timeout=PATIENCE_S)

    assert [line.split("  ")[1] for line in told.splitlines()][-1] == "agent.ended"
    assert "Slow and done." in told
    result = json.loads(out)
    assert (result["exit_code"], result["text"]) == (0, "They are done.")
    assert result["usage"]["out"] > sum(vp["usage"]["out"] for vp in result["vps"])
    assert agents.says("agent", "ls") == ""
    assert [row["status"] for row in listed(agents, "--all")] == ["completed", "completed"]
    assert agents.yeaft("replay", result["session"], "--check").code == 0
    requests = agents.yeaft("replay", result["session"], "--json").json
    assert {row["vp"] for row in requests} == {"omni", "omni/quick", "omni/slow"}


def test_an_exported_session_brings_its_agents_along(over: tuple[Given, str]) -> None:
    agents, session = over

    exported = agents.yeaft("session", "export", session).out
    imported = agents.process("session", "import", "-", stdin=exported).out.strip()

    assert agents.yeaft("replay", imported, "--json").json == agents.yeaft("replay", session, "--json").json


@pytest.mark.parametrize(("kill", "status"), [("KILL", "lost"), ("TERM", "closed"), ("HUP", "closed")])
def test_after_a_kill_the_list_tells_the_truth_and_nothing_runs_on(agents: Given, kill: str, status: str) -> None:
    yeaft = at_work(agents)
    pid = (agents.folder / "pid").read_text().strip()

    os.kill(yeaft.pid, signal.Signals[f"SIG{kill}"])
    yeaft.communicate(timeout=PATIENCE_S)

    assert {row["name"]: row["status"] for row in listed(agents, "--all")} == {"quick": "completed", "slow": status}
    assert listed(agents) == []
    assert "Half of it." in agents.says("agent", "logs", "slow")
    assert agents.yeaft("agent", "logs", "-f", "slow").code == 0
    _wait_for_end(int(pid))
    session = listed(agents, "--all")[0]["session"]
    again = agents.yeaft("--json", "-r", session, "what now?").json
    assert again["exit_code"] == 0
    slow = agents.yeaft("agent", "show", "slow", "--json").json
    assert (slow["status"], slow["result"]) == (status, "Half of it.")


def test_the_log_can_be_cut_to_its_last_lines_and_read_as_it_is(over: tuple[Given, str]) -> None:
    agents, session = over

    whole = agents.says("agent", "logs", "quick", "-r", session, "--json").splitlines()
    last = agents.says("agent", "logs", "quick", "-r", session, "--json", "-n", "2").splitlines()

    assert last == whole[-2:]
    assert [json.loads(line)["type"] for line in whole].count("call.finished") == 1
    assert agents.says("agent", "logs", "quick", "-r", session, "-n", "0") == ""


def test_an_unknown_agent_is_not_found_and_an_empty_home_has_none(given: Given) -> None:
    assert given.yeaft("agent", "show", "nobody").code == 66
    assert given.yeaft("agent", "ls").err == "There are no sub-agents.\n"
    assert given.yeaft("agent", "ls", "-r", "nowhere").code == 66
    assert given.yeaft("agent", "lst").err.endswith("Did you mean `yeaft agent ls`?\n")


def _wait_for_end(pid: int) -> None:
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    import select

    select.select([descriptor], [], [], PATIENCE_S)
    os.close(descriptor)
    assert not Path(f"/proc/{pid}").exists()
