"""Hooks and the sandbox around a whole process: it never hangs on them, never lies about them, and leaves nothing."""

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from e2e.conftest import Serve
from e2e.given import Yeaft
from yeaft.llm.scripted.script import Calls, Says, ScriptedCall, script
from yeaft.tools.shell.sandbox import find_program, obstacle
from yeaft.tools.shell.sandbox_plan import Plan, arguments

OBSTACLE = obstacle(find_program(os.environ), arguments(Plan(folders=()), Path("/")))
can_confine = pytest.mark.skipif(bool(OBSTACLE), reason=OBSTACLE)


def listens(yeaft: Yeaft, **commands: str) -> None:
    """Let one hook listen to each event."""
    yeaft.dir.mkdir(exist_ok=True)
    hooks = {event: [{"hooks": [{"type": "command", "command": command}]}] for event, command in commands.items()}
    (yeaft.dir / "hooks.json").write_text(json.dumps({"hooks": hooks}))


def bash(command: str, **more: Any) -> Calls:
    return Calls(calls=(ScriptedCall(tool="Bash", args={"command": command, **more}),))


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


async def test_a_refused_prompt_ends_with_77_and_leaves_no_session(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(script(Says(text="never said")))
    listens(yeaft, UserPromptSubmit="echo 'ask the lawyers first' >&2; exit 2", SessionEnd="touch ended")

    ran = await yeaft.run("--output-format", "json", "hello")

    assert ran.code == 77
    assert "ask the lawyers first" in ran.err + str(ran.result)
    assert ran.result["exit_code"] == 77
    assert server.requests == []
    assert list((yeaft.dir / "sessions").glob("*")) == []
    assert (yeaft.folder / "ended").exists()


async def test_a_print_run_waits_for_the_hooks_at_its_end_and_gives_the_last_answer(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(script(Says(text="Done."), Says(text="Tests are green now.")))
    once = "grep -q '\"stop_hook_active\":true' || { echo 'tests are red' >&2; exit 2; }"
    listens(yeaft, Stop=once, SessionEnd="touch ended")

    ran = await yeaft.run("--output-format", "json", "do it")

    assert ran.code == 0
    assert ran.result["text"] == "Tests are green now."
    assert len(server.requests) == 2
    assert (yeaft.folder / "ended").exists()


async def test_the_answers_on_stdout_are_the_same_with_hooks_that_do_nothing(yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(Says(text="Hi."), Says(text="Hi.")))

    bare = await yeaft.run("hello")
    listens(yeaft, **dict.fromkeys(("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd", "Notification"), "true"))
    heard = await yeaft.run("hello")

    assert (heard.code, heard.out) == (bare.code, bare.out)
    assert b"Hi." in heard.out


async def test_hooks_that_never_end_delay_the_end_by_seconds_only(yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(Says(text="Hi.")))
    listens(yeaft, SessionEnd="echo $$ > pid; sleep 300")

    ran = await yeaft.run("hello")

    assert ran.code == 0
    assert is_gone(int((yeaft.folder / "pid").read_text()))


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "PreToolUse", "Stop"])
async def test_ctrl_c_while_a_hook_runs_ends_hook_and_process(yeaft: Yeaft, serve: Serve, event: str) -> None:
    await serve(script(bash("true"), Says(text="Hi.")))
    up = yeaft.folder / "up"
    os.mkfifo(up)
    listens(yeaft, **{event: "sleep 300 & echo $! > up; setsid sleep 301 & wait"})
    running = await yeaft.start("--mode", "auto", "hello")
    pid = int(await asyncio.to_thread(up.read_text))

    running.send_signal(signal.SIGINT)
    ran = await yeaft.ended(running)

    assert ran.code == 130
    assert is_gone(pid)


async def test_a_broken_file_is_named_and_the_rest_works(yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(Says(text="Hi.")))
    listens(yeaft, UserPromptSubmit="touch heard", PreToolUs="true")

    ran = await yeaft.run("hello")
    (yeaft.dir / "hooks.json").write_text("{")
    broken = await yeaft.run("hello")
    doctor = await yeaft.run("doctor")

    assert (ran.code, broken.code) == (0, 0)
    assert f"{yeaft.dir}/hooks.json:1: PreToolUs is no event" in ran.err
    assert (yeaft.folder / "heard").exists()
    assert f"{yeaft.dir}/hooks.json:1: no hook is in force" in broken.err
    assert f"{yeaft.dir}/hooks.json:1: no hook is in force" in doctor.out.decode()


@can_confine
async def test_commands_and_tasks_of_a_run_are_confined(yeaft: Yeaft, serve: Serve) -> None:
    (yeaft.folder / "try.sh").write_text('touch "$1"; touch "$YEAFT_DIR/$1"; echo "$?" > "$1.code"; : > "$1.over"\n')
    waits = "while [ ! -e by-task.over ]; do sleep 0.05; done"
    await serve(
        script(bash("sh try.sh inside"), bash("sh try.sh by-task", background=True), bash(waits), Says(text="Done."))
    )

    ran = await yeaft.run("--mode", "auto", "--set", "sandbox.required=true", "go")

    assert (ran.code, ran.out) == (0, b"Done.\n")
    for name in ("inside", "by-task"):
        assert (yeaft.folder / name).exists()
        assert (yeaft.folder / f"{name}.code").read_text() == "1\n"
        assert not (yeaft.dir / name).exists()


async def test_where_a_sandbox_is_required_and_impossible_no_command_runs(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(script(bash("touch ran"), Says(text="I could not."), bash("touch ran"), Says(text="Ran.")))
    bwrap = yeaft.home / "bin/bwrap"
    bwrap.parent.mkdir()
    bwrap.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    bwrap.chmod(0o755)
    yeaft.environ["PATH"] = f"{bwrap.parent}:{yeaft.environ['PATH']}"

    ran = await yeaft.run("--mode", "auto", "--set", "sandbox.required=true", "go")
    doctor = await yeaft.run("--set", "sandbox.required=true", "doctor", "--json")
    has_run = (yeaft.folder / "ran").exists()
    wished = await yeaft.run("--mode", "auto", "--set", "sandbox.mode=on", "go")

    assert (ran.code, ran.out) == (0, b"I could not.\n")
    assert "No permissions to create new namespace" in str(server.requests[1].body)
    assert not has_run
    assert (yeaft.folder / "ran").exists()
    assert "Commands run without the sandbox that you want" in wished.err
    found = next(one for one in json.loads(doctor.out) if one["name"] == "sandbox")
    assert (found["status"], doctor.code) == ("fail", 1)
    assert "No permissions to create new namespace" in found["detail"]
