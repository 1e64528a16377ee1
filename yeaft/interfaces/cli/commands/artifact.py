"""`yeaft artifact`: list, show, open, export, compare and add typed outputs of Sessions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

import click
from msgspec import structs

from yeaft.artifacts.kinds import TYPES
from yeaft.interfaces.amounts import size_text
from yeaft.interfaces.cli.commands.artifact_diff import DIFFS
from yeaft.interfaces.cli.commands.artifact_files import ARTIFACT, FILES, SESSION
from yeaft.interfaces.cli.commands.artifact_rows import (
    SHOWN_ID_CHARS,
    ArtifactRow,
    Kept,
    all_kept,
    made_by,
    one_kept,
    row_of,
)
from yeaft.interfaces.cli.commands.parsing import Action, flag, option, run_group
from yeaft.interfaces.cli.commands.printing import local_time, put, put_json, put_table
from yeaft.interfaces.cli.options import Count
from yeaft.kernel.outcome import EXIT_ANSWERED

if TYPE_CHECKING:
    from yeaft.events.artifact import ArtifactType
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options

LINES = 20
RUN_PREFIX = "r_"
"""How the ids of runs of graphs begin; a turn has another one."""
LISTED = ("id", "type", "size", "created_by", "session", "path", "description")
TOLD = ("id", "type", "name", "revision", "description", "created_by", "created", "session", "step", "run", "tool")
MORE_TOLD = ("source", "supersedes", "file")


class ArtifactShown(ArtifactRow, frozen=True, kw_only=True):
    """An artifact with the beginning of its content as text, as models are given it; empty for what is no text."""

    text: str


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft artifact ...` and return the exit code."""
    return run_group("artifact", ACTIONS, options, words)


def ls(desk: Desk, *, everything: bool, kind: ArtifactType | None, resume: str) -> int:
    """List the artifacts of all Sessions, or of one; with `everything` earlier revisions too."""
    found = [one for one in all_kept(desk, resume) if kind in (None, one.artifact.type)]
    shown = [one for one in found if everything or one.is_current]
    if desk.as_json:
        put_json([row_of(one) for one in shown])
        return EXIT_ANSWERED
    if shown:
        put_table([desk.text(f"artifact.{key}") for key in LISTED], [_cells(desk, one) for one in shown])
    else:
        desk.note("artifact.none")
    for store in {one.paths.session_id: one.store for one in found}.values():
        if strays := store.strays():
            desk.note("artifact.strays", count=len(strays), path=str(store.out), first=strays[0])
    return EXIT_ANSWERED


def show(desk: Desk, *, artifact: str, lines: int, resume: str) -> int:
    """Show what is known of an artifact, and how its content begins."""
    kept = one_kept(desk, artifact, resume)
    content = kept.store.read(kept.artifact)
    row = row_of(kept)
    if desk.as_json:
        from yeaft.artifacts.excerpt import excerpt

        put_json(ArtifactShown(**structs.asdict(row), text=excerpt(kept.artifact, content)))
        return EXIT_ANSWERED
    from yeaft.interfaces.cli.commands.artifact_preview import put_preview

    facts = structs.asdict(row) | {"created_by": made_by(row.created_by, desk.ui), "created": _local(row.created)}
    facts["type"] = _kind(desk, kept)
    for key in (*TOLD, "size", "columns", *MORE_TOLD):
        value = {"size": size_text(row.bytes), "columns": _columns(desk, row)}.get(key, facts.get(key))
        if value not in ("", None):
            name = "graph_run" if key == "run" and row.run.startswith(RUN_PREFIX) else key
            put(desk.fact(f"artifact.{name}", value))
    put("")
    put_preview(desk, kept.artifact, content, lines)
    return EXIT_ANSWERED


def _local(created: str) -> str:
    """Return a moment as people write it; a text that is none comes back as it is."""
    try:
        return local_time(round(datetime.fromisoformat(created).timestamp() * 1000))
    except (ValueError, OverflowError):
        return created


def _cells(desk: Desk, kept: Kept) -> tuple[str, ...]:
    one = kept.artifact
    return (
        one.artifact_id[:SHOWN_ID_CHARS],
        _kind(desk, kept),
        size_text(one.size_bytes),
        made_by(one.created_by, desk.ui),
        kept.paths.session_id,
        one.path,
        one.description,
    )


def _kind(desk: Desk, kept: Kept) -> str:
    return desk.text(f"artifact.is_{kept.artifact.type}")


def _columns(desk: Desk, row: ArtifactRow) -> str:
    columns = ((one.name, desk.text(f"artifact.column_{one.type}")) for one in row.columns)
    return desk.text("artifact.between").join(
        desk.text("artifact.column", name=name, type=kind) for name, kind in columns
    )


ACTIONS: Mapping[str, Action] = {
    "ls": Action(
        run=ls, params=(flag("--all", "everything"), option("--type", "kind", type=click.Choice(TYPES)), SESSION)
    ),
    "show": Action(run=show, params=(ARTIFACT, option("-n", "--lines", type=Count(min=0), default=LINES), SESSION)),
    **FILES,
    **DIFFS,
}
