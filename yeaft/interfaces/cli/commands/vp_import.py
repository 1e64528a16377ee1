"""`yeaft vp import`: takes over persona files of another agent, and says what was taken and where it went."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from yeaft.interfaces.cli.commands.parsing import Action, argument, flag
from yeaft.interfaces.cli.commands.printing import put_json, put_table
from yeaft.kernel.errors import BadData, NotFound, YeaftError
from yeaft.kernel.outcome import EXIT_ANSWERED, worst_exit_code

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk

Status = Literal["imported", "would_import", "kept", "failed"]


class ImportRow(Struct, frozen=True, kw_only=True):
    """What became of one file. `kept` means that a VP of this id is there and was left alone."""

    source: str
    id: str
    path: str
    status: Status
    warnings: tuple[str, ...] = ()
    reason: str = ""
    exit_code: int = EXIT_ANSWERED


def import_(desk: Desk, *, paths: tuple[str, ...], dry_run: bool, force: bool) -> int:
    """Import agent files, and all those in folders; the exit code is the worst of any file."""
    files = [file for path in paths for file in _files(Path(path))]
    rows = [_imported(desk, file, dry_run=dry_run, force=force) for file in files]
    if desk.as_json:
        put_json(rows)
    elif rows:
        headings = [desk.text(f"heading.{key}") for key in ("id", "status", "source", "path")]
        put_table(headings, [(row.id or "-", desk.text(f"vps.{row.status}"), row.source, row.path) for row in rows])
    else:
        desk.note("vps.nothing_to_import", paths=", ".join(paths))
    for row in rows:
        if row.status == "kept":
            desk.note("vps.import_kept", vp=row.id, source=row.source)
        for warning in (*row.warnings, *([row.reason] if row.reason else [])):
            desk.note("vps.import_warning", source=row.source, warning=desk.ui.retold(warning))
    codes = [row.exit_code for row in rows]
    return worst_exit_code(codes)


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(path.rglob("*.md"))
    if not path.exists():
        raise NotFound(f"There is no {path}.")
    return [path]


def _imported(desk: Desk, file: Path, *, dry_run: bool, force: bool) -> ImportRow:
    from yeaft.prompts.front_matter import Problem
    from yeaft.prompts.text_file import read_text_file
    from yeaft.vp.claude_agents import import_agent
    from yeaft.vp.edit import write_vp

    try:
        text = read_text_file(file)
        if isinstance(text, Problem):
            return _row(file, "", None, "failed", reason=str(text), exit_code=BadData.exit_code)
        found = import_agent(text.text, file)
        folder = desk.home / "vps"
        target = folder / f"{found.vp.id}.md"
        status: Status = "would_import" if dry_run else "imported"
        if target.exists() and not force:
            return _row(file, found.vp.id, target, "kept")
        if not dry_run:
            write_vp(folder, found.vp, replace=force)
    except OSError as error:
        return _row(file, "", None, "failed", reason=str(error), exit_code=BadData.exit_code)
    except YeaftError as error:
        return _row(file, "", None, "failed", reason=str(error), exit_code=error.exit_code)
    remarks = tuple(f"line {problem.line}: {problem.reason}" for problem in text.problems)
    return _row(file, found.vp.id, target, status, warnings=(*remarks, *found.warnings))


def _row(
    file: Path,
    vp_id: str,
    target: Path | None,
    status: Status,
    *,
    warnings: tuple[str, ...] = (),
    reason: str = "",
    exit_code: int = EXIT_ANSWERED,
) -> ImportRow:
    return ImportRow(
        source=str(file),
        id=vp_id,
        path=str(target) if target else "",
        status=status,
        warnings=warnings,
        reason=reason,
        exit_code=exit_code,
    )


IMPORT = Action(
    run=import_, params=(argument("PATHS", nargs=-1, required=True), flag("--dry-run"), flag("-f", "--force"))
)
