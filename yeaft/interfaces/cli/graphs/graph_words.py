"""Steps, edges and conditions of graphs in the user's words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from yeaft.prompts.ui import Ui
from yeaft.workflows.graphs.conditions import (
    Condition,
    Contains,
    Cost,
    Count,
    Elapsed,
    Every,
    Expr,
    Match,
    Not,
    Outside,
    Some,
    Tokens,
)
from yeaft.workflows.graphs.files.plain import is_implicit
from yeaft.workflows.graphs.graph import (
    END,
    START,
    AskTask,
    CodeTask,
    Edge,
    FailTask,
    Graph,
    GraphTask,
    Join,
    JudgeTask,
    Step,
    ToolTask,
    VpTask,
)

LONGEST_CHARS = 60


class GraphWords:
    """Says in words what the parts of one graph are; `graph` must be plain."""

    def __init__(self, ui: Ui, graph: Graph) -> None:
        self._ui = ui
        self._steps: Mapping[str, Step] = {step.id: step for step in graph.steps}
        self._joins: Mapping[str, Join] = {join.id: join for join in graph.joins}

    def say(self, code: str, /, **params: str | float) -> str:
        """Return the words for a code of the group `graph_show`."""
        return self._ui.text(f"graph_show.{code}", **params)

    def name(self, node: str) -> str:
        """What a node is called where it is only pointed at."""
        join = self._joins.get(node)
        if node in (START, END):
            return self.say(node)
        return node if join is None or not is_implicit(join) else self.say("join_of", inputs=self._listed(join.inputs))

    def node(self, node: str) -> str:
        """A node with all that is worth knowing of it."""
        if (join := self._joins.get(node)) is not None:
            return self._join(join)
        step = self._steps.get(node)
        if step is None:
            return self.name(node)
        return "  ".join((step.id, *self._about(step)))

    def edge(self, edge: Edge) -> str:
        """All that is said of an edge, without where it leads; empty for a plain one."""
        said = [self.say("labelled", label=edge.label)] if edge.label else []
        if edge.condition is not None:
            said.append(self.say("if", condition=self.condition(edge.condition)))
        if edge.is_else:
            said.append(self.say("else"))
        if edge.stop_condition is not None:
            said.append(self.say("until", condition=self.condition(edge.stop_condition)))
        if edge.max_visits:
            said.append(self.say("at_most", count=edge.max_visits))
        if edge.map:
            said.append(self.say("each") if not edge.max_parallel else self.say("each_of", count=edge.max_parallel))
        if edge.collect:
            said.append(self.say("gathered"))
        if edge.mode != "run":
            said.append(self.say(f"mode_{edge.mode}"))
        if edge.detached:
            said.append(self.say("async"))
        if edge.transform:
            said.append(self.say("through", transform=_short(edge.transform)))
        if edge.result_of:
            said.append(self.say("result_of", step=edge.result_of))
        if edge.delay_ms:
            said.append(self.say("after", seconds=f"{edge.delay_ms / 1000:g}"))
        if edge.priority:
            said.append(self.say("priority", number=edge.priority))
        return ", ".join(said)

    def condition(self, condition: Condition) -> str:
        """What must hold."""
        match condition:
            case Match():
                return self.say("and").join(self._tests(condition))
            case Contains(words=words, every=every):
                return self.say("contains_all" if every else "contains_any", words=", ".join(words))
            case Expr(text=text):
                return _short(text)
            case Count(max=most, scope=scope):
                return self.say(f"count_{scope}", count=most)
            case Cost(max_usd=most, scope=scope):
                return self.say(f"cost_{scope}", cost=f"{most:g}")
            case Tokens(max=most, scope=scope):
                return self.say(f"tokens_{scope}", count=most)
            case Elapsed(max_ms=most, scope=scope):
                return self.say(f"elapsed_{scope}", seconds=f"{most / 1000:g}")
            case Outside(path=path, vp_id=vp_id, question=question):
                return self.say("call_says", path=path) if path else self.say("vp_says", vp=vp_id, question=question)
            case Every(conditions=conditions):
                return self.say("and").join(self._inner(one) for one in conditions)
            case Some(conditions=conditions):
                return self.say("or").join(self._inner(one) for one in conditions)
            case Not(condition=inner):
                return self.say("not", condition=self._inner(inner))

    def _inner(self, condition: Condition) -> str:
        said = self.condition(condition)
        return f"({said})" if isinstance(condition, Every | Some) else said

    def _tests(self, condition: Match) -> Iterator[str]:
        field = condition.field or self.say("value")
        if condition.has_value:
            yield self.say("is", field=field, value=_value(condition.value))
        if condition.within:
            yield self.say("is_one_of", field=field, values=", ".join(map(_value, condition.within)))
        if condition.regex:
            yield self.say("matches", field=field, regex=_short(condition.regex))
        if condition.gt is not None:
            yield self.say("is_above", field=field, value=f"{condition.gt:g}")
        if condition.lt is not None:
            yield self.say("is_below", field=field, value=f"{condition.lt:g}")

    def _join(self, join: Join) -> str:
        named = self.say("join_of", inputs=self._listed(join.inputs))
        parts = [named if is_implicit(join) else self.say("join_named", name=join.id, inputs=self._listed(join.inputs))]
        if join.first:
            parts.append(self.say("join_first", count=join.first))
        if join.stop:
            parts.append(self.say("join_stop", count=len(join.inputs) // 2 + 1))
        if join.reducer:
            parts.append(self.say("join_reduced", reducer=join.reducer))
        return ", ".join(parts)

    def _listed(self, names: tuple[str, ...]) -> str:
        return ", ".join(names)

    def _about(self, step: Step) -> Iterator[str]:
        yield self._task(step)
        if step.label:
            yield f'"{step.label}"'
        if step.out != "text":
            yield f"→ {step.out}"
        if step.retries.max:
            yield self.say("retries", count=step.retries.max)
        if step.timeout_ms:
            yield self.say("timeout", seconds=f"{step.timeout_ms / 1000:g}")
        if step.on_error == "skip":
            yield self.say("error_skip")
        if step.on_error == "continue":
            yield self.say("error_continue")

    def _task(self, step: Step) -> str:
        match step.task:
            case VpTask(vp_id=vp_id):
                return f"@{vp_id}"
            case ToolTask(tool=tool):
                return self.say("by_tool", tool=tool)
            case AskTask(kind=kind, text=text):
                return self.say(f"ask_{kind}", text=_short(text))
            case GraphTask(graph=graph):
                return self.say("by_graph", graph=graph) if graph else self.say("by_any_graph")
            case CodeTask(path=path):
                return self.say("by_call", path=path)
            case FailTask(text=text):
                return self.say("by_fail", text=_short(text))
            case JudgeTask():
                return ""


def _value(value: Any) -> str:
    return _short(value if isinstance(value, str) else msgspec.json.encode(value).decode())


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_CHARS else f"{line[: LONGEST_CHARS - 1]}…"
