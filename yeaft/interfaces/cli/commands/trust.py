"""`yeaft trust`: shows what a work folder brings along, and takes the user's word that it may be used."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.config import instruction_names
from yeaft.config.brought import Refused
from yeaft.config.trust import State, Trust, agree, agreements, forget, trust_of
from yeaft.interfaces.cli.bringing import BroughtRow, brought_rows, declared_servers
from yeaft.interfaces.cli.commands.consent import NotConfirmed, can_answer, need_consent
from yeaft.interfaces.cli.commands.parsing import HELP_WORDS, SAME_WORDS, Action, argument, flag, run_action, run_group
from yeaft.interfaces.cli.commands.printing import iso_time, local_time, put, put_json, put_table
from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.errors import ConfigError, NotFound
from yeaft.kernel.outcome import EXIT_ANSWERED
from yeaft.tools.policy.visible import visible, visible_on_one_line

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options
    from yeaft.prompts.ui import Ui


class Shown(Struct, frozen=True, kw_only=True):
    """A folder with all that it brings; `servers` are the MCP servers that nobody has agreed to yet."""

    folder: str
    state: State
    digest: str
    since: str
    brings: tuple[BroughtRow, ...]
    changed: tuple[str, ...]
    refused: tuple[Refused, ...]
    servers: tuple[str, ...]


class FolderRow(Struct, frozen=True, kw_only=True):
    """A folder that was agreed to; `gone` means that it is no longer there."""

    folder: str
    state: State
    gone: bool
    since: str


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft trust ...` and return the exit code."""
    same = {word for names in SAME_WORDS for word in names if words[:1] == [word]}
    if words[:1] and (words[0] in ACTIONS or same or words[0] in HELP_WORDS):
        return run_group("trust", ACTIONS, options, words)
    return run_action("trust", ACTION, options, words)


def trust(desk: Desk, *, folder: str, yes: bool, no_servers: bool) -> int:
    """Show what a folder brings along and, if the user agrees, use it from now on."""
    place = _folder(desk, folder)
    found = trust_of(desk.home, place, desk.environ)
    if found.problem:
        raise ConfigError(found.problem)
    rows = (*brought_rows(place, found), *_instructions(place))
    servers = {} if no_servers else new_servers(place, found)
    if found.brought.obstacles:
        _show(desk, place, found, rows)
        raise ConfigError(_obstacles(desk, found))
    is_needed = not found.is_trusted or bool(servers)
    if is_needed and not yes:
        _show(desk, place, found, rows)
        _ask(desk, found, servers, no_servers=no_servers)
    if trust_of(desk.home, place, desk.environ).brought.digest != found.brought.digest:
        raise ConfigError(desk.text("trust.moved", folder=found.folder))
    if is_needed:
        agree(desk.home, found, servers, wall_clock_ms())
    if yes or not is_needed or desk.as_json:
        _show(desk, place, trust_of(desk.home, place, desk.environ), rows)
    desk.note("trust.done" if is_needed else "trust.already", folder=found.folder)
    return EXIT_ANSWERED


def ls(desk: Desk) -> int:
    """List the folders that were agreed to."""
    known = agreements(desk.home)
    if known.problem:
        raise ConfigError(known.problem)
    rows = [
        FolderRow(
            folder=folder,
            state=trust_of(desk.home, Path(folder), desk.environ).state,
            gone=not Path(folder).is_dir(),
            since=iso_time(one.at_ms),
        )
        for folder, one in sorted(known.folders.items())
    ]
    if desk.as_json:
        put_json(rows)
    elif rows:
        headings = [desk.text(f"heading.{key}") for key in ("folder", "status", "since")]
        times = [local_time(known.folders[row.folder].at_ms) for row in rows]
        states = [desk.text("trust.gone" if row.gone else f"trust.{row.state}") for row in rows]
        put_table(headings, list(zip((row.folder for row in rows), states, times, strict=True)))
    else:
        desk.note("trust.none")
    return EXIT_ANSWERED


def rm(desk: Desk, *, folder: str) -> int:
    """Take the trust in a folder back; what it brings is not used from now on."""
    real = str((desk.folder / folder).resolve())
    if not forget(desk.home, real):
        raise NotFound(desk.text("trust.not_trusted", folder=real))
    if desk.as_json:
        put_json({"folder": real})
    desk.note("trust.removed", folder=real)
    return EXIT_ANSWERED


def _folder(desk: Desk, folder: str) -> Path:
    place = (desk.folder / folder).resolve()
    if not place.is_dir():
        raise NotFound(desk.text("trust.no_folder", folder=str(place)))
    return place


def brought_lines(ui: Ui, place: Path, found: Trust) -> list[str]:
    """Return what a folder brings along, for somebody who is to agree to it: nothing is cut off. Blocks."""
    rows = (*brought_rows(place, found), *_instructions(place))
    said = ui.text(f"trust.shows_{found.state}", folder=found.folder, since=local_time(found.at_ms))
    return [said, *(_told(ui, row, waits=False) for row in rows), *_unused(ui, found)]


def new_servers(folder: Path, found: Trust) -> dict[str, str]:
    """The servers of the folder that nobody has agreed to, name by digest."""
    if not any(file.kind == "servers" for file in found.brought.files):
        return {}
    known = {one.server.digest: one.server.name for one in declared_servers(folder)}
    return {digest: name for digest, name in known.items() if digest not in found.servers}


def _instructions(folder: Path) -> tuple[BroughtRow, ...]:
    """Instruction files: they are told to models in any case, but obeyed only in a trusted folder."""
    there = (folder / name for name in (*instruction_names.SHARED, *instruction_names.LOCAL))
    return tuple(
        BroughtRow(kind="instructions", name=path.name, detail=f"{path.stat().st_size:,} bytes", path=path.name)
        for path in there
        if path.is_file()
    )


def _show(desk: Desk, place: Path, found: Trust, rows: Sequence[BroughtRow]) -> None:
    servers = new_servers(place, found)
    if desk.as_json:
        put_json(
            Shown(
                folder=found.folder,
                state=found.state,
                digest=found.brought.digest,
                since=iso_time(found.at_ms) if found.at_ms else "",
                brings=tuple(rows),
                changed=found.changed,
                refused=found.brought.refused,
                servers=tuple(servers.values()),
            )
        )
        return
    put(desk.text(f"trust.shows_{found.state}", folder=found.folder, since=local_time(found.at_ms)))
    if rows:
        for row in rows:
            waits = found.is_trusted and row.kind == "server" and row.name in servers.values()
            put(_told(desk.ui, row, waits=waits))
    elif found.state != "nothing":
        put(desk.text("trust.empty"))
    for line in _unused(desk.ui, found):
        put(line)


def _unused(ui: Ui, found: Trust) -> Iterator[str]:
    for one in found.brought.refused:
        if not one.blocks:
            path, reason = visible_on_one_line(one.path), ui.text(f"trust.why_{one.reason}")
            yield ui.text("trust.unused", path=path, reason=reason)


def _told(ui: Ui, row: BroughtRow, *, waits: bool) -> str:
    """A row with nothing cut off: what is out of sight cannot be agreed to; `waits` marks what is not used yet."""
    kind = ui.text(f"trust.kind_{row.kind}")
    if row.change:
        kind = f"{kind} ({ui.text(f'trust.change_{row.change}')})"
    if waits:
        kind = f"{kind} ({ui.text('mcp.waiting')})"
    said = ui.retold(row.detail) if row.kind == "problem" else row.detail
    detail = "".join(f"\n      {line}" for line in visible(said).split("\n") if line)
    return f"  {kind}: {visible_on_one_line(row.name)}  ({visible_on_one_line(row.path)}){detail}"


def _obstacles(desk: Desk, found: Trust) -> str:
    reasons = [
        f"  {desk.text('heading.fact', name=visible_on_one_line(one.path), value=desk.text(f'trust.why_{one.reason}'))}"
        for one in found.brought.obstacles
    ]
    return "\n".join((desk.text("trust.obstacles", folder=found.folder), *reasons))


def _ask(desk: Desk, found: Trust, servers: Mapping[str, str], *, no_servers: bool) -> None:
    """Raise `NotConfirmed` unless somebody says yes; where nobody can, it names the command that does."""
    if desk.as_json or not can_answer():
        words = ["yeaft", "trust", *(["--no-servers"] if no_servers else []), "-y", found.folder]
        code = "trust.servers_needed" if found.is_trusted else "trust.needed"
        names = ", ".join(servers.values())
        raise NotConfirmed(desk.text(code, folder=found.folder, servers=names, command=shlex.join(words)))
    code = "trust.servers_question" if found.is_trusted else "trust.question"
    need_consent(desk, code, yes=False, folder=found.folder, servers=", ".join(servers.values()))


FOLDER = argument("FOLDER", default=".")
ACTION = Action(run=trust, params=(FOLDER, flag("-y", "--yes"), flag("--no-servers")))
ACTIONS: Mapping[str, Action] = {"ls": Action(run=ls), "rm": Action(run=rm, params=(FOLDER,))}
