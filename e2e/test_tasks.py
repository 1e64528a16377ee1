"""Background tasks outlive what they may, die with what they must, and can be seen and ended from any terminal."""

import asyncio
import json
import os
import signal
from asyncio.subprocess import Process
from pathlib import Path
from typing import Any

import pytest

from e2e.conftest import Serve
from e2e.given import PATIENCE_S, Yeaft
from yeaft.llm.scripted.script import Calls, Holds, Says, Script, ScriptedCall, script

MIB = 1024 * 1024
UNTIL_GO = "until [ -e go ]; do sleep 0.01; done"
OBEYS = "sleep 300 & trap 'printf bye; exit 1' TERM; printf 'up '; touch up.$BASHPID; wait"
"""The child first: one that has just been forked would say goodbye too."""
STUBBORN = f"(trap '' TERM; printf 'up '; touch up.$BASHPID; sleep 300) & {OBEYS}"
SURVIVES = f"seq 1 5000; {UNTIL_GO}; seq 5001 50000; printf last"


def background(command: str, title: str, **args: Any) -> ScriptedCall:
    return ScriptedCall(tool="Bash", args={"command": command, "background": True, "taskTitle": title, **args})


THREE = Calls(
    calls=(
        background(OBEYS, "obeys"),
        background(STUBBORN, "stubborn"),
        background(SURVIVES, "survives", survives=True),
    )
)


def tasks(yeaft: Yeaft, *words: str) -> dict[str, dict[str, Any]]:
    """The tasks that `task ls` lists, by title."""
    ran = yeaft.here("task", "ls", "--json", *words)
    assert ran.code == 0, ran
    return {task["title"]: task for task in json.loads(ran.out)}


async def line_of(process: Process, kind: str) -> dict[str, Any]:
    """The next line of this type on the standard output of a stream-json run."""
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE_S):
        async for line in process.stdout:
            event = json.loads(line)
            if event["type"] == kind:
                return event
    raise AssertionError(f"it ended without {kind}")


async def gone(pids: list[int]) -> None:
    """Wait until these processes are no more."""
    loop = asyncio.get_running_loop()
    for pid in pids:
        try:
            pidfd = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        ended = asyncio.Event()
        loop.add_reader(pidfd, ended.set)
        async with asyncio.timeout(PATIENCE_S):
            await ended.wait()
        loop.remove_reader(pidfd)
        os.close(pidfd)


async def up(folder: Path, count: int) -> None:
    """Wait until so many processes have said that they are up."""
    async with asyncio.timeout(PATIENCE_S):
        for _ in iter(lambda: len(list(folder.glob("up.*"))) < count, False):
            await asyncio.sleep(0.01)


def peak_of(process: Process) -> int:
    """The most memory that a process has had, in bytes."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def processes_in(folder: Path) -> set[int]:
    """The processes whose work folder this is."""
    found: set[int] = set()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "cwd").readlink() == folder:
                found.add(int(entry.name))
        except OSError:
            continue
    return found


def outsiders(yeaft: Yeaft, owner: Process) -> set[int]:
    return processes_in(yeaft.folder) - {owner.pid}


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGKILL], ids=lambda one: one.name)
async def test_whatever_ends_the_owner_only_declared_tasks_go_on_and_every_terminal_knows(
    yeaft: Yeaft, serve: Serve, number: signal.Signals
) -> None:
    server = await serve(script(THREE, Holds(of=Says(text="never"), after_events=0, gate="never"), Says(text="I see.")))
    owner = await yeaft.start("--mode", "auto", "--output-format", "stream-json", "go on")
    await server.reached("never")
    running = tasks(yeaft)
    await up(yeaft.folder, 3)
    before = outsiders(yeaft, owner)

    owner.send_signal(number)
    ended = await yeaft.ended(owner)
    waited = [await yeaft.run("task", "wait", running[title]["id"]) for title in ("obeys", "stubborn")]
    left = tasks(yeaft)

    assert ended.code in (128 + number, -number)
    assert set(running) == {"obeys", "stubborn", "survives"}
    assert {task["state"] for task in running.values()} == {"running"}
    assert [ran.code for ran in waited] == [130, 130]
    assert [(title, task["state"], task["pid"]) for title, task in left.items()] == [
        ("survives", "running", running["survives"]["pid"])
    ]
    known = tasks(yeaft, "--all")
    assert {title: task["state"] for title, task in known.items()} == {
        "obeys": "cancelled",
        "stubborn": "cancelled",
        "survives": "running",
    }
    await gone(sorted(before - {running["survives"]["pid"]} - processes_of(running["survives"]["pid"])))
    logs = [(await yeaft.run("task", "logs", known[title]["id"])).out for title in ("obeys", "stubborn")]
    assert logs == [b"up bye", b"up up bye"]

    follower = await yeaft.start("task", "logs", "-f", running["survives"]["id"])
    another = await yeaft.start("task", "logs", "-f", "-n", "1", running["survives"]["id"])
    (yeaft.folder / "go").touch()
    followed, tailed = await yeaft.ended(follower), await yeaft.ended(another)

    whole = "".join(f"{line}\n" for line in range(1, 50001)) + "last"
    assert followed.out.decode() == whole
    assert whole.endswith(tailed.out.decode())
    assert (await yeaft.run("task", "wait", running["survives"]["id"])).code == 0

    again = await yeaft.run("-c", "--json", "and now?")
    assert again.code == 0
    assert again.result["text"] == "I see."


def processes_of(pid: int) -> set[int]:
    """The processes of the session that this one leads."""
    found: set[int] = set()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == pid:
            found.add(int(entry.name))
    return found


async def test_a_vp_is_told_once_of_what_ended_while_nobody_was_there(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(
        script(
            THREE,
            Holds(of=Says(text="never"), after_events=0, gate="never"),
            Says(text="I see."),
            Says(text="Yes."),
        )
    )
    owner = await yeaft.start("--mode", "auto", "--output-format", "stream-json", "go on")
    await server.reached("never")
    owner.kill()
    await yeaft.ended(owner)
    for title, task in tasks(yeaft).items():
        if title == "survives":
            assert (await yeaft.run("task", "cancel", task["id"][:8])).code == 0
        else:
            await yeaft.run("task", "wait", task["id"])

    for prompt in ("and now?", "again?"):
        assert (await yeaft.run("-c", "--json", prompt)).code == 0

    told = [json.dumps(request.body).count("<task-result ") for request in server.requests]
    assert told == [0, 0, 3, 3]


async def test_a_one_shot_does_not_wait_for_its_tasks_and_says_what_becomes_of_them(yeaft: Yeaft, serve: Serve) -> None:
    left = ScriptedCall(tool="Bash", args={"command": "nohup sleep 300 >/dev/null 2>&1 & sleep 0.1"})
    calls = (background("sleep 300", "server"), background(f"{UNTIL_GO}; exit 7", "job", survives=True), left)
    await serve(script(Calls(calls=calls), Says(text="All started.")))

    ran = await yeaft.run("--mode", "auto", "start them")
    known = tasks(yeaft, "--all")

    job = known["job"]["id"]
    assert (ran.code, ran.out.decode()) == (0, "All started.\n")
    assert f"Task {known['server']['id']} (server) was ended with the Session" in ran.err
    assert f"Task {known['sleep 300']['id']} (sleep 300) was ended with the Session" in ran.err
    assert f"Task {job} (job) goes on: yeaft task logs -f {job}" in ran.err
    assert {title: task["state"] for title, task in known.items()} == {
        "server": "cancelled",
        "sleep 300": "cancelled",
        "job": "running",
    }
    (yeaft.folder / "go").touch()
    ended = await yeaft.run("task", "wait", job, "--json")
    assert (ended.code, json.loads(ended.out)["exit_code"]) == (1, 7)


async def test_100_mb_of_output_leave_the_owner_small_and_are_all_there(yeaft: Yeaft, serve: Serve) -> None:
    size = 100 * MIB
    flood = background(f"yes {'x' * 99} | head -c {size}; printf end", "flood", survives=True)
    await serve(script(Calls(calls=(flood,)), Holds(of=Says(text="Done."), after_events=0, gate="full")))
    owner = await yeaft.start("--mode", "auto", "--output-format", "stream-json", "flood it")
    task_id = (await line_of(owner, "task.started"))["data"]["task_id"]

    await line_of(owner, "task.ended")
    peak_bytes = peak_of(owner)
    owner.kill()
    await yeaft.ended(owner)
    shown = await yeaft.shell(f"yeaft task logs {task_id} | wc -c; yeaft task logs {task_id} | tail -c 3")

    assert peak_bytes < 120 * MIB
    assert shown.out.decode() == f"{size + 3}\nend"


async def test_commands_about_tasks_say_what_is_wrong_and_exit_accordingly(yeaft: Yeaft, serve: Serve) -> None:
    assert yeaft.here("task", "ls").err == "There are no background tasks.\n"
    await serve(
        script(Calls(calls=(background(UNTIL_GO, "a", survives=True), background("true", "b"))), Says(text="ok"))
    )
    await yeaft.run("--mode", "auto", "go")
    known = tasks(yeaft, "--all")

    late = await yeaft.run("task", "wait", known["a"]["id"], "--timeout", "50ms")
    unknown = yeaft.here("task", "show", "j_zzz")
    unclear = yeaft.here("task", "show", "j_")
    shown = await yeaft.run("task", "show", known["a"]["id"])
    nowhere = yeaft.here("task", "ls", "-r", "zzz")
    cancelled = await yeaft.run("task", "cancel", known["a"]["id"])
    again = await yeaft.run("task", "cancel", known["a"]["id"], "--json")
    none_left = await yeaft.run("task", "ls")

    assert (late.code, late.out.decode()) == (4, f"{known['a']['id']} running\n")
    assert (unknown.code, "No task 'j_zzz'" in unknown.err) == (66, True)
    assert (unclear.code, "No task 'j_'" in unclear.err) == (66, True)
    assert f"command: {UNTIL_GO}\n" in shown.out.decode()
    assert nowhere.code == 66
    assert (cancelled.code, cancelled.out.decode()) == (0, f"{known['a']['id']} cancelled (143)\n")
    assert (again.code, json.loads(again.out)["error"]) == (0, "It was cancelled.")
    assert none_left.err == "No background task is running; 2 have ended: yeaft task ls --all\n"
    assert (await yeaft.run("task", "wait", known["b"]["id"])).code == 0


async def test_a_pid_that_now_belongs_to_somebody_else_is_neither_shown_nor_hit(yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(Calls(calls=(background("sleep 300", "a", survives=True),)), Says(text="ok")))
    await yeaft.run("--mode", "auto", "go")
    task = tasks(yeaft)["a"]
    meta = Path(task["log"]).with_name("meta.json")
    record = json.loads(meta.read_text())
    (keeper,) = record["processes"]
    os.kill(keeper["pid"], signal.SIGKILL)
    os.kill(task["pid"], signal.SIGKILL)
    bystander = await yeaft.start_program("sleep", "300")
    meta.write_text(json.dumps(record | {"processes": [keeper | {"pid": bystander.pid}]}))

    shown = tasks(yeaft, "--all")["a"]
    cancelled = await yeaft.run("task", "cancel", task["id"])

    assert shown["state"] == "orphaned"
    assert cancelled.code == 1
    assert "nobody saw how it ended" in cancelled.err
    assert bystander.returncode is None
    bystander.kill()
    assert (await yeaft.ended(bystander)).code == -signal.SIGKILL


async def test_a_process_that_is_killed_while_it_starts_tasks_leaves_none_of_them(yeaft: Yeaft, serve: Serve) -> None:
    many = Calls(calls=tuple(background("sleep 300", f"t{number}") for number in range(8)))
    await serve(Script(lines=script(many, Says(text="ok")).lines))
    owner = await yeaft.start("--mode", "auto", "--output-format", "stream-json", "go on")
    await line_of(owner, "task.started")

    owner.kill()
    await yeaft.ended(owner)
    for task in tasks(yeaft).values():
        await yeaft.run("task", "wait", task["id"])
    await gone(sorted(processes_in(yeaft.folder)))

    assert tasks(yeaft) == {}
    assert {task["state"] for task in tasks(yeaft, "--all").values()} <= {"cancelled", "orphaned"}
