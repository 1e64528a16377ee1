"""The day that a VP is told is the user's own, wherever that is, and changes at midnight there."""

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from yeaft.prompts.place import Place, place_at, zone_name
from yeaft.prompts.system import Announced, Self, load_texts, system_blocks

ASK = """
import os, sys
from pathlib import Path
from yeaft.prompts.place import place_at
place = place_at(int(sys.argv[1]), Path("/src"), os.environ)
print(place.date, place.zone, sep=" | ")
"""


def told_in(zone: str, moment: datetime) -> str:
    """What a process in a time zone says at a moment."""
    environ = {**os.environ, "TZ": zone}
    argv = [sys.executable, "-c", ASK, str(int(moment.timestamp() * 1000))]
    return subprocess.run(argv, env=environ, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.parametrize(
    ("zone", "late", "told", "next_day"),
    [
        ("Asia/Tokyo", datetime(2026, 3, 1, 14, 30, tzinfo=UTC), "2026-03-01 | UTC+09:00 Asia/Tokyo", "2026-03-02"),
        (
            "America/Los_Angeles",
            datetime(2026, 3, 2, 7, 30, tzinfo=UTC),
            "2026-03-01 | UTC-08:00 America/Los_Angeles",
            "2026-03-02",
        ),
        ("UTC", datetime(2026, 3, 1, 23, 30, tzinfo=UTC), "2026-03-01 | UTC+00:00", "2026-03-02"),
        ("JST-9", datetime(2026, 3, 1, 14, 30, tzinfo=UTC), "2026-03-01 | UTC+09:00 JST", "2026-03-02"),
    ],
)
def test_at_half_past_eleven_in_the_evening_it_is_still_today(
    zone: str, late: datetime, told: str, next_day: str
) -> None:
    assert told_in(zone, late) == told
    assert told_in(zone, late.replace(hour=(late.hour + 1) % 24, day=late.day + (late.hour == 23))).startswith(next_day)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ({"TZ": ":Europe/Berlin"}, "Europe/Berlin"),
        ({"TZ": "/usr/share/zoneinfo/America/Argentina/Ushuaia"}, "America/Argentina/Ushuaia"),
        ({"TZ": "CET-1CEST"}, ""),
        ({"TZ": ""}, ""),
        ({}, "Asia/Shanghai"),
    ],
)
def test_the_zone_is_named_by_the_variable_or_the_system(tmp_path: Path, said: dict[str, str], name: str) -> None:
    localtime = tmp_path / "localtime"
    localtime.symlink_to("/usr/share/zoneinfo/Asia/Shanghai")

    assert zone_name(said, localtime) == name
    assert zone_name({}, tmp_path / "missing") == ""


@pytest.mark.parametrize(
    ("lang", "line"),
    [
        ("en", "Today: 2026-03-01, Sunday (UTC+09:00 Asia/Tokyo)"),
        ("zh", "今天：2026-03-01，星期日（UTC+09:00 Asia/Tokyo）"),
    ],
)
def test_the_weekday_stands_beside_the_date_and_no_time_of_day(lang: str, line: str) -> None:
    place = Place(folder="/src", platform="Linux", shell="bash", date="2026-03-01", zone="UTC+09:00 Asia/Tokyo")
    me = Self(id="omni", name="Omni", persona="You help.")

    last = system_blocks(load_texts(lang), me, peers=(), place=place)[-1][0]

    assert last.split("\n")[-1] == line


def test_two_moments_of_a_day_give_the_same_prompt() -> None:
    noon, evening = (datetime(2026, 3, 1, hour).astimezone().timestamp() * 1000 for hour in (12, 21))

    assert place_at(int(noon), Path("/src"), {}) == place_at(int(evening), Path("/src"), {})


@pytest.mark.parametrize(
    ("tools", "line"),
    [
        (
            {"HistorySearch"},
            'Session k7m2q9xa "a &quot;name&quot;": the user and @omni, @skeptic. Earlier parts may be left out of what you see. HistorySearch finds what was said.',
        ),
        (
            set(),
            'Session k7m2q9xa "a &quot;name&quot;": the user and @omni, @skeptic. Earlier parts may be left out of what you see.',
        ),
    ],
)
def test_the_session_is_announced_with_who_takes_part_and_how_to_look_back(tools: set[str], line: str) -> None:
    place = Place(folder="/src", platform="Linux", shell="bash", date="2026-03-01", zone="UTC+00:00")
    session = Announced(session_id="k7m2q9xa", name='a "name"', vps=("omni", "skeptic"))
    me = Self(id="omni", name="Omni", persona="You help.")

    last = system_blocks(load_texts("en"), me, peers=(), place=place, session=session, tools=frozenset(tools))[-1][0]

    assert last.startswith(f"{line}\nWork folder: /src\n")
