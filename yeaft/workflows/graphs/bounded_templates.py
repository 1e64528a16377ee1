"""A sandbox for Jinja in which nothing goes on without end and nothing comes to more than fits into memory.

It reaches neither files nor the insides of Python, and works nothing out before it is filled in. It bounds what a few
characters could make large; it is no substitute for the limits of an operating system.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from types import BuiltinMethodType
from typing import Any, cast

import msgspec
from jinja2 import StrictUndefined, TemplateSyntaxError, nodes, pass_context
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from yeaft.kernel.lists import is_list
from yeaft.workflows.graphs.plain_values import is_mapping

LONGEST_CHARS = 2_000_000
"""A text that a template makes may not be longer."""
_LARGEST_IN_POWER = 1000
_LARGEST_ARGUMENT = 100_000
"""No width, count or number of digits may be larger."""
_STEP_COST = 8
"""What a step of a loop, or a call, costs beside the characters that it makes."""
_SPENT, _COUNTED, _JOINED = "~spent", "~counted", "~joined"
_SIZED = frozenset(
    (
        *("center", "ljust", "rjust", "zfill", "expandtabs", "indent", "batch", "slice", "round"),
        *("wordwrap", "truncate", "tojson", "pprint"),
    )
)
"""The methods of texts, and filters, that take a width, a count or a number of digits."""
_LARGE_WIDTH = re.compile(r"\d{6,}|%[^%a-zA-Z]*\*")
_TOO_MUCH = "it comes to too much"


class Spent:
    """What filling in one template has used so far."""

    def __init__(self) -> None:
        self._left = 2 * LONGEST_CHARS

    def add(self, amount: int) -> None:
        """Count characters or steps. Raises `ValueError` once there are too many."""
        self._left -= amount
        _check(-self._left, 0)


def bounded(names: Mapping[str, Any]) -> dict[str, Any]:
    """Return names for one use of a template, with an account of their own of what that use takes."""
    return {**names, _SPENT: Spent()}


class BoundedEnvironment(ImmutableSandboxedEnvironment):
    """A dot reads a key where there is one: `value.items` is what a model called `items`."""

    intercepted_binops = frozenset(("*", "**", "%", "+"))

    def __init__(self) -> None:
        super().__init__(undefined=StrictUndefined, autoescape=False, finalize=_shown, optimized=False)
        for name in ("range", "lipsum", "cycler", "joiner", "namespace"):
            self.globals.pop(name, None)
        self.filters.pop("random", None)
        self.filters = {name: _careful(name, made) for name, made in self.filters.items()}
        self.filters |= {_COUNTED: _counted, _JOINED: _joined}

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Calculate, but nothing that would never end or never fit."""
        match operator:
            case "**":
                _check(max(abs(left), abs(right)), _LARGEST_IN_POWER)
            case "*":
                for one, other in ((left, right), (right, left)):
                    if isinstance(other, int):
                        _check(_size(one) * other)
            case "+":
                _check(_size(left) + _size(right))
            case _:
                if isinstance(left, str):
                    _check_growth("format", left, (right,))
        return super().call_binop(context, operator, left, right)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return what a dot leads to."""
        if is_mapping(obj) and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """Return a careful form of a text's `format`; None for anything else."""
        made = super().wrap_str_format(value)
        if made is None:
            return None

        def careful(*args: Any, **named: Any) -> str:
            _check_growth("format", value.__self__, (*args, *named.values()))
            return made(*args, **named)

        return careful

    def call(self, context: Context, made: Any, /, *args: Any, **named: Any) -> Any:
        """Call what a template calls, and count it."""
        _spent(context).add(_STEP_COST)
        if isinstance(made, BuiltinMethodType) and isinstance(made.__self__, str):
            _check_growth(made.__name__, made.__self__, (*args, *named.values()))
        return super().call(context, made, *args, **named)

    def _generate(
        self, source: nodes.Template, name: str | None, filename: str | None, defer_init: bool = False
    ) -> str:
        for loop in list(source.find_all(nodes.For)):
            if loop.recursive:
                raise TemplateSyntaxError("a loop within itself may have no end", loop.lineno)
            cost = _STEP_COST + sum(len(one.data) for one in loop.find_all(nodes.TemplateData))
            loop.iter = _filtered(
                cast("nodes.Expr", loop.iter), _COUNTED, nodes.Const(cost)
            )  # a loop goes over a value
        for parent in list(source.find_all(nodes.Node)):
            _count_joins(parent)
        return super()._generate(source, name, filename, defer_init)


def _count_joins(parent: nodes.Node) -> None:
    """Let what stands below a node and joins texts by `~` do so carefully."""
    for field, value in parent.iter_fields():
        if is_list(value):
            value[:] = [_careful_join(one) for one in value]
        else:
            setattr(parent, field, _careful_join(value))


def _careful_join(value: Any) -> Any:
    return _filtered(nodes.List(list(value.nodes)), _JOINED) if isinstance(value, nodes.Concat) else value


def _filtered(node: nodes.Expr, name: str, *args: nodes.Expr) -> nodes.Filter:
    return nodes.Filter(node, name, list(args), [], None, None, lineno=node.lineno)


def _spent(context: Context) -> Spent:
    found = context.resolve(_SPENT)
    return found if isinstance(found, Spent) else Spent()


@pass_context
def _shown(context: Context, value: Any) -> Any:
    """What stands in a text for a value: lists, mappings, truth and nothing as JSON, as everywhere in a run."""
    is_plain = value is None or isinstance(value, bool) or is_list(value) or is_mapping(value)
    shown = msgspec.json.encode(value).decode("utf-8") if is_plain else value
    _spent(context).add(_STEP_COST + _size(shown))
    return shown


@pass_context
def _counted(context: Context, values: Any, cost: int) -> Iterator[Any]:
    spent = _spent(context)
    for value in values:
        spent.add(cost)
        yield value


def _joined(parts: Sequence[Any]) -> str:
    texts = [part if isinstance(part, str) else str(part) for part in parts]
    _check(sum(map(len, texts)))
    return "".join(texts)


def _careful(name: str, made: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that refuses to make something large of something small."""

    @wraps(made)
    def careful(*args: Any, **named: Any) -> Any:
        ahead = [one for one in args if not isinstance(one, Context | BoundedEnvironment | nodes.EvalContext)]
        if ahead:
            _check_growth(name, ahead[0], (*ahead[1:], *named.values()))
        return made(*args, **named)

    return careful


def _check_growth(name: str, value: Any, args: Sequence[Any]) -> None:
    """Raise `ValueError` if a method of a text, or a filter, would make too much of what it is given."""
    for one in args if name in _SIZED else ():
        if isinstance(one, int):
            _check(abs(one), _LARGEST_ARGUMENT)
    texts = [one for one in args if isinstance(one, str)]
    match name:
        case "replace" if isinstance(value, str) and texts:
            _check(len(value) + (value.count(texts[0]) + 1) * len(texts[-1]))
        case "join":
            values = value if isinstance(value, str) and not args else [value, *args]
            _check((_size(values) + 1) * max([1, *map(len, texts)]))
        case "indent" if isinstance(value, str):
            width = args[0] if args else 4
            _check(len(value) + (value.count("\n") + 1) * (width if isinstance(width, int) else _size(width)))
        case "sum":
            if any(not isinstance(one, int | float | str) or name in texts for one in args):
                raise ValueError("only numbers can be summed up")
        case "format" | "format_map" if isinstance(value, str):
            _check(len(value) + (value.count("%") + value.count("{")) * max([0, *map(_size, args)]))
            if _LARGE_WIDTH.search(value):
                raise ValueError(_TOO_MUCH)
        case _:
            pass


def _check(size: int, most: int = LONGEST_CHARS) -> None:
    if size > most:
        raise ValueError(_TOO_MUCH)


def _size(value: Any) -> int:
    """How many characters, elements and keys a value holds in all."""
    if isinstance(value, str):
        return len(value)
    if is_mapping(value):
        return sum(1 + _size(one) for one in value.values())
    if isinstance(value, list | tuple):
        return sum(1 + _size(one) for one in cast("Sequence[Any]", value))
    return 1
