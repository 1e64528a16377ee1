"""Shell commands: what the model is told, what is left running, and what is known after a crash."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.shell_given import is_alive, shell_in, wait_until_gone
from yeaft.kernel.errors import ToolFailed
from yeaft.tools.shell.captured import Captured, cleaned
from yeaft.tools.shell.wrapper import forget, probe

ROOT = Path(__file__).parents[2]


async def test_the_model_is_told_output_errors_and_exit_code(tmp_path: Path) -> None:
    async with shell_in(tmp_path) as model:
        assert await model.told("echo hi") == "hi"
        assert await model.told("true") == "(no output)"
        assert await model.told("echo out; echo bad >&2; exit 3") == "Exit code: 3\nout\nSTDERR:\nbad"
        assert await model.told("no-such-program") == (
            "Exit code: 127 (command not found)\nSTDERR:\n/bin/bash: line 1: no-such-program: command not found"
        )


@pytest.mark.parametrize(
    ("command", "code", "ending", "signal_name"),
    [
        ("exit 124", 124, "Exit code: 124 (the command's own time limit was reached)", ""),
        ("./notes", 126, "Exit code: 126 (found, but it cannot be executed)", ""),
        ("kill -INT $$", 130, "Exit code: 130 (interrupted by SIGINT)", "INT"),
        ("kill -KILL $$", 137, "Exit code: 137 (killed by SIGKILL, often for lack of memory)", "KILL"),
        ("kill -TERM $$", 143, "Exit code: 143 (ended by SIGTERM, not by the time limit)", "TERM"),
    ],
)
async def test_an_ending_is_put_into_words(
    tmp_path: Path, command: str, code: int, ending: str, signal_name: str
) -> None:
    async with shell_in(tmp_path) as model:
        (model.folder / "notes").write_text("x")

        result = await model.runs(command)

    assert result.text.splitlines()[0] == ending
    assert (result.facts.exit_code, result.facts.signal, result.failed) == (code, signal_name, False)


async def test_a_command_runs_where_it_should_with_the_environment_it_should_have(tmp_path: Path) -> None:
    async with shell_in(tmp_path, FORCE_COLOR="1") as model:
        (model.folder / "sub").mkdir()

        assert await model.told("pwd") == str(model.folder)
        assert await model.told("pwd", cwd="sub") == str(model.folder / "sub")
        assert await model.told('echo "$TERM $GIT_TERMINAL_PROMPT $GIT_PAGER $PAGER $YEAFT $FORCE_COLOR"') == (
            "dumb 0 cat cat 1 1"
        )
        assert await model.told("read x; echo $?; tty") == "Exit code: 1\n1\nnot a tty"


async def test_what_cannot_be_started_is_refused_with_the_reason(tmp_path: Path) -> None:
    async with shell_in(tmp_path) as model:
        for command, args, reason in [
            ("ls", {"cwd": "missing"}, r"cwd 'missing' is not a folder"),
            ("  ", {}, "The command is empty"),
            ("ls \0", {}, "NUL"),
            ("x" * 130_000, {}, "longer than 120 KiB"),
        ]:
            with pytest.raises(ToolFailed, match=reason):
                await model.runs(command, **args)


async def test_progress_lines_colours_and_broken_characters_do_not_reach_the_model_but_the_log(tmp_path: Path) -> None:
    async with shell_in(tmp_path) as model:
        told = await model.told(r"printf '10%%\r50%%\r100%%\n\033[31mred\033[0m\r\n\xff\xe4\xbd\xa0\n'")

        assert told == "100%\nred\n\ufffd你"
        assert "10%\r50%" in model.log()


async def test_a_flood_keeps_its_head_and_tail_and_all_of_it_is_in_the_log(tmp_path: Path) -> None:
    async with shell_in(tmp_path) as model:
        result = await model.runs("seq 1 200000; echo done")

        lines = result.text.splitlines()
        log = model.log()
        assert (lines[0], lines[-2:]) == ("1", ["done", f"[all output: {result.facts.log}]"])
        assert "bytes left out here" in result.text
        assert log == "".join(f"{number}\n" for number in range(1, 200001)) + "done\n"


async def test_output_is_shown_while_the_command_runs(tmp_path: Path) -> None:
    async with shell_in(tmp_path) as model:
        running = asyncio.create_task(model.runs("echo working; until [ -e go ]; do sleep 0.01; done"))
        await asyncio.sleep(0)

        await model.call.spoke.wait()
        (model.folder / "go").touch()
        await running

        assert model.call.shown == "working\n"


async def test_a_timeout_is_a_result_and_leaves_nothing_running(tmp_path: Path) -> None:
    async with shell_in(tmp_path) as model:
        result = await model.runs(
            "echo begun; trap '' TERM; (trap '' TERM; echo $BASHPID; sleep 300) & setsid sleep 301 & echo $!; wait",
            timeout_ms=3000,
        )

        lines = result.text.splitlines()
        assert lines[0] == "Exit code: 124"
        assert lines[-2] == "[stopped after 3 s, with everything it had started]"
        assert result.facts.exit_code == 124
        assert [pid for pid in map(int, filter(str.isdigit, lines)) if is_alive(pid)] == []
        assert lines.count("begun") == 1


async def test_an_abort_ends_the_whole_tree_and_is_passed_on(tmp_path: Path) -> None:
    async with shell_in(tmp_path) as model:
        running = asyncio.create_task(
            model.runs("(sleep 300 & echo $!); setsid sleep 301 & echo $!; nohup sleep 302 & echo $!; wait")
        )
        await asyncio.sleep(0)
        while model.call.shown.count("\n") < 3:
            await model.call.spoke.wait()
            model.call.spoke.clear()

        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

        pids = [int(line) for line in model.call.shown.split()]
        assert len(pids) == 3
        assert not any(map(is_alive, pids))


@pytest.mark.parametrize(
    "start",
    [
        "sleep 300 & echo $!",
        "nohup sleep 300 >/dev/null 2>&1 & echo $!",
        "setsid sleep 300 & echo $!",
        "sleep 300 & echo $!; disown",
        "(sleep 300 & echo $!)",
        "(setsid sh -c 'sleep 300 & echo $!' &); sleep 0.1",
    ],
)
async def test_what_a_command_leaves_running_is_named_and_ends_with_the_shell(tmp_path: Path, start: str) -> None:
    async with shell_in(tmp_path) as model:
        result = await model.runs(start)
        pid = int(result.text.split()[0])

        assert result.facts.survivors == (pid,)
        assert f"still running: pid {pid} (sleep 300)" in result.text
        assert is_alive(pid)

    assert not is_alive(pid)


async def test_a_server_that_keeps_the_output_open_does_not_hold_up_the_call_and_can_go_on_printing(
    tmp_path: Path,
) -> None:
    async with shell_in(tmp_path) as model:
        server = "until [ -e go ]; do sleep 0.01; done; echo served; touch printed"
        await model.told(f"sh -c '{server}' & echo started")
        log = model.calls / model.call.call_id / "log"

        await model.told("touch go; until [ -e printed ]; do sleep 0.01; done")

        assert log.read_text() == "started\nserved\n"


async def test_children_that_only_take_a_moment_are_waited_for(tmp_path: Path) -> None:
    async with shell_in(tmp_path) as model:
        result = await model.runs("echo said > >(sleep 0.05; cat)")

    assert (result.text, result.facts.survivors) == ("said", ())


async def test_commands_run_side_by_side_without_mixing_output_or_survivors(tmp_path: Path) -> None:
    async with shell_in(tmp_path) as model:
        results = await asyncio.gather(*(model.runs(f"echo {n}; sleep 0.0{n}") for n in range(5)))

    assert [result.text for result in results] == ["0", "1", "2", "3", "4"]
    assert all(result.facts.survivors == () for result in results)


async def test_after_a_session_no_process_and_no_zombie_is_left(tmp_path: Path) -> None:
    before = _children()

    async with shell_in(tmp_path) as model:
        await model.told("sleep 300 & setsid sleep 301 & (sleep 0.01 &)")
        await model.told("sleep 300 & wait", timeout_ms=1000)

    assert _children() == before


async def test_the_users_shell_is_taken_if_it_is_one_that_is_known(tmp_path: Path) -> None:
    async with shell_in(tmp_path, SHELL="/bin/sh") as model:
        assert await model.told("echo ${BASH_VERSION:-none}") == "none"
    (tmp_path / "2").mkdir()
    async with shell_in(tmp_path / "2", SHELL="/usr/bin/fish") as model:
        assert await model.told("echo ${BASH_VERSION:+bash}") == "bash"


async def test_the_fate_of_a_call_can_be_learnt_from_what_it_left(tmp_path: Path) -> None:
    async with shell_in(tmp_path) as model:
        await model.told("echo text; exit 7")
        first = model.call.call_id
        await model.told("true")

        known = probe(model.calls, first)
        assert (known.state, known.exit_code, known.output_tail) == ("finished", 7, "text\n")
        assert probe(model.calls, "c_99").state == "never"

        forget(model.calls, first, keep_log=True)
        forget(model.calls, model.call.call_id, keep_log=False)
        left = sorted(path.relative_to(model.calls).as_posix() for path in model.calls.rglob("*"))
        assert left == [first, f"{first}/log"]


KILLED = """
import asyncio, os, sys
from pathlib import Path
from yeaft.tools.shell.shell import Shell

async def main():
    shell = Shell(Path(sys.argv[1]), dict(os.environ))
    show = lambda text: print(text, end="", flush=True)
    await shell.run(call_id="c_killed", command=sys.argv[2], cwd=Path("/"), timeout_s=60, show=show)

asyncio.run(main())
"""


def test_when_yeaft_is_killed_its_commands_end_too_and_their_fate_is_on_disk(tmp_path: Path) -> None:
    command = "echo $$; sleep 300 & echo $!; setsid sleep 301 & echo $!; nohup sleep 302 & echo $!; echo all; wait"
    yeaft = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path / "calls"), command], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert yeaft.stdout
    told: list[str] = []
    for line in yeaft.stdout:
        told.append(line.strip())
        if told[-1] == "all":
            break
    running = probe(tmp_path / "calls", "c_killed")
    assert running.pid

    yeaft.send_signal(signal.SIGKILL)
    yeaft.wait()
    yeaft.stdout.close()

    for pid in (running.pid, *map(int, told[:-1])):
        wait_until_gone(pid)
    ended = probe(tmp_path / "calls", "c_killed")
    assert running.state == "running"
    assert (ended.state, ended.exit_code) == ("finished", 143)
    assert ended.output_tail.endswith("all\n")


def test_a_wrapper_that_is_killed_leaves_a_call_that_is_gone(tmp_path: Path) -> None:
    place = tmp_path / "c_1"
    place.mkdir()
    child = subprocess.Popen(["sleep", "300"])
    (place / "pid").write_text(Path(f"/proc/{child.pid}/stat").read_text())
    assert probe(tmp_path, "c_1").state == "running"

    child.kill()
    child.wait()

    assert probe(tmp_path, "c_1").state == "gone"


def test_a_pid_that_was_given_to_another_process_is_not_taken_for_the_command(tmp_path: Path) -> None:
    place = tmp_path / "c_1"
    place.mkdir()
    fields = Path("/proc/self/stat").read_text().split()
    fields[21] = "1"
    (place / "pid").write_text(" ".join(fields))

    assert probe(tmp_path, "c_1").state == "gone"


@given(st.lists(st.binary(max_size=40)), st.integers(2, 64))
@settings(max_examples=60)
def test_however_output_is_cut_into_chunks_the_same_is_kept(chunks: list[bytes], limit_bytes: int) -> None:
    in_pieces, at_once = Captured(limit_bytes), Captured(limit_bytes)
    for chunk in chunks:
        in_pieces.take(chunk)
    at_once.take(b"".join(chunks))

    assert in_pieces.text() == at_once.text()
    assert in_pieces.left_out_bytes == max(0, len(b"".join(chunks)) - limit_bytes)


@given(st.text(alphabet=st.sampled_from("ab \n\r\t\x08\x1b[]31mK;\x07\x00é"), max_size=60))
@settings(max_examples=200)
def test_cleaned_text_has_no_control_characters_and_is_stable(text: str) -> None:
    once = cleaned(text)

    assert not [c for c in once if c < " " and c not in "\n\t"]
    assert cleaned(once) == once


def _children() -> list[str]:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    return []
