"""`yeaft graph run|resume|retry|fork`: what drives a run of a graph in this process."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from yeaft.interfaces.cli.commands.parsing import Action, argument, flag, option, values_of
from yeaft.interfaces.cli.graphs.found_runs import find_run
from yeaft.interfaces.cli.options import Amount, Count, Seconds
from yeaft.interfaces.cli.spoken import complain_of
from yeaft.interfaces.cli.standard_input import WAITING, read_piped
from yeaft.interfaces.cli.streams import complain
from yeaft.interfaces.cli.wishes import wish_of
from yeaft.kernel.errors import UsageError
from yeaft.kernel.text import without_surrogates
from yeaft.prompts.reference import attached_block
from yeaft.workflows.graphs.runs.known_runs import short

if TYPE_CHECKING:
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.graphs.changing import Changes
    from yeaft.interfaces.cli.json_screen import JsonScreen
    from yeaft.interfaces.cli.options import Options
    from yeaft.interfaces.graphing import Graphing
    from yeaft.store.lock import Owner
    from yeaft.workflows.graphs.executor.execution import Execution
    from yeaft.workflows.graphs.graph import Graph
    from yeaft.workflows.graphs.runs.forking import Anew
    from yeaft.workflows.graphs.runs.session_runs import Frozen, Run

MINUTE_S = 60.0


def run(
    desk: Desk,
    *,
    file: Path,
    given: str | None,
    name: str,
    params: tuple[str, ...],
    max_cost: float | None,
    max_steps: int | None,
    max_tokens: int | None,
    timeout_s: float | None,
    max_parallel: int | None,
    answer: tuple[str, ...],
    follow: bool,
    yes: bool,
    **wished: object,
) -> int:
    """Run a graph of a file; nothing is begun if anything is wrong in it."""
    from yeaft.interfaces.cli.commands.graph_reading import read_with_warnings
    from yeaft.interfaces.cli.graphs.estimate import check_affordable
    from yeaft.interfaces.graphing import frozen
    from yeaft.workflows.graphs.given_values import given_value

    options = options_of(desk, wished)
    read = read_with_warnings(desk, file)
    made = frozen(read, name, pairs(params))
    limits = limits_of(max_cost, max_steps, max_tokens, timeout_s, max_parallel)
    made = replace(made, graph=limited(made.graph, limits))
    text = input_of(given, options)
    made_input = given_value(made.graph, text)
    if not options.quiet:
        for warning in read.warnings:
            complain(desk.ui.retold(warning))
    check_affordable(desk, options, made, made_input, yes=yes)

    async def begin(here: Opened, graphing: Graphing) -> Run:
        del here
        graphing.begin()
        return await graphing.runs.start(made, made_input, source=without_surrogates(str(read.path)))

    return driven(called(options, made.graph.name, text), begin, answers=answer, follow=follow)


def called(options: Options, graph: str, given: str) -> Options:
    """Let a new Session be called after what runs in it, unless the user says what it is called."""
    from yeaft.store.meta import title_of

    if options.name or options.resume or options.continue_:
        return options
    return replace(options, name=title_of(f"{graph}: {given}" if given.strip() else graph))


def resume(desk: Desk, *, run_id: str, answer: tuple[str, ...], follow: bool, **wished: object) -> int:
    """Go on with a run that was interrupted or waits for a human."""
    from yeaft.interfaces.cli.graphs.taking_up import take_up

    paths, found = find_run(desk, run_id)
    if answer and found.state != "open":
        run = short(found.run_id)
        raise UsageError(
            f"Run {run} has ended ({found.state}), so there is nothing to answer. To do a part of it again with other "
            f"answers: yeaft graph fork {run} --at STEP --answer TEXT"
        )
    options = replace(options_of(desk, wished), resume=paths.session_id)

    async def begin(here: Opened, graphing: Graphing) -> Run:
        if found.state == "open":
            graphing.begin()
            await here.means.parent.flushed()  # from here on nobody who had the run before can write in it
        return graphing.runs.resume(found.run_id)

    def drive(expired: Owner | None, lines: JsonScreen | None, gives_way: bool) -> int | None:
        return attempted(
            options, begin, answers=answer, follow=follow, expired=expired, lines=lines, gives_way=gives_way
        )

    return take_up(desk, options, paths, found, drive)


def retry(
    desk: Desk,
    *,
    run_id: str,
    step: str,
    params: tuple[str, ...],
    max_cost: float | None,
    max_steps: int | None,
    max_tokens: int | None,
    timeout_s: float | None,
    max_parallel: int | None,
    answer: tuple[str, ...],
    follow: bool,
    **wished: object,
) -> int:
    """Do what failed at a step anew, or was kept back by a limit at all, in a run that takes over all else."""
    from yeaft.interfaces.cli.graphs.changing import Changes
    from yeaft.workflows.graphs.runs.forking import failed_at

    limits = limits_of(max_cost, max_steps, max_tokens, timeout_s, max_parallel)
    changes = Changes(params=pairs(params), limits=limits)
    anew = partial(failed_at, step)
    return _forked(desk, run_id, step, anew, wished, changes=changes, answers=answer, follow=follow)


def fork(
    desk: Desk,
    *,
    run_id: str,
    at: str,
    model: str,
    params: tuple[str, ...],
    max_cost: float | None,
    max_steps: int | None,
    max_tokens: int | None,
    timeout_s: float | None,
    max_parallel: int | None,
    answer: tuple[str, ...],
    follow: bool,
    **wished: object,
) -> int:
    """Do a step and all that depends on it anew, in a run that takes over all else."""
    from yeaft.interfaces.cli.graphs.changing import Changes
    from yeaft.workflows.graphs.runs.forking import at_step

    limits = limits_of(max_cost, max_steps, max_tokens, timeout_s, max_parallel)
    changes = Changes(model=model, params=pairs(params), limits=limits)
    return _forked(desk, run_id, at, lambda _: at_step(at), wished, changes=changes, answers=answer, follow=follow)


def _forked(
    desk: Desk,
    run_id: str,
    step: str,
    anew: Callable[[Execution], Anew],
    wished: Mapping[str, object],
    *,
    changes: Changes,
    answers: tuple[str, ...],
    follow: bool,
) -> int:
    from yeaft.interfaces.cli.graphs.changing import frozen_with_step
    from yeaft.interfaces.cli.graphs.estimate import estimated
    from yeaft.interfaces.cli.streams import remark

    paths, found = find_run(desk, run_id)
    old = frozen_with_step(paths, found.run_id, step)
    options = replace(options_of(desk, wished), resume=paths.session_id)
    made = replace(old, graph=changes.made(old.graph))
    if "cost_usd" in changes.limits:
        estimated(desk, options, made, None)  # refuses a limit that no known price could ever reach

    def change(frozen: Frozen) -> Frozen:
        return replace(frozen, graph=changes.made(frozen.graph))

    async def begin(here: Opened, graphing: Graphing) -> Run:
        graphing.begin()
        run, taken = await graphing.runs.fork(found.run_id, anew, change)
        if not options.quiet:
            remark(here.ui.text("graph_run.took_over", run=found.run_id, count=taken))
        return run

    return driven(options, begin, answers=answers, follow=follow)


def driven(
    options: Options,
    begin: Callable[[Opened, Graphing], Awaitable[Run]],
    *,
    answers: tuple[str, ...] = (),
    follow: bool,
) -> int:
    """Drive what `begin` gives in this process, as the options say, and return the exit code."""
    code = attempted(options, begin, answers=answers, follow=follow)
    assert code is not None
    return code


def attempted(
    options: Options,
    begin: Callable[[Opened, Graphing], Awaitable[Run]],
    *,
    answers: tuple[str, ...] = (),
    follow: bool,
    expired: Owner | None = None,
    lines: JsonScreen | None = None,
    gives_way: bool = False,
) -> int | None:
    """As `driven`; puts out an owner that has `expired`, and with `gives_way` returns None if there is another one."""
    from yeaft.interfaces.cli.graphs.graph_run import GraphRun
    from yeaft.interfaces.cli.signals import EarlySignals

    signals = EarlySignals()
    signals.install()
    try:
        driving = GraphRun(options, begin, answers=answers, follow=follow, lines=lines, gives_way=gives_way)
        wish = wish_of(options, os.environ)
        return asyncio.run(driving.run(replace(wish, wanted=replace(wish.wanted, expired=expired))))
    except KeyboardInterrupt:
        return signals.exit_code


def options_of(desk: Desk, wished: Mapping[str, object]) -> Options:
    """The options of the main command, with those that were given behind this one."""
    given = {key: value for key, value in wished.items() if value not in (None, "", (), False)}
    given.pop("json_lines", None)
    options = replace(desk.options, **given)
    if options.output_format == "text" and desk.as_json:
        return replace(options, output_format="json")
    return options


def limits_of(
    max_cost: float | None,
    max_steps: int | None,
    max_tokens: int | None,
    timeout_s: float | None,
    max_parallel: int | None,
) -> dict[str, float]:
    """The limits that were given on the command line, by their names in `GraphLimits`."""
    given = {
        "cost_usd": max_cost,
        "max_steps": max_steps,
        "tokens": max_tokens,
        "minutes": None if timeout_s is None else timeout_s / MINUTE_S,
        "max_parallel": max_parallel,
    }
    return {name: value for name, value in given.items() if value is not None}


def limits_in(words: Sequence[str]) -> dict[str, float]:
    """The limits that words such as `--max-cost 1` set where a run goes on in an open Session. Raises `UsageError`."""
    values = values_of("graph retry", Action(run=retry, params=LIMITS), words)
    return limits_of(**{name: values[name] for name in LIMIT_NAMES})


def limited(graph: Graph, given: Mapping[str, float]) -> Graph:
    """The graph with limits from the command line in place of its own; of two times the shorter one holds."""
    changed = replace(graph.limits, **given)
    own = graph.limits.minutes
    if changed.minutes is not None and own is not None:
        changed = replace(changed, minutes=min(changed.minutes, own))
    return replace(graph, limits=changed)


def input_of(given: str | None, options: Options) -> str:
    """What the run is given: the words of the command line, what is piped in, or both; answers are no input."""

    def hint() -> None:
        if not options.quiet:
            complain_of(WAITING, options, os.environ)

    if options.input_format == "stream-json":
        return given or ""
    words = "" if given in (None, "-") else given or ""
    piped = read_piped(wait=given == "-", has_prompt=True, on_waiting=hint)
    if piped.content:
        raise UsageError("A graph takes text; name a picture or document in it by its path.")
    if not words:
        return piped.text
    return f"{words}\n\n{attached_block(piped.text, {'from': 'standard input'})}" if piped.text else words


def pairs(params: tuple[str, ...]) -> dict[str, str]:
    """Return parameters given as `KEY=VALUE`. Raises `UsageError`."""
    found: dict[str, str] = {}
    for one in params:
        key, sign, value = one.partition("=")
        if not sign or not key.strip():
            raise UsageError(f"-p takes KEY=VALUE, not {one!r}.")
        found[key.strip()] = value
    return found


RUN_ID = argument("RUN_ID")
FOLLOW = flag("-f", "--follow")
ANSWER = option("--answer", multiple=True)
LIMIT_NAMES = ("max_cost", "max_steps", "max_tokens", "timeout_s", "max_parallel")
LIMITS = (
    option("--max-cost", type=Amount(min=0)),
    option("--max-steps", type=Count(min=1)),
    option("--max-tokens", type=Count(min=1)),
    option("--timeout", "timeout_s", type=Seconds()),
    option("--max-parallel", type=Count(min=1)),
)
CHANGES = (option("-p", "--param", "params", multiple=True), *LIMITS, ANSWER)
WISHED = (
    option("--mode", type=click.Choice(["ask", "edits", "plan", "auto"])),
    option("--allow", multiple=True),
    option("--deny", multiple=True),
    option("--input-format", type=click.Choice(["text", "stream-json"])),
    option("--output-format", type=click.Choice(["text", "json", "stream-json"])),
    flag("-q", "--quiet"),
)
RUNNING: Mapping[str, Action] = {
    "run": Action(
        run=run,
        params=(
            click.Argument(["file"], metavar="FILE", type=click.Path(path_type=Path)),
            click.Argument(["given"], metavar="INPUT", required=False),
            option("--graph", "name", default=""),
            option("-p", "--param", "params", multiple=True),
            option("-r", "--resume", "-s", "--session", "resume", default=""),
            option("-m", "--model", default=""),
            option("--effort", default=""),
            *LIMITS,
            ANSWER,
            flag("-y", "--yes"),
            FOLLOW,
            *WISHED,
        ),
    ),
    "resume": Action(run=resume, params=(RUN_ID, ANSWER, FOLLOW, *WISHED)),
    "retry": Action(run=retry, params=(RUN_ID, argument("STEP"), *CHANGES, FOLLOW, *WISHED)),
    "fork": Action(
        run=fork,
        params=(RUN_ID, option("--at", required=True), option("-m", "--model", default=""), *CHANGES, FOLLOW, *WISHED),
    ),
}
