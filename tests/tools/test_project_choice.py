"""Asking a program for its version is free, unless a file of the project may choose what runs for it."""

from pathlib import Path

import pytest

from yeaft.config.settings import Mode
from yeaft.tools.paths import Paths
from yeaft.tools.policy.policy import Policy
from yeaft.tools.policy.rules import Rules

CHOSEN = (
    ("cargo --version", "rust-toolchain.toml"),
    ("rustc -V", "rust-toolchain"),
    ("rustup show", "rust-toolchain.toml"),
    ("yarn --version", ".yarnrc.yml"),
    ("pnpm -v", "package.json"),
    ("go version", "go.mod"),
    ("go env GOPATH", "go.work"),
    ("pytest --version", "pytest.ini"),
    ("flake8 --version", "setup.cfg"),
    ("poetry --version", "pyproject.toml"),
    ("mvn --version", ".mvn"),
    ("gradle --version", "gradle.properties"),
    ("dotnet --version", "global.json"),
    ("bazel --version", ".bazeliskrc"),
    ("terraform version", ".terraform-version"),
    ("jest --version", "node_modules"),
)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "work" / "sub").mkdir(parents=True)
    return tmp_path / "work"


def decision(work: Path, command: str, mode: Mode = "ask") -> str:
    return Policy(mode=mode, rules=Rules(), paths=Paths(work, home=work.parent)).judge_command(command).decision


@pytest.mark.parametrize(("command", "file"), CHOSEN)
def test_a_file_that_may_choose_the_program_makes_the_difference(work: Path, command: str, file: str) -> None:
    assert decision(work, command) == "allow"
    (work.parent / file).touch()

    assert decision(work, command) == "ask"
    assert decision(work, f"cd sub && {command}") == "ask"
    assert decision(work, command, "auto") == "allow"


@pytest.mark.parametrize(
    "command",
    ["cargo build", "cargo --version x", "go run .", "go env -w A=b", "FOO=1 cargo --version", "./cargo --version"],
)
def test_whatever_else_these_programs_do_is_asked_about(work: Path, command: str) -> None:
    assert decision(work, command) == "ask"


def test_outside_the_work_folder_it_is_not_looked_for(work: Path) -> None:
    assert decision(work, "cd /tmp && cargo --version") == "ask"
