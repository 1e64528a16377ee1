"""A process dies after a tool step has begun its call: whoever goes on finds out what became of it."""

import asyncio
import os
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing

from e2e.given import PATIENCE_S, Ran, Yeaft
from yeaft.store.directory import list_session_ids, session_paths
from yeaft.tools.shell.wrapper import probe

WRITE = """
graph:
  steps:
    - {id: write, tool: FileWrite, args: {file_path: made.txt, content: "as planned\\n"}, retries: {max: 2}}
    - {id: look, tool: FileRead, args: {file_path: made.txt}}
"""
CUT_OFF = """
graph:
  steps:
    - {id: note, tool: Bash, args: {command: "echo once >> noted.txt; test -e again || sleep 60"}, retries: {max: 2}}
"""
PASSED_ON = """
graph:
  steps:
    - id: count
      tool: Bash
      args: {command: "echo once >> noted.txt; until test -e go; do sleep 0.01; done; echo 7"}
      retries: {max: 2}
    - {id: use, tool: Bash, args: {command: "echo got {{ input }} >> used.txt"}}
"""
LOST = "DELETE FROM event WHERE stream = ? AND at > (SELECT min(at) FROM event WHERE stream = ? AND type = ?)"


async def run_and_die_in_the_first_call(yeaft: Yeaft) -> None:
    """Leave what a process leaves that was killed right after it had recorded that the first step's call begins."""
    ran = await yeaft.run("graph", "run", "g.yaml", "go", "-q", "--mode", "auto")
    assert ran.code == 0, ran
    (session_id,) = list_session_ids(yeaft.dir)
    with closing(sqlite3.connect(session_paths(yeaft.dir, session_id).db)) as connection, connection:
        streams = [name for (name,) in connection.execute("SELECT DISTINCT stream FROM event ORDER BY at")]
        (run,) = (one for one in streams if one.startswith("graph/"))
        first, *others = (one for one in streams if one.startswith("step/"))
        connection.execute(LOST, (run, run, "step.started"))
        connection.execute(LOST, (first, first, "call.started"))
        connection.executemany("DELETE FROM event WHERE stream = ?", [(one,) for one in others])


async def resumed(yeaft: Yeaft) -> Ran:
    ran = await yeaft.run("graph", "resume", "last", "-q", "--mode", "auto")
    checked = yeaft.here("session", "check", "last")
    assert checked.code == 0, checked
    return ran


async def test_a_file_that_is_as_it_was_to_become_was_written_and_is_not_written_again(yeaft: Yeaft) -> None:
    (yeaft.folder / "g.yaml").write_text(WRITE)
    await run_and_die_in_the_first_call(yeaft)
    (yeaft.folder / "made.txt").chmod(0o444)
    written_ns = (yeaft.folder / "made.txt").stat().st_mtime_ns

    ran = await resumed(yeaft)

    assert (ran.code, "as planned" in ran.out.decode()) == (0, True), ran
    assert (yeaft.folder / "made.txt").stat().st_mtime_ns == written_ns


async def test_a_file_that_is_as_it_was_before_is_written_now(yeaft: Yeaft) -> None:
    (yeaft.folder / "g.yaml").write_text(WRITE)
    await run_and_die_in_the_first_call(yeaft)
    (yeaft.folder / "made.txt").unlink()

    ran = await resumed(yeaft)

    assert (ran.code, "as planned" in ran.out.decode()) == (0, True), ran
    assert (yeaft.folder / "made.txt").read_text() == "as planned\n"


async def test_a_file_that_is_neither_is_left_alone_until_the_user_who_has_looked_tries_again(yeaft: Yeaft) -> None:
    (yeaft.folder / "g.yaml").write_text(WRITE)
    await run_and_die_in_the_first_call(yeaft)
    (yeaft.folder / "made.txt").write_text("half of")

    ran = await resumed(yeaft)

    assert ran.code == 1, ran
    assert "Whether it had its effect is unknown" in ran.err
    assert (yeaft.folder / "made.txt").read_text() == "half of"

    again = await yeaft.run("graph", "retry", "last", "write", "-q", "--mode", "auto")

    assert (again.code, "as planned" in again.out.decode()) == (0, True), again
    assert (yeaft.folder / "made.txt").read_text() == "as planned\n"


async def test_a_command_that_was_cut_off_with_its_owner_is_not_begun_again_by_its_retries(yeaft: Yeaft) -> None:
    (yeaft.folder / "g.yaml").write_text(CUT_OFF)
    first = await yeaft.start("graph", "run", "g.yaml", "go", "-q", "--mode", "auto")
    await until((yeaft.folder / "noted.txt").exists)
    os.killpg(first.pid, signal.SIGKILL)
    await yeaft.ended(first)
    await until(lambda: has_ended_its_command(yeaft))
    (yeaft.folder / "again").touch()

    ran = await resumed(yeaft)
    once_more = await resumed(yeaft)

    assert (ran.code, once_more.code) == (1, 1), (ran, once_more)
    assert "Whether it had its effect is unknown" in ran.err
    assert (yeaft.folder / "noted.txt").read_text() == "once\n"


async def test_what_a_command_printed_while_nobody_listened_is_not_made_up_for_the_next_step(yeaft: Yeaft) -> None:
    (yeaft.folder / "g.yaml").write_text(PASSED_ON)
    first = await yeaft.start("graph", "run", "g.yaml", "go", "-q", "--mode", "auto")
    await until((yeaft.folder / "noted.txt").exists)
    os.kill(first.pid, signal.SIGSTOP)
    (yeaft.folder / "go").touch()
    await until(lambda: has_ended_its_command(yeaft))
    os.killpg(first.pid, signal.SIGKILL)
    await yeaft.ended(first)

    ran = await resumed(yeaft)
    once_more = await resumed(yeaft)

    assert (ran.code, once_more.code) == (1, 1), (ran, once_more)
    assert "ended with exit code 0" in ran.err
    assert (yeaft.folder / "noted.txt").read_text() == "once\n"
    assert not (yeaft.folder / "used.txt").exists()

    again = await yeaft.run("graph", "retry", "last", "count", "-q", "--mode", "auto")

    assert again.code == 0, again
    assert (yeaft.folder / "used.txt").read_text() == "got 7\n"


def has_ended_its_command(yeaft: Yeaft) -> bool:
    """Whether the command of the one call that was begun has ended, as its traces tell."""
    (session_id,) = list_session_ids(yeaft.dir)
    traces = session_paths(yeaft.dir, session_id).tasks
    return [probe(traces, one.name).state for one in traces.glob("c_*")] == ["finished"]


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(PATIENCE_S):
        while not await asyncio.to_thread(holds):
            pass


async def test_what_only_looks_looks_again(yeaft: Yeaft) -> None:
    (yeaft.folder / "notes.txt").write_text("milk\n")
    (yeaft.folder / "g.yaml").write_text(
        "graph:\n  steps:\n    - {id: look, tool: FileRead, args: {file_path: notes.txt}}\n"
    )
    await run_and_die_in_the_first_call(yeaft)

    ran = await resumed(yeaft)

    assert (ran.code, "milk" in ran.out.decode()) == (0, True), ran
