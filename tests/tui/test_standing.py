"""What the status line and the lanes say, as pure functions and over real files."""

import shutil
import subprocess
from pathlib import Path

import pytest

from yeaft.interfaces.tui.git_branch import git_branch
from yeaft.interfaces.tui.ladder import AGAIN_S, Ladder
from yeaft.interfaces.tui.lane_lines import clock, counted
from yeaft.interfaces.tui.notifying import knows_progress, means_of
from yeaft.interfaces.tui.standing import short

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


@needs_git
def test_the_branch_is_that_of_the_repository_or_worktree_that_a_folder_is_in(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    inner = repository / "deep" / "inside"
    inner.mkdir(parents=True)
    assert git_branch(inner) == ""

    git(repository, "init", "-b", "feature/tea")
    assert git_branch(inner) == "feature/tea"

    git(repository, "commit", "--allow-empty", "-m", "first")
    git(repository, "worktree", "add", str(tmp_path / "other"), "-b", "other-branch")
    assert git_branch(tmp_path / "other") == "other-branch"

    git(repository, "checkout", "--detach")
    head = (repository / ".git" / "HEAD").read_text()
    assert git_branch(inner) == head[:7]


def test_a_key_confirms_only_what_it_said_just_before() -> None:
    ladder = Ladder()

    assert [ladder.again(0.0), ladder.again(AGAIN_S / 2), ladder.again(AGAIN_S / 2)] == [False, True, False]
    assert not ladder.again(3 * AGAIN_S)
    ladder.forget()
    assert not ladder.again(3 * AGAIN_S)


def test_numbers_are_short_enough_for_a_line() -> None:
    assert [clock(seconds) for seconds in (-1, 7, 67, 3_600, 7_500)] == ["0s", "7s", "1m07s", "1h00m", "2h05m"]
    assert [counted(number) for number in (7, 999, 1_234)] == ["7", "999", "1.2k"]
    assert short(Path("/home/ann/code"), "/home/ann") == "~/code"
    assert short(Path("/home/anna"), "/home/ann") == "/home/anna"


def test_a_terminal_is_called_in_a_way_that_it_is_known_to_understand() -> None:
    assert means_of({"TERM_PROGRAM": "ghostty"}) == "osc9"
    assert means_of({"TERM_PROGRAM": "ghostty", "TMUX": "/tmp/x"}) == "bell"
    assert means_of({"VTE_VERSION": "7600"}) == "osc777"
    assert means_of({"TERM": "xterm"}) == "bell"
    assert knows_progress({"TERM_PROGRAM": "ghostty"})
    assert not knows_progress({"TERM_PROGRAM": "iTerm.app"})
    assert not knows_progress({"TERM_PROGRAM": "ghostty", "TMUX": "/tmp/x"})
