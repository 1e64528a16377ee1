"""What a Python program gives to a function of `yeaft.flows`: checked, and refused in the words of that function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, cast

from yeaft.kernel.errors import NotFound, UsageError
from yeaft.kernel.lists import is_list
from yeaft.workflows.graphs.graph import END, START
from yeaft.workflows.graphs.plain_values import is_mapping
from yeaft.workflows.patterns.delegated import MOST_CHILDREN, MOST_STEPS
from yeaft.workflows.patterns.looped import MOST_COMMAND_S
from yeaft.workflows.patterns.pattern import MOST_ITEMS, MOST_MEMBERS, MOST_ROUNDS, Budget

if TYPE_CHECKING:
    from yeaft.vp.names import Names

LEAST_VOTES = 2
WHOLE = "a whole number"
SHOWN_CHARS = 100
_BOUNDS: Mapping[str, tuple[int, int]] = {
    "n": (1, MOST_MEMBERS),
    "max_parallel": (1, MOST_MEMBERS),
    "max_items": (1, MOST_ITEMS),
    "rounds": (1, MOST_ROUNDS),
    "tries": (1, MOST_ROUNDS),
    "timeout_s": (1, MOST_COMMAND_S),
    "replans": (0, MOST_ROUNDS),
    "max_steps": (1, MOST_STEPS),
    "max_children": (1, MOST_CHILDREN),
}
"""The least and the most that each number can be."""
_LIMITS = {"cost": "a number", "tokens": WHOLE, "minutes": "a number", "max_parallel": WHOLE}
"""The limits that each function takes by name, and what they are."""


class Arguments:
    """The arguments of one call. `vps` is each VP that was named, with the parameter that named it."""

    def __init__(self, function: str) -> None:
        self.vps: list[tuple[str, str]] = []
        self._function = f"flows.{function}()"

    def vp(self, name: str, given: object) -> str:
        """Return the name of a VP without its `@`. Raises `UsageError` if it is none."""
        word = given.strip().lstrip("@＠").strip() if isinstance(given, str) else ""
        if not word:
            raise self._wrong(f"{name} must be the name of a VP, such as 'builder', not {_shown(given)}")
        self.vps.append((name, word))
        return word

    def vp_or_none(self, name: str, given: object) -> str:
        """Return the name of a VP, empty if none is given."""
        return "" if given == "" else self.vp(name, given)

    def all_vps(self, name: str, given: object, *, least: int = 1) -> tuple[str, ...]:
        """Return the names of several VPs."""
        names = self._listed(name, given, "names of VPs, such as ['builder', 'tester']")
        if not least <= len(names) <= MOST_MEMBERS:
            raise self._wrong(f"{name} must name {least} to {MOST_MEMBERS} VPs; there are {len(names)}")
        return tuple(self.vp(f"{name}[{number}]", one) for number, one in enumerate(names))

    def choices(self, name: str, given: object) -> tuple[tuple[str, str], ...]:
        """Return the kinds of tasks and the VP for each."""
        if not is_mapping(given) or not given:
            raise self._wrong(f"{name} must be a mapping of kinds of tasks to VPs, such as {{'bug': 'debugger'}}")
        return tuple((self.step(name, kind), self.vp(f"{name}[{kind!r}]", vp)) for kind, vp in given.items())

    def texts(self, name: str, given: object) -> tuple[str, ...]:
        """Return a list of texts, none of them empty."""
        found = self._listed(name, given, "texts")
        for number, one in enumerate(found):
            self.text(f"{name}[{number}]", one)
        return tuple(map(str, found))

    def text(self, name: str, given: object) -> str:
        """Return a text that says something."""
        if isinstance(given, str) and given.strip():
            return given
        raise self._wrong(f"{name} must be a text that says something, not {_shown(given)}")

    def step(self, name: str, given: object) -> str:
        """Return a name that a step can have."""
        from yeaft.workflows.graphs.files.made_steps import id_mistake

        word = self.text(name, given)
        mistake = "" if word in (START, END) else id_mistake(word)  # these get a number
        self.check(not mistake, f"{name}: {mistake}")
        return word

    def number(self, name: str, given: object) -> int:
        """Return a whole number within the bounds that it has in all functions."""
        least, most = _BOUNDS[name]
        if isinstance(given, int) and not isinstance(given, bool) and least <= given <= most:
            return given
        raise self._wrong(f"{name} must be a whole number from {least} to {most}, not {_shown(given)}")

    def check_votes(self, votes: int) -> None:
        """Check that there are enough votes to be counted, and not too many."""
        bounds = f"{LEAST_VOTES} to {MOST_MEMBERS}"
        is_within = LEAST_VOTES <= votes <= MOST_MEMBERS
        self.check(is_within, f"members, n times each, must make {bounds} votes, not {votes}")

    def budget(self, given: Mapping[str, Any]) -> Budget:
        """Return the limits that were given by name. Raises `TypeError` for one that there is not."""
        return budget_of(given, self._function)

    def check(self, holds: object, otherwise: str) -> None:
        """Check what is none of the above. Raises `UsageError`, which says `otherwise`."""
        if not holds:
            raise self._wrong(otherwise)

    def check_known(self, names: Names) -> None:
        """Check that there are all the VPs. Raises `NotFound`."""
        for name, word in self.vps:
            if names.id_of(word) is None:
                near = names.nearest(word)
                hint = f"Did you mean {near!r}?" if near else "`yeaft vp ls` lists those there are."
                raise NotFound(f"{self._function}: {name}: there is no VP {word!r}. {hint}")

    def _listed(self, name: str, given: object, what: str) -> Sequence[object]:
        if is_list(given):
            return given
        if isinstance(given, tuple):
            return cast("Sequence[object]", given)  # what is in it is looked at one by one
        raise self._wrong(f"{name} must be a list of {what}, not {_shown(given)}")

    def _wrong(self, said: str) -> UsageError:
        return UsageError(f"{self._function}: {said}.")


def budget_of(given: Mapping[str, Any], place: str) -> Budget:
    """Return limits by their names; errors say in which `place` they were given.

    Raises `TypeError` for one that there is not, and `UsageError`.
    """
    for name, value in given.items():
        if name not in _LIMITS:
            raise TypeError(f"{place} takes no {name!r}")
        if value is not None and not _is_above_zero(value, is_whole=_LIMITS[name] == WHOLE):
            raise UsageError(f"{place}: {name} must be {_LIMITS[name]} above 0, not {_shown(value)}.")
    return Budget(**given)


def _shown(given: object) -> str:
    """Return what was given, in short; only its type where Python does not write it out, as with endless numbers."""
    try:
        text = repr(given)
    except ValueError:
        return type(given).__name__
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…"


def _is_above_zero(value: object, *, is_whole: bool) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_finite(value):
        return False
    return value > 0 and (isinstance(value, int) or not is_whole)


def _is_finite(value: float) -> bool:
    try:
        return isfinite(value)
    except OverflowError:  # a whole number that is larger than any other can be
        return False
