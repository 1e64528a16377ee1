"""Functions of the user's that a graph names by import path: found and looked at without running them, then called."""

from __future__ import annotations

import ast
import importlib
import importlib.machinery
import re
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, cast

_PATH = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*[.:][A-Za-z_]\w*")
_IMPORTING = Lock()
"""There is one list of places where Python looks, for all threads."""
LARGEST_BYTES = 2_000_000


def is_function_path(text: str) -> bool:
    """Whether a text has the form `package.module.function` or `package.module:function`."""
    return _PATH.fullmatch(text.strip()) is not None


def function_mistake(path: str, folder: Path) -> str:
    """Return why the function at `path` cannot be used; empty for nothing. Its module is read, not run.

    Modules are looked for in `folder` first, where the graph is, and then where Python looks.
    """
    if not is_function_path(path):
        return f"{path!r} is no import path, such as module.function"
    module, name = _parted(path)
    found = _found(module, folder)
    if found is None:
        return f"there is no module {module!r} to be imported, neither in {folder} nor where Python looks"
    if found.suffix != ".py":
        return ""
    try:
        tree = _tree(found, found.stat().st_mtime_ns)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"{found} cannot be read: {error}"
    for node in tree.body:
        if isinstance(node, ast.AsyncFunctionDef) and node.name == name:
            return f"{path} is an async function; only a plain one can be called here"
        if name in _defined(node):
            return ""
    return f"{found} defines no {name!r}"


def function_at(path: str, folder: Path) -> Callable[..., Any]:
    """Import the function at `path`, as `function_mistake` finds it. Raises `ValueError` with the reason."""
    if mistake := function_mistake(path, folder):
        raise ValueError(mistake)
    module, name = _parted(path)
    with _IMPORTING:
        before, sys.path[:] = list(sys.path), [str(folder), *sys.path]
        try:
            function = getattr(importlib.import_module(module), name)
        except (Exception, SystemExit) as error:
            raise ValueError(f"{path} cannot be imported: {error}") from error
        finally:
            sys.path[:] = before
    if callable(function):
        return cast("Callable[..., Any]", function)  # that it can be called is all that can be known
    raise ValueError(f"{path} is nothing that can be called")


def _parted(path: str) -> tuple[str, str]:
    module, _, name = path.strip().replace(":", ".").rpartition(".")
    return module, name


def _found(module: str, folder: Path) -> Path | None:
    """The file of a module; no package on the way to it is run."""
    places = [str(folder), *sys.path]
    *packages, last = module.split(".")
    for package in packages:
        spec = importlib.machinery.PathFinder.find_spec(package, places)
        if spec is None or spec.submodule_search_locations is None:
            return None
        places = list(spec.submodule_search_locations)
    if not packages and last in sys.builtin_module_names:
        return Path(last)
    spec = importlib.machinery.PathFinder.find_spec(last, places)
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin)


@lru_cache(maxsize=64)
def _tree(file: Path, changed_ns: int) -> ast.Module:
    """What a file says; `changed_ns` is when it was written last."""
    del changed_ns
    if file.stat().st_size > LARGEST_BYTES:
        raise ValueError("it is too large")
    return ast.parse(file.read_text(encoding="utf-8"), filename=file.name)


def _defined(node: ast.stmt) -> set[str]:
    """The names that a statement of a module binds."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return {alias.asname or alias.name for alias in names}
        case ast.Assign(targets=targets):
            return {target.id for target in targets if isinstance(target, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
        case ast.If(body=body, orelse=other) | ast.Try(body=body, orelse=other):
            return {name for one in (*body, *other) for name in _defined(one)}
        case _:
            return set()
