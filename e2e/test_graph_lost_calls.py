"""A process dies after a tool step has begun its call: whoever goes on finds out what became of it."""

import sqlite3
from contextlib import closing

import pytest

from e2e.given import Ran, Yeaft
from yeaft.store.directory import list_session_ids, session_paths

WRITE = """
graph:
  steps:
    - {id: write, tool: FileWrite, args: {file_path: made.txt, content: "as planned\\n"}, retries: {max: 2}}
    - {id: look, tool: FileRead, args: {file_path: made.txt}}
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
    checked = await yeaft.run("session", "check", "last")
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


@pytest.mark.parametrize("tool", ["FileRead", "ListDir"])
async def test_what_only_looks_looks_again(yeaft: Yeaft, tool: str) -> None:
    args = "{file_path: notes.txt}" if tool == "FileRead" else "{path: .}"
    (yeaft.folder / "notes.txt").write_text("milk\n")
    (yeaft.folder / "g.yaml").write_text(f"graph:\n  steps:\n    - {{id: look, tool: {tool}, args: {args}}}\n")
    await run_and_die_in_the_first_call(yeaft)

    ran = await resumed(yeaft)

    assert (ran.code, ("milk" if tool == "FileRead" else "notes.txt") in ran.out.decode()) == (0, True), ran
