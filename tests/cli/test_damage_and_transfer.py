"""A Session whose file is damaged says so and can be saved; an export that passed through other hands comes back."""

import json
from pathlib import Path

import pytest

from tests.cli.commands_given import Given

PAGE_BYTES = 1024


def damage(given: Given, session: str, text: bytes) -> Path:
    """Overwrite the page of a Session's journal that holds `text`."""
    import sqlite3

    path = given.home / "sessions" / session / "session.db"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    content = bytearray(path.read_bytes())
    at = content.rindex(text) // PAGE_BYTES * PAGE_BYTES
    content[at : at + PAGE_BYTES] = b"\xa5" * PAGE_BYTES
    path.write_bytes(content)
    return path


def test_a_damaged_session_says_what_is_lost_and_goes_on_and_so_does_its_fork(talking: Given) -> None:
    session = talking.session()
    for number in range(6):
        talking.says("-r", session, f"@omni and then {number}")
    path = damage(talking, session, b"and then 2")
    before = path.read_bytes()

    shown = talking.yeaft("session", "show", session)
    checked = talking.yeaft("session", "check", session)
    forked = talking.yeaft("session", "fork", session)
    untouched = path.read_bytes()
    gone_on = talking.yeaft("-r", session, "@omni once more")
    kept = talking.says("session", "show", session)
    copy_gone_on = talking.yeaft("-r", forked.out.strip(), "@omni in the copy")

    assert "cannot be read" in shown.err
    assert (checked.code, "an event is lost: session" in checked.out) == (65, True)
    assert "cannot be read" in forked.err
    assert untouched == before
    assert gone_on.code == 0, gone_on.err
    assert f"{path}.damaged-1" in gone_on.err
    assert path.with_name("session.db.damaged-1").read_bytes() == before
    assert "and then 5" in kept
    assert "and then 2" not in kept
    assert "once more" in kept
    assert copy_gone_on.code == 0, copy_gone_on.err
    assert talking.yeaft("session", "check", session).code == 0


def test_a_repair_is_asked_for_once_and_then_there_is_nothing_to_do(talking: Given) -> None:
    session = talking.session()
    talking.says("-r", session, "@omni and then nothing")
    path = damage(talking, session, b"and then nothing")
    before = path.read_bytes()

    (first,) = talking.yeaft("session", "repair", session, "--json").json
    (second,) = talking.yeaft("session", "repair", session, "--json").json
    (checked,) = talking.yeaft("session", "check", "--all", "--json").json

    assert (first["repaired"], first["remaining"], second["repaired"]) == (True, [], False)
    assert first["lost"]
    assert Path(first["kept"]).read_bytes() == before
    assert checked["ok"] is True
    assert {one["kind"] for one in checked["noticed"]} >= {"lost_earlier", "kept_file"}
    assert "needs no repair" in talking.says("session", "repair", session)


def test_a_check_names_what_is_missing_beside_the_journal(talking: Given) -> None:
    sound, other = talking.session(), talking.session("hello")
    blob = next((talking.home / "sessions" / other / "blobs").iterdir())
    blob.write_bytes(b"altered")

    checked = talking.yeaft("session", "check", "--all", "--json")
    rows = {row["id"]: row for row in json.loads(checked.out)}

    assert checked.code == 65
    assert rows[sound]["ok"] is True
    assert [(one["kind"], one["where"]) for one in rows[other]["findings"]] == [("blob_gone", str(blob))]
    assert talking.yeaft("session", "check", sound).code == 0
    assert talking.yeaft("session", "check").code == 2


def test_a_session_whose_events_are_gone_is_refused_and_nothing_of_it_is_deleted(talking: Given) -> None:
    session = talking.session()
    place = talking.home / "sessions" / session
    for rest in ("session.db-wal", "session.db-shm"):
        (place / rest).unlink()
    before = sorted(path.name for path in place.rglob("*"))

    told = talking.yeaft("-r", session, "go on")

    assert told.code == 1
    assert "session.db-wal" in told.err
    assert set(before) <= {path.name for path in place.rglob("*")}


def test_the_copy_tells_whoever_forks_what_is_missing(talking: Given) -> None:
    session = talking.session()
    talking.says("-r", session, "@omni and then nothing")
    damage(talking, session, b"and then nothing")

    told = talking.yeaft("-r", session, "--fork", "@omni go on")

    assert told.code == 0
    assert "cannot be read" in told.err


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\n\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_an_export_written_anew_by_another_program_is_imported(talking: Given, ends: str, mark: str) -> None:
    session = talking.session()
    lines = talking.says("session", "export", session).split("\n")
    anew = mark + ends.join(json.dumps(json.loads(line)) for line in lines) + ends

    imported = talking.process("session", "import", "-", stdin=anew)

    assert imported.code == 0, imported.err
    assert talking.says("session", "export", imported.out.strip()).count("yeaft.blob") == sum(
        '"yeaft.blob"' in line for line in lines
    )


@pytest.mark.parametrize("kind", ["yeaft.blob", "yeaft.session.renamed"])
def test_a_line_nested_too_deep_is_named(given: Given, kind: str) -> None:
    line = f'{{"type":"{kind}","data":' + "[" * 100_000 + "]" * 100_000 + "}"

    told = given.process("session", "import", "-", stdin=f"\n{line}\n")

    assert told.code == 65
    assert "Line 2" in told.err
