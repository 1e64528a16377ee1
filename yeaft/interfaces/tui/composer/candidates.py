"""What a popup offers: VPs by any of their names, orders, commands and skills; the best first. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from yeaft.kernel.effort_prefix import LEVELS, is_level
from yeaft.vp.names import EVERYONE, fold

if TYPE_CHECKING:
    from yeaft.interfaces.orders import Order
    from yeaft.prompts.ui import Ui
    from yeaft.session.slash.slash_word import SlashWord
    from yeaft.vp.persona import Vp

Section = Literal["vps", "files", "orders", "commands", "skills", "prompts", "history", "hint"]
MOST_ROLE_CHARS = 200
MESSAGE = "MESSAGE"
"""What an effort stands before."""


class Candidate(Struct, frozen=True, kw_only=True):
    """Something to choose: `text` is put into the draft; `goes_on` if more is to be written right behind it."""

    section: Section
    label: str
    text: str = ""
    detail: str = ""
    vp_id: str = ""
    takes: str = ""
    goes_on: bool = False


def vp_candidates(vps: Iterable[Vp], roster: Sequence[str], fragment: str, ui: Ui) -> list[Candidate]:
    """Return the VPs that one of whose names begins with the fragment or holds it; those of the roster first."""
    wanted = fold(fragment)
    ranked: list[tuple[tuple[int, int, str], Candidate]] = []
    for vp in vps:
        rank = _rank(wanted, (vp.id, *vp.labels))
        if rank is not None:
            place = roster.index(vp.id) if vp.id in roster else len(roster)
            ranked.append(((rank, place, vp.id), _of_vp(vp, ui)))
    everyone = _rank(wanted, (EVERYONE,)) if len(roster) > 1 else None
    if everyone is not None:
        detail = ui.text("composer.everyone", vps=ui.text("composer.between").join(f"@{vp_id}" for vp_id in roster))
        found = Candidate(section="vps", label=f"@{EVERYONE}", text=f"@{EVERYONE}", detail=detail)
        ranked.append(((everyone, len(roster), ""), found))
    return [candidate for _, candidate in sorted(ranked, key=lambda one: one[0])]


def slash_candidates(orders: Mapping[str, Order], words: Sequence[SlashWord], fragment: str, ui: Ui) -> list[Candidate]:
    """Return what can be started: names that begin with the fragment, then those that hold it or its letters."""
    wanted = fold(fragment)
    offered = [_of_order(name, order, ui) for name, order in orders.items() if len(name) > 1 or name == wanted]
    offered += [_of_level(level, ui) for level in LEVELS]
    offered += [_of_word(word) for word in words if word.name not in orders and word.name not in LEVELS]
    ranked = [
        (rank, place, one) for place, one in enumerate(offered) if (rank := _rank(wanted, (one.text[1:],))) is not None
    ]
    return [one for _, _, one in sorted(ranked, key=lambda found: found[:2])]


def hint_candidates(orders: Mapping[str, Order], words: Sequence[SlashWord], name: str, ui: Ui) -> list[Candidate]:
    """Return what a command takes, to be shown while that is written; nothing to choose."""
    found: list[Candidate] = []
    if name in orders:
        found = [_of_order(name, orders[name], ui)]
    elif is_level(name):
        found = [_of_level(name, ui)]
    else:
        found = [_of_word(word) for word in words if word.name == name]
    return [
        Candidate(section="hint", label=one.label, detail=one.detail, takes=one.takes) for one in found if one.takes
    ]


def _of_vp(vp: Vp, ui: Ui) -> Candidate:
    is_chinese = ui.lang == "zh"
    name = (vp.name_zh or vp.name) if is_chinese else vp.name
    role = (vp.role_zh or vp.role) if is_chinese else vp.role
    detail = " · ".join(part for part in (name, role[:MOST_ROLE_CHARS]) if part)
    return Candidate(section="vps", label=f"@{vp.id}", text=f"@{vp.id}", detail=detail, vp_id=vp.id)


def _of_order(name: str, order: Order, ui: Ui) -> Candidate:
    label = f"/{name} {order.takes}".rstrip()
    return Candidate(section="orders", label=label, text=f"/{name}", detail=ui.text(f"order.{name}"), takes=order.takes)


def _of_level(level: str, ui: Ui) -> Candidate:
    return Candidate(
        section="orders",
        label=f"/{level} {MESSAGE}",
        text=f"/{level}",
        detail=ui.text("effort.once", effort=level),
        takes=MESSAGE,
    )


def _of_word(word: SlashWord) -> Candidate:
    sections: Mapping[str, Section] = {"command": "commands", "skill": "skills", "prompt": "prompts"}
    label = f"/{word.name} {word.hint}".rstrip()
    return Candidate(
        section=sections[word.kind], label=label, text=f"/{word.name}", detail=word.description, takes=word.hint
    )


def _rank(wanted: str, names: Iterable[str]) -> int | None:
    """Return how well any of the names fits, 0 best; None if none does."""
    ranks = [rank for name in names if (rank := _fit(wanted, fold(name))) is not None]
    return min(ranks, default=None)


def _fit(wanted: str, name: str) -> int | None:
    if name == wanted:
        return 0
    if name.startswith(wanted):
        return 1
    if any(part.startswith(wanted) for part in name.replace("_", "-").replace(" ", "-").split("-")):
        return 2
    if wanted in name:
        return 3
    return 4 if len(wanted) > 1 and _in_order(wanted, name) else None


def _in_order(letters: str, name: str) -> bool:
    rest = iter(name)
    return all(letter in rest for letter in letters)
