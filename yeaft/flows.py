"""Patterns of working together for Python programs, with the user's own VPs, models and rules.

    from yeaft import flows

    async def main() -> None:
        handle = await flows.critic("writer", "skeptic", rounds=3)("Write the release notes.", folder="project")
        async for recorded in handle.events():
            print(recorded.type)
        result = await handle.result()
        print(result.outcome, result.text)

Each function returns a `Flow`: call it with a task to begin a run, or ask it for its graph as `yaml()`. What cannot be
meant raises `UsageError` at once. VPs are named as everywhere, with or without `@`. The limits that each takes by name
are `cost` (US dollars), `tokens`, `minutes` and `max_parallel`.

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
    from yeaft.interfaces.flow_arguments import Arguments
    from yeaft.interfaces.flow_runs import RunHandle
    from yeaft.interfaces.graphing import Graphing
    from yeaft.workflows.graphs.runs.session_runs import Run

Text = Callable[[str], str]
"""Makes the YAML of a graph in a language."""
Function = Callable[[Any], Any]
"""A function of the user's that stands at the top of a module."""


class Flow:
    """A graph that can be run with any task. `limits` are `cost` (US dollars), `tokens`, `minutes`, `max_parallel`."""

    def __init__(self, name: str, text: Text, given: Arguments, function: str = "") -> None:
        self.name = name
        self._text = text
        self._given = given
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
        asks needs `answers`. Raises `YeaftError` if it cannot be begun, such as `NotFound` for a VP that there is not.
        """
        from yeaft.interfaces.flow_runs import RunHandle, Where
        from yeaft.interfaces.flowing import SOURCE, frozen_flow
        from yeaft.interfaces.function_paths import folder_of
        from yeaft.vp.names import Names

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
            self._given.check_known(Names(here.library.all()))
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
    `gate` returns falsy for ends the run as failed, with that result as its value.
    """
    given, path = _arguments("chain"), _path_of(gate, "gate")
    vps, parts = given.all_vps("members", members), given.texts("names", names)
    for part in parts:
        given.step("names", part)
    given.check(len(parts) in (0, len(vps)), f"names must be as many as members: {len(vps)}, not {len(parts)}")
    return _flow(given, "chain", limits, path, members=vps, names=parts, approve=approve, gate=path)


def route(choices: Mapping[str, str], other: str, *, by: str = "", **limits: Any) -> Flow:
    """The VP for the kind of the task does it, and `other` does what is of no kind.

        flows.route({"bug": "debugger", "docs": "writer"}, "omni", by="omni")

    The VP `by` says which kind it is; without one it is the kind whose name stands in the task as a word.
    """
    given = _arguments("route")
    values: dict[str, Any] = {
        "choices": given.choices("choices", choices),
        "other": given.vp("other", other),
        "by": given.vp_or_none("by", by),
    }
    return _flow(given, "route", limits, **values)


def parallel(members: Sequence[str], *, merge: str = "", **limits: Any) -> Flow:
    """All do the same task at once, each on its own; every answer is kept below its name.

        flows.parallel(["architect", "guardian", "skeptic"], merge="writer")

    One that fails does not stop the others. `merge` is the VP who puts the answers together.
    """
    given = _arguments("parallel")
    vps = given.all_vps("members", members, least=2)
    return _flow(given, "parallel", limits, members=vps, merge=given.vp_or_none("merge", merge))


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
    given, path = _arguments("vote"), _path_of(key, "key")
    vps = given.all_vps("members", members)
    given.check_votes(len(vps) * given.number("n", n))
    given.check(stop in ("", "majority"), f"stop must be '' or 'majority', not {stop!r}")
    return _flow(given, "vote", limits, path, members=vps, times=n, stop=stop, key=path)


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
    given = _arguments("map")
    values: dict[str, Any] = {
        "member": given.vp("member", member),
        "items": given.texts("items", items),
        "over": over and given.text("over", over),
        "max_parallel": given.number("max_parallel", max_parallel),
        "max_items": given.number("max_items", max_items),
        "collect": given.vp_or_none("collect", collect),
    }
    given.check(
        bool(items) != bool(over), "give either items, a list that is not empty, or over, a pattern of file names"
    )
    given.check(len(items) <= max_items, f"there are {len(items)} items; max_items allows {max_items}")
    return _flow(given, "map", limits, **values)


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
    given, path = _arguments("critic"), _path_of(accept, "accept")
    values: dict[str, Any] = {
        "writer": given.vp("writer", writer),
        "critic": given.vp("critic", critic),
        "accept": path,
    }
    return _flow(given, "critic", limits, path, **values, rounds=given.number("rounds", rounds))


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
    given = _arguments("test_repair")
    values: dict[str, Any] = {
        "coder": given.vp("coder", coder),
        "command": given.text("command", command),
        "tries": given.number("tries", tries),
        "timeout_s": given.number("timeout_s", timeout_s),
    }
    return _flow(given, "test-repair", limits, **values)


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
    given = _arguments("plan")
    values: dict[str, Any] = {
        "planner": given.vp("planner", planner),
        "workers": given.all_vps("workers", workers),
        "replans": given.number("replans", replans),
        "max_steps": given.number("max_steps", max_steps),
    }
    return _flow(given, "plan", limits, **values, approve=approve)


def supervise(lead: str, workers: Sequence[str], *, rounds: int = 5, max_children: int = 8, **limits: Any) -> Flow:
    """`lead` hands out work to `workers`, looks at the results, and hands out more until it has an answer.

        flows.supervise("operator", ["builder", "tester"], rounds=5, max_children=8, cost=2.0)

    It ends at `rounds` rounds or `max_children` pieces of work, or when nothing new is handed out.
    """
    given = _arguments("supervise")
    values: dict[str, Any] = {
        "lead": given.vp("lead", lead),
        "workers": given.all_vps("workers", workers),
        "rounds": given.number("rounds", rounds),
        "max_children": given.number("max_children", max_children),
    }
    return _flow(given, "supervise", limits, **values)


def cite(member: str, *, glob: str = "", tries: int = 2, **limits: Any) -> Flow:
    """`member` answers from the files of the project that fit `glob`; each of its citations is checked.

        flows.cite("researcher", glob="docs/*.md")("What is the limit?")

    It searches once, then answers; where a quote does not stand where it says, it answers again, `tries` times at most.
    """
    given = _arguments("cite")
    values: dict[str, Any] = {"member": given.vp("member", member), "tries": given.number("tries", tries)}
    return _flow(given, "cite", limits, **values, glob=glob and given.text("glob", glob))


def debate(pro: str = "architect", contra: str = "skeptic") -> Flow:
    """`pro` and `contra` argue two rounds, then a jury of three others votes.

    flows.debate(pro="designer", contra="guardian")("We open the API to everybody.")
    """
    given = _arguments("debate")
    sides = given.vp("pro", pro), given.vp("contra", contra)

    def text(lang: str) -> str:
        del lang
        from yeaft.interfaces.flowing import debate

        return debate(*sides)

    return Flow("debate", text, given)


def _flow(given: Arguments, name: str, limits: Mapping[str, Any], function: str = "", **values: Any) -> Flow:
    """A flow of the pattern with these values; `function` is one of them, too. Raises `TypeError` for no such limit."""
    budget = given.budget(limits)

    def text(lang: str) -> str:
        from yeaft.interfaces.flowing import expansion
        from yeaft.workflows.patterns.named import PATTERNS

        return expansion(PATTERNS[name].wanted(**values, budget=budget), lang)

    return Flow(name, text, given, function)


def _arguments(function: str) -> Arguments:
    from yeaft.interfaces.flow_arguments import Arguments

    return Arguments(function)


def _path_of(function: Function | None, what: str) -> str:
    """The import path of a function; empty for none. Raises `UsageError` for one that could not be found again."""
    if function is None:
        return ""
    from yeaft.interfaces.function_paths import path_of

    return path_of(function, what)
