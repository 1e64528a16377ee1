"""All patterns by name, and the graph of each as YAML text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from yeaft.workflows.patterns.cited import Cite, cite
from yeaft.workflows.patterns.delegated import Plan, Supervise, plan, supervise
from yeaft.workflows.patterns.lines import Chain, Route, chain, route
from yeaft.workflows.patterns.looped import Critic, Repair, critic, repair
from yeaft.workflows.patterns.panels import Parallel, Vote, parallel, vote
from yeaft.workflows.patterns.pattern import Words
from yeaft.workflows.patterns.spreads import Map, map_

Wanted = Chain | Route | Parallel | Vote | Map | Critic | Repair | Plan | Supervise | Cite
DEBATE = "debate"
"""The one pattern that is a file of its own among the templates, to be copied and changed."""


class Pattern(Struct, frozen=True, kw_only=True):
    """What a pattern takes, and how its graph is made of that. `expand` raises `UsageError`."""

    wanted: type[Any]
    expand: Callable[[Any, Words], str]


PATTERNS: Mapping[str, Pattern] = {
    "chain": Pattern(wanted=Chain, expand=chain),
    "route": Pattern(wanted=Route, expand=route),
    "parallel": Pattern(wanted=Parallel, expand=parallel),
    "vote": Pattern(wanted=Vote, expand=vote),
    "map": Pattern(wanted=Map, expand=map_),
    "critic": Pattern(wanted=Critic, expand=critic),
    "test-repair": Pattern(wanted=Repair, expand=repair),
    "plan": Pattern(wanted=Plan, expand=plan),
    "supervise": Pattern(wanted=Supervise, expand=supervise),
    "cite": Pattern(wanted=Cite, expand=cite),
}
NAMES = (*PATTERNS, DEBATE)


def expanded(wanted: Wanted, words: Words) -> str:
    """Return the YAML of the graph that a wish comes to. Raises `UsageError`."""
    pattern = next(one for one in PATTERNS.values() if one.wanted is type(wanted))
    return pattern.expand(wanted, words)
