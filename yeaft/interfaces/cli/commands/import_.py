"""`yeaft import`: takes over what other agents keep, after showing what each thing is and what it becomes here."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from yeaft.interfaces.cli.commands.consent import NotConfirmed, agrees, can_answer
from yeaft.interfaces.cli.commands.parsing import Action, argument, flag, option, run_action
from yeaft.interfaces.cli.commands.printing import put, put_json, put_table
from yeaft.interfaces.cli.importing.agents import SOURCES
from yeaft.interfaces.cli.importing.found import KINDS, Item, Kind, Places, Status
from yeaft.interfaces.cli.importing.taking import compared, taken
from yeaft.kernel.errors import NotFound, UsageError
from yeaft.kernel.nearness import nearest
from yeaft.kernel.outcome import EXIT_ANSWERED, EXIT_FAILED
from yeaft.tools.policy.visible import visible_on_one_line

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options


class ImportedRow(Struct, frozen=True, kw_only=True):
    """One thing that was found, what it becomes here, and how it stands with it."""

    kind: Kind
    name: str
    source: str
    becomes: str
    status: Status
    reason: str
    warnings: tuple[str, ...]


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft import ...` and return the exit code."""
    return run_action("import", ACTION, options, words)


def import_(desk: Desk, *, agent: str, from_: Path | None, only: tuple[str, ...], dry_run: bool, yes: bool) -> int:
    """Show what an agent keeps, and take over what the user says yes to."""
    kinds = _kinds(only)
    found = compared(item for item in SOURCES[agent](_places(desk, from_)) if item.kind in kinds)
    new = [item for item in found if item.status == "new"]
    if not desk.as_json:
        _show(desk, agent, found)
    wanted = {item.kind for item in new} if yes else set[Kind]()
    if new and not (yes or dry_run):
        if desk.as_json or not can_answer():
            _finish(desk, found)
            raise NotConfirmed(desk.text("import.needed", command=_command(agent, from_, only)))
        wanted = {kind for kind in KINDS if _is_wanted(desk, kind, new)}
    done = [taken(item) if item.status == "new" and item.kind in wanted and not dry_run else item for item in found]
    return _finish(desk, done)


def _finish(desk: Desk, found: Sequence[Item]) -> int:
    """Report what became of everything; the exit code is 1 if something could not be taken over."""
    if desk.as_json:
        put_json([_row(item) for item in found])
    failed = [item for item in found if item.status == "failed"]
    for item in failed:
        desk.note("import.failed", name=item.name, reason=desk.ui.retold(item.reason))
    count = sum(item.status == "taken" for item in found)
    if count:
        desk.note("import.done", count=count)
    if any(item.status == "taken" and _is_of_project(desk, item) for item in found):
        desk.note("import.needs_trust")
    return EXIT_FAILED if failed else EXIT_ANSWERED


def _is_of_project(desk: Desk, item: Item) -> bool:
    """Whether it has become a part of the work folder, whose things count once it is trusted."""
    place = desk.folder / ".yeaft"
    return item.content is not None and item.content.path.is_relative_to(place) and place != desk.home


def _show(desk: Desk, agent: str, found: Sequence[Item]) -> None:
    if not found:
        desk.note("import.nothing", agent=agent)
        return
    headings = [desk.text(f"heading.{key}") for key in ("kind", "name", "becomes", "status", "source")]
    rows = [
        (
            desk.text(f"import.kind_{item.kind}"),
            visible_on_one_line(item.name),
            visible_on_one_line(item.becomes) or "-",
            desk.text(f"import.{item.status}"),
            visible_on_one_line(item.source),
        )
        for item in found
    ]
    put_table(headings, rows)
    for item in found:
        for text in (*([item.reason] if item.reason and item.status != "in_place" else []), *item.warnings):
            put(
                desk.text(
                    "import.remark", name=visible_on_one_line(item.name), text=visible_on_one_line(desk.ui.retold(text))
                )
            )


def _is_wanted(desk: Desk, kind: Kind, new: Sequence[Item]) -> bool:
    count = sum(item.kind == kind for item in new)
    return bool(count) and agrees(desk, f"import.take_{kind}", count=count)


def _kinds(only: Sequence[str]) -> tuple[Kind, ...]:
    words = [word.strip() for text in only for word in text.split(",") if word.strip()]
    for word in words:
        if word not in KINDS:
            near = nearest(word, KINDS)
            remedy = f"Did you mean {near}?" if near else f"There are: {', '.join(KINDS)}."
            raise UsageError(f"--only {word!r} is nothing that can be taken over. {remedy}")
    return tuple(kind for kind in KINDS if not words or kind in words)


def _places(desk: Desk, given: Path | None) -> Places:
    if given is not None and not given.is_dir():
        raise NotFound(f"There is no folder {given}.")
    user = Path(desk.environ.get("HOME") or Path.home())
    return Places(
        user=user, folder=desk.folder, home=desk.home, environ=desk.environ, given=given.resolve() if given else None
    )


def _command(agent: str, given: Path | None, only: Sequence[str]) -> str:
    words = ["yeaft", "import", agent, *(["--from", str(given)] if given else [])]
    return shlex.join([*words, *(word for text in only for word in ("--only", text)), "-y"])


def _row(item: Item) -> ImportedRow:
    return ImportedRow(
        kind=item.kind,
        name=item.name,
        source=item.source,
        becomes=item.becomes,
        status=item.status,
        reason=item.reason,
        warnings=item.warnings,
    )


ACTION = Action(
    run=import_,
    params=(
        argument("AGENT", type=click.Choice(list(SOURCES))),
        option("--from", "from_", type=click.Path(path_type=Path)),
        option("--only", multiple=True),
        flag("--dry-run"),
        flag("-y", "--yes"),
    ),
)
