"""Expressions and prompt templates of graphs: Jinja in a sandbox, without clock, chance or files."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from yeaft.kernel.nearness import nearest

if TYPE_CHECKING:
    from jinja2 import Template

    from yeaft.workflows.graphs.bounded_templates import BoundedEnvironment

EXPRESSION_NAMES = ("value", "input", "steps", "params", "index")
"""What expressions can speak of."""
NESTED = "it is nested too deep"
_FAILURES = (ArithmeticError, LookupError, TypeError, ValueError, AttributeError, RecursionError, MemoryError)
KEPT = 256
"""So many templates are kept compiled."""


def evaluated(text: str, names: Mapping[str, Any]) -> Any:
    """Return what an expression such as `value.items` comes to; `none` for what is not there.

    Raises `ValueError` with the reason if it cannot be evaluated.
    """
    from jinja2 import TemplateError

    from yeaft.workflows.graphs.bounded_templates import bounded

    try:
        return _expression(text)(**bounded(names))
    except (TemplateError, *_FAILURES) as error:
        raise ValueError(f"{text!r} cannot be evaluated: {error}") from error


def filled(template: str, names: Mapping[str, Any]) -> str:
    """Return a template with its places filled in. Raises `ValueError`: a name that is not there is a mistake."""
    from jinja2 import TemplateError

    from yeaft.workflows.graphs.bounded_templates import LONGEST_CHARS, bounded

    parts: list[str] = []
    size = 0
    try:
        for part in _template(template).generate(bounded(names)):
            parts.append(part)
            size += len(part)
            if size > LONGEST_CHARS:
                raise ValueError(f"it comes to more than {LONGEST_CHARS} characters")
    except (TemplateError, *_FAILURES) as error:
        raise ValueError(f"The template cannot be filled in: {error}") from error
    return "".join(parts)


def expression_mistake(text: str, names: Collection[str] = ()) -> str:
    """Return what is wrong with an expression as it is written; empty for nothing. With `names` it knows only those."""
    from jinja2 import TemplateSyntaxError

    try:
        _expression(text)
        template = f"{{{{ {text} }}}}"
        return _forbidden(template) or (_unknown_name(template, names) if names else "")
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
        return _forbidden(template) or (_unknown_name(template, names) if names else "")
    except TemplateSyntaxError as error:
        return f"{error.message} (its line {error.lineno})"
    except RecursionError:
        return NESTED


def _forbidden(template: str) -> str:
    """Say what a template does that none may: bring in another file, or look into the insides of Python."""
    from jinja2 import nodes

    parsed = _environment().parse(template)
    if any(parsed.find_all((nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends))):
        return "a template cannot bring in other files"
    inner = next((one.attr for one in parsed.find_all(nodes.Getattr) if one.attr.startswith("__")), "")
    return f"{inner!r} cannot be looked into" if inner else ""


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


@cache
def _environment() -> BoundedEnvironment:
    from yeaft.workflows.graphs.bounded_templates import BoundedEnvironment

    return BoundedEnvironment()
