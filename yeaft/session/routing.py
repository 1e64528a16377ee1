"""Decides who answers: from a user's text by its mentions, from a VP's hand-off by its target. Pure."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from yeaft.kernel.pattern import Pattern
from yeaft.session.mentions import Mention, find_mentions
from yeaft.vp.names import EVERYONE, Names

FAN_OUT_LIMIT = 16
NEAREST_LIMIT = 3
"""For how many unknown mentions somebody is searched who could be meant."""
_BETWEEN_TARGETS = Pattern("[\\s,;\uff0c\u3001\uff1b]+")

RefusalCode = Literal["to_required", "self_forward_rejected", "target_not_in_roster", "no_targets_dispatched"]


class Unknown(Struct, frozen=True, kw_only=True):
    """A mention of nobody: the name as written, and the VP that was probably meant."""

    token: str
    nearest: str | None = None


class Routing(Struct, frozen=True, kw_only=True):
    """Who answers a user's message, and why.

    `joined` are those of `to` who were not on the roster. `truncated` says that not everyone could be asked.
    `unknown` are the mentions worth a notice; they never stop a message. `to` is empty only for an empty roster.
    """

    to: tuple[str, ...]
    joined: tuple[str, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    broadcast: bool = False
    truncated: bool = False
    reason: Literal["mention", "all", "default"] = "default"


class Refused(Struct, frozen=True, kw_only=True):
    """A target that a hand-off cannot go to; `detail` is written for the model."""

    target: str
    code: RefusalCode
    detail: str


class Forwarding(Struct, frozen=True, kw_only=True):
    """Who a hand-off goes to; `to` is empty exactly if it goes nowhere, and then `refused` says why."""

    to: tuple[str, ...]
    broadcast: bool = False
    truncated: bool = False
    refused: tuple[Refused, ...] = ()


def route(text: str, *, roster: Sequence[str], default_vp: str, names: Names) -> Routing:
    """Return who answers `text`.

    `@all` reaches the roster (at most 16, in its order) and wins over other mentions; else the mentioned VPs answer,
    in the order of their first mention; else the default VP, or the first of the roster if that is not on it.
    `names` are those of the roster and of every VP that a mention may bring in. Pass only what the user typed: a file
    or pipe in the message must not choose who answers.
    """
    mentions = find_mentions(text, names)
    unknown = _worth_a_notice(mentions, names)
    asked = dict.fromkeys(mention.vp_id for mention in mentions if mention.vp_id)
    if EVERYONE in asked:
        return Routing(
            to=tuple(roster[:FAN_OUT_LIMIT]),
            unknown=unknown,
            broadcast=True,
            truncated=len(roster) > FAN_OUT_LIMIT,
            reason="all",
        )
    if asked:
        joined = tuple(vp_id for vp_id in asked if vp_id not in roster)
        return Routing(to=tuple(asked), joined=joined, unknown=unknown, reason="mention")
    default = (default_vp,) if default_vp in roster else tuple(roster[:1])
    return Routing(to=default, unknown=unknown)


def forward_targets(
    to: str | Sequence[str], sender: str, roster: Sequence[str], names: Names | None = None
) -> Forwarding:
    """Return who a hand-off by the VP `sender` to `to` reaches: `all`, or one or more VPs of the roster.

    `to` holds ids, with or without `@`, in one text with commas or spaces between, or in a list; with `names` also
    whatever else the VPs are called.
    """
    names = names or Names()
    peers = tuple(vp_id for vp_id in roster if vp_id != sender)
    wanted = _wanted(to, names)
    if not wanted:
        return Forwarding(to=(), refused=(_refused("", "to_required", peers),))
    if any(target.casefold() == EVERYONE for target in wanted):
        refused = () if peers else (_refused(EVERYONE, "no_targets_dispatched", peers),)
        truncated = len(peers) > FAN_OUT_LIMIT
        return Forwarding(to=peers[:FAN_OUT_LIMIT], broadcast=True, truncated=truncated, refused=refused)
    reached: dict[str, None] = {}
    refusals: list[Refused] = []
    for target in wanted:
        vp_id = target if target in roster else names.id_of(target)
        if vp_id == sender:
            refusals.append(_refused(target, "self_forward_rejected", peers))
        elif vp_id is None or vp_id not in roster:
            refusals.append(_refused(target, "target_not_in_roster", peers))
        else:
            reached[vp_id] = None
    return Forwarding(to=tuple(reached), refused=tuple(refusals))


def _worth_a_notice(mentions: Sequence[Mention], names: Names) -> tuple[Unknown, ...]:
    """Keep the unknown mentions that somebody was surely meant by: something is near, or the message begins so."""
    leads: dict[str, bool] = {}
    for mention in mentions:
        if not mention.vp_id:
            leads[mention.token] = mention.leads or leads.get(mention.token, False)
    found: list[Unknown] = []
    for number, (token, leading) in enumerate(leads.items()):
        near = names.nearest(token) if number < NEAREST_LIMIT else None
        if near or leading:
            found.append(Unknown(token=token, nearest=near))
    return tuple(found)


def _wanted(to: str | Sequence[str], names: Names) -> tuple[str, ...]:
    if isinstance(to, str):
        to = (to,) if names.id_of(to) else _BETWEEN_TARGETS.split(to)
    stripped = (target.strip().lstrip("@\uff20") for target in to)
    return tuple(dict.fromkeys(target for target in stripped if target))


def _refused(target: str, code: RefusalCode, peers: Sequence[str]) -> Refused:
    others = ", ".join(peers) or "nobody else"
    details: dict[RefusalCode, str] = {
        "to_required": f"`to` must name who is to answer: {others}, or all.",
        "self_forward_rejected": f"{target} is yourself; hand on to: {others}.",
        "target_not_in_roster": f"{target} does not take part in this conversation; you can hand on to: {others}.",
        "no_targets_dispatched": "Nobody else takes part in this conversation.",
    }
    return Refused(target=target, code=code, detail=details[code])
