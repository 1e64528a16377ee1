"""`yeaft task` on what tasks have left in their directories: lists, details, logs, and the words for them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.cli.commands_given import Given
from yeaft.store.task_files import Lifeline, TaskRecord, write_record

STARTED_MS = 1_700_000_000_000
DONE = TaskRecord(
    task_id="j_ab12cd34ef",
    session_id="",
    call_id="c_1",
    vp_id="omni",
    title="构建 the site",
    command="make site",
    cwd="/src",
    host=os.uname().nodename,
    mark="YEAFT_CALL=j_ab12cd34ef",
    started_ms=STARTED_MS,
    pid=4711,
    start_time=1,
    processes=(Lifeline(pid=2**22, start_time=1),),
    state="failed",
    exit_code=3,
    ended_ms=STARTED_MS + 1500,
)
RUNNING = replace(
    DONE,
    task_id="j_ab99999999",
    title="server",
    vp_id="builder",
    started_ms=STARTED_MS + 1,
    survives=True,
    state="running",
    exit_code=None,
    ended_ms=0,
    processes=(Lifeline(pid=os.getpid(), start_time=int(Path("/proc/self/stat").read_text().split()[21])),),
)


@pytest.fixture
def session(talking: Given) -> str:
    """A Session with a task that has failed and one that runs: its keeper is this very process."""
    session_id = talking.session()
    for record in (DONE, RUNNING):
        place = talking.home / "sessions" / session_id / "tasks" / record.task_id
        write_record(place, replace(record, session_id=session_id))
        (place / "log").write_bytes(b"one\ntwo\n\xe4\xbd\xa0\xff\x1b[31m\nend")
    return session_id


def test_a_list_has_those_that_run_and_with_all_the_others_too(talking: Given, session: str) -> None:
    running = talking.says("task", "ls")
    everything = talking.says("task", "ls", "--all", "-r", session[:5])
    rows = json.loads(talking.says("task", "ls", "--all", "--json"))

    assert [line.split()[:4] for line in running.splitlines()] == [
        ["id", "state", "VP", "session"],
        ["j_ab99999999", "running", "@builder", session],
    ]
    assert [" ".join(line.split()[:5]) for line in everything.splitlines()[1:]] == [
        f"j_ab12cd34ef failed (3) @omni {session}",
        f"j_ab99999999 running @builder {session} 2023-11-14",
    ]
    log = talking.home / "sessions" / session / "tasks" / "j_ab12cd34ef" / "log"
    assert rows[0] == {
        "id": "j_ab12cd34ef",
        "session": session,
        "vp": "omni",
        "title": "构建 the site",
        "state": "failed",
        "command": "make site",
        "cwd": "/src",
        "pid": 4711,
        "survives": False,
        "adopted": False,
        "started": "2023-11-14T22:13:20.000+00:00",
        "ended": "2023-11-14T22:13:21.500+00:00",
        "exit_code": 3,
        "signal": "",
        "error": "",
        "log": str(log),
    }
    assert [row["state"] for row in rows] == ["failed", "running"]


def test_details_are_told_in_the_users_language(talking: Given, session: str) -> None:
    english = talking.says("task", "show", "ab12").splitlines()
    chinese = talking.says("--lang", "zh", "task", "show", "j_ab9").splitlines()

    assert english[:5] == [
        "id: j_ab12cd34ef",
        f"session: {session}",
        "VP: omni",
        "title: 构建 the site",
        "state: failed",
    ]
    assert "exit code: 3" in english
    assert "会话结束后继续：是" in chinese


def test_an_id_that_fits_two_tasks_is_refused_with_both(talking: Given, session: str) -> None:
    done = talking.yeaft("task", "logs", "ab")

    assert (done.code, done.out) == (66, "")
    assert "j_ab12cd34ef, j_ab99999999" in done.err
    assert talking.yeaft("task", "show", "ab12", "-r", session).code == 0


@pytest.mark.parametrize(
    ("words", "whole"),
    [
        ((), b"one\ntwo\n\xe4\xbd\xa0\xff\x1b[31m\nend"),
        (("-n", "2"), b"\xe4\xbd\xa0\xff\x1b[31m\nend"),
        (("-n", "0"), b""),
    ],
)
def test_a_log_is_written_byte_for_byte(talking: Given, session: str, words: tuple[str, ...], whole: bytes) -> None:
    assert session
    done = subprocess.run(
        [sys.executable, "-m", "yeaft", "task", "logs", "ab12", *words, "-f"],
        cwd=talking.folder,
        env=talking.environ,
        capture_output=True,
        check=True,
    )

    assert (done.stdout, done.stderr) == (whole, b"")


def test_a_log_of_which_the_beginning_is_gone_says_so(talking: Given, session: str) -> None:
    place = talking.home / "sessions" / session / "tasks" / "j_ab12cd34ef"
    (place / "log.3").write_bytes(b"x" * 9 + b"\n")
    (place / "log").write_text("one\n")

    done = talking.yeaft("task", "logs", "ab12", "-f", "-r", session)

    assert done.code == 0
    assert done.out == "xxxxxxxxx\none\n"
    assert done.err == "20 bytes are no longer there: of a long log only the end is kept.\n"


def test_how_a_task_ended_is_the_exit_code_of_waiting_for_it(talking: Given, session: str) -> None:
    place = talking.home / "sessions" / session / "tasks" / "j_ab12cd34ef"
    for state, code in (("succeeded", 0), ("failed", 1), ("cancelled", 130), ("orphaned", 1)):
        write_record(place, replace(DONE, state=state))

        done = talking.yeaft("task", "wait", "ab12")

        assert (done.code, done.out.split()[:2]) == (code, ["j_ab12cd34ef", state])
    assert talking.yeaft("task", "wait", "ab9", "--timeout", "20ms").code == 4


def test_a_task_of_another_machine_cannot_be_seen_or_ended_from_here(talking: Given, session: str) -> None:
    place = talking.home / "sessions" / session / "tasks" / "j_ab99999999"
    write_record(place, replace(RUNNING, host="another-machine"))

    shown = json.loads(talking.says("task", "show", "ab9", "--json"))
    cancelled = talking.yeaft("task", "cancel", "ab9")

    assert shown["state"] == "orphaned"
    assert (cancelled.code, "on this machine" in cancelled.err) == (1, True)
    assert not (place / "cancel").exists()


def test_a_reader_of_a_log_may_leave_early(talking: Given, session: str) -> None:
    place = talking.home / "sessions" / session / "tasks" / "j_ab12cd34ef"
    (place / "log").write_bytes(b"line\n" * 400_000)

    done = subprocess.run(
        ["bash", "-c", 'set -o pipefail; "$@" | head -n 1', "-", sys.executable, "-m", "yeaft", "task", "logs", "ab12"],
        cwd=talking.folder,
        env=talking.environ,
        capture_output=True,
        check=False,
    )

    assert (done.stdout, done.stderr, done.returncode) == (b"line\n", b"", 141)


def test_a_session_with_a_running_task_is_not_deleted(talking: Given, session: str) -> None:
    refused = talking.yeaft("session", "rm", session, "--yes")
    place = talking.home / "sessions" / session / "tasks" / "j_ab99999999"
    write_record(place, replace(RUNNING, state="succeeded"))

    assert (refused.code, "yeaft task cancel j_ab99999999" in refused.err) == (75, True)
    assert talking.yeaft("session", "rm", session, "--yes").code == 0
    assert talking.yeaft("task", "ls", "--all", "--json").json == []
