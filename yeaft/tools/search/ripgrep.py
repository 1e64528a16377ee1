"""Which program searches: ripgrep where there is one, else our own child process with the same records."""

import os
import shutil
import sys
import sysconfig
from pathlib import Path

from yeaft.tools.grep import Backend
from yeaft.tools.search.search_request import FILE_BYTES, LINE_BYTES, SearchRequest, to_json
from yeaft.tools.search.walk import WORKTREES

MODES = {"files_with_matches": "--files-with-matches", "count": "--count-matches", "content": "--line-number"}


def best_backend() -> Backend:
    """Ripgrep as installed beside this Python, else from PATH, else our own search."""
    beside = Path(sysconfig.get_path("scripts"), "rg")
    found = str(beside) if os.access(beside, os.X_OK) else shutil.which("rg")
    return ripgrep(found) if found else own_search


def ripgrep(binary: str) -> Backend:
    """The command lines of a ripgrep at `binary` (13 or later)."""

    def command(request: SearchRequest) -> list[str]:
        flags = ["--no-config", "--color=never", "--no-heading", "--with-filename", "--null", "--no-messages", "--crlf"]
        flags += [MODES[request.mode], f"--max-filesize={FILE_BYTES}"]
        flags += [f"--max-columns={LINE_BYTES}", "--max-columns-preview", "--no-require-git", "--no-ignore-global"]
        flags += [flag for flag, wanted in _switches(request).items() if wanted]
        flags += [f"--glob=!{name}/" for name in sorted(request.skipped)]
        flags += [f"--glob=!**/{'/'.join(WORKTREES)}/"]
        for name in request.names:
            flags += ["--type-add", f"wanted:{name}"]
        flags += ["--type=wanted"] if request.names else []
        return [binary, *flags, f"--regexp={request.pattern}", "--", request.target]

    return command


def own_search(request: SearchRequest) -> list[str]:
    """The command line of our own search; `-P` keeps modules of the searched folder out."""
    return [sys.executable, "-P", "-m", "yeaft.tools.search.native_search", to_json(request)]


def _switches(request: SearchRequest) -> dict[str, bool]:
    return {
        "--ignore-case" if request.ignore_case else "--case-sensitive": True,
        "--fixed-strings": request.fixed,
        "--multiline": request.multiline,
        "--multiline-dotall": request.multiline,
        "--hidden": request.hidden,
        "--sort=path": request.in_order,
        "--no-ignore": request.no_ignore,
        f"--before-context={request.before}": request.before > 0,
        f"--after-context={request.after}": request.after > 0,
        f"--max-count={request.max_count}": request.max_count > 0 and request.mode == "content",
    }
