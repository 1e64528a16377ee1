"""Background tasks as a VP has them: started, told of, read, ended; and what a Session leaves when it is left."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path

import psutil
import pytest
from msgspec.structs import replace

from tests.session.session_given import (
    CLAUDE,
    PATIENCE_S,
    Given,
    Talk,
    a_call,
    calls,
    cast,
    for_vp,
    held,
    lines_of,
    says,
)
from yeaft.events.call import CallFinished
from yeaft.events.ops import ContinueTurn
from yeaft.events.session import MessagePosted, OwnerReleased
from yeaft.events.task import TaskEnded, TaskOrphaned, TaskStarted
from yeaft.kernel import ids
from yeaft.llm.scripted.script import Calls
from yeaft.store.task_files import read_record, task_id_of, write_record
from yeaft.tools.shell.task_fate import fate, wait

UNTIL_GO = "until [ -e go ]; do sleep 0.01; done"
MIB = 1024 * 1024


def starts(command: str, wire_id: str = "c1", **args: object) -> Calls:
    return calls("Bash", wire_id, command=command, background=True, **args)


def place_of(talk: Talk, number: int = 0) -> Path:
    return talk.paths.tasks / list(talk.state.tasks)[number]


def task_of(op_id: str) -> str:
    """The task that the first call of the answer to a message becomes: ids follow from that of the op."""
    turn = ids.turn_id(ids.derive("m_", op_id), "omni")
    return task_id_of(ids.call_id(ids.request_id(turn, 0, 0), 0))


def results(lines: list[tuple[str, str]]) -> list[str]:
    """The task results in a request."""
    return [text for _, text in lines if "<task-result" in text]


async def ended(talk: Talk, number: int = 1) -> TaskEnded:
    """The `number`-th end of a task."""
    return await talk.until(lambda: (talk.all_of(TaskEnded)[number - 1 :] or [None])[0])


@pytest.mark.parametrize("model", ["", CLAUDE])
async def test_a_vp_is_told_at_the_next_round_when_its_task_ends_during_its_turn(given: Given, model: str) -> None:
    wait = calls("Bash", "c2", command="touch go; until [ -e told ]; do sleep 0.01; done")
    talk = await given.session(
        starts(f"{UNTIL_GO}; echo built; exit 3", taskTitle="build"), wait, says("done"), mode="auto", model=model
    )

    talk.say("build it")
    end = await ended(talk)
    (given.folder / "told").touch()

    assert await talk.outcome() == "answered"
    task_id = next(iter(talk.state.tasks))
    assert (end.task_id, end.state, end.exit_code, end.signal) == (task_id, "failed", 3, "")
    last = lines_of(talk.server.requests[-1])
    (result,) = results(last)
    assert last[-1] == ("user", result)
    log = talk.paths.tasks / task_id / "log"
    assert f'<task-result id="{task_id}" title="build" state="failed" exit_code="3" log="{log}">' in result
    assert result.endswith(f"\n$ {UNTIL_GO}; echo built; exit 3\nbuilt\n</task-result>")


async def test_a_task_neither_holds_a_turn_nor_starts_one_and_its_end_is_told_before_the_next(given: Given) -> None:
    talk = await given.session(starts(f"{UNTIL_GO}; echo ok"), says("started"), says("I see"), mode="auto")

    talk.say("go on")
    assert await talk.outcome() == "answered"
    await talk.idle()
    (given.folder / "go").touch()
    end = await ended(talk)
    await talk.idle()

    assert (end.state, len(talk.turns), len(talk.server.requests)) == ("succeeded", 1, 2)
    talk.say("and?")
    await talk.outcome()
    told = lines_of(talk.server.requests[-1])
    assert [role for role, _ in told] == ["user", "call", "c1", "assistant", "user", "user"]
    assert (results(told), told[-1]) == ([told[-2][1]], ("user", "and?"))


async def test_an_end_that_comes_while_the_answer_is_said_waits_for_the_next_turn(given: Given) -> None:
    talk = await given.session(
        starts(UNTIL_GO), held(says("all said"), "gate", after_events=2), says("I see"), mode="auto"
    )

    talk.say("go on")
    await talk.server.reached("gate")
    (given.folder / "go").touch()
    await ended(talk)
    talk.server.release("gate")

    assert await talk.outcome() == "answered"
    assert len(talk.server.requests) == 2
    talk.say("and?")
    await talk.outcome()
    assert len(results(lines_of(talk.server.requests[-1]))) == 1


async def test_an_end_that_was_told_in_a_request_that_was_stopped_is_told_again(given: Given) -> None:
    talk = await given.session(
        starts("true"),
        calls("Bash", "c2", command=UNTIL_GO),
        held(says("never said"), "never"),
        says("I see"),
        mode="auto",
    )

    talk.say("go on")
    await ended(talk)
    (given.folder / "go").touch()
    await talk.server.reached("never")
    talk.interrupt()
    await talk.outcome()
    talk.say("and?")
    await talk.outcome()

    assert len(results(lines_of(talk.server.requests[2]))) == 1
    assert len(results(lines_of(talk.server.requests[3]))) == 1


async def test_only_the_vp_whose_task_it_is_hears_of_its_end(given: Given) -> None:
    script = cast(
        for_vp("builder", starts("echo secret-of-builder"), says("started"), says("b")), for_vp("skeptic", says("s"))
    )
    talk = await given.session(script, mode="auto", roster=("builder", "skeptic"))

    talk.say("@builder go")
    await ended(talk)
    await talk.outcomes()
    talk.say("@builder @skeptic and?")
    await talk.outcomes()

    assert len(results(talk.requests_of("builder")[-1])) == 1
    assert results(talk.requests_of("skeptic")[-1]) == []


async def test_a_task_that_ends_at_once_is_still_told_of_once(given: Given) -> None:
    talk = await given.session(
        Calls(calls=tuple(a_call("Bash", f"c{n}", command=f"exit {n}", background=True) for n in range(4))),
        says("started"),
        mode="auto",
    )

    talk.say("go")
    await ended(talk, 4)
    await talk.outcome()

    codes = {talk.state.tasks[end.task_id].started.command: end.exit_code for end in talk.all_of(TaskEnded)}
    notices = [one for one in talk.all_of(MessagePosted) if one.kind == "notice"]
    assert codes == {f"exit {n}": n for n in range(4)}
    assert len({one.message_id for one in notices}) == len(notices) == 4


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        ({"command": "ls", "survives": True}, "add background=true"),
        ({"command": "ls", "background": True, "cwd": "gone"}, "is not a folder"),
    ],
)
async def test_what_cannot_be_started_says_why_and_leaves_no_task(
    given: Given, args: dict[str, object], reason: str
) -> None:
    talk = await given.session(calls("Bash", "c1", **args), says("done"), mode="auto")

    talk.say("go")
    await talk.outcome()

    assert reason in talk.told_model("c1")
    assert talk.state.tasks == {}
    assert not talk.paths.tasks.exists() or list(talk.paths.tasks.iterdir()) == []


async def test_a_model_lists_tasks_and_reads_their_logs_in_portions(given: Given) -> None:
    task_id = task_of("go")
    talk = await given.session(
        starts(f"printf 'one\\ntwo\\n'; touch said; {UNTIL_GO}", taskTitle="dev server"),
        calls("Bash", "c2", command="until [ -s said ] || [ -e said ]; do sleep 0.01; done; sleep 0.1"),
        calls("ListTasks", "c3"),
        calls("ReadTaskLog", "c4", taskId=task_id[:6]),
        calls("ReadTaskLog", "c5", taskId=task_id, offset=2, maxBytes=3),
        calls("ReadTaskLog", "c6", taskId=task_id, tail=True, maxBytes=4),
        calls("ReadTaskLog", "c7", taskId="j_unknown"),
        says("done"),
        mode="auto",
    )
    talk.say("go", op_id="go")
    await talk.outcome()

    (listed,) = json.loads(talk.told_model("c3"))["tasks"]
    whole, middle, tail = (json.loads(talk.told_model(wire_id)) for wire_id in ("c4", "c5", "c6"))

    known = {key: listed[key] for key in ("id", "title", "state", "vp", "log_bytes")}
    assert known == {"id": task_id, "title": "dev server", "state": "running", "vp": "omni", "log_bytes": 8}
    log = str(talk.paths.tasks / task_id / "log")
    assert whole == shown_log(log, "one\ntwo\n", 0, 8)
    assert middle == shown_log(log, "e\nt", 2, 5)
    assert tail == shown_log(log, "two\n", 4, 8)
    assert f"No task 'j_unknown'. The newest are: {task_id}." in talk.told_model("c7")


def shown_log(log: str, text: str, offset: int, next_offset: int) -> dict[str, object]:
    return {
        "path": log,
        "text": text,
        "bytes": 8,
        "offset": offset,
        "nextOffset": next_offset,
        "truncated": next_offset < 8,
        "state": "running",
    }


async def test_a_task_that_will_not_end_is_killed_and_counts_as_cancelled(given: Given) -> None:
    both = "(trap '' TERM; echo $BASHPID; touch one; sleep 300) & trap 'echo no' TERM; echo $$; touch two"
    talk = await given.session(
        starts(f"{both}; while :; do sleep 0.1; done"),
        calls("Bash", "c2", command="until [ -e one ] && [ -e two ]; do sleep 0.01; done"),
        calls("CancelTask", "c3", taskId=task_of("go")),
        calls("CancelTask", "c4", taskId=task_of("go")),
        says("done"),
        mode="auto",
    )
    talk.say("go", op_id="go")
    await talk.outcome()

    done, again = (json.loads(talk.told_model(wire_id)) for wire_id in ("c3", "c4"))
    end = await ended(talk)

    first, second, *rest = (place_of(talk) / "log").read_text().splitlines()
    assert (done["ok"], done["task"]["state"], done["task"]["exit_code"]) == (True, "cancelled", 137)
    assert again == done
    assert (end.state, end.signal, end.error) == ("cancelled", "KILL", "It was cancelled.")
    assert "no" in rest
    assert [pid for pid in (first, second) if psutil.pid_exists(int(pid))] == []
    record = read_record(place_of(talk))
    assert record is not None
    assert record.escalated


async def test_a_cancelled_task_is_cancelled_whatever_its_exit_code(given: Given) -> None:
    talk = await given.session(
        starts("trap 'echo bye; exit 0' TERM; echo up; touch up; sleep 300 & wait"),
        calls("Bash", "c2", command="until [ -e up ]; do sleep 0.01; done"),
        calls("CancelTask", "c3", taskId=task_of("go")),
        says("done"),
        mode="auto",
    )
    talk.say("go", op_id="go")
    await talk.outcome()
    end = await ended(talk)

    assert (end.state, end.exit_code) == ("cancelled", 0)
    assert (place_of(talk) / "log").read_text() == "up\nbye\n"


@pytest.mark.parametrize(
    "command",
    [
        "sleep 300 & echo $!",
        "nohup sleep 300 >/dev/null 2>&1 & echo $!",
        "setsid sleep 300 & echo $!",
        "sleep 300 & echo $!; disown",
        "(setsid sh -c 'sleep 300 & echo $!' &); sleep 0.1",
    ],
)
async def test_what_a_command_leaves_running_is_a_task_that_can_be_ended(given: Given, command: str) -> None:
    talk = await given.session(
        calls("Bash", "c1", command=command),
        calls("ListTasks", "c2"),
        calls("CancelTask", "c3", taskId=task_of("go")),
        says("done"),
        mode="auto",
    )
    talk.say("go", op_id="go")
    await talk.outcome()
    end = await ended(talk)

    (listed,) = json.loads(talk.told_model("c2"))["tasks"]
    pid = int(talk.told_model("c1").split()[0])
    assert f"task {listed['id']}, stopped when the session ends]" in talk.told_model("c1")
    assert (listed["title"], listed["adopted"], listed["pid"], listed["state"]) == ("sleep 300", True, pid, "running")
    assert json.loads(talk.told_model("c3"))["task"]["state"] == "cancelled"
    assert (end.state, end.error) == ("cancelled", "It was cancelled.")
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


async def test_how_a_left_process_ended_by_itself_is_known_with_all_it_printed(given: Given) -> None:
    talk = await given.session(
        calls("Bash", "c1", command=f"({UNTIL_GO}; printf last; exit 5) & echo up"),
        says("done"),
        says("so"),
        mode="auto",
    )
    talk.say("go")
    await talk.outcome()
    (given.folder / "go").touch()
    end = await ended(talk)
    talk.say("and?")
    await talk.outcome()

    assert (end.state, end.exit_code) == ("failed", 5)
    (result,) = results(lines_of(talk.server.requests[-1]))
    assert result.endswith("\nup\nlast\n</task-result>")


async def test_what_a_task_leaves_running_is_a_task_of_its_own(given: Given) -> None:
    talk = await given.session(
        starts(f"({UNTIL_GO}; echo later) & echo now", taskTitle="both"), says("done"), mode="auto"
    )
    talk.say("go")
    first = await ended(talk)
    left = (await talk.until(lambda: talk.all_of(TaskStarted)[1:] or None))[0]
    (given.folder / "go").touch()
    second = await ended(talk, 2)

    assert (first.state, left.adopted, second.task_id, second.state) == ("succeeded", True, left.task_id, "succeeded")
    notice = next(one.text for one in talk.all_of(MessagePosted) if one.kind == "notice")
    assert f'left_running="{left.task_id}"' in notice
    assert (place_of(talk) / "log").read_text() == "now\nlater\n"


async def test_leaving_a_session_ends_its_tasks_says_so_and_spares_the_declared_ones(given: Given) -> None:
    talk = await given.session(
        Calls(
            calls=(
                a_call(
                    "Bash", "c1", command="trap 'echo bye' EXIT; echo $$; sleep 300", background=True, taskTitle="a"
                ),
                a_call("Bash", "c2", command="echo $$; exec sleep 300", background=True, survives=True, taskTitle="b"),
                a_call("Bash", "c3", command="sleep 300 & echo $!"),
            )
        ),
        says("done"),
        mode="auto",
    )
    talk.say("go")
    await talk.outcome()
    undeclared, declared, left = talk.all_of(TaskStarted)
    await talk.close()

    try:
        ends = {one.task_id: (one.state, one.error) for one in talk.all_of(TaskEnded)}
        with_owner = ("cancelled", "It ended together with the yeaft that owned it.")
        assert ends == {undeclared.task_id: with_owner, left.task_id: with_owner}
        assert psutil.Process(declared.pid).cmdline() == ["sleep", "300"]
        assert [pid for pid in (undeclared.pid, left.pid) if psutil.pid_exists(pid) and not is_zombie(pid)] == []
        assert talk.notices() == [
            ("task.ended_with_session", {"task": undeclared.task_id, "title": "a"}),
            ("task.goes_on", {"task": declared.task_id, "title": "b"}),
            ("task.ended_with_session", {"task": left.task_id, "title": "sleep 300"}),
        ]
        assert isinstance(talk.heard[-1].event, OwnerReleased)
        kept = fate(talk.paths.tasks / declared.task_id)
        assert kept is not None
        assert kept.state == "running"
    finally:
        os.kill(declared.pid, signal.SIGKILL)


async def test_a_session_that_is_opened_again_takes_up_a_survivor_and_hears_of_its_end(given: Given) -> None:
    first = await given.session(
        starts(f"{UNTIL_GO}; echo done", survives=True), says("started"), says("I see"), mode="auto"
    )
    first.say("go")
    await first.outcome()
    task_id = next(iter(first.state.tasks))

    second = await given.again(first)
    second.say("and?")
    await second.outcome()
    (given.folder / "go").touch()
    end = await ended(second)

    assert (end.task_id, end.state) == (task_id, "succeeded")
    assert f"- {task_id} (shell): running" in str(second.server.requests[-1].body)


async def test_the_end_of_a_survivor_in_between_is_told_once_after_opening_again(given: Given) -> None:
    first = await given.session(
        starts(f"{UNTIL_GO}; echo done", survives=True), says("started"), says("I see"), says("yes"), mode="auto"
    )
    first.say("go")
    await first.outcome()
    place = place_of(first)
    await first.close()
    (given.folder / "go").touch()
    assert (await wait(place, limit_s=None)).state == "succeeded"

    second = await given.session(ref=first.state.session_id)
    second.say("and?")
    await second.outcome()
    third = await given.again(second)
    third.say("again?")
    await third.outcome()

    assert [len(results(lines_of(request))) for request in third.server.requests[-2:]] == [1, 1]
    assert len([one for one in third.state.messages.values() if one.kind == "notice"]) == 1


async def test_tasks_that_a_dead_process_and_its_machine_left_are_orphaned_and_told_of(given: Given) -> None:
    first = await given.session(starts("sleep 300", taskTitle="server"), says("started"), says("I see"), mode="auto")
    first.say("go")
    await first.outcome()
    record = read_record(place_of(first))
    assert record is not None
    crashed = await given.crashed(first, lambda one: isinstance(one.event, TaskStarted))
    place = given.home / "sessions" / crashed / "tasks" / record.task_id
    someone_else = replace(record.processes[0], pid=os.getpid())  # the pid lives, and is not the one that was meant
    write_record(place, replace(record, processes=(someone_else,)))

    second = await given.session(ref=crashed)
    second.send(ContinueTurn())
    await second.outcome()

    (orphaned,) = second.all_of(TaskOrphaned)
    assert (orphaned.task_id, orphaned.error) == (record.task_id, "Nobody saw how it ended.")
    assert psutil.pid_exists(os.getpid())
    (result,) = results(lines_of(second.server.requests[-1]))
    assert 'title="server" state="orphaned"' in result


async def test_a_task_that_was_started_right_before_a_crash_is_neither_lost_nor_started_again(given: Given) -> None:
    first = await given.session(
        starts(f"echo x >> started; {UNTIL_GO}", survives=True), says("started"), says("I see"), mode="auto"
    )
    first.say("go")
    await first.outcome()
    task_id = next(iter(first.state.tasks))
    before = [one for one in first.heard if not isinstance(one.event, CallFinished)]
    started = next(one for one in reversed(before) if one.seq < first.state.tasks[task_id].started_seq)
    crashed = await given.crashed(first, lambda one: one.seq == started.seq)
    (given.home / "sessions" / crashed / "tasks").symlink_to(first.paths.tasks)

    second = await given.session(ref=crashed)
    second.send(ContinueTurn())
    await second.outcome()

    assert f"started in the background as task {task_id}" in second.told_model("c1")
    assert second.state.tasks[task_id].ended is None
    (given.folder / "go").touch()
    assert (await ended(second)).state == "succeeded"
    assert (given.folder / "started").read_text() == "x\n"


async def test_a_fork_leaves_the_tasks_to_the_session_it_was_copied_from(given: Given) -> None:
    first = await given.session(starts(UNTIL_GO), says("started"), says("I see"), mode="auto")
    first.say("go")
    await first.outcome()

    fork = await given.session(ref=first.state.session_id, fork=True)
    fork.say("and?")
    await fork.outcome()
    await fork.close()

    assert fork.state.tasks == {}
    assert first.state.tasks[next(iter(first.state.tasks))].ended is None
    (given.folder / "go").touch()
    assert (await ended(first)).state == "succeeded"


async def test_a_keeper_that_is_killed_leaves_nothing_running(given: Given) -> None:
    talk = await given.session(starts("sleep 300"), says("started"), mode="auto")
    talk.say("go")
    await talk.outcome()
    record = read_record(place_of(talk))
    assert record is not None

    os.kill(record.processes[0].pid, signal.SIGKILL)
    orphaned = await talk.heard_of(TaskOrphaned)

    assert orphaned.task_id == record.task_id
    psutil.wait_procs([psutil.Process(record.pid)] if psutil.pid_exists(record.pid) else [], timeout=PATIENCE_S)
    assert not psutil.pid_exists(record.pid) or is_zombie(record.pid)


async def test_the_prompt_names_running_tasks_and_keeps_still_during_a_turn(given: Given) -> None:
    many = Calls(calls=tuple(a_call("Bash", f"c{n}", command=UNTIL_GO, background=True) for n in range(7)))
    talk = await given.session(many, says("started"), says("I see"), mode="auto")

    talk.say("go")
    await talk.outcome()
    talk.say("and?")
    await talk.outcome()

    first, second, third = (str(request.body) for request in talk.server.requests)
    assert "(shell): running" not in first + second
    assert third.count("(shell): running") == 5
    assert "- and 2 more" in third
    (given.folder / "go").touch()
    await ended(talk, 7)


@pytest.mark.parametrize(("lines", "width"), [(50_000, 8), (1_600_000, 64)])
async def test_however_much_a_task_prints_memory_is_bounded_and_all_of_it_is_on_disk(
    given: Given, lines: int, width: int
) -> None:
    line = "x" * (width - 1)
    talk = await given.session(starts(f"yes {line} | head -n {lines}; printf end; {UNTIL_GO}"), says("ok"), mode="auto")
    talk.say("go")
    await talk.outcome()
    place = place_of(talk)
    record = read_record(place)
    assert record is not None
    keeper = psutil.Process(record.processes[0].pid)
    before = psutil.Process().memory_info().rss

    async for _ in looks():
        if sum(file.stat().st_size for file in place.glob("log*")) == lines * width + 3:
            break
    keeper_rss, grown = keeper.memory_info().rss, psutil.Process().memory_info().rss - before
    (given.folder / "go").touch()
    await ended(talk)

    assert keeper_rss < 40 * MIB
    assert grown < 20 * MIB
    assert (place / "log").read_bytes().endswith(f"{line}\nend".encode())


async def looks() -> AsyncIterator[None]:
    """Chances to look at what only another process knows; ends with a failure after a long while."""
    async with asyncio.timeout(PATIENCE_S):
        for _ in count():
            await asyncio.sleep(0.01)
            yield


def is_zombie(pid: int) -> bool:
    return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
