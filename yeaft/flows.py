"""Patterns of working together for Python programs, with the user's own VPs, models and rules.

    from yeaft import flows

    async def main() -> None:
        handle = await flows.critic("writer", "skeptic", rounds=3)("Write the release notes.", folder="project")
        async for recorded in handle.events():
            print(recorded.type)
        result = await handle.result()
        print(result.outcome, result.text)

Each function returns a `Flow`: call it with a task to begin a run, or ask it for its graph as `yaml()`. VPs are named
as everywhere, with or without `@`. The limits that each takes by name are `cost` (US dollars), `tokens`, `minutes` and
`max_parallel`.

Functions of yours (`gate`, `key`, `accept`) stand in the graph by their import path, and what they returned is
recorded: so a run can be gone on with tomorrow, by another process. They must stand under their own name at the top of
a module; a lambda has no name to be found by. They get one argument and must return what JSON can hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from yeaft.config.settings import Mode
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.flow_runs import RunHandle
    from yeaft.interfaces.graphing import Graphing
    from yeaft.workflows.graphs.runs.session_runs import Run

Text = Callable[[str], str]
"""Makes the YAML of a graph in a language."""
Function = Callable[[Any], Any]
"""A function of the user's that stands at the top of a module."""


class Flow:
    """A graph that can be run with any task. `limits` are `cost` (US dollars), `tokens`, `minutes`, `max_parallel`."""

    def __init__(self, name: str, text: Text, function: str = "") -> None:
        self.name = name
        self._text = text
        self._function = function

    def yaml(self, lang: str = "en") -> str:
        """Return the graph as YAML, to be changed and run with `yeaft graph run`."""
        return self._text(lang)

    async def __call__(
        self,
        task: str,
        *,
        folder: str | Path = "",
        session: str = "",
        model: str = "",
        effort: str = "",
        mode: Mode | None = None,
        allow: Sequence[str] = (),
        deny: Sequence[str] = (),
        answers: Sequence[str] = (),
        lang: str = "",
    ) -> RunHandle:
        """Begin a run in `folder` (by default the current one), in a new Session unless one is named.

        Nobody is asked anything while it runs: what the rules do not allow needs `allow` or `mode`, and what the graph
        asks needs `answers`. Raises `YeaftError` if it cannot be begun.
        """
        from yeaft.interfaces.flow_runs import RunHandle, Where
        from yeaft.interfaces.flowing import SOURCE, frozen_flow
        from yeaft.interfaces.function_paths import folder_of

        where = Where(
            folder=folder,
            session=session,
            model=model,
            effort=effort,
            mode=mode,
            allow=tuple(allow),
            deny=tuple(deny),
            answers=tuple(answers),
            lang=lang,
        )

        async def begin(here: Opened, graphing: Graphing) -> Run:
            found = folder_of(self._function) if self._function else None
            made = frozen_flow(self.name, self._text(here.ui.lang), found or here.folder, here.library)
            graphing.begin()
            return await graphing.runs.start(made, task, source=f"{SOURCE}{self.name}")

        return await RunHandle.begun(where, begin)


def chain(
    *members: str,
    names: Sequence[str] = (),
    approve: bool = False,
    gate: Function | None = None,
    **limits: Any,
) -> Flow:
    """VPs work one after another, each with the task and what the one before it gave; the last answer is the result.

        flows.chain("architect", "builder", "reviewer", names=["plan", "build", "review"], gate=is_complete)

    `names` say what each one's part is. With `approve` each result but the last is put to a human (`answers`); what
    `gate` returns falsy for ends the run as failed, with that result as the best there was.
    """
    path = _path_of(gate, "gate")
    return _flow(
        "chain", members=_ids(members), names=tuple(names), approve=approve, gate=path, limits=limits, function=path
    )


def route(choices: Mapping[str, str], other: str, *, by: str = "", **limits: Any) -> Flow:
    """The VP for the kind of the task does it, and `other` does what is of no kind.

        flows.route({"bug": "debugger", "docs": "writer"}, "omni", by="omni")

    The VP `by` says which kind it is; without one it is the kind whose name stands in the task as a word.
    """
    pairs = tuple((kind, _id(vp)) for kind, vp in choices.items())
    return _flow("route", choices=pairs, other=_id(other), by=_id(by), limits=limits)


def parallel(members: Sequence[str], *, merge: str = "", **limits: Any) -> Flow:
    """All do the same task at once, each on its own; every answer is kept below its name.

        flows.parallel(["architect", "guardian", "skeptic"], merge="writer")

    One that fails does not stop the others. `merge` is the VP who puts the answers together.
    """
    return _flow("parallel", members=_ids(members), merge=_id(merge), limits=limits)


def vote(
    *members: str,
    n: int = 1,
    stop: Literal["", "majority"] = "",
    key: Function | None = None,
    **limits: Any,
) -> Flow:
    """All answer the same question, each `n` times; what most say counts, and how many agree is told.

        flows.vote("researcher", n=5, stop="majority", key=without_units)

    With `stop="majority"` the rest is stopped, and not paid, once more than half say the same. `key` makes of an
    answer (a text) what is compared; without it answers are the same that differ in case and blanks around them.
    """
    path = _path_of(key, "key")
    return _flow("vote", members=_ids(members), times=n, stop=stop, key=path, limits=limits, function=path)


def map(
    member: str,
    items: Sequence[str] = (),
    *,
    over: str = "",
    max_parallel: int = 4,
    max_items: int = 100,
    collect: str = "",
    **limits: Any,
) -> Flow:
    """The same for each of `items`, or of the files whose names fit `over`, `max_parallel` at a time.

        flows.map("reviewer", over="src/**/*.py", max_items=40, collect="writer")

    Results come in the order of the list, each below its item; what fails is told and stops nothing. `collect` is the
    VP who puts them together. A list of more than `max_items` is refused.
    """
    return _flow(
        "map",
        member=_id(member),
        items=tuple(items),
        over=over,
        max_parallel=max_parallel,
        max_items=max_items,
        collect=_id(collect),
        limits=limits,
    )


def critic(
    writer: str,
    critic: str,
    *,
    rounds: int = 3,
    accept: Function | None = None,
    **limits: Any,
) -> Flow:
    """`writer` improves its work until `critic` accepts it, `rounds` times at most.

        flows.critic("writer", "skeptic", rounds=3, accept=has_few_issues)

    `accept` has the last word in place of the critic's verdict: it is given the review, a mapping with `verdict`
    (accept or revise) and `issues` (texts). Rounds that are used up end the run with the outcome `limit`, no progress
    ends it as `failed`; the version with the fewest issues is the result in any case.
    """
    path = _path_of(accept, "accept")
    values = {"writer": _id(writer), "critic": _id(critic), "rounds": rounds, "accept": path}
    return _flow("critic", **values, limits=limits, function=path)


def test_repair(
    coder: str,
    command: str,
    *,
    tries: int = 5,
    timeout_s: int = 120,
    **limits: Any,
) -> Flow:
    """`coder` works until `command` succeeds, `tries` times at most of `timeout_s` seconds each.

        flows.test_repair("builder", "pytest -q")("Add --json.", allow=["Bash(pytest:*)"], mode="edits")

    The command runs under the user's rules for Bash. It ends early when a try leaves the same failure as before.
    """
    return _flow("test-repair", coder=_id(coder), command=command, tries=tries, timeout_s=timeout_s, limits=limits)


def plan(
    planner: str,
    workers: Sequence[str],
    *,
    approve: bool = False,
    replans: int = 2,
    max_steps: int = 12,
    **limits: Any,
) -> Flow:
    """`planner` makes a plan, `workers` carry it out; steps that need nothing from one another are done at once.

        flows.plan("architect", ["builder", "tester"], approve=True)("Rename it.", answers=["yes"])

    With `approve` each plan is put to a human first. After a failure there is a new plan for what is left, `replans`
    times at most; a plan has `max_steps` steps at most.
    """
    return _flow(
        "plan",
        planner=_id(planner),
        workers=_ids(workers),
        approve=approve,
        replans=replans,
        max_steps=max_steps,
        limits=limits,
    )


def supervise(lead: str, workers: Sequence[str], *, rounds: int = 5, max_children: int = 8, **limits: Any) -> Flow:
    """`lead` hands out work to `workers`, looks at the results, and hands out more until it has an answer.

        flows.supervise("operator", ["builder", "tester"], rounds=5, max_children=8, cost=2.0)

    It ends at `rounds` rounds or `max_children` pieces of work, or when nothing new is handed out.
    """
    return _flow(
        "supervise",
        lead=_id(lead),
        workers=_ids(workers),
        rounds=rounds,
        max_children=max_children,
        limits=limits,
    )


def cite(member: str, *, glob: str = "", tries: int = 2, **limits: Any) -> Flow:
    """`member` answers from the files of the project that fit `glob`; each of its citations is checked.

        flows.cite("researcher", glob="docs/*.md")("What is the limit?")

    It searches once, then answers; where a quote does not stand where it says, it answers again, `tries` times at most.
    """
    return _flow("cite", member=_id(member), glob=glob, tries=tries, limits=limits)


def debate(pro: str = "architect", contra: str = "skeptic") -> Flow:
    """`pro` and `contra` argue two rounds, then a jury of three others votes.

    flows.debate(pro="designer", contra="guardian")("We open the API to everybody.")
    """

    def text(lang: str) -> str:
        del lang
        from yeaft.interfaces.flowing import debate

        return debate(_id(pro), _id(contra))

    return Flow("debate", text)


def _flow(name: str, *, limits: Mapping[str, Any], function: str = "", **values: Any) -> Flow:
    """A flow of the pattern with these values; `function` is one of them, too. Raises `TypeError` for no such limit."""
    unknown = set(limits) - {"cost", "tokens", "minutes", "max_parallel"}
    if unknown:
        raise TypeError(f"flows.{name.replace('-', '_')}() takes no {min(unknown)!r}")

    def text(lang: str) -> str:
        from yeaft.interfaces.flowing import expansion
        from yeaft.workflows.patterns.named import PATTERNS
        from yeaft.workflows.patterns.pattern import Budget

        return expansion(PATTERNS[name].wanted(**values, budget=Budget(**limits)), lang)

    return Flow(name, text, function)


def _path_of(function: Function | None, what: str) -> str:
    """The import path of a function; empty for none. Raises `UsageError` for one that could not be found again."""
    if function is None:
        return ""
    from yeaft.interfaces.function_paths import path_of

    return path_of(function, what)


def _id(name: str) -> str:
    return name.strip().lstrip("@＠")


def _ids(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(_id(name) for name in names)
