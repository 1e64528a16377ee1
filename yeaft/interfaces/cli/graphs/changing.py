"""What can be changed about a graph whose run is to be gone on with in another one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from yeaft.interfaces.cli.graphs.found_runs import journal_of
from yeaft.interfaces.graphing import with_params
from yeaft.kernel.errors import NotFound
from yeaft.kernel.nearness import nearest
from yeaft.store.blobs import FileBlobs
from yeaft.workflows.graphs.graph import HIDDEN, Graph, Step, VpTask
from yeaft.workflows.graphs.runs.session_runs import Frozen, frozen_of, started_in

if TYPE_CHECKING:
    from yeaft.store.directory import SessionPaths


class Changes(Struct, frozen=True, kw_only=True):
    """What is different about a run that goes on from another: its model, its parameters, and its limits by name."""

    model: str = ""
    params: Mapping[str, str] = {}
    limits: Mapping[str, float] = {}

    def made(self, graph: Graph) -> Graph:
        """Return the graph with these changes. Raises `BadData` for a parameter that it has not."""
        changed = with_params(graph, self.params)
        changed = replace(changed, limits=replace(changed.limits, **self.limits))
        return with_model(changed, self.model) if self.model else changed


def frozen_with_step(paths: SessionPaths, run_id: str, step: str) -> Frozen:
    """Return what a run is made of, which must have a step. Raises `NotFound`, which names the nearest one."""
    frozen = frozen_of(started_in(journal_of(paths), run_id), FileBlobs(paths.blobs))
    steps = [one.id for one in frozen.graph.steps if HIDDEN not in one.id]
    if step not in steps:
        near = nearest(step, steps)
        hint = f"Did you mean {near!r}?" if near else f"It has {', '.join(steps)}."
        raise NotFound(f"The graph {frozen.graph.name!r} has no step {step!r}. {hint}")
    return frozen


def with_model(graph: Graph, model: str) -> Graph:
    """Return a graph whose VPs all use a model, those of the graphs within it too."""
    return replace(
        graph,
        steps=tuple(_with_model(step, model) for step in graph.steps),
        graphs={name: with_model(one, model) for name, one in graph.graphs.items()},
    )


def _with_model(step: Step, model: str) -> Step:
    return replace(step, task=replace(step.task, model=model)) if isinstance(step.task, VpTask) else step
