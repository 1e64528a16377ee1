"""From what people write to a graph: names found, lists of edges spread out, what is implied made explicit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, pairwise
from pathlib import Path as FilePath
from typing import Protocol

import msgspec
from msgspec.structs import replace

from yeaft.kernel.nearness import nearest
from yeaft.workflows.graphs.conditions import Condition, outside_parts
from yeaft.workflows.graphs.expressions import EXPRESSION_NAMES, expression_mistake
from yeaft.workflows.graphs.files.located import Mistake, Path
from yeaft.workflows.graphs.files.made_conditions import NotMeant, bare_expression, made_condition
from yeaft.workflows.graphs.files.made_steps import Names, id_mistake, made_step
from yeaft.workflows.graphs.files.written import AnyCondition, WrittenEdge, WrittenGraph, WrittenJoin
from yeaft.workflows.graphs.functions import function_mistake, is_function_path
from yeaft.workflows.graphs.graph import (
    END,
    HIDDEN,
    START,
    CodeTask,
    Edge,
    FailTask,
    Graph,
    GraphLimits,
    Join,
    JudgeTask,
    Step,
)
from yeaft.workflows.graphs.outputs import SPREADABLE, fields_of, output_schema
from yeaft.workflows.graphs.reducers import REDUCERS


class Lines(Protocol):
    """Knows where the parts of a written graph stand."""

    def line(self, path: Path) -> int:
        """Return the line, from 1, of a path such as `("edges", 3, "condition")`; 0 if it stands nowhere."""
        ...


class Compiled:
    """A graph with all that is wrong with it, and the joins that may go on with a part of their inputs."""

    def __init__(
        self, graph: Graph, mistakes: Sequence[Mistake], warnings: Sequence[Mistake], partial: set[str]
    ) -> None:
        self.graph = graph
        self.mistakes = tuple(mistakes)
        self.warnings = tuple(warnings)
        self.partial = frozenset(partial)


def compiled(name: str, written: WrittenGraph, names: Names, folder: FilePath, lines: Lines) -> Compiled:
    """Make a graph of what is written; functions are looked for in `folder`. Nothing is raised: see `mistakes`."""
    return _Compiler(written, names, folder, lines).compiled(written.name or name)


class _Compiler:
    def __init__(self, written: WrittenGraph, names: Names, folder: FilePath, lines: Lines) -> None:
        self._written = written
        self._names = names
        self._folder = folder
        self._lines = lines
        self._mistakes: list[Mistake] = []
        self._warnings: list[Mistake] = []
        self._steps: dict[str, Step] = {}
        self._joins: dict[str, Join] = {}
        self._edges: list[Edge] = []
        self._partial: set[str] = set()
        self._groups = count()
        self._hidden = count(1)

    def compiled(self, name: str) -> Compiled:
        written = self._written
        self._add_steps()
        self._add_joins()
        for number, edge in enumerate(written.edges or ()):
            self._add_edge(edge, ("edges", number))
        if not written.edges:
            self._add_line()
        self._add_implied()
        self._add_judges()
        self._check_names()
        limits = written.limits
        graph = Graph(
            name=name,
            steps=tuple(self._steps.values()),
            joins=tuple(self._joins.values()),
            edges=tuple(replace(edge, id=number) for number, edge in enumerate(self._edges)),
            limits=GraphLimits(
                max_steps=limits.max_steps,
                max_parallel=limits.max_parallel,
                cost_usd=limits.cost,
                tokens=limits.tokens,
                minutes=limits.minutes,
            ),
            params=written.params,
            on_end=written.on_end,
            input=self._input(),
        )
        return Compiled(graph, self._mistakes, self._warnings, self._partial)

    def _input(self) -> str:
        """The schema of what the graph must be given; empty for text."""
        if self._written.input is None:
            return ""
        try:
            schema = output_schema(self._written.input)
        except ValueError as error:
            self._tell(("input",), str(error))
            return ""
        return "" if schema == {"type": "string"} else msgspec.json.encode(schema).decode()

    def _tell(self, path: Path, text: str) -> None:
        self._mistakes.append(Mistake(self._lines.line(path), text))

    def _add_steps(self) -> None:
        for number, written in enumerate(self._written.steps):
            path: Path = ("steps", number)

            def tell(key: str, text: str, path: Path = path) -> None:
                self._tell((*path, key) if key else path, text)

            step = made_step(written, self._names, self._folder, self._lines.line(path), tell)
            if step.id in self._steps:
                tell("id", f"two steps have the id {step.id!r}")
            self._steps[step.id] = step
            if any(not isinstance(one, str) for one in written.mcp_servers):
                text = f"step {written.id!r}: MCP servers are named here and set up elsewhere; see `yeaft mcp --help`"
                self._warnings.append(Mistake(self._lines.line((*path, "mcp_servers")), text))

    def _add_joins(self) -> None:
        for number, written in enumerate(self._written.joins):
            path: Path = ("joins", number)
            if mistake := id_mistake(written.id):
                self._tell((*path, "id"), mistake)
            if written.id in self._steps or written.id in self._joins:
                self._tell((*path, "id"), f"the id {written.id!r} is taken already")
                continue
            self._add_join(written, path)

    def _add_join(self, written: WrittenJoin, path: Path) -> None:
        reducer = written.reducer or ""
        initial = "" if written.initial is None else msgspec.json.encode(written.initial).decode()
        line, join_id = self._lines.line(path), written.id
        if reducer and reducer not in REDUCERS:
            if not is_function_path(reducer):
                near = nearest(reducer, REDUCERS)
                hint = f" Did you mean {near}?" if near else f" There are {', '.join(REDUCERS)}, and import paths."
                self._tell((*path, "reducer"), f"there is no reducer {reducer!r}.{hint}")
            elif mistake := function_mistake(reducer, self._folder):
                self._tell((*path, "reducer"), mistake)
            join_id = f"{written.id}{HIDDEN}in"
            task = CodeTask(path=reducer, initial=initial)
            self._steps[written.id] = Step(id=written.id, task=task, out="json", line=line)
            self._connect(join_id, written.id, line)
            reducer = initial = ""
        if written.first > len(written.inputs):
            self._tell((*path, "first"), f"first is {written.first}, but there are {len(written.inputs)} inputs")
        if written.first and written.stop:
            self._tell((*path, "stop"), "a join goes on with the first or with a majority, not both")
        if written.key and not written.stop:
            self._tell((*path, "key"), "the key of a join is what `stop: majority` compares; there is no stop")
        if written.partial or written.first or written.stop:
            self._partial.add(join_id)
        self._joins[join_id] = Join(
            id=join_id,
            inputs=tuple(written.inputs),
            reducer=reducer,
            initial=initial,
            first=written.first,
            stop=written.stop or "",
            key=written.key,
            line=line,
        )
        known = (*self._steps, *(one.id for one in self._written.joins))
        for source in written.inputs:
            if source not in known:
                self._tell((*path, "inputs"), self._unknown("input", source))
            elif not any(self._feeds(edge, source, written.id) for edge in self._written.edges or ()):
                self._connect(source, join_id, line)

    def _feeds(self, edge: WrittenEdge, source: str, join_id: str) -> bool:
        return edge.source == [source] and join_id in edge.to

    def _add_edge(self, written: WrittenEdge, path: Path) -> None:
        line = self._lines.line(path)
        source = written.source[0]
        if len(written.source) > 1:
            source = self._implicit_join(written, line)
        condition = self._condition(written.condition, (*path, "condition"))
        stop = self._condition(written.stop_condition, (*path, "stop_condition"))
        group = next(self._groups)
        for target in written.to:
            edge = Edge(
                id=0,
                source=source,
                target=self._entered(target),
                group=group,
                label=written.label or "",
                condition=condition,
                stop_condition=stop,
                is_else=written.is_else,
                mode=written.mode,
                detached=written.detached,
                map=written.map,
                collect=written.join,
                max_parallel=written.max_parallel,
                max_items=written.max_items if written.map else 0,
                max_visits=written.max_visits,
                priority=written.priority,
                delay_ms=round((written.delay or 0) * 1000),
                result_of=written.result_of or "",
                line=line,
            )
            self._edges += self._transformed(edge, written.transform, path)
            self._check_edge(edge, written, path)

    def _entered(self, target: str) -> str:
        """The node that a name leads into: for a join with a function of its own that is what stands before it."""
        hidden = f"{target}{HIDDEN}in"
        return hidden if hidden in self._joins else target

    def _implicit_join(self, written: WrittenEdge, line: int) -> str:
        join_id = f"{HIDDEN.join(written.source)}{HIDDEN}join{next(self._hidden)}"
        if len(set(written.source)) < len(written.source):
            self._mistakes.append(Mistake(line, f"the same step stands twice in from: {', '.join(written.source)}"))
        self._joins[join_id] = Join(id=join_id, inputs=tuple(dict.fromkeys(written.source)), line=line)
        if written.partial:
            self._partial.add(join_id)
        for source in dict.fromkeys(written.source):
            self._connect(source, join_id, line)
        return join_id

    def _transformed(self, edge: Edge, transform: str | None, path: Path) -> Iterator[Edge]:
        """The edge with its transform; a function of the user's is a hidden step that splits the edge in two."""
        if not transform:
            yield edge
            return
        text = bare_expression(transform)
        if not is_function_path(text) or text.partition(".")[0] in EXPRESSION_NAMES:
            if mistake := expression_mistake(text, EXPRESSION_NAMES):
                self._tell((*path, "transform"), f"{text!r} is no expression: {mistake}")
            yield replace(edge, transform=text)
            return
        if mistake := function_mistake(text, self._folder):
            self._tell((*path, "transform"), mistake)
        step = Step(
            id=f"{edge.source}{HIDDEN}{next(self._hidden)}", task=CodeTask(path=text), out="json", line=edge.line
        )
        self._steps[step.id] = step
        yield Edge(
            id=0,
            source=edge.source,
            target=step.id,
            group=edge.group,
            condition=edge.condition,
            stop_condition=edge.stop_condition,
            is_else=edge.is_else,
            max_visits=edge.max_visits,
            result_of=edge.result_of,
            line=edge.line,
        )
        yield replace(
            edge, source=step.id, condition=None, stop_condition=None, is_else=False, max_visits=0, result_of=""
        )

    def _condition(self, written: AnyCondition | None, path: Path) -> Condition | None:
        if written is None:
            return None
        try:
            return made_condition(written, self._folder, self._judge)
        except NotMeant as error:
            self._tell(path, str(error))
            return None

    def _judge(self, name: str) -> str:
        vp_id = self._names.find_vp(name.lstrip("@＠"))
        if not vp_id:
            raise NotMeant(self._names.vp_mistake(name))
        return vp_id

    def _check_edge(self, edge: Edge, written: WrittenEdge, path: Path) -> None:
        if edge.is_else and edge.condition is not None:
            self._tell((*path, "else"), "an edge has a condition or is the else of others, not both")
        if edge.map and edge.collect:
            self._tell(path, "an edge cannot spread (map) and gather (join) at once")
        if edge.detached and edge.target in self._joins:
            self._tell(
                (*path, "async"), f"an async edge cannot lead into the join {written.to[0]!r}: nobody waits for it"
            )
        step = self._steps.get(edge.source)
        if edge.map and step is not None and step.out not in SPREADABLE:
            self._tell((*path, "map"), f"{edge.source!r} gives {step.out}, which is no list that could be spread")
        elif edge.map and step is not None and not written.transform and fields_of(step):
            text = f"{edge.source!r} gives a mapping, which is no list that could be spread"
            self._tell((*path, "map"), f"{text}; a transform can take one out of it")

    def _add_line(self) -> None:
        """Without edges, steps follow one another as they are declared."""
        ids = [step for step in self._steps if HIDDEN not in step and step not in (START, END)]
        for source, target in pairwise([START, *ids, END] if ids else ()):
            line = self._steps[target].line if target in self._steps else self._steps[source].line
            self._connect(source, target, line)

    def _add_implied(self) -> None:
        """Let the run begin somewhere and, where nothing follows, end."""
        nodes = [*self._steps, *self._joins]
        entered = {edge.target for edge in self._edges if edge.source != edge.target}
        entered |= {step.error_step for step in self._steps.values()}
        loose = [step for step in self._steps.values() if step.id not in entered and step.id not in (START, END)]
        has_start = any(edge.source == START for edge in self._edges)
        if not has_start and not loose and self._steps:
            loose = [next(iter(self._steps.values()))]
        group = next(self._groups)
        for step in loose:
            if has_start:
                self._warnings.append(Mistake(step.line, f"nothing leads to step {step.id!r}; it begins with the run"))
            self._edges.append(Edge(id=0, source=START, target=step.id, group=group, line=step.line))
        left = {edge.source for edge in self._edges}
        for node in nodes:
            if node not in left and node not in (START, END) and not self._ends_run(node):
                self._connect(node, END, self._line_of(node))
        self._end_where_nobody_waits()

    def _end_where_nobody_waits(self) -> None:
        """Where no way reaches the end that is waited for, let what steps give that only hand on be the result."""
        awaited = [edge for edge in self._edges if not edge.detached and edge.mode != "context"]
        reached, news = set[str](), {START}
        while news:
            reached |= news
            news = {edge.target for edge in awaited if edge.source in reached} - reached
        if END in reached:
            return
        left = {edge.source for edge in awaited}
        for node in (*self._steps, *self._joins):
            if node in reached and node not in left and not self._ends_run(node):
                self._connect(node, END, self._line_of(node))

    def _line_of(self, node: str) -> int:
        return self._steps[node].line if node in self._steps else self._joins[node].line

    def _ends_run(self, node: str) -> bool:
        step = self._steps.get(node)
        return step is not None and isinstance(step.task, FailTask)

    def _add_judges(self) -> None:
        """Give every node whose edges somebody outside decides on a step in which that happens."""
        for edge in self._edges:
            judge = f"{edge.source}{HIDDEN}?"
            if judge not in self._steps and any(map(outside_parts, (edge.condition, edge.stop_condition))):
                self._steps[judge] = Step(id=judge, task=JudgeTask(node=edge.source), out="list")

    def _connect(self, source: str, target: str, line: int) -> None:
        self._edges.append(Edge(id=0, source=source, target=target, group=next(self._groups), line=line))

    def _check_names(self) -> None:
        known = {START, END, *self._steps, *self._joins}
        told: set[tuple[int, str]] = set()
        for edge in self._edges:
            for end, name, never in (("from", edge.source, END), ("to", edge.target, START)):
                if name == never:
                    self._mistakes.append(Mistake(edge.line, f"no edge can go {end} {name!r}"))
                elif name not in known and (edge.line, name) not in told:
                    told.add((edge.line, name))
                    self._mistakes.append(Mistake(edge.line, self._unknown("step", name)))
            if edge.result_of and edge.result_of not in known:
                self._mistakes.append(Mistake(edge.line, self._unknown("step", edge.result_of)))
        for step in self._steps.values():
            if step.error_step and step.error_step not in self._steps:
                self._mistakes.append(Mistake(step.line, self._unknown("step", step.error_step)))

    def _unknown(self, what: str, name: str) -> str:
        known = [one for one in (*self._steps, *self._joins) if HIDDEN not in one]
        near = self._names.near(name, known)
        hint = f" Did you mean {near!r}?" if near else ""
        return f"there is no {what} {name!r} in this graph.{hint}"
