"""Places whose content makes other programs act, or that hold secrets: writing there is always asked for."""

import os
from pathlib import Path

from yeaft.config import instruction_names
from yeaft.kernel.pattern import Pattern
from yeaft.tools.paths import Paths
from yeaft.tools.policy.word_list import names

FOLDERS = names(
    ".git .ssh .gnupg .aws .kube .yeaft .agents .claude .codex .cursor .gemini .opencode .vscode .idea .husky "
    ".devcontainer"
)
WORKTREES = (".yeaft", "worktrees")
"""Where EnterWorktree makes worktrees, each of them a work folder like any other."""
FILES = names(
    ".bashrc .bash_profile .bash_login .profile .zshrc .zshenv .zprofile .zlogin .inputrc .gitconfig .gitmodules "
    ".netrc .npmrc .pypirc .envrc .mcp.json authorized_keys"
)
INSTRUCTIONS = frozenset(name.casefold() for name in (*instruction_names.SHARED, *instruction_names.LOCAL))
"""What agents are told in every Session to come."""
_ENVIRONMENT = Pattern(r"\.env(?:\.(?!example$|sample$|template$|dist$).*)?")


def is_sensitive(path: Path, paths: Paths) -> bool:
    """Whether writing to `path` could change what git, the shell or an agent do later, or overwrite secrets.

    Only what lies below the work folder counts, so that work inside `~/.yeaft` itself remains possible.
    """
    root = next((root for root in (paths.folder, *paths.added) if path.is_relative_to(root)), Path("/"))
    parts = [part.casefold() for part in path.relative_to(root).parts]
    if tuple(parts[: len(WORKTREES)]) == WORKTREES:
        parts = parts[len(WORKTREES) + 1 :]  # inside a worktree the same holds as in the work folder
    if not parts:
        return False
    if any(part in FOLDERS for part in parts) or is_instructions(path):
        return True
    return parts[-1] in FILES or bool(_ENVIRONMENT.fullmatch(parts[-1]))


def is_instructions(path: Path) -> bool:
    """Whether an instruction file is called so."""
    return path.name.casefold() in INSTRUCTIONS


def spellings(text: str, paths: Paths, folder: Path | None = None) -> tuple[Path, Path]:
    """A path as written (made absolute, `..` folded) and where it really leads.

    Relative means relative to `folder`, by default the work folder. Raises `ToolFailed`.
    """
    at_home = text == "~" or text.startswith("~/")
    plain = f"{paths.home}{text[1:]}" if at_home else str((folder or paths.folder) / text)
    return Path("/" + os.path.normpath(plain).lstrip("/")), paths.resolve(plain)
