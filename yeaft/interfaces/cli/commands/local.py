"""`yeaft local`: sets up the embedded model, says how it is, and removes it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from yeaft.interfaces.cli.commands.consent import need_consent
from yeaft.interfaces.cli.commands.parsing import Action, flag, option, run_group
from yeaft.interfaces.cli.commands.printing import put, put_json
from yeaft.interfaces.cli.streams import remark
from yeaft.kernel.errors import StoreFailed
from yeaft.kernel.outcome import EXIT_ANSWERED, EXIT_NOT_FOUND

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options
    from yeaft.llm.embedded_files import LocalFiles


class LocalRow(Struct, frozen=True, kw_only=True):
    """Whether the embedded model can be used; `problem` says why not."""

    ready: bool
    model: str
    weights: str
    size_bytes: int
    engine: str
    origin: str
    licence: str
    problem: str


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft local ...` and return the exit code."""
    return run_group("local", ACTIONS, options, words)


def setup(desk: Desk, *, gguf: Path | None) -> int:
    """Fetch the embedded model, or use weights of the user's own."""
    from yeaft.llm import local_setup

    def tell(code: str, params: Mapping[str, str]) -> None:
        if not desk.options.quiet:
            remark(desk.text(code, **params))

    files = asyncio.run(local_setup.setup(desk.home, gguf=gguf, progress=tell))
    if desk.as_json:
        put_json(_row(files, ""))
    return EXIT_ANSWERED


def status(desk: Desk) -> int:
    """Say whether the embedded model is set up: exit code 0 if it is, 66 if not."""
    from yeaft.llm import embedded_files

    found = embedded_files.status(desk.home)
    if desk.as_json:
        put_json(_row(found.files, found.problem))
    elif found.files is None:
        put(found.problem)
    else:
        row = _row(found.files, "")
        size = f"{row.size_bytes // (1024 * 1024)} MiB"
        for key, value in (("model", row.model), ("weights", f"{row.weights} ({size})"), ("engine", row.engine)):
            put(desk.fact(f"heading.{key}", value))
        if row.licence:
            put(desk.fact("heading.licence", row.licence))
    return EXIT_ANSWERED if found.is_ready else EXIT_NOT_FOUND


def remove(desk: Desk, *, yes: bool) -> int:
    """Delete what `setup` fetched; weights of the user's own stay where they are."""
    from yeaft.llm.embedded_files import MANIFEST, SITE, models_folder
    from yeaft.llm.local_setup import WEIGHTS

    folder = models_folder(desk.home)
    parts = [path for name in (MANIFEST, WEIGHTS, SITE) if (path := folder / name).exists()]
    if not parts:
        desk.note("local.nothing_to_remove", folder=str(folder))
        return EXIT_ANSWERED
    need_consent(desk, "local.remove_question", yes=yes, folder=str(folder))
    for part in parts:
        _delete(part)
    desk.note("local.removed", folder=str(folder))
    return EXIT_ANSWERED


def _delete(path: Path) -> None:
    try:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    except OSError as error:
        raise StoreFailed(f"{path} cannot be deleted: {error.strerror}. Check its permissions.") from error


def _row(files: LocalFiles | None, problem: str) -> LocalRow:
    return LocalRow(
        ready=files is not None,
        model=files.model if files else "",
        weights=files.weights if files else "",
        size_bytes=files.size_bytes if files else 0,
        engine=files.engine if files else "",
        origin=files.origin if files else "",
        licence=files.licence if files else "",
        problem=problem,
    )


ACTIONS: Mapping[str, Action] = {
    "setup": Action(run=setup, params=(option("--gguf", type=click.Path(path_type=Path)),)),
    "status": Action(run=status),
    "remove": Action(run=remove, params=(flag("-y", "--yes"),), has_json=False),
}
