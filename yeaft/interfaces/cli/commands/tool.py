"""`yeaft tool`: which tools VPs have here, and which are kept back and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Raw, Struct, json

from yeaft.interfaces.cli.commands.parsing import Action, argument, option, run_group
from yeaft.interfaces.cli.commands.printing import put, put_json, put_table
from yeaft.interfaces.cli.wishes import vp_ids
from yeaft.kernel.errors import NotFound, YeaftError
from yeaft.kernel.outcome import EXIT_ANSWERED, Guard
from yeaft.session.catalogue import CATALOGUE, RUN_FLOW
from yeaft.session.offers import hidden, missing
from yeaft.tools.tool import spec_of

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options
    from yeaft.llm.model import ModelEntry


class ToolRow(Struct, frozen=True, kw_only=True):
    """A tool: what it may do at most, what a model is told of it, whether it is offered, and else why not."""

    name: str
    guard: Guard
    description: str
    offered: bool
    reason: str


class ToolShown(ToolRow, frozen=True, kw_only=True):
    """A tool with the JSON Schema of its arguments."""

    schema: Raw


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft tool ...` and return the exit code."""
    return run_group("tool", ACTIONS, options, words)


def ls(desk: Desk, *, vps: tuple[str, ...]) -> int:
    """List the built-in tools."""
    rows = [
        ToolRow(name=one.name, guard=one.guard, description=one.description, offered=one.offered, reason=one.reason)
        for one in _tools(desk, vps)
    ]
    if desk.as_json:
        put_json(rows)
        return EXIT_ANSWERED
    headings = [desk.text(f"heading.{key}") for key in ("tool", "guard", "offered", "about")]
    put_table(
        headings,
        [
            (
                row.name,
                desk.text(f"guard.{row.guard}"),
                desk.text("tool.yes" if row.offered else "tool.no"),
                _about(row),
            )
            for row in rows
        ],
    )
    return EXIT_ANSWERED


def show(desk: Desk, *, name: str, vps: tuple[str, ...]) -> int:
    """Show what a model is told of one tool."""
    tools = _tools(desk, vps)
    tool = next((one for one in tools if one.name.casefold() == name.casefold()), None)
    if tool is None:
        raise NotFound(_unknown(name))
    if desk.as_json:
        put_json(tool)
        return EXIT_ANSWERED
    put(f"{tool.name} ({desk.text(f'guard.{tool.guard}')})")
    put(tool.description)
    put(json.format(tool.schema, indent=2).decode())
    if tool.reason:
        put(tool.reason)
    return EXIT_ANSWERED


def _tools(desk: Desk, vps: tuple[str, ...]) -> tuple[ToolShown, ...]:
    """The built-in tools as the first of `vps` would have them, or the default VP on its own."""
    from yeaft.tools.js.node import node_path

    roster = vp_ids((*desk.options.vps, *vps), desk.library) or (desk.config.default_vp,)
    vp, entry, has_node = desk.library.get(roster[0]), _entry(desk, roster[0]), node_path() is not None
    if vp is None:
        raise NotFound(f"No VP named {roster[0]!r}. See `yeaft vp ls`.")
    rows: list[ToolShown] = []
    for built_in in (*CATALOGUE, *((RUN_FLOW,) if desk.config.graphs.vps_may_start else ())):
        spec = spec_of(built_in.name, built_in.args)
        why = missing(spec.name, desk.config, has_node=has_node)
        why = why or hidden(spec.name, vp, has_peers=len(roster) > 1, entry=entry)
        rows.append(
            ToolShown(
                name=spec.name,
                guard=built_in.guard,
                description=spec.description,
                schema=spec.schema,
                offered=not why,
                reason=desk.text(f"tool.{why}", vp=roster[0]) if why else "",
            )
        )
    return tuple(rows)


def _entry(desk: Desk, vp_id: str) -> ModelEntry | None:
    """The model that the VP would use; None as long as there is none."""
    from yeaft.interfaces.cli.commands.model import Shelf
    from yeaft.llm.router import resolve

    shelf = Shelf(desk)
    try:
        chosen = shelf.chosen(desk.options.model, vp_id)
        return resolve(desk.config, desk.environ, shelf.catalogue, chosen.ref, named_by=chosen.named_by).entry
    except YeaftError:
        return None


def _about(row: ToolRow) -> str:
    return row.reason or row.description.partition(". ")[0].removesuffix(".")


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, [one.name for one in CATALOGUE], n=1)
    return f"No tool named {name!r}." + (f" Did you mean {near[0]}?" if near else " See `yeaft tool ls`.")


VP = option("--vp", "--agent", "vps", multiple=True)
ACTIONS: Mapping[str, Action] = {
    "ls": Action(run=ls, params=(VP,)),
    "show": Action(run=show, params=(argument("NAME"), VP)),
}
