"""Turns what a user typed into who is asked, who joins for it, and what the user should be told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.events.codec import Event
from yeaft.events.session import NoticePosted, RosterChanged
from yeaft.kernel.errors import BadData, NotFound
from yeaft.session.mentions import may_mention
from yeaft.session.routing import FAN_OUT_LIMIT, Routing, Unknown, route
from yeaft.vp.names import Names

if TYPE_CHECKING:
    from yeaft.events.ops import SetRoster
    from yeaft.session.state import SessionState
    from yeaft.vp.library import Library

NAMED_LIMIT = 3
"""How many unknown mentions a notice names before it only counts them."""
UNKNOWN_LIMIT = 16
"""How many of them are kept with the message."""


class Addressed(Struct, frozen=True, kw_only=True):
    """Who is asked; `before` and `notices` are the events to record before and after the message."""

    to: tuple[str, ...]
    before: tuple[Event, ...] = ()
    notices: tuple[Event, ...] = ()
    unknown: tuple[str, ...] = ()


def chosen_roster(op: SetRoster, library: Library) -> RosterChanged:
    """The roster that the user wants, each VP once. Raises `NotFound` or `BadData` for one that cannot be."""
    roster = tuple(dict.fromkeys(op.roster))
    unknown = [vp_id for vp_id in roster if library.get(vp_id) is None]
    if unknown:
        raise NotFound(f"No VP named {unknown[0]!r}. See `yeaft vp ls`.")
    if not roster or (op.default_vp and op.default_vp not in roster):
        raise BadData("A roster needs at least one VP, and its default VP must be one of them.")
    return RosterChanged(roster=roster, default_vp=op.default_vp or roster[0], reason="user")


def address(state: SessionState, library: Library, text: str, to: tuple[str, ...], lang: str) -> Addressed:
    """Say who answers `text`; a given `to` wins over its mentions. Raises `NotFound` for a VP in `to` nobody knows."""
    names = known_names(state, library) if to or may_mention(text) else Names()  # reading all VP files takes 3 ms
    routing = _chosen(state, names, to) if to else _routed(state, names, text)
    before: tuple[Event, ...] = ()
    notices: list[Event] = []
    if routing.joined:
        roster = (*state.roster, *routing.joined)
        before = (RosterChanged(roster=roster, default_vp=state.default_vp, reason="mention"),)
        notices += [_joined(library, vp_id, lang) for vp_id in routing.joined]
    notices += _unknown_notices(routing, state.default_vp)
    if routing.truncated:
        notices.append(NoticePosted(code="mention.truncated", params={"limit": str(FAN_OUT_LIMIT)}, level="warn"))
    return Addressed(
        to=routing.to,
        before=before,
        notices=tuple(notices),
        unknown=tuple(unknown.token for unknown in routing.unknown[:UNKNOWN_LIMIT]),
    )


def known_names(state: SessionState, library: Library) -> Names:
    """Return what every VP is called; where two share a name, one of the roster goes first."""
    return library.names(tuple(state.roster))


def notice_of(unknown: Unknown, routing: Routing, default_vp: str) -> NoticePosted:
    """Return what the user is told of a mention that nobody answers to."""
    code = "mention.unknown" if routing.reason == "default" else "mention.unknown_beside"
    params = {"token": unknown.token, "default": routing.to[0] if routing.to else default_vp}
    if unknown.nearest:
        return NoticePosted(code=f"{code}_near", params={**params, "nearest": unknown.nearest}, level="warn")
    return NoticePosted(code=code, params=params, level="warn")


def _unknown_notices(routing: Routing, default_vp: str) -> list[NoticePosted]:
    """Return a notice for each of a few unknown mentions, or one for many."""
    unknown = routing.unknown
    if len(unknown) <= NAMED_LIMIT:
        return [notice_of(one, routing, default_vp) for one in unknown]
    code = "mention.unknown_many" if routing.reason == "default" else "mention.unknown_many_beside"
    params = {
        "tokens": ", ".join(f"@{one.token}" for one in unknown[:NAMED_LIMIT]),
        "more": str(len(unknown) - NAMED_LIMIT),
        "default": routing.to[0] if routing.to else default_vp,
    }
    return [NoticePosted(code=code, params=params, level="warn")]


def _routed(state: SessionState, names: Names, text: str) -> Routing:
    return route(text, roster=state.roster, default_vp=state.default_vp, names=names)


def _chosen(state: SessionState, names: Names, to: tuple[str, ...]) -> Routing:
    found: dict[str, None] = {}
    for target in to:
        vp_id = names.id_of(target.lstrip("@"))
        if vp_id is None:
            near = names.nearest(target)
            raise NotFound(f"No VP named {target!r}." + (f" Did you mean {near}?" if near else " See `yeaft vp ls`."))
        found[vp_id] = None
    joined = tuple(vp_id for vp_id in found if vp_id not in state.roster)
    return Routing(to=tuple(found), joined=joined, reason="mention")


def _joined(library: Library, vp_id: str, lang: str) -> NoticePosted:
    vp = library.get(vp_id)
    return NoticePosted(code="roster.joined", params={"vp": vp_id, "name": vp.name_in(lang) if vp else vp_id})
