"""Folders of their own for steps that may not touch the user's: a git worktree for each visit."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.enter_worktree import EnterWorktree, enter_worktree
from yeaft.tools.exit_worktree import ExitWorktree, exit_worktree
from yeaft.tools.paths import Paths
from yeaft.tools.worktrees.git import Git
from yeaft.tools.worktrees.worktrees import PLACE, Worktrees, branch_of, plain_name


class NoCall:
    """What stands for a call where a tool is used without one."""

    call_id = ""

    def show(self, chunk: str) -> None:
        """Show nothing."""


class IsolatedFolders:
    """Makes worktrees of the work folder's repository, one at a time, and removes those that were left unchanged."""

    def __init__(self, folder: Path, git: Git) -> None:
        self._paths = Paths(folder)
        self._git = git
        self._lock = asyncio.Lock()

    async def make(self, name: str) -> Path:
        """Return the folder to work in for a visit, the same again after a crash.

        Raises `ToolFailed` with a sentence where there is no repository, or no commit in it.
        """
        target = self._place(name)
        async with self._lock:
            if not target.exists():
                tool = enter_worktree(self._paths, Worktrees(), self._git)
                await tool.run(EnterWorktree(name=name), NoCall())
            said = await self._git.run(self._paths.folder, "rev-parse", "--show-prefix")
        return target / said.text.strip()

    async def settle(self, name: str) -> str:
        """Remove the folder of a visit if nothing was changed in it; return the branch that keeps what was."""
        target = self._place(name)
        tool = exit_worktree(self._paths, Worktrees((target,)), self._git)
        async with self._lock:
            try:
                await tool.run(ExitWorktree(path=str(target), action="remove"), NoCall())
            except ToolFailed:
                return branch_of(target)
        return ""

    def _place(self, name: str) -> Path:
        return Path(os.path.realpath(self._paths.folder)) / PLACE / plain_name(name)
