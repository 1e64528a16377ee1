"""Worktrees are made beside the user's files, and only those that the Session made are ever removed."""

import asyncio
import os
import select
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.tools.folder_given import Folder, Vp
from yeaft.events.call import CallFinished
from yeaft.tools.enter_worktree import enter_worktree
from yeaft.tools.exit_worktree import exit_worktree
from yeaft.tools.tool import ToolResult
from yeaft.tools.worktrees.git import Git
from yeaft.tools.worktrees.worktrees import Worktrees

MADE = ".yeaft/worktrees"


class Repo:
    """A work folder that is a git repository with one commit, and a VP that works in it."""

    def __init__(self, tmp: Path, *, commit: bool = True, subfolder: str = "") -> None:
        self.folder = Folder(tmp)
        self.root = self.folder.root
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder.home),
            "GIT_DIR": str(tmp / "not-here"),
            "GIT_AUTHOR_NAME": "A",
            "GIT_AUTHOR_EMAIL": "a@b.c",
            "GIT_COMMITTER_NAME": "A",
            "GIT_COMMITTER_EMAIL": "a@b.c",
        }
        self.git("init", "-q", "-b", "main")
        if commit:
            self.folder.file("a.txt", "one\n")
            self.folder.file("sub/b.txt", "two\n")
            self.git("add", ".")
            self.git("commit", "-q", "-m", "first")
        self.worktrees = Worktrees()
        self.vp = self.new_vp(self.worktrees, self.root / subfolder)

    def new_vp(self, worktrees: Worktrees, root: Path | None = None) -> Vp:
        paths = type(self.folder.paths)(root or self.root, (), self.folder.home)
        vp = self.folder.vp()
        vp.tools["EnterWorktree"] = enter_worktree(paths, worktrees, Git(self.environ))
        vp.tools["ExitWorktree"] = exit_worktree(paths, worktrees, Git(self.environ))
        return vp

    def git(self, *args: str, cwd: str = ".") -> str:
        environ = {key: value for key, value in self.environ.items() if key != "GIT_DIR"}
        done = subprocess.run(
            ["git", *args], cwd=self.root / cwd, env=environ, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def branches(self) -> list[str]:
        return self.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split()

    def commit_in(self, name: str) -> None:
        (self.root / MADE / name / "new.txt").write_text("new\n")
        self.git("add", ".", cwd=f"{MADE}/{name}")
        self.git("commit", "-q", "-m", name, cwd=f"{MADE}/{name}")


async def test_a_worktree_is_made_on_its_own_branch_and_the_users_files_do_not_change(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    (repo.root / "a.txt").write_text("changed, not committed\n")
    before = repo.git("status", "--porcelain")

    result = await repo.vp.call("EnterWorktree", name="try it: 你好/x")

    head = repo.git("rev-parse", "HEAD")
    assert result.text == (
        f"Made the worktree {MADE}/try-it-----x on the new branch yeaft-wt/try-it-----x, from HEAD ({head[:10]}). "
        f"Your work folder is still the same: use paths below {MADE}/try-it-----x, and cwd={MADE}/try-it-----x in Bash."
    )
    made = repo.root / MADE / "try-it-----x"
    assert (made / "a.txt").read_text() == "one\n"
    assert repo.git("symbolic-ref", "--short", "HEAD", cwd=f"{MADE}/try-it-----x") == "yeaft-wt/try-it-----x"
    assert repo.git("symbolic-ref", "--short", "HEAD") == "main"
    assert repo.git("status", "--porcelain") == before
    assert result.facts.worktree == str(made)


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("../../up", "up"),
        ("-rf", "rf"),
        (".hidden", "hidden"),
        ("a..b", "a.b"),
        ("x.lock", "x-lock"),
        ("y" * 99, "y" * 64),
    ],
)
async def test_odd_names_become_plain_ones_that_stay_in_their_place(tmp_path: Path, wanted: str, name: str) -> None:
    repo = Repo(tmp_path)

    await repo.vp.call("EnterWorktree", name=wanted)

    assert (repo.root / MADE / name / "a.txt").exists()


async def test_without_a_name_there_is_a_random_one_and_bases_may_be_chosen(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.git("tag", "v1")
    (repo.root / "a.txt").write_text("two\n")
    repo.git("commit", "-q", "-am", "second")

    for _ in range(2):
        await repo.vp.call("EnterWorktree", base_ref="v1")

    made = list((repo.root / MADE).glob("wt-????????"))
    assert len(made) == 2
    assert [(path / "a.txt").read_text() for path in made] == ["one\n", "one\n"]


async def test_in_a_subfolder_the_model_is_told_where_its_copy_is(tmp_path: Path) -> None:
    repo = Repo(tmp_path, subfolder="sub")

    told = await repo.vp.told("EnterWorktree", name="x")

    assert f"cwd={MADE}/x/sub in Bash" in told
    assert (repo.root / "sub" / MADE / "x" / "sub" / "b.txt").read_text() == "two\n"


async def test_what_cannot_be_made_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    await repo.vp.call("EnterWorktree", name="x")
    repo.git("branch", "yeaft-wt/y")
    empty = Repo(tmp_path / "empty", commit=False)
    none = Repo(tmp_path / "none")
    shutil.rmtree(none.root / ".git")

    refusals = [
        await repo.vp.refusal("EnterWorktree", name="x"),
        await repo.vp.refusal("EnterWorktree", name="y"),
        await repo.vp.refusal("EnterWorktree", name="z", base_ref="nope"),
        await repo.vp.refusal("EnterWorktree", name="z", base_ref="--upload-pack=touch /tmp/x"),
        await empty.vp.refusal("EnterWorktree", name="x"),
    ]

    assert refusals == [
        f"{MADE}/x already exists; choose another name.",
        "The branch yeaft-wt/y already exists; choose another name.",
        "base_ref 'nope' names no commit of this repository.",
        "base_ref '--upload-pack=touch /tmp/x' names no commit of this repository.",
        "The repository has no commit yet, so there is nothing to base a worktree on; commit first.",
    ]
    assert "is not in a git repository with files" in await none.vp.refusal("EnterWorktree", name="x")
    assert sorted(path.name for path in (repo.root / MADE).iterdir()) == [".gitignore", "x"]
    assert not (empty.root / ".yeaft").exists()


@pytest.mark.parametrize("link", [".yeaft", ".yeaft/worktrees"])
async def test_a_link_in_the_repository_leads_no_worktree_elsewhere(tmp_path: Path, link: str) -> None:
    repo = Repo(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (repo.root / link).parent.mkdir(exist_ok=True)
    (repo.root / link).symlink_to(elsewhere)

    refusal = await repo.vp.refusal("EnterWorktree", name="x")

    assert "symbolic link" in refusal
    assert list(elsewhere.iterdir()) == []


async def test_hooks_of_the_repository_do_not_run(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    hook = repo.root / ".git/hooks/post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    monitor = repo.root / ".git/monitor"
    monitor.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    monitor.chmod(0o755)
    repo.git("config", "core.fsmonitor", str(monitor))

    await repo.vp.call("EnterWorktree", name="x")
    await repo.vp.call("ExitWorktree", path=f"{MADE}/x", action="remove")

    assert not (tmp_path / "ran").exists()


async def test_a_clean_worktree_is_removed_with_its_branch(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    made = (await repo.vp.call("EnterWorktree", name="x")).facts.worktree
    head = repo.git("rev-parse", "HEAD")

    kept = await repo.vp.told("ExitWorktree", path=f"{MADE}/x", action="keep")
    removed = await repo.vp.call("ExitWorktree", path=made, action="remove")

    assert kept == f"Kept {MADE}/x with its branch yeaft-wt/x."
    assert removed.text == f"Removed {MADE}/x. Its branch yeaft-wt/x is deleted (it was at {head[:10]})."
    assert not (repo.root / MADE / "x").exists()
    assert repo.branches() == ["main"]
    assert "no worktree that this session made (none)" in await repo.vp.refusal(
        "ExitWorktree", path=made, action="remove"
    )


async def test_uncommitted_changes_stay_unless_they_may_go(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    await repo.vp.call("EnterWorktree", name="x")
    made = repo.root / MADE / "x"
    for number in range(12):
        (made / f"新 {number:02}.txt").write_text("x")

    refusal = await repo.vp.refusal("ExitWorktree", path=f"{MADE}/x", action="remove")
    still = sorted(path.name for path in made.glob("新*"))
    removed = await repo.vp.told("ExitWorktree", path=f"{MADE}/x", action="remove", discard_changes=True)

    lines = refusal.split("\n")
    assert lines[0].endswith("commit them, or set discard_changes. Nothing was removed.")
    assert lines[1] == '?? "新 00.txt"'
    assert (len(lines), lines[-1]) == (12, "… and 2 more")
    assert len(still) == 12
    assert removed.startswith(f"Removed {MADE}/x.")
    assert not made.exists()


async def test_commits_that_are_nowhere_else_keep_their_branch(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    for name in ("kept", "merged", "dropped"):
        await repo.vp.call("EnterWorktree", name=name)
        repo.commit_in(name)
    repo.git("merge", "-q", "yeaft-wt/merged")

    told = [
        await repo.vp.told("ExitWorktree", path=f"{MADE}/{name}", action="remove", discard_changes=name == "dropped")
        for name in ("kept", "merged", "dropped")
    ]

    assert "Its branch yeaft-wt/kept stays, because 1 of its commits are nowhere else" in told[0]
    assert "yeaft-wt/merged is deleted" in told[1]
    assert "yeaft-wt/dropped is deleted (it was at " in told[2]
    assert repo.branches() == ["main", "yeaft-wt/kept"]


async def test_what_the_session_did_not_make_is_never_removed(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.git("worktree", "add", "-q", "-b", "yeaft-wt/users", f"{MADE}/users")
    await repo.vp.call("EnterWorktree", name="x")
    made = repo.root / MADE / "x"
    victim = repo.root / "victim"
    victim.mkdir()

    refusals = [
        await repo.vp.refusal("ExitWorktree", path=path, action="remove", discard_changes=True)
        for path in (f"{MADE}/users", ".", "victim", str(repo.folder.home), f"{MADE}/x/../users", f"{MADE}/x/sub")
    ]
    made.rename(made.with_name("moved"))
    made.symlink_to(victim)
    through_a_link = await repo.vp.refusal("ExitWorktree", path=f"{MADE}/x", action="remove", discard_changes=True)

    assert [refusal for refusal in refusals if f"made ({MADE}/x); it was not touched" in refusal] == [
        refusal for number, refusal in enumerate(refusals) if number != 4
    ]
    assert "contains `..`" in refusals[4]
    assert "victim is no worktree that this session made" in through_a_link
    assert (repo.root / MADE / "users/a.txt").exists()
    assert victim.is_dir()


async def test_a_worktree_whose_folder_is_gone_can_still_be_left(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    await repo.vp.call("EnterWorktree", name="x")
    shutil.rmtree(repo.root / MADE / "x")

    told = await repo.vp.told("ExitWorktree", path=f"{MADE}/x", action="remove")

    assert told.startswith(f"Removed {MADE}/x. Its branch yeaft-wt/x is deleted")
    assert repo.git("worktree", "list").count("\n") == 0


async def test_another_process_knows_from_the_journal_what_the_session_made(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    steps: list[tuple[str, ToolResult]] = []
    for tool, args in (
        ("EnterWorktree", {"name": "kept"}),
        ("EnterWorktree", {"name": "gone"}),
        ("ExitWorktree", {"path": f"{MADE}/kept", "action": "keep"}),
        ("ExitWorktree", {"path": f"{MADE}/gone", "action": "remove"}),
    ):
        steps.append((tool, await repo.vp.call(tool, **args)))
    journal = [
        CallFinished(call_id=tool, turn_id="t", tool=tool, status="ok", text=result.text, facts=result.facts)
        for tool, result in steps
    ]

    later = Worktrees.after(journal)

    assert list(later) == list(repo.worktrees) == [repo.root / MADE / "kept"]
    removed = await repo.new_vp(later).told("ExitWorktree", path=f"{MADE}/kept", action="remove")
    assert removed.startswith(f"Removed {MADE}/kept.")


async def test_the_policy_hears_where_a_worktree_is_written(tmp_path: Path) -> None:
    vp = Repo(tmp_path).vp

    entering = vp.bind("EnterWorktree", name="x y")
    leaving = vp.bind("ExitWorktree", path="p", action="remove")
    keeping = vp.bind("ExitWorktree", path="p", action="keep")

    assert (entering.touches.writes, leaving.touches.writes) == ((f"{MADE}/x-y",), ("p",))
    assert (keeping.touches.reads, keeping.touches.writes) == (("p",), ())
    assert {call.guard for call in (entering, leaving, keeping)} == {"unsafe"}


async def test_an_abort_ends_git_and_all_it_has_started(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    repo.git("config", "filter.slow.smudge", f"sh -c 'echo $$ >{fifo}; exec sleep 600'")
    repo.folder.file(".gitattributes", "slow.txt filter=slow\n")
    repo.folder.file("slow.txt", "x\n")
    repo.git("add", ".")
    repo.git("commit", "-q", "-m", "slow")
    call = asyncio.create_task(repo.vp.call("EnterWorktree", name="x"))
    filtering = os.pidfd_open(int(await asyncio.to_thread(fifo.read_text)))

    call.cancel()

    with pytest.raises(asyncio.CancelledError):
        await call
    ended, _, _ = select.select([filtering], [], [], 20)
    os.close(filtering)
    assert ended == [filtering]
    assert list(repo.worktrees) == []
