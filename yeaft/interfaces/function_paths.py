"""Functions that a program hands over, as the import paths by which another process finds them again."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from yeaft.kernel.errors import UsageError

MAIN = "__main__"


def path_of(function: Callable[[Any], Any], what: str) -> str:
    """Return the import path of a function, which must stand at the top of a module.

    That of the program itself is the name of its file. Raises `UsageError`, which names `what` it was given as.
    """
    module, name = str(getattr(function, "__module__", "")), str(getattr(function, "__qualname__", ""))
    if module == MAIN:
        file = str(getattr(sys.modules[MAIN], "__file__", None) or "")
        module = Path(file).stem if file.endswith(".py") else ""
    if not module or not name.isidentifier():
        said = name.rpartition(".")[2] or type(function).__name__
        raise UsageError(
            f"{what}={said} cannot be found again by its name, which a run needs that is gone on with later. "
            "Give a function that stands at the top of a module."
        )
    return f"{module}.{name}"


def folder_of(path: str) -> Path | None:
    """Return the folder from which the function at `path` was imported; None if its module is not loaded."""
    module = path.rpartition(".")[0]
    main = sys.modules[MAIN]
    file = str(getattr(sys.modules.get(module, main), "__file__", None) or "")
    return Path(file).absolute().parents[module.count(".")] if file else None
