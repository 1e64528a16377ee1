"""Expressions and prompt templates of graphs: Jinja in a sandbox, without clock, chance or files."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from yeaft.kernel.lists import is_list
from yeaft.kernel.nearness import nearest
from yeaft.workflows.graphs.plain_values import is_mapping

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.runtime import Context
    from jinja2.sandbox import SandboxedEnvironment

EXPRESSION_NAMES = ("value", "input", "steps", "params", "index")
"""What expressions can speak of."""
NESTED = "it is nested too deep"
_FAILURES = (ArithmeticError, LookupError, TypeError, ValueError, AttributeError, RecursionError, MemoryError)
KEPT = 256
"""So many templates are kept compiled."""
LONGEST_CHARS = 2_000_000
"""A text that a template makes may not be longer."""
LARGEST_IN_POWER = 1000


def evaluated(text: str, names: Mapping[str, Any]) -> Any:
    """Return what an expression such as `value.items` comes to; `none` for what is not there.

    Raises `ValueError` with the reason if it cannot be evaluated.
    """
    from jinja2 import TemplateError

    try:
        return _expression(text)(**names)
    except (TemplateError, *_FAILURES) as error:
        raise ValueError(f"{text!r} cannot be evaluated: {error}") from error


def filled(template: str, names: Mapping[str, Any]) -> str:
    """Return a template with its places filled in. Raises `ValueError`: a name that is not there is a mistake."""
    from jinja2 import TemplateError

    try:
        text = _template(template).render(**names)
    except (TemplateError, *_FAILURES) as error:
        raise ValueError(f"The template cannot be filled in: {error}") from error
    if len(text) > LONGEST_CHARS:
        raise ValueError(f"The template comes to {len(text)} characters; {LONGEST_CHARS} are the most")
    return text


def expression_mistake(text: str, names: Collection[str] = ()) -> str:
    """Return what is wrong with an expression as it is written; empty for nothing. With `names` it knows only those."""
    from jinja2 import TemplateSyntaxError

    try:
        _expression(text)
        return _unknown_name(f"{{{{ {text} }}}}", names) if names else ""
    except TemplateSyntaxError as error:
        return error.message or "it is no expression"
    except RecursionError:
        return NESTED


def template_mistake(template: str, names: Collection[str] = ()) -> str:
    """Return what is wrong with a template as it is written; empty for nothing. With `names` it knows only those."""
    from jinja2 import TemplateSyntaxError

    if "{" not in template:
        return ""
    try:
        _environment().compile(template, raw=True)
        return _unknown_name(template, names) if names else ""
    except TemplateSyntaxError as error:
        return f"{error.message} (its line {error.lineno})"
    except RecursionError:
        return NESTED


def _unknown_name(template: str, names: Collection[str]) -> str:
    """Say which name a template speaks of that it does not know, unless it asks first whether it is there."""
    from jinja2 import meta, nodes

    parsed = _environment().parse(template)
    asked = {
        one.node.name
        for kind in (nodes.Test, nodes.Filter)
        for one in parsed.find_all(kind)
        if one.name in ("defined", "undefined", "default", "d") and isinstance(one.node, nodes.Name)
    }
    unknown = sorted(meta.find_undeclared_variables(parsed) - set(names) - asked)
    if not unknown:
        return ""
    near = nearest(unknown[0], names)
    hint = f"did you mean {near!r}?" if near else f"there are {', '.join(names)}"
    return f"{unknown[0]!r} is nothing it could speak of; {hint}"


@lru_cache(maxsize=KEPT)
def _template(text: str) -> Template:
    return _environment().from_string(text)


@cache
def _expression(text: str) -> Any:
    return _environment().compile_expression(text, undefined_to_none=True)


def _shown(value: Any) -> Any:
    """What stands in a text for a value: lists, mappings, truth and nothing as JSON, as everywhere in a run."""
    is_plain = value is None or isinstance(value, bool) or is_list(value) or is_mapping(value)
    return msgspec.json.encode(value).decode("utf-8") if is_plain else value


@cache
def _environment() -> SandboxedEnvironment:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Environment(ImmutableSandboxedEnvironment):
        """A dot reads a key where there is one: `value.items` is what a model called `items`."""

        intercepted_binops = frozenset(("*", "**"))

        def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
            """Calculate, but nothing that would never end or never fit."""
            del context
            if operator == "**" and (abs(left) > LARGEST_IN_POWER or abs(right) > LARGEST_IN_POWER):
                raise ValueError("a power comes to too much")
            for one, other in ((left, right), (right, left)):
                is_long = isinstance(one, str) or is_list(one)
                if is_long and isinstance(other, int) and len(one) * other > LONGEST_CHARS:
                    raise ValueError("it comes to too much")
            return left**right if operator == "**" else left * right

        def getattr(self, obj: Any, attribute: str) -> Any:
            if is_mapping(obj) and attribute in obj:
                return obj[attribute]
            return super().getattr(obj, attribute)

    environment = Environment(undefined=StrictUndefined, autoescape=False, finalize=_shown)
    for name in ("range", "lipsum", "cycler", "joiner", "namespace"):
        environment.globals.pop(name, None)
    environment.filters.pop("random", None)
    return environment
