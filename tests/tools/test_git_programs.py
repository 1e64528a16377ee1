"""A repository whose own configuration makes git run programs is not read without asking."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.shell_given import shell_in
from yeaft.tools.paths import Paths
from yeaft.tools.policy.git_settings import settings
from yeaft.tools.policy.policy import Policy
from yeaft.tools.policy.rules import Rules

WHO = ("-c", "user.name=A", "-c", "user.email=a@example.com")
RUNNING = (
    "[core]\n fsmonitor = ./evil.sh",
    "[core] fsmonitor = ./evil.sh",
    "[CORE]\nFSMonitor=./evil.sh",
    "[core]\n\tx = a \\\n[other]\n fsmonitor = ./evil.sh",
    "[diff]\n external = ./evil.sh",
    '[diff "d"]\n textconv = ./evil.sh',
    '[diff "d"]\n command = ./evil.sh',
    "[diff.d]\n textconv = ./evil.sh",
    '[filter "f"]\n clean = ./evil.sh',
    '[filter "f"]\n process = ./evil.sh',
    '[filter "lfs"]\n clean = ./evil.sh',
    "[gpg]\n program = ./evil.sh",
    '[gpg "ssh"]\n program = ./evil.sh',
    '[man "x"]\n cmd = ./evil.sh',
    "[include]\n path = ../settings",
    '[includeIf "gitdir:/"]\n path = ../settings',
    "[core]\n worktree = /etc",
    "[extensions]\n partialClone = origin\n[core]\n sshCommand = ./evil.sh",
)
HARMLESS = (
    "[core]\n fsmonitor = true\n pager = ./evil.sh\n editor = vim",
    '[core]\n sshCommand = "ssh -i ~/.ssh/work"',
    '[filter "lfs"]\n clean = git-lfs clean -- %f\n process = git-lfs filter-process',
    '[remote "origin"]\n url = git@example.com:a.git # comment\n fetch = +refs/heads/*:refs/remotes/origin/*',
    "[user]\n name = Ada; yes",
    '[diff "python"]\n xfuncname = def .*',
)


def git(folder: Path, *args: str) -> None:
    subprocess.run(["git", *WHO, *args], cwd=folder, check=True, capture_output=True)


def repository(folder: Path, more: str = "") -> Path:
    """A repository with one commit and more lines in its configuration."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q")
    (folder / "a.txt").write_text("a\n")
    git(folder, "add", "a.txt")
    git(folder, "commit", "-qm", "a")
    with (folder / ".git/config").open("a") as config:
        config.write(more + "\n")
    return folder


def decision(work: Path, command: str) -> str:
    return Policy(mode="ask", rules=Rules(), paths=Paths(work, home=work.parent)).judge_command(command).decision


@pytest.mark.parametrize("more", RUNNING)
def test_a_repository_that_names_a_program_is_asked_about_wherever_git_is_sent(tmp_path: Path, more: str) -> None:
    work = tmp_path / "work"
    repository(work / "evil", more)
    (work / "evil/src").mkdir()

    for command in ("git -C evil status", "cd evil && git status", "cd evil/src && git diff", "git -C evil -C src log"):
        assert decision(work, command) == "ask", command
    assert decision(work / "evil", "git status") == "ask"
    assert decision(work, "git status") == "allow"


@pytest.mark.parametrize("more", HARMLESS)
def test_the_settings_of_everyday_repositories_are_not_asked_about(tmp_path: Path, more: str) -> None:
    work = repository(tmp_path / "work", more)

    assert decision(work, "git status") == "allow"


def test_the_question_names_the_setting(tmp_path: Path) -> None:
    work = tmp_path / "work"
    repository(work / "evil", "[diff]\n external = ./evil.sh")

    verdict = Policy(mode="edits", rules=Rules(), paths=Paths(work)).judge_command("git -C evil diff")

    assert "evil sets diff.external" in verdict.reason


def test_a_bare_repository_among_the_files_is_asked_about(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    git(work, "init", "-q", "--bare", "stuff")

    assert decision(work, "git -C stuff log") == "ask"
    assert decision(work, "cd stuff/refs && git log") == "ask"


def test_the_configuration_of_the_main_repository_counts_in_its_worktrees(tmp_path: Path) -> None:
    work = repository(tmp_path / "work")
    git(work, "worktree", "add", "-q", "side")

    assert decision(work, "git -C side status") == "allow"
    (work / ".git/config").write_text("[diff]\n external = ./evil.sh\n")
    assert decision(work, "git -C side diff") == "ask"


def test_git_is_asked_about_when_a_submodule_names_a_program(tmp_path: Path) -> None:
    work = repository(tmp_path / "work")
    repository(work / "sub")
    git(work, "add", "sub")

    assert decision(work, "git status") == "allow"
    (work / "sub/.git/config").write_text('[filter "f"]\n clean = ./evil.sh\n')
    assert decision(work, "git status") == "ask"


def test_a_hook_that_reading_would_run_is_asked_about(tmp_path: Path) -> None:
    work = repository(tmp_path / "work")
    (work / ".git/hooks/post-index-change").write_text("#!/bin/sh\n")

    assert decision(work, "git diff") == "ask"


def test_a_folder_in_a_variable_or_a_pattern_is_asked_about(tmp_path: Path) -> None:
    work = tmp_path / "work"
    repository(work / "evil", "[diff]\n external = ./evil.sh")

    assert decision(work, "git -C ev* diff") == "ask"
    assert decision(work, "for d in evil; do git -C $d diff; done") == "ask"
    assert decision(work, "GIT_DIR=evil/.git git diff") == "ask"
    assert decision(work, "git --git-dir=evil/.git diff") == "ask"


async def test_git_in_a_command_neither_runs_fsmonitor_nor_finds_bare_repositories(tmp_path: Path) -> None:
    variables = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "Ada"}
    async with shell_in(tmp_path, **variables) as model:
        evil = repository(model.folder / "evil", "[core]\n fsmonitor = ./evil.sh")
        (evil / "evil.sh").write_text("#!/bin/sh\ntouch RAN\n")
        (evil / "evil.sh").chmod(0o755)
        git(model.folder, "init", "-q", "--bare", "stuff")

        said = await model.told("git -C evil status; git -C stuff log; git -C evil config user.name")

    assert not (evil / "RAN").exists()
    assert "safe.bareRepository" in said
    assert "Ada" in said


@given(st.text(alphabet='[]"\\=#; \n\tabc.', max_size=60))
def test_reading_a_configuration_never_fails(text: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "config")
        file.write_text(text)

        found = settings(file)

    assert found is None or all(one.key == one.key.casefold() for one in found)
