"""Starting a background command: what a failure or an abort in the middle of it leaves, which is nothing."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from yeaft.store.task_files import TaskRecord, read_record
from yeaft.tools.shell import descendants
from yeaft.tools.shell.shell import Shell
from yeaft.tools.shell.task_fate import cancel, fate, is_running, wait
from yeaft.tools.shell.task_run import launch


def a_record(folder: Path, command: str, **changes: object) -> TaskRecord:
    fields = {
        "task_id": "j_1",
        "session_id": "s",
        "call_id": "c_1",
        "vp_id": "omni",
        "title": "t",
        "command": command,
        "cwd": str(folder),
        "host": os.uname().nodename,
        "mark": f"YEAFT_CALL=j_{folder.name}",
        "started_ms": 1,
    }
    return TaskRecord(**(fields | changes))


@pytest.fixture
async def shell(tmp_path: Path):
    shell = Shell(tmp_path / "tasks", {"PATH": os.environ["PATH"]})
    yield shell
    await shell.close()


async def test_an_abort_while_a_task_is_being_started_leaves_nothing(tmp_path: Path, shell: Shell) -> None:
    record = a_record(tmp_path, "sleep 300")
    starting = asyncio.create_task(launch(tmp_path / "tasks" / "j_1", record, "j_2", shell))
    await asyncio.sleep(0)

    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting

    assert descendants.family(None, record.mark) == {}
    assert not (tmp_path / "tasks" / "j_1").exists()


async def test_what_cannot_be_started_says_why_and_leaves_nothing(tmp_path: Path, shell: Shell) -> None:
    record = a_record(tmp_path, "true", cwd=str(tmp_path / "gone"))

    with pytest.raises(OSError, match="No such file or directory"):
        await launch(tmp_path / "tasks" / "j_1", record, "j_2", shell)

    assert list((tmp_path / "tasks").iterdir()) == []


async def test_a_keeper_ends_all_when_its_owner_lets_go_and_when_it_is_told_to(tmp_path: Path, shell: Shell) -> None:
    places = [tmp_path / "tasks" / name for name in ("j_1", "j_2")]
    for place in places:
        os.mkfifo(tmp_path / place.name)
    command = "trap 'printf bye; exit 9' TERM; setsid sleep 300 & (sleep 301 &); printf up; sleep 302 & : > {}; wait"
    first, second = [
        await launch(
            place, a_record(tmp_path, command.format(place.name), mark=f"YEAFT_CALL={place}"), f"{place.name}x", shell
        )
        for place in places
    ]

    for place in places:
        await asyncio.to_thread((tmp_path / place.name).read_bytes)  # ends when the command has opened and closed it
    first.release()
    told = read_record(places[1])
    assert told is not None
    os.kill(told.processes[0].pid, signal.SIGTERM)
    ended = [await wait(place, None) for place in places]

    assert [(one.state, one.exit_code, one.stopped_by) for one in ended if one] == [
        ("cancelled", 9, "owner"),
        ("cancelled", 9, "signal"),
    ]
    assert [(place / "log").read_text() for place in places] == ["upbye", "upbye"]
    assert [descendants.family(None, f"YEAFT_CALL={place}") for place in places] == [{}, {}]
    for line in (first, second):
        line.close()


async def test_two_who_cancel_at_once_both_learn_how_it_ended(tmp_path: Path, shell: Shell) -> None:
    place = tmp_path / "tasks" / "j_1"
    line = await launch(place, a_record(tmp_path, "sleep 300"), "j_2", shell)
    record = fate(place)
    assert record is not None
    assert is_running(record)

    one, other = await asyncio.gather(cancel(place, record), cancel(place, record))
    late = await cancel(place, record)

    assert one == other == late
    assert (one.ok, one.pending, one.task.state, one.task.signal) == (True, False, "cancelled", "TERM")
    line.close()
