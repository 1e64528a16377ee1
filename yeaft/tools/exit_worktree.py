"""Leave a git worktree: keep it, or remove it if nothing is lost or the model says that it may be."""

from pathlib import Path
from typing import Literal

from msgspec import Struct

from yeaft.events.call import Facts
from yeaft.kernel.errors import ToolFailed
from yeaft.tools.paths import Paths
from yeaft.tools.tool import Running, Tool, ToolResult, Touches
from yeaft.tools.worktrees.git import Git
from yeaft.tools.worktrees.worktrees import EXIT, Worktrees, branch_of

TIMEOUT_S = 300.0
LISTED_CHANGES = 10


class ExitWorktree(Struct, frozen=True, kw_only=True):
    """Arguments."""

    path: str
    action: Literal["keep", "remove"]
    discard_changes: bool = False


def exit_worktree(paths: Paths, worktrees: Worktrees, git: Git) -> Tool[ExitWorktree]:
    """Let the model remove worktrees in `worktrees`, and no others."""

    async def run(args: ExitWorktree, _: Running) -> ToolResult:
        target = _owned(args.path, paths, worktrees)
        shown, branch = paths.shown(target), branch_of(target)
        if args.action == "keep":
            return ToolResult(text=f"Kept {shown} with its branch {branch}.")
        if target.exists() and not args.discard_changes:
            await _refuse_changes(git, target, shown)
        await _remove(git, paths.folder, target, force=args.discard_changes or not target.exists())
        worktrees.discard(target)
        fate = await _branch_fate(git, paths.folder, branch, discard=args.discard_changes)
        return ToolResult(text=f"Removed {shown}. {fate}", facts=Facts(worktree=str(target)))

    return Tool(
        name=EXIT,
        args=ExitWorktree,
        run=run,
        guard="unsafe",
        touches=lambda args: Touches(reads=(args.path,)) if args.action == "keep" else Touches(writes=(args.path,)),
        timeout_s=TIMEOUT_S,
    )


def _owned(text: str, paths: Paths, worktrees: Worktrees) -> Path:
    if ".." in Path(text).parts:
        raise ToolFailed(f"{text!r} contains `..`; give the path of the worktree without.")
    target = paths.resolve(text)
    if target not in worktrees:
        made = ", ".join(paths.shown(path) for path in worktrees) or "none"
        raise ToolFailed(f"{paths.shown(target)} is no worktree that this session made ({made}); it was not touched.")
    return target


async def _refuse_changes(git: Git, target: Path, shown: str) -> None:
    said = await git.run(target, "status", "--porcelain")
    if not said.worked:
        raise ToolFailed(f"git cannot tell whether {shown} has changes: {said.error}")
    changes = said.text.splitlines()
    if changes:
        listed = "\n".join(changes[:LISTED_CHANGES])
        more = f"\n… and {len(changes) - LISTED_CHANGES} more" if len(changes) > LISTED_CHANGES else ""
        raise ToolFailed(
            f"{shown} has changes that would be lost; commit them, or set discard_changes. Nothing was removed.\n"
            f"{listed}{more}"
        )


async def _remove(git: Git, folder: Path, target: Path, *, force: bool) -> None:
    how = ("--force",) if force else ()
    said = await git.run(folder, "worktree", "remove", *how, "--", str(target))
    if not said.worked:
        raise ToolFailed(f"git did not remove the worktree: {said.error}")


async def _branch_fate(git: Git, folder: Path, branch: str, *, discard: bool) -> str:
    """Delete the branch, unless commits would be lost that nobody said may be; returns a sentence about it."""
    tip = await git.run(folder, "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}")
    if not tip.worked:
        return f"Its branch {branch} was already gone."
    elsewhere = (f"--exclude={branch}", "--branches", "--tags", "--remotes")
    own = await git.run(folder, "rev-list", "--count", tip.text, "--not", *elsewhere, "HEAD")
    count = own.text if own.worked else "some"
    if count != "0" and not discard:
        return f"Its branch {branch} stays, because {count} of its commits are nowhere else: merge or delete it."
    said = await git.run(folder, "branch", "-D", "--", branch)
    if not said.worked:
        return f"Its branch {branch} stays: {said.error}"
    return f"Its branch {branch} is deleted (it was at {tip.text[:10]})."
