"""`yeaft session rewind`, `redo`, `checkpoint`, `checkpoints` and `fork --at`, as a user at a shell meets them."""

from collections.abc import Awaitable, Callable

from e2e.given import Yeaft
from yeaft.events.history import Rewound
from yeaft.llm.scripted.script import Calls, Says, Script, ScriptedCall, script
from yeaft.llm.scripted.server import ScriptedServer
from yeaft.store.blobs import FileBlobs
from yeaft.store.copying import copy_session
from yeaft.store.directory import session_paths
from yeaft.store.journal import SESSION_STREAM
from yeaft.store.sqlite import SqliteJournal

Serve = Callable[[Script], Awaitable[ScriptedServer]]


def runs(command: str, number: int) -> Calls:
    return Calls(calls=(ScriptedCall(tool="Bash", id=f"b{number}", args={"command": command}),))


async def talked(yeaft: Yeaft, serve: Serve) -> str:
    """Have a conversation of two messages in which commands change files; the id of the Session."""
    (yeaft.folder / "notes.txt").write_text("one\ntwo\n")
    (yeaft.folder / "old.txt").write_text("old\n")
    await serve(
        script(
            runs("sed -i s/two/TWO/ notes.txt", 1),
            Says(text="First done."),
            runs("rm old.txt; echo new > new.txt", 2),
            Says(text="Second done."),
            *[Says(text="Done.")] * 5,
        )
    )
    return await yeaft.has_talked("Change the notes.", "Now the others.")


async def made(yeaft: Yeaft, serve: Serve, command: str) -> str:
    """Have a conversation of one message in which a command runs; the id of the Session."""
    await serve(script(runs(command, 1), Says(text="Done.")))
    return await yeaft.has_talked("Do it.")


def files(yeaft: Yeaft) -> dict[str, str]:
    return {path.name: path.read_text() for path in yeaft.folder.iterdir()}


BEFORE = {"notes.txt": "one\ntwo\n", "old.txt": "old\n"}
BETWEEN = {"notes.txt": "one\nTWO\n", "old.txt": "old\n"}
AFTER = {"notes.txt": "one\nTWO\n", "new.txt": "new\n"}


async def test_going_back_shows_what_it_changes_needs_a_yes_and_can_be_taken_back(yeaft: Yeaft, serve: Serve) -> None:
    session = await talked(yeaft, serve)

    looked = await yeaft.run("session", "rewind", session, "--dry-run")
    refused = await yeaft.run("session", "rewind", session)
    assert (looked.code, refused.code, files(yeaft)) == (0, 3, AFTER)
    assert [line.split() for line in looked.out.decode().splitlines()[1:]] == [
        ["goes", "away", "+0", "−1", "new.txt"],
        ["comes", "back", "+1", "−0", "old.txt"],
    ]

    back = await yeaft.run("session", "rewind", session, "-y")
    assert (back.code, files(yeaft)) == (0, BETWEEN)
    assert f"yeaft session redo {session}" in back.err
    shown = yeaft.here("session", "show", session)
    assert b"Change the notes." in shown.out
    assert b"Now the others." not in shown.out

    again = await yeaft.run("session", "redo", session, "-y")
    assert (again.code, files(yeaft)) == (0, AFTER)
    shown = yeaft.here("session", "show", session)
    assert b"Now the others." in shown.out


async def test_programs_get_one_json_object(yeaft: Yeaft, serve: Serve) -> None:
    session = await talked(yeaft, serve)

    looked = await yeaft.run("session", "rewind", session, "1", "-n", "--json")
    back = await yeaft.run("session", "rewind", session, "1", "-y", "--json")

    expected = {
        "session": session,
        "scope": "both",
        "messages": 2,
        "changes": [
            {"path": "new.txt", "change": "remove", "kind": "file", "added": 0, "removed": 1},
            {"path": "notes.txt", "change": "write", "kind": "file", "added": 1, "removed": 1},
            {"path": "old.txt", "change": "create", "kind": "file", "added": 1, "removed": 0},
        ],
        "left": [],
        "changed_since": [],
    }
    assert parsed(looked.out) == expected | {"done": False, "safety": ""}
    done = parsed(back.out)
    assert done == expected | {"done": True, "safety": done["safety"]}
    assert done["safety"].startswith("x_")
    assert files(yeaft) == BEFORE


async def test_checkpoints_are_listed_and_named(yeaft: Yeaft, serve: Serve) -> None:
    session = await talked(yeaft, serve)

    named = await yeaft.run("session", "checkpoint", session, "works")
    twice = await yeaft.run("session", "checkpoint", session, "works")
    listed = parsed(yeaft.here("session", "checkpoints", session, "--json").out)
    shown = await yeaft.run("session", "checkpoints", session)
    (yeaft.folder / "notes.txt").write_text("mine")
    back = await yeaft.run("session", "rewind", session, "works", "--files", "-y")

    assert (named.code, twice.code, back.code) == (0, 65, 0)
    assert "There is a checkpoint 'works' already" in twice.err
    assert [(row["reason"], row["message"], row["name"]) for row in listed] == [
        ("start", 1, ""),
        ("call", 2, ""),
        ("user", 2, "works"),
    ]
    assert shown.out.decode().splitlines()[3].split()[-1] == "works"
    assert "notes.txt was changed after the last turn" in back.err
    assert files(yeaft) == AFTER


async def test_a_rewind_that_was_cut_off_is_told_and_finished(yeaft: Yeaft, serve: Serve) -> None:
    session = await talked(yeaft, serve)
    whole = await yeaft.run("session", "rewind", session, "1", "-y")
    assert whole.code == 0, whole.err
    paths = session_paths(yeaft.dir, session)
    records = SqliteJournal.for_reading(paths.db, FileBlobs(paths.blobs)).read(SESSION_STREAM)
    (cut,) = (one.seq for one in records if isinstance(one.event, Rewound))
    killed = session_paths(yeaft.dir, "kkkkkkkk")
    copy_session(paths, killed, up_to=cut, streams={SESSION_STREAM})
    (yeaft.folder / "notes.txt").write_text("one\nTWO\n")  # not brought back yet
    (yeaft.folder / "new.txt").write_text("new\n")  # not taken away yet

    told = await yeaft.run("-r", "kkkkkkkk", "And now?")
    assert "Bringing files back was cut off. `yeaft session rewind kkkkkkkk x_" in told.err
    command = told.err.partition("`yeaft ")[2].partition("`")[0].split()
    finished = await yeaft.run(*command, "-y")

    assert (finished.code, files(yeaft)) == (0, BEFORE)
    assert "cut off" not in (await yeaft.run("-r", "kkkkkkkk", "And now?")).err


async def test_what_cannot_come_back_is_named_before_and_after_with_a_way_to_try_again(
    yeaft: Yeaft, serve: Serve
) -> None:
    (yeaft.folder / "big.txt").write_bytes(b"line\n" * 1_200_000)
    (yeaft.folder / "grows.txt").write_text("small\n")
    session = await made(yeaft, serve, "rm big.txt; echo new > new.txt")
    (yeaft.folder / "grows.txt").write_bytes(b"line\n" * 2_400_000)
    grown = "grows.txt stays as it is: too large to be kept"

    looked = await yeaft.run("session", "rewind", session, "--dry-run")
    short = await yeaft.shell(f"ulimit -f 4096; yeaft session rewind {session} -y")
    assert (looked.code, short.code) == (0, 1)
    assert grown in looked.err
    assert short.err.count(grown) == 1
    assert "big.txt stays as it is: File too large" in short.err
    assert sorted(path.name for path in yeaft.folder.iterdir()) == ["grows.txt"]

    (tries_again, undoes) = [part.partition("`")[0].split() for part in short.err.split("`yeaft ")[1:]]
    assert (await yeaft.run(*tries_again, "-y")).code == 1
    assert sorted(path.name for path in yeaft.folder.iterdir()) == ["big.txt", "grows.txt"]
    assert (await yeaft.run(*undoes, "-y")).code == 0
    assert sorted(path.name for path in yeaft.folder.iterdir()) == ["grows.txt", "new.txt"]
    (yeaft.folder / "grows.txt").unlink()
    same = await yeaft.run("session", "rewind", session, undoes[3], "--files", "-y")
    assert "nothing to do" in same.err


async def test_a_work_folder_that_is_gone_is_made_anew_and_that_is_said(yeaft: Yeaft, serve: Serve) -> None:
    session = await talked(yeaft, serve)
    look, go = f"yeaft session rewind {session} 1 -n", f"yeaft session rewind {session} 1 -y"

    back = await yeaft.shell(f"cd ..; mv work elsewhere; {look} && ! test -e work && {go}")

    assert back.code == 0, back.err
    assert back.err.count(f"{yeaft.folder} is not there any more; it is made anew") == 2
    assert files(yeaft) == BEFORE
    assert {path.name for path in yeaft.folder.with_name("elsewhere").iterdir()} == set(AFTER)


async def test_what_a_user_changed_between_a_rewind_and_its_redo_is_one_command_away(
    yeaft: Yeaft, serve: Serve
) -> None:
    session = await talked(yeaft, serve)
    assert (await yeaft.run("session", "rewind", session, "-y")).code == 0
    for number in range(30):
        (yeaft.folder / f"mine{number:02}.txt").write_text("mine\n")

    redone = await yeaft.run("session", "redo", session, "-y")
    assert files(yeaft) == AFTER
    assert redone.err.count(" was changed after the last turn") == 20
    assert "10 more were changed after the last turn" in redone.err
    command = redone.err.rpartition("`yeaft ")[2].partition("`")[0].split()
    again = await yeaft.run(*command, "-y")

    assert again.code == 0, again.err
    assert files(yeaft) == BETWEEN | {f"mine{number:02}.txt": "mine\n" for number in range(30)}


async def test_a_fork_at_a_message_is_made_in_either_way(yeaft: Yeaft, serve: Serve) -> None:
    session = await talked(yeaft, serve)

    printed = await yeaft.run("session", "fork", session, "--at", "2", "--name", "other way")
    fork = printed.out.decode().strip()
    at_once = await yeaft.run("--json", "-r", session, "--fork", "--at", "2", "Another way.")

    assert (printed.code, at_once.code, files(yeaft)) == (0, 0, AFTER)
    shown = yeaft.here("session", "show", fork)
    assert b"Change the notes." in shown.out
    assert b"Now the others." not in shown.out
    unknown = await yeaft.run("session", "fork", session, "--at", "m_nothing")
    assert unknown.code == 66
    assert "--at" in (await yeaft.run("--at", "2", "hello")).err


async def test_what_cannot_be_meant_is_refused_with_a_remedy(yeaft: Yeaft, serve: Serve) -> None:
    session = await talked(yeaft, serve)

    nothing = await yeaft.run("session", "redo", session, "-y")
    both = await yeaft.run("session", "rewind", session, "--files", "--conversation")
    far = await yeaft.run("session", "rewind", session, "9", "-y")
    same = await yeaft.run("session", "rewind", session, "--files", "-y")
    once_more = await yeaft.run("session", "rewind", session, "--files", "-y")

    assert (nothing.code, both.code, far.code, same.code, once_more.code) == (65, 2, 66, 0, 0)
    assert "There is no rewind to take back" in nothing.err
    assert "nothing to do" in once_more.err
    assert files(yeaft) == BETWEEN


def parsed(out: bytes) -> dict:
    import json

    return json.loads(out)
