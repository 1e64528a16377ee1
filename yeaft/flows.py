"""Patterns of working together for Python programs, with the user's own VPs, models and rules.

    from yeaft import flows

    async def main() -> None:
        handle = await flows.critic("writer", "skeptic", rounds=3)("Write the release notes.", folder="project")
        async for recorded in handle.events():
            print(recorded.type)
        result = await handle.result()
        print(result.outcome, result.text)

Each function returns a `Flow`: call it with a task to begin a run, or ask it for its graph as `yaml()`. VPs are named
as everywhere, with or without `@`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yeaft.config.settings import Mode
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.flow_runs import RunHandle
    from yeaft.interfaces.graphing import Graphing
    from yeaft.workflows.graphs.runs import Run

Text = Callable[[str], str]
"""Makes the YAML of a graph in a language."""


class Flow:
    """A graph that can be run with any task. `limits` are `cost` (US dollars), `tokens`, `minutes`, `max_parallel`."""

    def __init__(self, name: str, text: Text) -> None:
        self.name = name
        self._text = text

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
            made = frozen_flow(self.name, self._text(here.ui.lang), here.folder, here.library)
            graphing.begin()
            return await graphing.runs.start(made, task, source=f"{SOURCE}{self.name}")

        return await RunHandle.begun(where, begin)


def chain(*members: str, names: Sequence[str] = (), approve: bool = False, **limits: Any) -> Flow:
    """VPs work one after another; with `approve` each result but the last is put to a human."""
    return _flow("chain", members=_ids(members), names=tuple(names), approve=approve, limits=limits)


def route(choices: Mapping[str, str], other: str, *, by: str = "", **limits: Any) -> Flow:
    """The VP for the kind of the task does it; the VP `by` says which kind it is, else the words of the task do."""
    pairs = tuple((kind, _id(vp)) for kind, vp in choices.items())
    return _flow("route", choices=pairs, other=_id(other), by=_id(by), limits=limits)


def parallel(members: Sequence[str], *, merge: str = "", **limits: Any) -> Flow:
    """All do the same task at once; `merge` puts their answers together."""
    return _flow("parallel", members=_ids(members), merge=_id(merge), limits=limits)


def vote(*members: str, n: int = 1, **limits: Any) -> Flow:
    """All answer the same question, each `n` times; what most say counts."""
    return _flow("vote", members=_ids(members), times=n, limits=limits)


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
    """The same for each of `items`, or of the files whose names fit `over`."""
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


def critic(writer: str, critic: str, *, rounds: int = 3, **limits: Any) -> Flow:
    """`writer` improves its work until `critic` accepts it."""
    return _flow("critic", writer=_id(writer), critic=_id(critic), rounds=rounds, limits=limits)


def test_repair(
    coder: str,
    command: str,
    *,
    tries: int = 5,
    timeout_s: int = 120,
    **limits: Any,
) -> Flow:
    """`coder` works until `command` succeeds, which runs under the user's rules for Bash."""
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
    """`planner` plans, `workers` carry it out; with `approve` each plan is put to a human first."""
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
    """`lead` hands out work to `workers` until it has an answer."""
    return _flow(
        "supervise",
        lead=_id(lead),
        workers=_ids(workers),
        rounds=rounds,
        max_children=max_children,
        limits=limits,
    )


def cite(member: str, *, glob: str = "", tries: int = 2, **limits: Any) -> Flow:
    """`member` answers from the files of the project; each of its citations is checked."""
    return _flow("cite", member=_id(member), glob=glob, tries=tries, limits=limits)


def debate(pro: str = "architect", contra: str = "skeptic") -> Flow:
    """Two argue, a jury votes."""

    def text(lang: str) -> str:
        del lang
        from yeaft.interfaces.flowing import debate

        return debate(_id(pro), _id(contra))

    return Flow("debate", text)


def _flow(name: str, *, limits: Mapping[str, Any], **values: Any) -> Flow:
    """A flow of the pattern with these values. Raises `TypeError` for a limit that is none, when its text is made."""
    unknown = set(limits) - {"cost", "tokens", "minutes", "max_parallel"}
    if unknown:
        raise TypeError(f"flows.{name.replace('-', '_')}() takes no {min(unknown)!r}")

    def text(lang: str) -> str:
        from yeaft.interfaces.flowing import expansion
        from yeaft.workflows.patterns.named import PATTERNS
        from yeaft.workflows.patterns.pattern import Budget

        return expansion(PATTERNS[name].wanted(**values, budget=Budget(**limits)), lang)

    return Flow(name, text)


def _id(name: str) -> str:
    return name.strip().lstrip("@＠")


def _ids(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(_id(name) for name in names)
