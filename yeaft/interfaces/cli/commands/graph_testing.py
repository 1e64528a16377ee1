"""`yeaft graph test`: a run of a user's graph as a test, with what models say taken from a cassette."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from yeaft.interfaces.cli.commands.graph_running import pairs
from yeaft.interfaces.cli.commands.parsing import Action, flag, option
from yeaft.interfaces.cli.commands.printing import put, put_json
from yeaft.interfaces.cli.graphs.stdout_aside import stdout_aside
from yeaft.interfaces.cli.streams import complain
from yeaft.kernel.errors import UsageError
from yeaft.kernel.outcome import EXIT_ANSWERED, EXIT_FAILED
from yeaft.kernel.text import without_surrogates
from yeaft.workflows.graphs.runs.known_runs import short

if TYPE_CHECKING:
    from yeaft.config.settings import Mode
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.flow_runs import RunResult, Where
    from yeaft.interfaces.graphing import Graphing
    from yeaft.llm.cassette import Cassette, ReplayMode
    from yeaft.workflows.graphs.executor.execution import Execution
    from yeaft.workflows.graphs.runs.session_runs import Frozen, Run

SHOWN_CHARS = 400


class Seen(Struct, frozen=True, kw_only=True):
    """One visit of a step, and what came of it."""

    step: str
    visit: int
    place: tuple[int, ...] = ()
    status: str
    value: Raw


class Golden(Struct, frozen=True, kw_only=True):
    """What a cassette keeps of the run that was recorded: what it was given, and what came of it, visit by visit."""

    graph: str
    input: str
    params: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    outcome: str
    value: Raw
    visits: tuple[Seen, ...]


class Verdict(Struct, frozen=True, kw_only=True):
    """What a test says as JSON; `changes` is empty if the run went as the one that was recorded."""

    file: str
    graph: str
    same: bool
    recorded: bool
    outcome: str
    changes: tuple[str, ...]
    run: str
    session: str


def run(
    desk: Desk,
    *,
    file: Path,
    given: str | None,
    cassette: Path,
    record: bool,
    lenient: bool,
    name: str,
    params: tuple[str, ...],
    answer: tuple[str, ...],
    mode: Mode | None,
    allow: tuple[str, ...],
    deny: tuple[str, ...],
    model: str,
    keep: bool,
) -> int:
    """Run a graph with the replies of a cassette and compare; with `record` make it. Its Session is not kept."""
    from yeaft.interfaces.flow_runs import Where
    from yeaft.interfaces.graphing import check_calls, frozen, read_file
    from yeaft.llm.cassette import Cassette, read_cassette

    how = _how(record=record, lenient=lenient)
    place = desk.folder / cassette
    tape = Cassette(how, desk.folder) if record else read_cassette(place, how, desk.folder)
    golden = None if record else _golden(tape, place)
    words, chosen = (given or "", params) if golden is None else (given or golden.input, params or golden.params)
    answers = answer if golden is None else answer or golden.answers
    made = frozen(read_file(desk.folder / file, desk.library), name or (golden.graph if golden else ""), pairs(chosen))
    check_calls(made, desk.may_run_code_in)
    where = Where(
        folder=desk.folder,
        model=model,
        mode=mode,
        allow=allow,
        deny=deny,
        answers=answers,
        lang=desk.lang,
        settings=_settings(desk, tape),
        substitute=tape,
    )
    with stdout_aside():
        result, visits = asyncio.run(_ran(where, made, words, file))
    if not keep:
        result = _forgotten(desk, result)
    now = Golden(
        graph=made.graph.name,
        input=words,
        params=chosen,
        answers=answers,
        outcome=result.outcome,
        value=Raw(msgspec.json.encode(result.value)),
        visits=visits,
    )
    if golden is None:
        place.write_bytes(tape.rows(now))
    for stray in () if desk.options.quiet else tape.strays:
        complain(desk.text("graph_test.stray", asked=stray))
    changes = () if golden is None else tuple(_changes(golden, now, tape))
    return _told(desk, file, now, changes, result, recorded=record)


def _how(*, record: bool, lenient: bool) -> ReplayMode:
    if record and lenient:
        raise UsageError("--record asks the models; --lenient is for answers that are kept.")
    return "record" if record else "lenient" if lenient else "strict"


def _golden(tape: Cassette, place: Path) -> Golden:
    if tape.expected is None:
        raise UsageError(f"{place} does not say what came of its run; record it again with --record.")
    return msgspec.json.decode(tape.expected, type=Golden)


def _settings(desk: Desk, tape: Cassette) -> tuple[str, ...]:
    """The user's settings for this run; where no model is set up, the first one of the cassette is the primary one."""
    settings = desk.options.settings
    if tape.mode == "record" or desk.config.models.primary or not tape.named:
        return settings
    return (*settings, f"models.primary={tape.named[0]}")


async def _ran(where: Where, made: Frozen, words: str, file: Path) -> tuple[RunResult, tuple[Seen, ...]]:
    from yeaft.interfaces.flow_runs import RunHandle

    async def begin(here: Opened, graphing: Graphing) -> Run:
        del here
        graphing.begin()
        return await graphing.runs.start(made, words, source=without_surrogates(str(file)))

    handle = await RunHandle.begun(where, begin)
    result = await handle.result()
    return result, _visits(handle.execution)


def _forgotten(desk: Desk, result: RunResult) -> RunResult:
    """Delete the Session of a run, and return its result without the way to it."""
    from yeaft.session.offline import delete_session

    delete_session(desk.home, result.session)
    return replace(result, run="", session="")


def _visits(execution: Execution) -> tuple[Seen, ...]:
    """All visits that have ended, in an order that does not depend on who was faster."""
    declared = {step.id: number for number, step in enumerate(execution.topology.graph.steps)}
    seen = [
        Seen(
            step=one.node,
            visit=one.visit,
            place=tuple(frame.index for frame in one.scope),
            status=done.status,
            value=done.value,
        )
        for act, done in execution.finished.items()
        if (one := execution.visited.get(act)) is not None
    ]
    return tuple(sorted(seen, key=lambda one: (one.visit, declared[one.step], one.place)))


def _changes(before: Golden, now: Golden, tape: Cassette) -> Iterator[str]:
    """Yield what went another way than in the run that was recorded."""
    known = {(one.step, one.visit, one.place): one for one in before.visits}
    found = {(one.step, one.visit, one.place): one for one in now.visits}
    for key, one in known.items():
        if key not in found:
            yield f"- {_name(one)}: was done, and is not any more"
        elif (one.status, _plain(one.value)) != (found[key].status, _plain(found[key].value)):
            yield f"- {_name(one)}: {one.status} {_shown(one.value)}"
            yield f"+ {_name(one)}: {found[key].status} {_shown(found[key].value)}"
    yield from (f"+ {_name(one)}: was not done before" for key, one in found.items() if key not in known)
    if (before.outcome, _plain(before.value)) != (now.outcome, _plain(now.value)):
        yield f"- result: {before.outcome} {_shown(before.value)}"
        yield f"+ result: {now.outcome} {_shown(now.value)}"
    if tape.unused:
        yield f"- {tape.unused} recorded replies were not asked for"


def _plain(value: Raw) -> object:
    """A value without what differs from run to run."""
    from yeaft.llm.cassette import settled

    return settled(msgspec.json.decode(value))


def _name(one: Seen) -> str:
    place = "".join(f"[{index + 1}]" for index in one.place)
    return f"{one.step}{place}" + (f" #{one.visit + 1}" if one.visit else "")


def _shown(value: Raw) -> str:
    text = bytes(value).decode()
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…"


def _told(desk: Desk, file: Path, now: Golden, changes: Sequence[str], result: RunResult, *, recorded: bool) -> int:
    is_bad = recorded and result.outcome == "needs_human"
    if desk.as_json:
        put_json(
            Verdict(
                file=str(file),
                graph=now.graph,
                same=not changes,
                recorded=recorded,
                outcome=now.outcome,
                changes=tuple(changes),
                run=result.run,
                session=result.session,
            )
        )
    elif changes:
        put("\n".join(map(desk.ui.retold, changes)))
    if result.error and (changes or recorded) and not desk.options.quiet:
        complain(desk.ui.retold(result.error))
    if not desk.as_json:
        code = "graph_test.recorded" if recorded else "graph_test.changed" if changes else "graph_test.same"
        desk.note(code, graph=now.graph, steps=len(now.visits), outcome=now.outcome)
        if result.run:
            desk.note("graph_test.kept", run=short(result.run), session=result.session)
    return EXIT_FAILED if changes or is_bad else EXIT_ANSWERED


TESTING: Mapping[str, Action] = {
    "test": Action(
        run=run,
        params=(
            click.Argument(["file"], metavar="FILE", type=click.Path(path_type=Path)),
            click.Argument(["given"], metavar="INPUT", required=False),
            option("--cassette", required=True, type=click.Path(path_type=Path)),
            flag("--record"),
            flag("--lenient"),
            option("--graph", "name", default=""),
            option("-p", "--param", "params", multiple=True),
            option("--answer", multiple=True),
            option("--mode", type=click.Choice(["ask", "edits", "plan", "auto"])),
            option("--allow", multiple=True),
            option("--deny", multiple=True),
            option("-m", "--model", default=""),
            flag("--keep"),
        ),
    ),
}
