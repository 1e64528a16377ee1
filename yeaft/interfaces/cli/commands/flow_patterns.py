"""The options of each pattern of `yeaft flow`, and the wish that they come to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from yeaft.interfaces.cli.commands.flow_words import Roles, part_of
from yeaft.interfaces.cli.commands.parsing import flag, option
from yeaft.interfaces.cli.options import Count, Seconds
from yeaft.kernel.errors import UsageError

if TYPE_CHECKING:
    from yeaft.vp.names import Names
    from yeaft.workflows.patterns.named import Wanted
    from yeaft.workflows.patterns.pattern import Budget


class Asked:
    """What was asked of a pattern: members by role, the values of its own options, and what it may use."""

    def __init__(self, roles: Roles, values: Mapping[str, Any], budget: Budget, names: Names, default_vp: str) -> None:
        self.roles = roles
        self.values = values
        self.budget = budget
        self.names = names
        self.default_vp = default_vp


class Form:
    """The options of a pattern, and how they become a wish. `wanted` raises `NotFound` or `UsageError`."""

    def __init__(self, *, wanted: Callable[[Asked], Wanted], params: tuple[click.Parameter, ...]) -> None:
        self.wanted = wanted
        self.params = params


def _chain(asked: Asked) -> Wanted:
    from yeaft.workflows.patterns.lines import Chain

    parts = asked.roles.rest()
    return Chain(
        members=tuple(one.vp for one in parts),
        names=tuple(one.name or one.vp for one in parts),
        approve=asked.values["approve"],
        budget=asked.budget,
    )


def _route(asked: Asked) -> Wanted:
    from yeaft.workflows.patterns.lines import Route

    parts, values = asked.roles.rest(), asked.values
    if nameless := [one.vp for one in parts if not one.name]:
        raise UsageError(f"yeaft flow route takes KIND=@VP, such as bug=@{nameless[0]}.")
    return Route(
        choices=tuple((one.name, one.vp) for one in parts),
        other=part_of(values["other"], asked.names).vp if values["other"] else asked.default_vp,
        by=part_of(values["by"], asked.names).vp if values["by"] else "",
        budget=asked.budget,
    )


def _parallel(asked: Asked) -> Wanted:
    from yeaft.workflows.patterns.panels import Parallel

    merge = asked.values["merge"]
    return Parallel(
        members=tuple(one.vp for one in asked.roles.rest()),
        merge=part_of(merge, asked.names).vp if merge else "",
        budget=asked.budget,
    )


def _vote(asked: Asked) -> Wanted:
    from yeaft.workflows.patterns.panels import Vote

    members = tuple(one.vp for one in asked.roles.rest())
    times = asked.values["times"] or (3 if len(members) == 1 else 1)
    return Vote(members=members, times=times, stop=asked.values["stop"], budget=asked.budget)


def _map(asked: Asked) -> Wanted:
    from yeaft.workflows.patterns.spreads import Map

    values = asked.values
    return Map(
        member=asked.roles.one("vp", "", default=asked.default_vp),
        over=values["over"],
        items=values["item"],
        max_parallel=asked.budget.max_parallel or 4,
        max_items=values["max_items"],
        collect=part_of(values["collect"], asked.names).vp if values["collect"] else "",
        budget=asked.budget,
    )


def _critic(asked: Asked) -> Wanted:
    from yeaft.workflows.patterns.looped import Critic

    values = asked.values
    return Critic(
        writer=asked.roles.one("writer", values["writer"]),
        critic=asked.roles.one("critic", values["critic"]),
        rounds=values["rounds"],
        budget=asked.budget,
    )


def _test_repair(asked: Asked) -> Wanted:
    from yeaft.workflows.patterns.looped import Repair

    values = asked.values
    return Repair(
        coder=asked.roles.one("coder", values["coder"], default=asked.default_vp),
        command=values["cmd"],
        tries=values["tries"],
        timeout_s=round(values["cmd_timeout_s"] or 120),
        budget=asked.budget,
    )


def _plan(asked: Asked) -> Wanted:
    from yeaft.workflows.patterns.delegated import Plan

    values = asked.values
    return Plan(
        planner=asked.roles.one("planner", values["planner"]),
        workers=tuple(one.vp for one in asked.roles.rest(values["worker"])),
        approve=values["approve"],
        replans=values["replans"],
        max_steps=values["max_plan"],
        budget=asked.budget,
    )


def _supervise(asked: Asked) -> Wanted:
    from yeaft.workflows.patterns.delegated import Supervise

    values = asked.values
    return Supervise(
        lead=asked.roles.one("lead", values["lead"]),
        workers=tuple(one.vp for one in asked.roles.rest(values["worker"])),
        rounds=values["rounds"],
        max_children=values["max_children"],
        budget=asked.budget,
    )


def _cite(asked: Asked) -> Wanted:
    from yeaft.workflows.patterns.cited import Cite

    values = asked.values
    return Cite(
        member=asked.roles.one("vp", "", default=asked.default_vp),
        glob=values["glob"],
        tries=values["tries"],
        budget=asked.budget,
    )


APPROVE = flag("--approve")
WORKER = option("--worker", multiple=True)
FORMS: Mapping[str, Form] = {
    "chain": Form(wanted=_chain, params=(APPROVE,)),
    "route": Form(wanted=_route, params=(option("--else", "other", default=""), option("--by", default=""))),
    "parallel": Form(wanted=_parallel, params=(option("--merge", default=""),)),
    "vote": Form(
        wanted=_vote,
        params=(
            option("-n", "--times", "times", type=Count(min=1)),
            option("--stop", type=click.Choice(["", "majority"]), default=""),
        ),
    ),
    "map": Form(
        wanted=_map,
        params=(
            option("--over", default=""),
            option("--item", multiple=True),
            option("--max-items", type=Count(min=1), default=100),
            option("--collect", default=""),
        ),
    ),
    "critic": Form(
        wanted=_critic,
        params=(
            option("--writer", default=""),
            option("--critic", default=""),
            option("--rounds", type=Count(min=1), default=3),
        ),
    ),
    "test-repair": Form(
        wanted=_test_repair,
        params=(
            option("--coder", default=""),
            option("--cmd", required=True),
            option("--tries", type=Count(min=1), default=5),
            option("--cmd-timeout", "cmd_timeout_s", type=Seconds()),
        ),
    ),
    "plan": Form(
        wanted=_plan,
        params=(
            option("--planner", default=""),
            WORKER,
            APPROVE,
            option("--replans", type=Count(min=0), default=2),
            option("--max-plan", type=Count(min=1), default=12),
        ),
    ),
    "supervise": Form(
        wanted=_supervise,
        params=(
            option("--lead", default=""),
            WORKER,
            option("--rounds", type=Count(min=1), default=5),
            option("--max-children", type=Count(min=1), default=8),
        ),
    ),
    "cite": Form(
        wanted=_cite,
        params=(option("--glob", default=""), option("--tries", type=Count(min=1), default=2)),
    ),
}
"""By the name of the pattern."""
