"""`yeaft flow`: ways of working together that have a name, shown as graphs and run as such."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from yeaft.interfaces.cli.commands.flow_patterns import FORMS, Asked
from yeaft.interfaces.cli.commands.flow_words import Roles, members_in
from yeaft.interfaces.cli.commands.graph_running import FOLLOW, WISHED, called, driven, input_of, options_of
from yeaft.interfaces.cli.commands.parsing import Action, flag, option, run_group, show_help, values_of, with_text
from yeaft.interfaces.cli.commands.printing import put, put_json, put_table
from yeaft.interfaces.cli.options import Amount, Count, Seconds
from yeaft.kernel.errors import UsageError
from yeaft.kernel.nearness import nearest
from yeaft.kernel.outcome import EXIT_ANSWERED

if TYPE_CHECKING:
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options
    from yeaft.interfaces.graphing import Graphing
    from yeaft.vp.library import Library
    from yeaft.workflows.graphs.runs.session_runs import Run

DEBATE, SHOW = "debate", "show"
MINUTE_S = 60.0


class PatternRow(Struct, frozen=True, kw_only=True):
    """What the list says of a pattern."""

    name: str
    about: str


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft flow ...` and return the exit code."""
    if words[:1] == [SHOW]:
        return run_group("flow", _actions(is_shown=True), options, words[1:])
    return run_group("flow", ACTIONS, options, words)


def ls(desk: Desk) -> int:
    """List the patterns."""
    from yeaft.workflows.patterns.named import NAMES

    rows = [PatternRow(name=name, about=desk.text(f"flow.{name.replace('-', '_')}")) for name in NAMES]
    if desk.as_json:
        put_json(rows)
    else:
        put_table([desk.text("flow.name"), desk.text("flow.about")], [(row.name, row.about) for row in rows])
    return EXIT_ANSWERED


def _needs_pattern(desk: Desk, *, words: tuple[str, ...]) -> int:
    del words
    return show_help(desk, f"flow {SHOW}")


class Made(Struct, frozen=True, kw_only=True):
    """What the words behind `yeaft flow` come to: a pattern, its graph as YAML, and the task, which may be empty."""

    pattern: str
    text: str
    task: str


def flow_in(words: Sequence[str], library: Library, lang: str, default_vp: str) -> Made:
    """Return what words that begin with a pattern come to where only a graph can be run, such as in a Session.

    Raises `UsageError` or `NotFound`.
    """
    pattern = words[0]
    if pattern not in PATTERN_ACTIONS:
        near = nearest(pattern, PATTERN_ACTIONS)
        raise UsageError(f"There is no pattern {pattern!r}." + (f" Did you mean {near!r}?" if near else " See /flow."))
    values = values_of(f"flow {pattern}", PATTERN_ACTIONS[pattern], words[1:])
    made = _made(pattern, values, library, lang, default_vp)
    left = next((key for key, value in values.items() if value not in (None, "", (), False)), "")
    if left:
        raise UsageError(f"{left!r} holds for the whole Session and cannot be set for one pattern here.")
    if not made.task.strip():
        raise UsageError(_needs_task(pattern))
    return made


def _flow(desk: Desk, *, pattern: str, is_shown: bool, follow: bool, yes: bool, **values: Any) -> int:
    """Show the graph of a pattern, or run it."""
    made = _made(pattern, values, desk.library, desk.lang, desk.config.default_vp)
    if is_shown:
        return _show(desk, made)
    return _run(desk, made, values, follow=follow, yes=yes)


def _show(desk: Desk, made: Made) -> int:
    """Put the graph of a pattern as YAML that explains itself, or in the JSON form of `yeaft graph show`."""
    if not desk.as_json:
        put(made.text)
        return EXIT_ANSWERED
    from yeaft.interfaces.flowing import frozen_flow
    from yeaft.workflows.graphs.files.writing import written_graph

    put_json([written_graph(frozen_flow(made.pattern, made.text, desk.folder, desk.library).graph)])
    return EXIT_ANSWERED


def _made(pattern: str, values: dict[str, Any], library: Library, lang: str, default_vp: str) -> Made:
    """Take from `values` what the graph is made of, and make it."""
    from yeaft.interfaces.flowing import expansion
    from yeaft.vp.names import Names
    from yeaft.workflows.patterns.pattern import Budget

    names = Names(library.all())
    members = members_in(values.pop("words"), values.pop("vp"), names)
    timeout_s = values.pop("timeout_s")
    budget = Budget(
        cost=values.pop("max_cost"),
        tokens=values.pop("max_tokens"),
        minutes=None if timeout_s is None else timeout_s / MINUTE_S,
        max_parallel=values.pop("max_parallel"),
    )
    own = {param.name: values.pop(param.name) for param in _own(pattern) if param.name}
    roles = Roles(pattern, members, names)
    asked = Asked(roles=roles, values=own, budget=budget, names=names, default_vp=default_vp)
    text = _debate(asked) if pattern == DEBATE else expansion(FORMS[pattern].wanted(asked), lang)
    roles.check_empty()
    return Made(pattern=pattern, text=text, task=members.task)


def _run(desk: Desk, made: Made, wished: Mapping[str, object], *, follow: bool, yes: bool) -> int:
    """Run the graph of a pattern. Raises `UsageError` without a task."""
    from yeaft.interfaces.cli.graphs.estimate import check_affordable
    from yeaft.interfaces.flowing import SOURCE, frozen_flow

    frozen = frozen_flow(made.pattern, made.text, desk.folder, desk.library)
    options = options_of(desk, wished)
    given = input_of(made.task or None, options)
    if not given.strip():
        raise UsageError(_needs_task(made.pattern))
    check_affordable(desk, options, frozen, given, yes=yes)

    async def begin(here: Opened, graphing: Graphing) -> Run:
        del here
        graphing.begin()
        return await graphing.runs.start(frozen, given, source=f"{SOURCE}{made.pattern}")

    return driven(called(options, frozen.graph.name, given), begin, follow=follow)


def _needs_task(pattern: str) -> str:
    return f'yeaft flow {pattern} needs a task: yeaft flow {pattern} … "what is to be done".'


def _debate(asked: Asked) -> str:
    """The graph of a debate with other VPs than those of the template, where any are named."""
    from yeaft.interfaces.flowing import debate

    pro = asked.roles.one("for", asked.values["pro"], default="architect")
    contra = asked.roles.one("against", asked.values["contra"], default="skeptic")
    return debate(pro, contra)


def _own(pattern: str) -> tuple[click.Parameter, ...]:
    if pattern == DEBATE:
        return (option("--for", "pro", default=""), option("--against", "contra", default=""))
    return FORMS[pattern].params


def _actions(*, is_shown: bool) -> Mapping[str, Action]:
    common = (
        click.Argument(["words"], nargs=-1, metavar="[@VP ...] TASK"),
        option("--vp", multiple=True),
        option("--max-cost", type=Amount(min=0, min_open=True)),
        option("--max-tokens", type=Count(min=1)),
        option("--max-parallel", type=Count(min=1)),
        option("--timeout", "timeout_s", type=Seconds()),
        option("-r", "--resume", "-s", "--session", "resume", default=""),
        option("-m", "--model", default=""),
        option("--effort", default=""),
        flag("-y", "--yes"),
        FOLLOW,
        *WISHED,
    )
    made = {
        name: Action(run=partial(_flow, pattern=name, is_shown=is_shown), params=(*_own(name), *common))
        for name in (*FORMS, DEBATE)
    }
    return with_text(made)


PATTERN_ACTIONS: Mapping[str, Action] = _actions(is_shown=False)
ACTIONS: Mapping[str, Action] = {
    **PATTERN_ACTIONS,
    SHOW: Action(
        run=_needs_pattern,
        params=(click.Argument(["words"], nargs=-1, metavar="PATTERN ..."),),
    ),
    "ls": Action(run=ls),
}
