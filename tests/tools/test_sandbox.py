"""The sandbox: what a command in it can write and reach, and that otherwise nothing is different."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.tools.shell_given import Model, is_alive, shell_in, wait_until_gone
from tests.tools.test_task_run import a_record
from yeaft.config.settings import Sandbox as Settings
from yeaft.kernel.errors import ToolFailed
from yeaft.store.task_files import read_record
from yeaft.tools.bash import bash
from yeaft.tools.paths import Paths
from yeaft.tools.shell import descendants
from yeaft.tools.shell.linked_worktree import shared_git
from yeaft.tools.shell.sandbox import Sandbox, find_program, obstacle, sandbox_for
from yeaft.tools.shell.sandbox_plan import Plan, arguments, writable
from yeaft.tools.shell.shell import Shell
from yeaft.tools.shell.task_run import launch

PROGRAM = find_program(os.environ)
HERE = Plan(folders=())
OBSTACLE = obstacle(PROGRAM, arguments(HERE, Path("/")))
ONLY_READ = "Read-only file system"

pytestmark = pytest.mark.skipif(bool(OBSTACLE), reason=OBSTACLE)


def sandbox(tmp_path: Path, *, required: bool = False, program: str = PROGRAM, **changes: Any) -> Sandbox:
    """Confines whose one temporary folder is `tmp_path/tmp`, so that there is an outside below `tmp_path`."""
    for name in ("tmp", "outside"):
        (tmp_path / name).mkdir(exist_ok=True)
    plan = replace(Plan(folders=(), temporary=(tmp_path / "tmp",)), **changes)
    return Sandbox(program, plan, required=required, tell=lambda _: None)


@asynccontextmanager
async def confined(tmp_path: Path, **changes: Any) -> AsyncGenerator[Model]:
    """A model whose commands run in the sandbox, and write in `tmp_path/work` and `tmp_path/tmp`."""
    async with shell_in(tmp_path, sandbox(tmp_path, **changes), TMPDIR=str(tmp_path / "tmp")) as model:
        yield model


def is_untouched() -> bool:
    return not Path("/etc/yeaft-was-here").exists()


@pytest.fixture
def server() -> Iterator[int]:
    """The port of a server on the loopback of this machine."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        yield listening.getsockname()[1]


async def test_a_command_writes_in_its_folder_and_in_the_temporary_one(tmp_path: Path) -> None:
    async with confined(tmp_path) as model:
        told = await model.told(
            "echo in > a.txt && mkdir -p b/c && mv a.txt b/c/ && f=$(mktemp) && echo x > $f && cat b/c/a.txt"
        )

    assert told == "in"
    assert (tmp_path / "work/b/c/a.txt").read_text() == "in\n"
    assert len(list((tmp_path / "tmp").iterdir())) == 1


@pytest.mark.parametrize(
    "command",
    [
        "echo bad > ../outside/secret",
        "echo bad > {outside}/new",
        "rm {outside}/secret",
        "mv {outside} {outside}2",
        "chmod 777 {outside}/secret",
        "ln -s {outside} link && echo bad > link/secret",
        "ln -s {outside}/secret link && echo bad > link",
        "ln {outside}/secret hard && echo bad > hard",
        "mv ../work ../work2",
        "echo bad > /etc/yeaft-was-here",
        "echo bad > /yeaft-was-here",
        "touch ~/yeaft-was-here",
        "cd /proc/$PPID/root{outside} && echo bad > secret",
        "echo 1 > /proc/sys/kernel/printk",
    ],
)
async def test_a_command_changes_nothing_outside(tmp_path: Path, command: str) -> None:
    async with confined(tmp_path) as model:
        outside = tmp_path / "outside"
        (outside / "secret").write_text("as it was")
        before = outside.stat()

        result = await model.runs(command.format(outside=outside))

    assert result.facts.exit_code != 0
    assert [path.name for path in outside.iterdir()] == ["secret"]
    assert (outside / "secret").read_text() == "as it was"
    assert (outside.stat().st_mode, outside.stat().st_ino) == (before.st_mode, before.st_ino)
    assert is_untouched()


async def test_the_means_to_get_out_are_not_there(tmp_path: Path) -> None:
    escape = """
import ctypes, os
libc = ctypes.CDLL(None)
BIND, REMOUNT, NEW_USER_AND_MOUNTS = 0x1000, 0x20, 0x10020000
for _ in range(2):
    assert libc.mount(b"none", b"/", None, REMOUNT | BIND, None) == -1
    libc.unshare(NEW_USER_AND_MOUNTS)
assert libc.umount2(b"/run", 2) == -1
assert os.listdir("/run") == [] or set(os.listdir("/run")) <= {"systemd", "NetworkManager", "resolvconf"}
for place in ("%s/secret", "/etc/yeaft-was-here"):
    try:
        open(place, "w")
    except OSError:
        continue
    raise SystemExit("wrote " + place)
print("kept in")
"""
    async with confined(tmp_path) as model:
        (tmp_path / "outside/secret").write_text("as it was")
        (model.folder / "escape.py").write_text(escape % (tmp_path / "outside"))

        assert await model.told("python3 escape.py") == "kept in"

    assert (tmp_path / "outside/secret").read_text() == "as it was"


async def test_yeafts_own_folder_stays_as_it_is_even_inside_the_work_folder(tmp_path: Path) -> None:
    own = tmp_path / "work/.yeaft"

    async with confined(tmp_path, kept=own) as model:
        (own / "sessions").mkdir(parents=True)
        (own / "config.toml").write_text("mine")
        results = [
            await model.runs(command)
            for command in (
                "echo bad > .yeaft/config.toml",
                "rm -rf .yeaft",
                "mv .yeaft away",
                "cat .yeaft/config.toml",
            )
        ]

    assert [result.facts.exit_code for result in results[:3]] == [1, 1, 1]
    assert results[3].text == "mine"
    assert (own / "config.toml").read_text() == "mine"


async def test_the_network_is_off_for_this_machine_and_for_the_rest(tmp_path: Path, server: int) -> None:
    async with confined(tmp_path) as model:
        near = await model.told(f"exec 3<>/dev/tcp/127.0.0.1/{server}")
        far = await model.told("exec 3<>/dev/tcp/192.0.2.1/80")
        own = await model.told(
            'python3 -c \'import socket as s; a = s.create_server(("127.0.0.1", 0));'
            ' s.create_connection(a.getsockname()); print("own loopback")\''
        )

    assert "Connection refused" in near
    assert "Network is unreachable" in far
    assert far.endswith("network off]")
    assert own == "own loopback"


async def test_the_network_is_on_if_the_user_says_so(tmp_path: Path, server: int) -> None:
    async with confined(tmp_path, network=True) as model:
        assert await model.told(f"exec 3<>/dev/tcp/127.0.0.1/{server} && echo reached") == "reached"


async def test_sockets_of_others_in_temporary_folders_lead_nowhere(tmp_path: Path) -> None:
    dial = "python3 -c 'import socket as s, sys; s.socket(s.AF_UNIX).connect(sys.argv[1]); print(1)' "

    async with confined(tmp_path) as model:
        (tmp_path / "tmp/agent.1").mkdir()
        with closing(socket.socket(socket.AF_UNIX)) as foreign, closing(socket.socket(socket.AF_UNIX)) as own:
            foreign.bind(str(tmp_path / "tmp/agent.1/s"))
            foreign.listen()
            own.bind(str(model.folder / "s"))
            own.listen()
            refused = await model.told(dial + str(tmp_path / "tmp/agent.1/s"))
            reached = await model.told(dial + "s")

    assert "ConnectionRefusedError" in refused
    assert reached == "1"


async def test_what_fails_in_the_sandbox_says_so_and_what_works_does_not(tmp_path: Path) -> None:
    async with confined(tmp_path) as model:
        failed, worked = await model.told("touch ../outside/x"), await model.told("echo fine")

    note = f"[sandbox: writes only in {tmp_path}/tmp, {tmp_path}/work; network off]"
    assert failed.splitlines()[-1] == note
    assert ONLY_READ in failed
    assert worked == "fine"
    assert bash(Paths(model.folder), model.shell).spec.description.endswith(f". {note}")


@pytest.mark.parametrize(
    ("command", "code", "text"),
    [
        ("printf 'a\\nb'", 0, "a\nb"),
        ("echo out; echo err >&2", 0, "out\nSTDERR:\nerr"),
        ("exit 7", 7, "Exit code: 7"),
        ("kill -TERM $$", 143, "Exit code: 143 (ended by SIGTERM, not by the time limit)"),
        ("kill -KILL $$", 137, "Exit code: 137 (killed by SIGKILL, often for lack of memory)"),
        ("no-such-program 2>/dev/null", 127, "Exit code: 127 (command not found)"),
        ("cat < /dev/stdin | wc -c", 0, "0"),
        ("echo a | tee >(cat >&2) >/dev/null; wait $!", 0, "STDERR:\na"),
        ("test -w /dev/null && echo $YEAFT && echo $(( $(nproc) > 0 ))", 0, "1\n1"),
    ],
)
async def test_output_and_exit_code_are_those_of_the_command(
    tmp_path: Path, command: str, code: int, text: str
) -> None:
    async with confined(tmp_path) as model:
        result = await model.runs(command)

    assert (result.facts.exit_code, result.text.partition("\n[sandbox")[0]) == (code, text)


async def test_what_a_command_leaves_running_is_found_and_ends_with_the_session(tmp_path: Path) -> None:
    async with confined(tmp_path) as model:
        result = await model.runs("setsid sleep 300 & nohup sleep 301 >/dev/null 2>&1 & echo started")
        left = result.facts.survivors
        alive = [is_alive(pid) for pid in left]

    assert result.text.splitlines()[0] == "started"
    assert alive == [True, True]
    for pid in left:
        wait_until_gone(pid)


async def test_a_timeout_ends_all_that_a_command_started(tmp_path: Path) -> None:
    async with confined(tmp_path) as model:
        result = await model.runs("(setsid sleep 300 & echo $! > pid); sleep 301", timeout_ms=3000)
        pid = int((model.folder / "pid").read_text())

        assert result.facts.exit_code == 124
        wait_until_gone(pid)
        assert descendants.family(None, f"YEAFT_CALL={model.call.call_id}") == {}


async def test_an_abort_lets_a_command_tidy_up_and_leaves_nothing(tmp_path: Path) -> None:
    async with confined(tmp_path) as model:
        running = asyncio.create_task(
            model.runs("trap 'echo tidy > tidied; exit' TERM; setsid sleep 300 & echo $!; wait")
        )
        while not model.call.shown.strip():
            await asyncio.wait((running,), timeout=0.01)
        pid = int(model.call.shown)

        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

        wait_until_gone(pid)
        assert (model.folder / "tidied").read_text() == "tidy\n"


async def test_a_background_task_is_confined_and_can_be_ended(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    shell = Shell(tmp_path / "tasks", {"PATH": os.environ["PATH"]}, sandbox(tmp_path))
    os.mkfifo(tmp_path / "work/ready")
    command = "touch ../outside/x; setsid sleep 300 & echo $! > ready; wait"
    record = a_record(tmp_path, command, cwd=str(tmp_path / "work"), mark=f"YEAFT_CALL={tmp_path}")
    try:
        line = await launch(tmp_path / "tasks/j_1", record, "", shell, (tmp_path / "work",))
        pid = int(await asyncio.to_thread((tmp_path / "work/ready").read_text))
        was_alive = is_alive(pid)
        ended = asyncio.Event()
        line.listen(lambda news: None if news else ended.set())

        line.release()
        await asyncio.wait_for(ended.wait(), 60)
    finally:
        await shell.close()

    assert was_alive
    wait_until_gone(pid)
    assert ONLY_READ in (tmp_path / "tasks/j_1/log").read_text()
    assert list((tmp_path / "outside").iterdir()) == []
    found = read_record(tmp_path / "tasks/j_1")
    assert found is not None
    assert found.state == "cancelled"


def forbidding(tmp_path: Path) -> str:
    """A bubblewrap that may not make namespaces."""
    program = tmp_path / "bin/bwrap"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    program.chmod(0o755)
    return str(program)


@pytest.mark.parametrize("is_there", [True, False])
async def test_where_there_must_be_a_sandbox_and_is_none_nothing_is_run(tmp_path: Path, is_there: bool) -> None:
    program = forbidding(tmp_path) if is_there else ""

    async with confined(tmp_path, required=True, program=program) as model:
        with pytest.raises(ToolFailed) as refused:
            await model.told("touch ran")

    reason = "No permissions to create new namespace" if is_there else "bubblewrap (bwrap) is not installed"
    assert reason in str(refused.value)
    assert str(refused.value).startswith("Not run:")
    assert not (tmp_path / "work/ran").exists()
    assert not (tmp_path / "calls").exists()


async def test_a_background_task_is_not_started_either(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "tasks", {"PATH": os.environ["PATH"]}, sandbox(tmp_path, required=True, program=""))
    try:
        with pytest.raises(ToolFailed, match="Not run"):
            await launch(tmp_path / "tasks/j_1", a_record(tmp_path, "touch ran"), "", shell, (tmp_path,))
    finally:
        await shell.close()

    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "tasks/j_1").exists()


async def test_where_none_is_required_commands_run_without_and_the_user_is_told_once(tmp_path: Path) -> None:
    told: list[str] = []
    open_one = Sandbox(forbidding(tmp_path), HERE, required=False, tell=told.append)

    async with shell_in(tmp_path, open_one) as model:
        assert [await model.told("touch ../ran && echo ran") for _ in range(3)] == ["ran", "ran", "ran"]

    assert len(told) == 1
    assert "No permissions to create new namespace" in told[0]


def test_the_settings_decide_and_required_implies_on(tmp_path: Path) -> None:
    def made(**settings: Any) -> bool:
        return sandbox_for(Settings(**settings), {}, kept=tmp_path, tell=print) is not None

    assert [made(), made(mode="on"), made(required=True), made(network=True)] == [False, True, True, False]


def test_bubblewrap_is_taken_from_the_path_but_not_from_a_relative_place(tmp_path: Path) -> None:
    program = forbidding(tmp_path)

    assert find_program({"PATH": f"{Path(program).parent}:/usr/bin"}) == program
    assert find_program({"PATH": "bin:."}) == find_program({"PATH": ""})


async def test_more_places_can_be_written_to(tmp_path: Path) -> None:
    settings = Settings(mode="on", write=("~/outside", "~/not-there"))
    (tmp_path / "outside").mkdir()
    wider = sandbox_for(settings, {**os.environ, "HOME": str(tmp_path)}, kept=tmp_path / "kept", tell=print)

    async with shell_in(tmp_path, wider) as model:
        assert await model.told("echo fine > ~/outside/x && cat ~/outside/x") == "fine"
        assert ONLY_READ in await model.told("touch /var/lib/yeaft-was-here")


def git(folder: Path, *words: str) -> None:
    own = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", "-C", str(folder), *own, *words], check=True, capture_output=True)


@pytest.mark.skipif(not shutil.which("git"), reason="there is no git")
async def test_commits_are_made_in_a_linked_worktree(tmp_path: Path) -> None:
    main = tmp_path / "main"
    main.mkdir()
    git(main, "init", "-q")
    git(main, "commit", "-q", "--allow-empty", "-m", "first")
    git(main, "worktree", "add", "-q", str(tmp_path / "linked"))

    async with confined(tmp_path) as model:
        model.folder.rmdir()
        (tmp_path / "linked").rename(model.folder)
        git(main, "worktree", "repair", str(model.folder))
        commit = "git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m second && git log --format=%s"
        told = await model.told(commit)
        outside = await model.told(f"touch {main}/x")

    assert told == "second\nfirst"
    assert ONLY_READ in outside


@pytest.mark.skipif(not shutil.which("git"), reason="there is no git")
def test_a_folder_that_only_claims_to_be_a_worktree_of_another_opens_nothing(tmp_path: Path) -> None:
    main, linked, liar = (tmp_path / name for name in ("main", "linked", "liar"))
    main.mkdir()
    liar.mkdir()
    git(main, "init", "-q")
    git(main, "commit", "-q", "--allow-empty", "-m", "first")
    git(main, "worktree", "add", "-q", str(linked))

    (liar / ".git").write_text((linked / ".git").read_text())

    assert shared_git(linked) == main / ".git"
    assert shared_git(liar) is None
    assert shared_git(main) is None


PARTS = st.lists(st.sampled_from("abc"), min_size=1, max_size=4)


@given(st.lists(PARTS, max_size=4), PARTS)
def test_the_kept_folder_is_never_writable_and_every_other_one_is(
    tmp_path_factory: pytest.TempPathFactory, folders: list[list[str]], kept: list[str]
) -> None:
    root = tmp_path_factory.mktemp("plan")
    places = [root.joinpath(*parts) for parts in folders]
    own = root.joinpath(*kept)
    for place in (*places, own):
        place.mkdir(parents=True, exist_ok=True)
    options = arguments(Plan(folders=tuple(places), kept=own), root)

    mounted = {
        Path(options[at + 1]): options[at] == "--bind"
        for at in range(len(options) - 1)
        if options[at] in ("--bind", "--ro-bind") and options[at + 1] != "/dev/null"
    }

    def may_write(path: Path) -> bool:
        return next(mounted[place] for place in (path, *path.parents) if place in mounted)

    assert not may_write(own)
    assert all(may_write(place) for place in places if place != own)
    assert set(writable(Plan(folders=tuple(places), kept=own))) == {place for place, free in mounted.items() if free}


async def test_a_yeaft_that_is_killed_leaves_nothing_in_the_sandbox(tmp_path: Path) -> None:
    script = f"""
import asyncio, os
from pathlib import Path
from tests.tools.shell_given import shell_in
from tests.tools.test_sandbox import sandbox
async def main():
    root = Path({str(tmp_path)!r})
    async with shell_in(root, sandbox(root)) as model:
        await model.runs("setsid sleep 300 & echo $! > pid; echo $$ > ../tmp/up; wait")
asyncio.run(main())
"""
    (tmp_path / "tmp").mkdir()
    os.mkfifo(tmp_path / "tmp/up")
    root = str(Path(__file__).parents[2])
    killed = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, cwd=root, env={"PATH": os.environ["PATH"], "PYTHONPATH": root}
    )
    shell_pid = int(await asyncio.to_thread((tmp_path / "tmp/up").read_text))
    pid = int((tmp_path / "work/pid").read_text())

    killed.send_signal(signal.SIGKILL)
    await killed.wait()

    for one in (pid, shell_pid):
        await asyncio.to_thread(wait_until_gone, one)
