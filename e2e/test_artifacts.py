"""Artifacts in a conversation at a terminal and in one shot: kept, named by the user and by the VP, found afterwards."""

import asyncio
import json

import msgspec
import pytest

from e2e.conftest import Serve
from e2e.given import PATIENCE_S, Yeaft
from e2e.typist import Typist
from yeaft.llm.scripted.script import Calls, Holds, Line, Says, Script, ScriptedCall, script
from yeaft.store.lock import SessionLock

WRITES = Calls(
    calls=(
        ScriptedCall(tool="FileWrite", id="w1", args={"file_path": "prices.csv", "content": "item,price\n豆腐,3\n"}),
    )
)


@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
async def test_what_a_vp_wrote_is_kept_named_and_found_again(yeaft: Yeaft, serve: Serve, term: str) -> None:
    server = await serve(script(WRITES, Says(text="Written."), Says(text="It is 3.")))
    user = Typist(yeaft, "--line", "--mode", "edits", term=term)

    await user.sees("yeaft>")
    user.types("write the prices")
    await user.sees("Written.")
    await user.sees("yeaft>")
    user.types("/artifact prices.csv")
    kept = await user.sees("in a message sends it along.")
    user.types("/artifacts")
    await user.sees("omni/prices.csv")
    rows = json.loads(yeaft.here("artifact", "ls", "--json").out)
    user.types(f"what does tofu cost? @{rows[0]['id']}")
    await user.sees("It is 3.")
    user.types("/artifact nothing.csv")
    await user.sees("There is no file")
    user.types("/quit")

    assert await user.leaves() == 0
    (row,) = rows
    assert f"Kept as {row['id']}: prices.csv (table)" in kept
    assert (row["created_by"], row["tool"]) == ("vp:omni", "FileWrite")
    told = msgspec.json.encode(server.requests[-1].body).decode()
    assert "Columns: item text, price integer" in told
    shown = yeaft.here("session", "show", "last")
    assert f"omni/prices.csv (table, 20 bytes, @omni, {row['id']})" in shown.out.decode()


async def test_an_artifact_that_an_answer_names_is_told_below_it(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(Script(lines=(Line(steps=(Says(text="Hello."),)),)))
    (yeaft.folder / "plan.md").write_text("buy milk\n")
    await yeaft.run("hello")
    added = await yeaft.run("artifact", "add", "plan.md")
    one = added.out.decode().strip()
    await serve(Script(lines=(Line(steps=(Says(text=f"See <artefact type='text'>{one}</artefact>, and a_none."),)),)))

    done = await yeaft.run("-c", "where is the plan?")
    quiet = await yeaft.run("-q", "-c", "where is the plan?")

    assert (added.code, done.code) == (0, 0)
    assert len(server.requests) == 1
    assert done.out.decode() == f"See <artefact type='text'>{one}</artefact>, and a_none.\n"
    assert f"yeaft: artifact plan.md (text): yeaft artifact show {one}\n" in done.err
    assert "artifact show" not in quiet.err


async def test_an_artifact_is_the_first_thing_of_a_session(yeaft: Yeaft, serve: Serve) -> None:
    await serve(Script(lines=(Line(steps=(Says(text="Hello."),)),)))
    (yeaft.folder / "plan.md").write_text("buy milk\n")

    ran = await yeaft.run("--line", given=b"/artifact plan.md\n/artifacts\n")

    assert ran.code == 0
    assert "Kept as a_" in ran.out.decode()
    assert "user/plan.md" in ran.out.decode()
    checked = yeaft.here("session", "check", "last")
    assert checked.code == 0


async def test_eight_processes_that_add_at_once_wait_for_their_turn(yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(Says(text="Hello.")))
    await yeaft.run("hello")
    names = [f"part-{number}.txt" for number in range(8)]
    for name in names:
        (yeaft.folder / name).write_text(f"This is {name}.\n")

    started = [await yeaft.start("artifact", "add", name) for name in names]
    ran = [await yeaft.ended(process) for process in started]

    assert [one.code for one in ran] == [0] * 8, [one.err for one in ran]
    (out,) = (yeaft.dir / "sessions").glob("*/out")
    listed = {one["path"] for one in json.loads(yeaft.here("artifact", "ls", "--json").out)}
    files = {str(path.relative_to(out)) for path in out.rglob("*.txt")}
    assert listed == files == {f"user/{name}" for name in names}
    assert b"part-7.txt" in yeaft.here("session", "show", "last").out


async def test_a_user_who_waits_for_another_process_is_told_and_then_served(yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(Says(text="Hello.")))
    await yeaft.run("hello")
    (yeaft.folder / "plan.md").write_text("buy milk\n")
    (session,) = (yeaft.dir / "sessions").iterdir()

    with SessionLock.take(session, is_passing=True):
        user = Typist(yeaft, "artifact", "add", "plan.md")
        await user.sees(f"Another process changes Session {session.name}")

    await user.sees("plan.md")
    assert await user.leaves() == 0


async def test_who_talks_in_a_session_is_named_at_once_to_whoever_adds_to_it(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(script(Holds(of=Says(text="Hello."), after_events=1, gate="g")))
    (yeaft.folder / "plan.md").write_text("buy milk\n")
    process = await yeaft.start("hello")
    async with asyncio.timeout(PATIENCE_S):
        await server.reached("g")

    added = await yeaft.run("artifact", "add", "plan.md")

    server.release("g")
    await yeaft.ended(process)
    assert added.code == 75
    assert f"is in use by process {process.pid} on host" in added.err
