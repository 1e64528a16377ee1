"""What must hold for an edge to be taken: pure conditions over a value and what the run has recorded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct

from yeaft.kernel.lists import is_list
from yeaft.workflows.graphs.plain_values import is_mapping, is_nested_too_deep

Scope = Literal["edge", "run"]
_FENCE = "```"
MISSING = object()
"""What a path leads to where there is nothing."""


class Match(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="match"):
    """What stands at `field` (`a.b[0]`; empty for all) of the value meets all tests that are given.

    Whether a `regex` that `is_slow` is found there is decided outside, because nobody knows how long that takes.
    """

    field: str = ""
    value: Any = None
    has_value: bool = False
    within: tuple[Any, ...] = ()
    regex: str = ""
    is_slow: bool = False
    gt: float | None = None
    lt: float | None = None


class Contains(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="contains"):
    """The text of the value holds any (or all) of these words."""

    words: tuple[str, ...]
    every: bool = False
    whole_word: bool = False
    case_sensitive: bool = False


class Expr(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="expr"):
    """An expression over `value`, `input`, `steps` and `visits` that must come to true or false."""

    text: str


class Count(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="count"):
    """So many values came to this edge, taken or not, this one included, or so many steps of the run have ended."""

    max: int
    scope: Scope = "edge"


class Cost(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="cost"):
    """The steps whose values went over this edge, or all of the run, have cost at least this in US dollars."""

    max_usd: float
    scope: Scope = "edge"


class Tokens(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="tokens"):
    """As `Cost`, in tokens sent and received; `count` says which of them."""

    max: int
    scope: Scope = "edge"
    count: Literal["total", "prompt", "completion"] = "total"


class Elapsed(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="elapsed"):
    """So much recorded time has passed since the run began, or since this edge was first reached."""

    max_ms: int
    scope: Scope = "edge"


class Outside(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="outside"):
    """Somebody else decides, and what they said is recorded: a function, or a VP that is asked for yes or no.

    With `regex` it is whether that is found in what stands at `field`, as in a `Match`.
    """

    path: str = ""
    vp_id: str = ""
    question: str = ""
    field: str = ""
    regex: str = ""


class Every(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="and"):
    """All of these hold."""

    conditions: tuple[Condition, ...]


class Some(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="or"):
    """At least one of these holds."""

    conditions: tuple[Condition, ...]


class Not(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="not"):
    """This does not hold."""

    condition: Condition


Condition = Match | Contains | Expr | Count | Cost | Tokens | Elapsed | Outside | Every | Some | Not


class Sums(Struct, kw_only=True):
    """What has gone over an edge, or what a run has used, so far; `since_ms` is when the first did."""

    count: int = 0
    cost_usd: float = 0.0
    sent_tokens: int = 0
    received_tokens: int = 0
    since_ms: int = 0


class Moment(Struct, frozen=True, kw_only=True):
    """What a condition is evaluated against: a value, sums with this value included, and recorded time.

    `answers` is what those outside have decided; `evaluate` gives what an expression comes to.
    """

    value: Any
    edge: Sums
    run: Sums
    now_ms: int
    evaluate: Callable[[str], Any]
    answers: Mapping[Outside, bool] = {}


def holds(condition: Condition, moment: Moment) -> bool:
    """Whether a condition holds. Raises `ValueError` for an expression that does not come to true or false."""
    match condition:
        case Match():
            return _matches(condition, moment)
        case Contains():
            return _contains(condition, text_of(moment.value))
        case Expr(text=text):
            result = moment.evaluate(text)
            if result is not True and result is not False:
                raise ValueError(f"{text!r} comes to {result!r}, which is neither true nor false")
            return bool(result)
        case Count(max=most, scope=scope):
            return _sums(scope, moment).count >= most
        case Cost(max_usd=most, scope=scope):
            return _sums(scope, moment).cost_usd >= most
        case Tokens():
            return _used(condition, moment) >= condition.max
        case Elapsed(max_ms=most, scope=scope):
            return moment.now_ms - _sums(scope, moment).since_ms >= most
        case Outside():
            return moment.answers[condition]
        case Every(conditions=conditions):
            return all(holds(one, moment) for one in conditions)
        case Some(conditions=conditions):
            return any(holds(one, moment) for one in conditions)
        case Not(condition=inner):
            return not holds(inner, moment)


def outside_parts(condition: Condition | None) -> tuple[Outside, ...]:
    """What in a condition somebody else has to decide."""
    match condition:
        case Outside():
            return (condition,)
        case Match(is_slow=True):
            return (_outside(condition),)
        case Every(conditions=conditions) | Some(conditions=conditions):
            return tuple(part for one in conditions for part in outside_parts(one))
        case Not(condition=inner):
            return outside_parts(inner)
        case _:
            return ()


def at_path(value: Any, path: str) -> Any:
    """Return what stands at `path` (`verdict`, `issues[0].line`) in a value; text that is JSON is read as such.

    Returns `MISSING` if there is nothing.
    """
    found = read_json(value) if path and isinstance(value, str) else value
    for name, index in re.findall(r"([^.\[\]]+)|\[(-?\d+)\]", path):
        if name and is_mapping(found) and name in found:
            found = found[name]
        elif index and is_list(found) and -len(found) <= int(index) < len(found):
            found = found[int(index)]
        else:
            return MISSING
    return found


def read_json(text: str) -> Any:
    """Return the JSON that a text is, or holds in the first fence that has some; the text itself if it is none."""
    for candidate in (text, *_fenced(text)):
        try:
            found: Any = msgspec.json.decode(candidate)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            continue
        if not is_nested_too_deep(found):
            return found
    return text


def _fenced(text: str) -> Iterator[str]:
    """What stands in the fences of a text that may hold JSON. No line is looked at twice, however odd the text is."""
    lines = text.split("\n") if _FENCE in text else []
    opened: int | None = None
    is_json = False
    for number, line in enumerate(lines):
        if opened is not None and line.lstrip().startswith(_FENCE):
            if is_json:
                yield "\n".join(lines[opened + 1 : number])
            opened = None
        elif opened is None and line.count(_FENCE) % 2:
            is_json = line.rpartition(_FENCE)[2].strip() in ("", "json")
            opened = number if is_json or line.lstrip().startswith(_FENCE) else None


def text_of(value: Any) -> str:
    """A value as text: itself, or JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode("utf-8")


def _outside(condition: Match) -> Outside:
    return Outside(field=condition.field, regex=condition.regex)


def _matches(condition: Match, moment: Moment) -> bool:
    found = at_path(moment.value, condition.field)
    if found is MISSING:
        return False
    tests: list[bool] = []
    if condition.has_value:
        tests.append(_equal(found, condition.value))
    if condition.within:
        tests.append(any(_equal(found, one) for one in condition.within))
    if condition.is_slow:
        tests.append(moment.answers[_outside(condition)])
    elif condition.regex:
        tests.append(re.search(condition.regex, text_of(found)) is not None)
    number = _number(found)
    if condition.gt is not None:
        tests.append(number is not None and number > condition.gt)
    if condition.lt is not None:
        tests.append(number is not None and number < condition.lt)
    return bool(tests) and all(tests)


def _equal(found: Any, wanted: Any) -> bool:
    """Whether two values are the same; a text that a model wrote may differ in blanks around it."""
    if isinstance(found, bool) != isinstance(wanted, bool):
        return False
    return found == wanted or (isinstance(found, str) and isinstance(wanted, str) and found.strip() == wanted.strip())


def _number(found: Any) -> float | None:
    try:
        return None if isinstance(found, bool) else float(found)
    except (TypeError, ValueError):
        return None


def _contains(condition: Contains, text: str) -> bool:
    def has(word: str) -> bool:
        pattern = re.escape(word)
        if condition.whole_word:
            pattern = rf"(?<!\w){pattern}(?!\w)"
        return re.search(pattern, text, 0 if condition.case_sensitive else re.IGNORECASE) is not None

    return (all if condition.every else any)(has(word) for word in condition.words)


def _sums(scope: Scope, moment: Moment) -> Sums:
    return moment.edge if scope == "edge" else moment.run


def _used(condition: Tokens, moment: Moment) -> int:
    sums = _sums(condition.scope, moment)
    sent = sums.sent_tokens if condition.count != "completion" else 0
    received = sums.received_tokens if condition.count != "prompt" else 0
    return sent + received
