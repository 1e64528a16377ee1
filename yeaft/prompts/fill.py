"""Puts values into `{{name}}` places of a template, and never looks for places in the values."""

from collections.abc import Mapping

from yeaft.kernel.pattern import Pattern

_PLACE = Pattern(r"\{\{(\w+)\}\}")


def fill(template: str, values: Mapping[str, str]) -> str:
    """Return `template` with each `{{name}}` replaced by `values["name"]`; values go in as they are.

    A place without a value is a bug in the caller: `KeyError`. Values without a place are ignored, because a
    translation may do without one.
    """
    return _PLACE.sub(lambda found: values[found[1]], template)


def places(template: str) -> frozenset[str]:
    """Return the names that `template` wants values for."""
    return frozenset(_PLACE.findall(template))
