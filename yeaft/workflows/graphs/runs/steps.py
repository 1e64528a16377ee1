"""Does every kind of step: VPs take turns, tools are called, functions run, people are asked, graphs run within."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec

from yeaft.kernel.errors import YeaftError
from yeaft.workflows.graphs.bounded_regexes import MOST_CPU_S, TooSlow, found
from yeaft.workflows.graphs.conditions import MISSING, Outside, at_path, outside_parts, text_of
from yeaft.workflows.graphs.expressions import filled
from yeaft.workflows.graphs.functions import function_at
from yeaft.workflows.graphs.graph import (
    AskTask,
    CodeTask,
    FailTask,
    Graph,
    GraphTask,
    JudgeTask,
    Step,
    ToolTask,
    VpTask,
)
from yeaft.workflows.graphs.runs.doing import Done, Work
from yeaft.workflows.graphs.runs.known_runs import short
from yeaft.workflows.graphs.runs.own_threads import in_own_thread
from yeaft.workflows.graphs.saying import said_to

if TYPE_CHECKING:
    from yeaft.workflows.graphs.executor.topology import Topology
    from yeaft.workflows.graphs.runs.kept_outputs import KeptOutputs
    from yeaft.workflows.graphs.runs.vp_steps import VpSteps

OWN = "yeaft."
"""How the paths of functions begin that come along, whose names say nothing to people."""
logger = logging.getLogger(__name__)
JUDGE_SCHEMA = '{"type":"object","properties":{"holds":{"type":"boolean"}},"required":["holds"]}'
RunWithin = Callable[[Work, Graph], Awaitable[Done]]
"""Runs a graph within a run, for one visit of a step."""
Ask = Callable[[Work, AskTask, str], Awaitable[str | None]]
"""Puts a question to the human: the answer, None for a no. Raises `NeedsHuman` when nobody is there."""
UseTool = Callable[[Work, str, Mapping[str, Any]], Awaitable[Done]]
"""Calls one of the Session's tools under the user's rules."""


class Steps:
    """See `doing.Doer`. Functions are looked for in `folder`, where the file of the graph is."""

    def __init__(
        self,
        topology: Topology,
        vps: VpSteps,
        folder: Path,
        *,
        within: RunWithin,
        ask: Ask,
        use_tool: UseTool,
        kept: KeptOutputs,
        work_folder: Path,
    ) -> None:
        self._topology = topology
        self._vps = vps
        self._folder = folder
        self._within = within
        self._ask = ask
        self._use_tool = use_tool
        self._kept = kept
        self._work_folder = work_folder

    async def do(self, work: Work) -> Done:
        """Do what a step is for, unless what it depends on was changed. Raises `NeedsHuman`, `StoreFailed`."""
        if not isinstance(work.step.task, VpTask):  # what a VP does is recorded behind it, before it asks its model
            await work.has_begun()
        if work.artifacts and (mistake := await asyncio.to_thread(self._kept.mistake, work.artifacts)):
            return Done(status="failed", error=mistake)
        done = await self._done(work)
        if done.status != "ok" or isinstance(work.step.task, VpTask | JudgeTask):
            return done  # what a VP gave is kept while it can still mend it
        made_by = f"step:{work.step.id}"
        try:
            value, artifacts = await self._kept.keep(work, made_by, done.value, self._work_folder)
        except YeaftError as error:
            return msgspec.structs.replace(done, status="failed", error=str(error), reason="tool_error")
        return msgspec.structs.replace(done, value=value, artifacts=(*done.artifacts, *artifacts))

    async def _done(self, work: Work) -> Done:
        task = work.step.task
        match task:
            case VpTask():
                return await self._vps.do(work, task)
            case ToolTask():
                return await self._tool(work, task)
            case AskTask():
                return await self._asked(work, task)
            case GraphTask():
                return await self._graph(work, task)
            case CodeTask():
                return await self._called(task, work.names["input"])
            case JudgeTask(node=node):
                return await self._judged(work, node)
            case FailTask(text=text):
                return _declared(work, text)

    async def _tool(self, work: Work, task: ToolTask) -> Done:
        try:
            args = _filled_in(msgspec.json.decode(task.args), work.names)
        except ValueError as error:
            return Done(status="failed", error=str(error), reason="tool_error")
        return await self._use_tool(work, task.tool, args)

    async def _asked(self, work: Work, task: AskTask) -> Done:
        try:
            text = filled(task.text, work.names)
        except ValueError as error:
            return Done(status="failed", error=str(error))
        answer = await self._ask(work, task, text)
        if task.kind == "approval":
            return (
                Done(status="declined", error="it was not approved")
                if answer is None
                else Done(value=work.names["input"])
            )
        return Done(status="declined", error="nothing was answered") if answer is None else Done(value=answer)

    async def _graph(self, work: Work, task: GraphTask) -> Done:
        graphs = self._topology.graph.graphs
        graph = graphs.get(task.graph)
        if graph is None:
            return Done(status="failed", error=f"There is no graph {task.graph!r}.")
        try:
            given = said_to(task.prompt, task.shared, work.names) if task.prompt or task.shared else None
        except ValueError as error:
            return Done(status="failed", error=f"The prompt of step {work.step.id!r}: {error}", reason="tool_error")
        if given is not None:
            work = msgspec.structs.replace(work, names={**work.names, "input": given})
        return await self._within(work, msgspec.structs.replace(graph, graphs=graphs))

    async def _called(self, task: CodeTask, value: Any) -> Done:
        """Import and call a function of the user's in a thread; what it gives must be JSON."""
        given = (value,) if not task.initial else (value, msgspec.json.decode(task.initial))
        try:
            result = await in_own_thread(lambda: function_at(task.path, self._folder)(*given), f"call:{task.path}")
            return Done(value=msgspec.json.decode(msgspec.json.encode(result)))
        except (Exception, SystemExit) as error:
            said = str(error) or type(error).__name__
            is_own = task.path.startswith(OWN)
            if not (is_own and isinstance(error, ValueError)):  # which is how they say what has come of it
                logger.exception("The function %s failed", task.path)
            error_text = said if is_own else f"{task.path}: {said}"
            return Done(status="failed", error=error_text, reason="tool_error")

    async def _judged(self, work: Work, node: str) -> Done:
        """Decide what is left to others about the edges of a node, in their order."""
        answers: list[bool] = []
        spent = Done()
        for number, part in enumerate(self._topology.judged(node)):
            done = await self._decided(work, node, part, number)
            if done.status != "ok":
                return done
            answers.append(bool(done.value))
            cost = (
                None
                if done.cost_usd is None and spent.cost_usd is None
                else (spent.cost_usd or 0) + (done.cost_usd or 0)
            )
            spent = Done(usage=spent.usage + done.usage, cost_usd=cost)
        return Done(value=answers, usage=spent.usage, cost_usd=spent.cost_usd)

    async def _searched(self, work: Work, part: Outside, node: str) -> Done:
        """Look for a regular expression, which may take too long."""
        value = at_path(work.names["input"], part.field)
        if value is MISSING:
            return Done(value=False)
        try:
            return Done(value=await in_own_thread(lambda: found(part.regex, text_of(value)), "regex"))
        except TooSlow:
            edge = next(
                edge
                for edge in self._topology.leaving[node]
                if any(part in outside_parts(one) for one in (edge.condition, edge.stop_condition))
            )
            what = f"the regular expression '{part.regex}' takes more than {MOST_CPU_S} s on what {node!r} gave"
            where = f"The condition of the edge {edge.source} -> {edge.target} (line {edge.line})"
            return Done(status="failed", error=f"{where}: {what}", reason="timeout")

    async def _decided(self, work: Work, node: str, part: Outside, number: int) -> Done:
        if part.path:
            return await self._called(CodeTask(path=part.path), work.names["input"])
        if part.regex:
            return await self._searched(work, part, node)
        prompt = f"{part.question}\n\n{text_of(work.names['input'])}"
        task = VpTask(vp_id=part.vp_id, prompt="{{ question }}", schema=JUDGE_SCHEMA, workspace="read")
        judging = msgspec.structs.replace(
            work,
            step=Step(id=work.step.id, task=task, out="json"),
            stream=f"{work.stream}/{number}",
            names={**work.names, "question": prompt},
        )
        done = await self._vps.do(judging, task)
        return done if done.status != "ok" else msgspec.structs.replace(done, value=done.value["holds"])


def _declared(work: Work, text: str) -> Done:
    """The failure that a step is there for."""
    try:
        return Done(status="failed", error=filled(text, {**work.names, "run": short(work.run_id)}).strip())
    except ValueError as error:
        return Done(status="failed", error=f"The text of step {work.step.id!r}: {error}")


def _filled_in(value: Any, names: Mapping[str, Any]) -> Any:
    """The arguments of a tool with their templates filled in. Raises `ValueError`."""
    match value:
        case str():
            return filled(value, names) + ("\n" if value.endswith("\n") else "")  # which a template loses
        case dict():
            return {key: _filled_in(one, names) for key, one in cast("dict[str, Any]", value).items()}
        case list():
            return [_filled_in(one, names) for one in cast("Sequence[Any]", value)]
        case _:
            return value
