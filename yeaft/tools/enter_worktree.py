"""Make a git worktree on a branch of its own, so that a VP can change files without touching the user's."""

import contextlib
from pathlib import Path

from msgspec import Struct

from yeaft.events.call import Facts
from yeaft.kernel.errors import ToolFailed
from yeaft.tools.paths import Paths
from yeaft.tools.tool import Running, Tool, ToolResult, Touches
from yeaft.tools.worktrees.git import Git
from yeaft.tools.worktrees.worktrees import ENTER, PLACE, Worktrees, branch_of, place_for, plain_name

TIMEOUT_S = 300.0


class EnterWorktree(Struct, frozen=True, kw_only=True):
    """Arguments."""

    name: str = ""
    base_ref: str = "HEAD"


def enter_worktree(paths: Paths, worktrees: Worktrees, git: Git) -> Tool[EnterWorktree]:
    """Let the model make worktrees of the work folder's repository; each is noted in `worktrees`."""

    async def run(args: EnterWorktree, _: Running) -> ToolResult:
        target = place_for(paths, plain_name(args.name))
        branch, shown = branch_of(target), paths.shown(target)
        inside = await _subfolder(git, paths.folder)
        commit = await _commit(git, paths.folder, args.base_ref)
        if (await git.run(paths.folder, "show-ref", "--verify", "--quiet", f"refs/heads/{branch}")).worked:
            raise ToolFailed(f"The branch {branch} already exists; choose another name.")
        _prepare(target.parent)
        said = await git.run(paths.folder, "worktree", "add", "-b", branch, "--", str(target), commit)
        if not said.worked:
            raise ToolFailed(f"git could not make the worktree: {said.error}")
        worktrees.add(target)
        where = f"{shown}/{inside}".rstrip("/")
        text = (
            f"Made the worktree {shown} on the new branch {branch}, from {args.base_ref} ({commit[:10]}). "
            f"Your work folder is still the same: use paths below {where}, and cwd={where} in Bash."
        )
        return ToolResult(text=text, facts=Facts(worktree=str(target)))

    return Tool(
        name=ENTER,
        args=EnterWorktree,
        run=run,
        guard="unsafe",
        touches=lambda args: Touches(writes=(f"{PLACE}/{plain_name(args.name)}" if args.name else PLACE,)),
        timeout_s=TIMEOUT_S,
    )


async def _subfolder(git: Git, folder: Path) -> str:
    """The path of the work folder within its repository; raises `ToolFailed` if there is none."""
    said = await git.run(folder, "rev-parse", "--is-inside-work-tree", "--show-prefix")
    if said.text.partition("\n")[0] != "true":
        why = said.error or "it is bare"
        raise ToolFailed(f"The work folder {folder} is not in a git repository with files ({why}).")
    return said.text.partition("\n")[2]


async def _commit(git: Git, folder: Path, base_ref: str) -> str:
    said = await git.run(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{base_ref}^{{commit}}")
    if said.worked:
        return said.text
    if base_ref == "HEAD":
        raise ToolFailed("The repository has no commit yet, so there is nothing to base a worktree on; commit first.")
    raise ToolFailed(f"base_ref {base_ref!r} names no commit of this repository.")


def _prepare(place: Path) -> None:
    """Make the folder for worktrees, which the user's own `git status` and `git add` must not see."""
    try:
        place.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError), (place / ".gitignore").open("x", encoding="utf-8") as ignore:
            ignore.write("*\n")
    except OSError as error:
        raise ToolFailed(f"{place} cannot be made: {error.strerror}.") from error
