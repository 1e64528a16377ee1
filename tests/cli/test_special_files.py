"""Whatever lies where a file is expected, nothing waits for it and nothing reads it without end."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.commands_given import Given
from yeaft.skills.library import SkillLibrary

LARGE = 2 * 1024 * 1024


def pipe(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to("/dev/zero")


def large(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"# large\n" * (LARGE // 8))


ODD = pytest.mark.parametrize("put", [pipe, endless, large])


@ODD
def test_an_odd_config_file_is_a_named_mistake(given: Given, put: Callable[[Path], None]) -> None:
    put(given.home / "config.toml")

    told = given.yeaft("config", "ls")

    assert told.code == 78
    assert "config.toml cannot be read" in told.err


@ODD
def test_an_odd_vp_file_is_a_problem_of_that_vp_alone(given: Given, put: Callable[[Path], None]) -> None:
    put(given.home / "vps" / "odd.md")

    assert "odd.md" in given.yeaft("vp", "check").out
    assert "omni" in given.says("vp", "ls")


@ODD
def test_an_odd_cache_of_a_session_is_ignored(talking: Given, put: Callable[[Path], None]) -> None:
    session = talking.session()
    put(talking.home / "sessions" / session / "meta.json")
    pipe(talking.home / "index.db")

    assert session in talking.says("session", "ls")


@pytest.mark.parametrize("put", [pipe, endless])
def test_an_odd_journal_is_refused_by_name(talking: Given, put: Callable[[Path], None]) -> None:
    session = talking.session()
    put(talking.home / "sessions" / session / "session.db")

    told = talking.yeaft("session", "show", session)
    gone_on = talking.yeaft("-r", session, "go on")

    assert told.code == gone_on.code == 1
    assert "session.db is no regular file" in told.err
    assert "session.db is no regular file" in gone_on.err


@pytest.mark.parametrize("name", ["odd.md", "odd/SKILL.md"])
@pytest.mark.parametrize("put", [pipe, endless])
def test_an_odd_skill_is_left_out(tmp_path: Path, put: Callable[[Path], None], name: str) -> None:
    put(tmp_path / name)
    (tmp_path / "even.md").write_text("---\nname: even\ndescription: Even.\n---\nBe even.\n")

    assert [skill.name for skill in SkillLibrary((tmp_path,)).read().skills] == ["even"]
