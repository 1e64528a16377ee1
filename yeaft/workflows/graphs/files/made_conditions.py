"""Conditions from how they are written to how they are evaluated, the names of other programs' kinds included."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from yeaft.workflows.graphs.bounded_regexes import is_quick
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
from yeaft.workflows.graphs.expressions import EXPRESSION_NAMES, expression_mistake
from yeaft.workflows.graphs.files.written import (
    AndCondition,
    AnyCondition,
    CallableCondition,
    ContainsCondition,
    CostCondition,
    CountCondition,
    ExprCondition,
    JinjaCondition,
    JudgeCondition,
    MatchCondition,
    TimeCondition,
    TokensCondition,
)
from yeaft.workflows.graphs.functions import function_mistake

_ONE_EXPRESSION = re.compile(r"\s*\{\{((?:(?!\}\}).)*)\}\}\s*", re.DOTALL)


class NotMeant(Exception):
    """A condition that cannot be meant; the text says why."""


def bare_expression(text: str) -> str:
    """An expression without the braces of a template around it."""
    found = _ONE_EXPRESSION.fullmatch(text)
    return (found[1] if found else text).strip()


def made_condition(written: AnyCondition, folder: Path, find_vp: Callable[[str], str]) -> Condition:
    """Return what a condition means. Raises `NotMeant`; `find_vp` may raise it, too."""
    match written:
        case MatchCondition():
            return _match(written)
        case ContainsCondition():
            whole_word = written.type == "word_match" if written.whole_word is None else written.whole_word
            return Contains(
                words=tuple(written.words),
                every=written.mode == "all",
                whole_word=whole_word,
                case_sensitive=written.case_sensitive,
            )
        case ExprCondition(expr=text):
            return _expr(bare_expression(text))
        case JinjaCondition(template=template):
            if not _ONE_EXPRESSION.fullmatch(template):
                raise NotMeant("a jinja2 condition must be one expression in {{ }} that is true or false")
            return _expr(bare_expression(template))
        case CountCondition(max=most, scope=scope):
            return Count(max=most, scope=scope)
        case TimeCondition(max=most, scope=scope):
            return Elapsed(max_ms=round(most * 1000), scope=scope)
        case TokensCondition(max=most, scope=scope, count_type=count):
            return Tokens(max=most, scope=scope, count=count)
        case CostCondition(max=most, scope=scope):
            return Cost(max_usd=most, scope=scope)
        case CallableCondition(predicate=path):
            if mistake := function_mistake(path, folder):
                raise NotMeant(mistake)
            return Outside(path=path)
        case JudgeCondition(vp=name, question=question):
            return Outside(vp_id=find_vp(name), question=question)
        case AndCondition(type=kind, conditions=conditions):
            made = tuple(made_condition(one, folder, find_vp) for one in conditions)
            return Every(conditions=made) if kind == "and" else Some(conditions=made)
        case _:
            return Not(condition=made_condition(written.condition, folder, find_vp))


def _match(written: MatchCondition) -> Match:
    has_value = "value" in written.model_fields_set
    if not (has_value or written.within or written.regex or written.gt is not None or written.lt is not None):
        raise NotMeant("a match needs one of value, in, regex, gt, lt")
    try:
        re.compile(written.regex)
    except (re.error, RecursionError, OverflowError) as error:
        raise NotMeant(f"{written.regex!r} is no regular expression: {error}") from error
    return Match(
        field=written.field,
        value=_hashable(written.value),
        has_value=has_value,
        within=tuple(_hashable(one) for one in written.within),
        regex=written.regex,
        is_slow=not is_quick(written.regex),
        gt=written.gt,
        lt=written.lt,
    )


def _hashable(value: object) -> object:
    if isinstance(value, list | dict):
        raise NotMeant(f"{value!r} is no plain value to be compared with")
    return value


def _expr(text: str) -> Expr:
    if mistake := expression_mistake(text, EXPRESSION_NAMES):
        raise NotMeant(f"{text!r} is no expression: {mistake}")
    return Expr(text=text)
