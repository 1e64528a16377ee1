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


def test_a_damaged_session_refuses_more_and_its_fork_goes_on(talking: Given) -> None:
    session = talking.session()
    for number in range(6):
        talking.says("-r", session, f"@omni and then {number}")
    path = damage(talking, session, b"and then 2")
    before = path.read_bytes()

    refused = talking.yeaft("-r", session, "go on")
    shown = talking.yeaft("session", "show", session)
    forked = talking.yeaft("session", "fork", session)
    copy = forked.out.strip()
    gone_on = talking.yeaft("-r", copy, "@omni once more")
    kept = talking.says("session", "show", copy)

    assert refused.code == 1
    assert "is damaged" in refused.err
    assert f"yeaft session fork {session}" in refused.err
    assert "cannot be read" in shown.err
    assert "cannot be read" in forked.err
    assert gone_on.code == 0, gone_on.err
    assert "and then 5" in kept
    assert "and then 2" not in kept
    assert "once more" in kept
    assert path.read_bytes() == before


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

    imported = talking.yeaft("session", "import", "-", stdin=anew)

    assert imported.code == 0, imported.err
    assert talking.says("session", "export", imported.out.strip()).count("yeaft.blob") == sum(
        '"yeaft.blob"' in line for line in lines
    )


@pytest.mark.parametrize("kind", ["yeaft.blob", "yeaft.session.renamed"])
def test_a_line_nested_too_deep_is_named(given: Given, kind: str) -> None:
    line = f'{{"type":"{kind}","data":' + "[" * 100_000 + "]" * 100_000 + "}"

    told = given.yeaft("session", "import", "-", stdin=f"\n{line}\n")

    assert told.code == 65
    assert "Line 2" in told.err
