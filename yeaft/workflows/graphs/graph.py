"""A checked graph: steps, joins and edges as values, with no mistake left that could be seen in its text."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from yeaft.workflows.graphs.conditions import Condition

START, END = "start", "end"
HIDDEN = "~"
"""Stands in the ids of steps and joins that nobody has written, so that they never meet one that somebody has."""
Mode = Literal["run", "context", "forward"]
OnError = Literal["fail", "skip", "continue", "route"]
OutType = Literal["text", "json", "list", "table", "image", "diff", "file", "url", "model"]
RetryReason = Literal["timeout", "rate_limit", "tool_error", "any"]
Workspace = Literal["shared", "read", "isolated"]


class Retries(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How often a step that failed is tried again, after how long, and for what reasons."""

    max: int = 0
    delay_ms: int = 0
    on: tuple[RetryReason, ...] = ("any",)


class VpTask(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="vp"):
    """A VP does it in a turn of its own. `prompt` is a template over `input`, `steps`, `params` and `shared_prompt`.

    `extra` is what a template finds under that name. `schema` is what it must give, as JSON; `answer` is what it is
    asked to give by whoever described the VP, without which text will do, too.
    """

    vp_id: str
    prompt: str = ""
    shared: str = ""
    extra: dict[str, Any] = {}
    model: str = ""
    effort: str = ""
    mcp_servers: tuple[str, ...] = ()
    schema: str = ""
    answer: str = ""
    workspace: Workspace = "shared"


class ToolTask(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="tool"):
    """A tool does it, without a model; `args` is JSON whose texts are templates."""

    tool: str
    args: str = "{}"


class AskTask(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="ask"):
    """The human does it: answers a question, or approves what comes in (which is then passed on)."""

    kind: Literal["question", "choice", "approval"]
    text: str
    options: tuple[str, ...] = ()


class GraphTask(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="graph"):
    """Another graph does it, in a run of its own; without `graph` what comes in is one.

    It is given what `prompt` and `shared` come to, or simply what reaches the step.
    """

    graph: str = ""
    prompt: str = ""
    shared: str = ""


class CodeTask(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="code"):
    """A function of the user's does it, by its import path; one that reduces is given `initial`, which is JSON, too."""

    path: str
    initial: str = ""


class JudgeTask(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="judge"):
    """Says for each edge that leaves `node` whether its condition holds, where that takes a model or a function."""

    node: str


class FailTask(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="fail"):
    """Ends the run as failed with what `text` comes to, a template that also knows the `run`.

    With a `limit` the run ends as one that has come to a limit of that name, such as `rounds`.
    """

    text: str
    limit: str = ""


Task = VpTask | ToolTask | AskTask | GraphTask | CodeTask | JudgeTask | FailTask
FREE = (CodeTask, FailTask)
"""The kinds of tasks that cost nothing."""


class Step(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something to be done with each value that reaches it. `line` is where it stands in the file, 0 for nowhere.

    With `keep` what it gives is kept as an artifact, which files are in any case.
    """

    id: str
    task: Task
    label: str = ""
    out: OutType = "text"
    retries: Retries = Retries()
    timeout_ms: int = 0
    on_error: OnError = "fail"
    error_step: str = ""
    keep: bool = False
    line: int = 0


class Join(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Waits for its inputs, which are names of steps or joins, and goes on with all their values in that order.

    With `first` it goes on with that many and stops the rest; with `stop` it does so as soon as more than half of all
    inputs have given the same at `key`, a path as that of `Match`. `reducer` is a built-in name, or empty for a list.
    """

    id: str
    inputs: tuple[str, ...]
    reducer: str = ""
    initial: str = ""
    first: int = 0
    stop: Literal["", "majority"] = ""
    key: str = ""
    line: int = 0


class Edge(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How the output of `source` travels to `target`; `id` is its place among all edges.

    `group` is shared by edges that were written as one. `map` spreads a list, `collect` gathers it again.
    `transform` is an expression. `max_visits` of 0 is no limit.
    """

    id: int
    source: str
    target: str
    group: int
    label: str = ""
    condition: Condition | None = None
    stop_condition: Condition | None = None
    is_else: bool = False
    transform: str = ""
    mode: Mode = "run"
    detached: bool = False
    map: bool = False
    collect: bool = False
    max_parallel: int = 0
    max_items: int = 0
    max_visits: int = 0
    priority: int = 0
    delay_ms: int = 0
    result_of: str = ""
    line: int = 0


class GraphLimits(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a run may use. None means no limit, except for steps, which are always bounded."""

    max_steps: int = 100
    max_parallel: int = 4
    cost_usd: float | None = None
    tokens: int | None = None
    minutes: float | None = None


class Graph(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One graph. `graphs` are those that its steps name. `on_end` says what becomes of detached work at the end.

    `input` is the JSON Schema of what it must be given, empty for text.
    """

    name: str
    steps: tuple[Step, ...] = ()
    joins: tuple[Join, ...] = ()
    edges: tuple[Edge, ...] = ()
    limits: GraphLimits = GraphLimits()
    params: dict[str, Any] = {}
    on_end: Literal["wait", "cancel"] = "wait"
    input: str = ""
    graphs: dict[str, Graph] = {}


class Agent(Struct, frozen=True, kw_only=True):
    """An agent that a file of graphs brings along: a VP for the run alone. `kind` is what it would be elsewhere.

    `schema` is the JSON Schema of what it must answer with, as JSON; empty for text.
    """

    name: str
    persona: str = ""
    description: str = ""
    model: str = ""
    kind: str = "native"
    schema: str = ""
    line: int = 0
