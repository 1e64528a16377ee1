"""What all patterns have in common: who takes part, what a run may use, and the words that VPs are told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from yeaft.kernel.errors import UsageError

Words = Mapping[str, str]
"""The texts of `prompts/flows` by key."""
MOST_ROUNDS, MOST_MEMBERS, MOST_ITEMS = 20, 20, 1000
SPARE_STEPS = 5


class Budget(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a run may use besides what its pattern bounds; None for no limit."""

    cost: float | None = None
    tokens: int | None = None
    minutes: float | None = None
    max_parallel: int | None = None


def limits(budget: Budget, steps: int) -> dict[str, Any]:
    """Return the limits of a graph that by its own bounds takes `steps` steps at most."""
    given = {name: getattr(budget, name) for name in ("cost", "tokens", "minutes", "max_parallel")}
    return {"max_steps": 2 * steps + SPARE_STEPS, **{name: value for name, value in given.items() if value is not None}}


def endings(name: str, source: str, words: Words) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the steps that end a run without what was wanted, and the edges to them from the step that decides so.

    `stuck` ends it as failed, `spent` at its limit of rounds; the words say what helps.
    """
    steps = [
        {"#": words["remark_stuck"], "id": "stuck", "fail": words[f"{name}_stuck"]},
        {"#": words["remark_spent"], "id": "spent", "fail": words[f"{name}_spent"], "limit": "rounds"},
    ]
    edges = [
        {"from": source, "to": state, "condition": {"type": "match", "field": "state", "value": state}}
        for state in ("stuck", "spent")
    ]
    return steps, edges


def within(name: str, value: int, most: int) -> None:
    """Check a bound. Raises `UsageError`."""
    if not 1 <= value <= most:
        raise UsageError(f"{name} is a number from 1 to {most}, not {value}.")


def at_least(count: int, members: Sequence[str], what: str) -> None:
    """Check that enough take part, and not too many. Raises `UsageError`."""
    if len(members) < count:
        raise UsageError(f"{what} needs {count} VPs or more, such as @builder; there are {len(members)}.")
    if len(members) > MOST_MEMBERS:
        raise UsageError(f"{what} takes {MOST_MEMBERS} VPs at most; there are {len(members)}.")


def unlike(names: Sequence[str], taken: Sequence[str] = ()) -> list[str]:
    """Return ids for these names, each another one: a name that comes again gets a number."""
    found: list[str] = []
    for name in names:
        step_id, number = name, 1
        while step_id in found or step_id in taken:
            number += 1
            step_id = f"{name}-{number}"
        found.append(step_id)
    return found
