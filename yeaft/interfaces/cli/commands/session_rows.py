"""What lists say of a Session: to programs as a value, to people in the cells of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.interfaces.amounts import money
from yeaft.interfaces.cli.commands.printing import iso_time, local_time
from yeaft.store.cost import NOTHING

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.store.meta import SessionMeta


class SessionRow(Struct, frozen=True, kw_only=True):
    """What a list says of a Session; times are ISO 8601. `name` is what the user called it, `title` how it begins.

    `last_words` are the beginning of what was said last, by `last_speaker`: `user` or `vp:<id>`. `cost` is that of all
    in the Session, in US dollars, sub-agents and runs included, but for the `unpriced` replies without a known price.
    """

    id: str
    name: str
    title: str
    roster: tuple[str, ...]
    default_vp: str
    messages: int
    created: str
    last_active: str
    folder: str
    archived: bool
    labels: tuple[str, ...]
    last_words: str
    last_speaker: str
    cost: float
    unpriced: int


def row_of(meta: SessionMeta) -> SessionRow:
    """Return what programs are told."""
    cost = meta.cost or NOTHING
    return SessionRow(
        id=meta.session_id,
        name=meta.name,
        title=meta.title or "",
        roster=meta.roster,
        default_vp=meta.default_vp,
        messages=meta.messages,
        created=iso_time(meta.created_ms),
        last_active=iso_time(meta.last_active_ms),
        folder=meta.folder,
        archived=meta.archived,
        labels=meta.labels,
        last_words=meta.last_words or "",
        last_speaker=meta.last_speaker,
        cost=round(cost.usd, 6),
        unpriced=cost.unpriced,
    )


def cell(desk: Desk, meta: SessionMeta, key: str) -> str:
    """Return what stands in the column `key`."""
    match key:
        case "id":
            return meta.session_id
        case "last_active":
            return local_time(meta.last_active_ms)
        case "messages":
            return str(meta.messages)
        case "roster":
            return " ".join(f"@{vp_id}" for vp_id in meta.roster)
        case "folder":
            return meta.folder
        case "cost":
            cost = meta.cost or NOTHING
            return money(cost.usd, is_least=cost.unpriced > 0)
        case _:
            name = meta.name or meta.title or "-"
            return f"{name} {desk.text('sessions.archived_mark')}" if meta.archived else name


def called(meta: SessionMeta) -> str:
    """Return the id of a Session and what people know it by."""
    name = meta.name or meta.title
    return f"{meta.session_id} ({name})" if name else meta.session_id
