"""Graphs as people write them: the shape of the YAML, with all its synonyms, checked by pydantic and nothing more."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_CLOCK = re.compile(r"(?:(\d+):)?(\d{1,2}):(\d{1,2}(?:\.\d+)?)")
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|d)")
_ISO = re.compile(r"P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?")
_ISO_UNITS = (7 * 86400.0, 86400.0, 3600.0, 60.0, 1.0)


LONGEST_S = 366 * 86400.0
"""No run waits longer than this, in seconds."""


def seconds(value: Any) -> float:
    """Read a time span: a number of seconds, `90s`, `5 min`, `1h`, `00:05:00` or `PT5M`. Raises `ValueError`."""
    found = _seconds(value)
    if found > LONGEST_S:
        raise ValueError(f"{value!r} is too long: a year is the most")
    return found


def _seconds(value: Any) -> float:
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
        return float(value)
    text = str(value).strip()
    if found := _AMOUNT.fullmatch(text):
        return float(found[1]) * _UNITS[found[2]]
    if found := _CLOCK.fullmatch(text):
        return int(found[1] or 0) * 3600 + int(found[2]) * 60 + float(found[3])
    if (found := _ISO.fullmatch(text)) and any(found.groups()):
        return sum(float(number or 0) * unit for number, unit in zip(found.groups(), _ISO_UNITS, strict=True))
    raise ValueError(f"{value!r} is no time span; write seconds, or for example 90s, 5m, 1h")


def listed(value: Any) -> Any:
    """Let one thing stand for a list of it."""
    return [value] if isinstance(value, str | dict) else value


Seconds = Annotated[float, BeforeValidator(seconds)]
Words = Annotated[list[str], BeforeValidator(listed)]


class Written(BaseModel):
    """What all parts have in common: nothing is taken that is not known."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True, str_strip_whitespace=False)


class WrittenCondition(Written):
    """Fields that every condition may have."""

    name: str | None = None


class MatchCondition(WrittenCondition):
    """Compares a part of the value."""

    type: Literal["match"]
    field: str = ""
    value: Any = None
    within: list[Any] = Field(default_factory=list, alias="in")
    regex: str = ""
    gt: float | None = None
    lt: float | None = None


class ContainsCondition(WrittenCondition):
    """Looks for words."""

    type: Literal["contains", "word_match"]
    words: Words = Field(min_length=1)
    case_sensitive: bool = False
    mode: Literal["any", "all"] = "any"
    whole_word: bool | None = None


class ExprCondition(WrittenCondition):
    """Evaluates an expression."""

    type: Literal["expr"]
    expr: str = Field(validation_alias=AliasChoices("expr", "expression", "text"))


class JinjaCondition(WrittenCondition):
    """An expression in the braces of a template."""

    type: Literal["jinja2"]
    template: str


class CountCondition(WrittenCondition):
    """Counts values or steps."""

    type: Literal["count", "message_count"]
    max: int = Field(gt=0, validation_alias=AliasChoices("max", "max_messages"))
    count_mode: Literal["total", "per_agent"] = "total"
    scope: Literal["edge", "run"] = "edge"


class TimeCondition(WrittenCondition):
    """Measures recorded time."""

    type: Literal["elapsed", "time"]
    max: Seconds = Field(validation_alias=AliasChoices("max", "duration"))
    scope: Literal["edge", "run"] = "edge"


class TokensCondition(WrittenCondition):
    """Adds up tokens."""

    type: Literal["tokens", "token_threshold"]
    max: int = Field(gt=0, validation_alias=AliasChoices("max", "max_tokens"))
    count_type: Literal["total", "prompt", "completion"] = "total"
    scope: Literal["edge", "run"] = "edge"


class CostCondition(WrittenCondition):
    """Adds up cost."""

    type: Literal["cost", "cost_limit"]
    max: float = Field(gt=0, validation_alias=AliasChoices("max", "max_cost"))
    scope: Literal["edge", "run"] = "edge"


class CallableCondition(WrittenCondition):
    """Calls a function."""

    type: Literal["callable"]
    predicate: str


class JudgeCondition(WrittenCondition):
    """Asks a VP for yes or no."""

    type: Literal["judge"]
    vp: str = Field(validation_alias=AliasChoices("vp", "agent", "persona"))
    question: str


class AndCondition(WrittenCondition):
    """All of several, or one of them."""

    type: Literal["and", "or"]
    conditions: list[AnyCondition] = Field(min_length=1)


class NotCondition(WrittenCondition):
    """The opposite."""

    type: Literal["not"]
    condition: AnyCondition


AnyCondition = Annotated[
    MatchCondition
    | ContainsCondition
    | ExprCondition
    | JinjaCondition
    | CountCondition
    | TimeCondition
    | TokensCondition
    | CostCondition
    | CallableCondition
    | JudgeCondition
    | AndCondition
    | NotCondition,
    Field(discriminator="type"),
]


CONDITION_TYPES = frozenset(
    (
        *("match", "contains", "word_match", "expr", "jinja2", "count", "message_count", "elapsed", "time"),
        *("tokens", "token_threshold", "cost", "cost_limit", "callable", "judge", "and", "or", "not"),
    )
)


class WrittenRetries(Written):
    """How a step is tried again."""

    max: int = Field(default=0, ge=0, le=10)
    delay: Seconds = 0.0
    on: tuple[Literal["timeout", "rate_limit", "tool_error", "any"], ...] = ("any",)


class WrittenStep(Written):
    """A step: whose work it is (`agent`, or one of the other kinds), what it is told, what it gives."""

    id: str
    agent: str | None = Field(default=None, validation_alias=AliasChoices("agent", "vp", "persona"))
    tool: str | None = None
    args: dict[str, Any] = Field(default_factory=dict)
    ask: str | None = None
    options: list[str] = Field(default_factory=list)
    approve: str | None = None
    graph: str | None = None
    call: str | None = None
    fail: str | None = None
    limit: Literal["rounds"] | None = None
    label: str | None = None
    prompt: str | None = Field(default=None, validation_alias=AliasChoices("prompt", "prompt_template"))
    template_vars: dict[str, Any] = Field(default_factory=dict)
    shared_prompt: str | None = None
    mcp_servers: Annotated[list[str | dict[str, Any]], BeforeValidator(listed)] = []
    out: Any = None
    output: Any = None
    model: str | None = None
    effort: str | None = None
    retries: WrittenRetries | int = 0
    timeout: Seconds | None = Field(default=None, validation_alias=AliasChoices("timeout", "member_timeout"))
    member_retry_attempts: int = Field(default=0, ge=0, le=10)
    member_retry_delay: Seconds = 0.0
    on_error: str = "fail"
    workspace: Literal["shared", "read", "isolated"] = "shared"


class WrittenJoin(Written):
    """Where the outputs of several steps meet."""

    id: str
    inputs: Words = Field(min_length=1)
    reducer: str | None = None
    initial: Any = None
    first: int = Field(default=0, ge=0)
    stop: Literal["majority"] | None = None
    key: str = ""
    partial: bool = False


class WrittenEdge(Written):
    """How outputs travel, from one or several, to one or several."""

    source: Words = Field(alias="from", min_length=1)
    to: Words = Field(min_length=1)
    label: str | None = None
    condition: AnyCondition | None = None
    stop_condition: AnyCondition | None = None
    is_else: bool = Field(default=False, alias="else")
    transform: str | None = None
    mode: Literal["run", "context", "forward"] = "run"
    run: bool = True
    detached: bool = Field(default=False, alias="async")
    map: bool = False
    join: bool = False
    partial: bool = False
    max_parallel: int = Field(default=0, ge=0)
    max_items: int = Field(default=100, ge=1)
    max_visits: int = Field(default=0, ge=0)
    priority: int = 0
    delay: Seconds | None = None
    result_of: str | None = None


class WrittenLimits(Written):
    """What a run may use."""

    max_steps: int = Field(default=100, ge=1)
    max_parallel: int = Field(default=4, ge=1)
    cost: float | None = Field(default=None, gt=0, validation_alias=AliasChoices("cost", "cost_usd", "max_cost"))
    tokens: int | None = Field(default=None, gt=0)
    minutes: float | None = Field(default=None, gt=0)


class WrittenGraph(Written):
    """One graph."""

    name: str | None = None
    description: str | None = None
    input: Any = None
    params: dict[str, Any] = Field(default_factory=dict)
    limits: WrittenLimits = Field(default_factory=WrittenLimits)
    on_end: Literal["wait", "cancel"] = "wait"
    steps: list[WrittenStep] = []
    joins: list[WrittenJoin] = []
    edges: list[WrittenEdge] | None = None
