"""`yeaft search`: what was said is found again from the command line, by people and by programs."""

import shutil
from datetime import datetime
from pathlib import Path

import pytest

from tests.cli.commands_given import Given
from yeaft.interfaces.cli.commands.moments import moment_ms


def snippets(given: Given, *words: str) -> list[str]:
    return [row["snippet"] for row in given.yeaft("search", "--json", *words).json]


def test_a_hit_says_where_when_and_by_whom_it_was_said(talking: Given) -> None:
    session = talking.session("@omni @skeptic look around", name="billing")

    (row,) = talking.yeaft("search", "你好", "--json").json
    text = talking.says("search", "你好 script")

    assert row["session"] == session
    assert row["sessions"] == [session]
    assert (row["name"], row["title"], row["folder"]) == ("billing", "@omni @skeptic look around", str(talking.folder))
    assert (row["from"], row["snippet"]) == ("vp:skeptic", "你好 from the script.")
    assert [row["snippet"][start:end] for start, end in row["marks"]] == ["你好"]
    assert datetime.fromisoformat(row["at"]).tzinfo is not None
    head, snippet = text.splitlines()
    assert head.startswith(session)
    assert "@skeptic" in head
    assert head.endswith("billing")
    assert snippet == "    你好 from the script."


def test_marks_are_for_terminals(talking: Given) -> None:
    talking.session("where is the milk")

    plain = talking.says("search", "milk")
    forced = talking.says("search", "milk", FORCE_COLOR="1")

    assert "\x1b" not in plain
    assert "the \x1b[1mmilk\x1b[0m" in forced


def test_who_said_it_and_where_narrow_the_search(talking: Given, tmp_path: Path) -> None:
    talking.session("script or no script")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    assert len(snippets(talking, "script")) == 2
    assert snippets(talking, "script", "--by", "user") == ["script or no script"]
    assert snippets(talking, "script", "--by", "vp") == ["你好 from the script."]
    assert snippets(talking, "script", "--vp", "@omni") == ["你好 from the script."]
    assert snippets(talking, "script", "--vp", "om*") == []
    assert snippets(talking, "script", "--in", "tasks") == []
    assert snippets(talking, "script", "-C", str(elsewhere)) == []
    assert len(snippets(talking, "script", "--here")) == 2
    assert len(snippets(talking, "script", "--since", "yesterday", "--until", "today")) == 2
    assert snippets(talking, "script", "--until", "1d") == []
    assert len(snippets(talking, "script", "--limit", "1")) == 1


def test_nothing_found_is_said_and_no_failure(talking: Given) -> None:
    talking.session()

    nothing = talking.yeaft("search", "xylophone")
    here = talking.yeaft("search", "xylophone", "--here", "--json")

    assert (nothing.code, nothing.out) == (0, "")
    assert "xylophone" in nothing.err
    assert here.json == []
    assert "--here" in here.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("",), "not empty"),
        (("x", "--since", "soon"), "is no date; write 2025-01-31"),
        (("x", "--by", "user", "--vp", "omni"), "exclude each other"),
        (("x", "--inn", "all"), "Did you mean --in"),
        ((), "needs TEXT"),
    ],
)
def test_a_search_that_makes_no_sense_is_a_usage_error(given: Given, words: tuple[str, ...], said: str) -> None:
    told = given.yeaft("search", *words)

    assert told.code == 2
    assert said in told.err


def test_a_home_without_sessions_stays_as_it_is(given: Given) -> None:
    assert given.yeaft("search", "x", "--json").json == []
    assert not given.home.exists()


def test_archived_and_deleted_sessions_are_not_found_unless_archived_ones_are_wanted(talking: Given) -> None:
    kept, deleted = talking.session("zebra one"), talking.session("zebra two")
    talking.says("session", "archive", kept)
    before = snippets(talking, "zebra")
    talking.says("session", "rm", deleted, "--yes")

    assert before == ["zebra two"]
    assert snippets(talking, "zebra") == []
    assert snippets(talking, "zebra", "--archived") == ["zebra one"]


def test_a_fork_is_named_with_its_original(talking: Given) -> None:
    session = talking.session("zebra")
    fork = talking.says("session", "fork", session)

    (row,) = talking.yeaft("search", "zebra", "--json").json

    assert row["sessions"] == [fork, session]
    assert f"{fork} (+1)" in talking.says("search", "zebra")


def test_a_turn_never_touches_the_cache(talking: Given) -> None:
    talking.session("zebra")

    assert not (talking.home / "search.db").exists()
    talking.says("search", "zebra")
    before = (talking.home / "search.db").stat().st_mtime_ns
    talking.session("zebra again")
    assert (talking.home / "search.db").stat().st_mtime_ns == before
    assert snippets(talking, "zebra") == ["zebra again", "zebra"]


def test_a_cache_that_cannot_be_made_is_done_without(talking: Given) -> None:
    talking.session("zebra")
    (talking.home / "search.db").mkdir()

    assert snippets(talking, "zebra") == ["zebra"]


def test_a_session_from_another_machine_is_found_as_soon_as_it_is_there(talking: Given, tmp_path: Path) -> None:
    session = talking.session("zebra")
    talking.says("search", "zebra")
    place = talking.home / "sessions" / session
    shutil.move(place, tmp_path / "away")
    gone = snippets(talking, "zebra")
    shutil.move(tmp_path / "away", place)

    assert (gone, snippets(talking, "zebra")) == ([], ["zebra"])


NOW = datetime.fromisoformat("2025-03-05T12:30:00").astimezone()


@pytest.mark.parametrize(
    ("text", "is_end", "moment"),
    [
        ("2025-01-31", False, "2025-01-31T00:00:00"),
        ("2025-01-31", True, "2025-01-31T23:59:59.999"),
        ("2025-1-3", False, "2025-01-03T00:00:00"),
        ("2025-01-31T09:30", True, "2025-01-31T09:30:00"),
        ("2025-01-31 09:30:15", False, "2025-01-31T09:30:15"),
        ("today", False, "2025-03-05T00:00:00"),
        ("昨天", True, "2025-03-04T23:59:59.999"),
        ("90m", False, "2025-03-05T11:00:00"),
        ("2w", False, "2025-02-19T12:30:00"),
    ],
)
def test_dates_mean_what_people_mean(text: str, is_end: bool, moment: str) -> None:
    assert moment_ms(text, NOW, is_end=is_end) == round(datetime.fromisoformat(moment).astimezone().timestamp() * 1000)


def test_a_date_with_a_zone_is_of_that_zone() -> None:
    assert moment_ms("2025-01-31T09:30+08:00", NOW, is_end=False) == moment_ms("2025-01-31t01:30z", NOW, is_end=False)


@pytest.mark.parametrize("text", ["", "soon", "31.1.2025", "2025-02-30", "7", "7y", "999999w", "2025-01"])
def test_what_is_no_date_is_refused(text: str) -> None:
    with pytest.raises((ValueError, OverflowError)):
        moment_ms(text, NOW, is_end=False)
