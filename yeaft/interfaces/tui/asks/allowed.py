"""What can be done about a question just now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from yeaft.interfaces.tui.asks.asking import Asking

ACTIONS: Mapping[str, str] = {
    "ask.once": "decide('once')",
    "ask.session": "decide('session')",
    "ask.always": "decide('always')",
    "ask.deny": "deny",
    "ask.edit": "edit",
    "ask.hunks": "hunks",
    "ask.split": "split",
    "ask.take": "take",
    "ask.mark": "mark",
    "ask.up": "move(-1)",
    "ask.down": "move(1)",
    "ask.page_up": "page(-1)",
    "ask.page_down": "page(1)",
    "ask.previous": "go(-1)",
    "ask.next": "go(1)",
    "ask.later": "later",
}
"""What each key of a question does, by its name in the table of keys."""
WHILE_WRITTEN = ("later", "page")
"""What can be done while words are being typed."""


class Situation(Struct, frozen=True, kw_only=True):
    """One of `count` open questions; the user types words, stands at a hunk, or neither."""

    count: int
    is_written: bool
    is_choosing: bool


def is_allowed(action: str, parameters: tuple[object, ...], asking: Asking, now: Situation) -> bool:
    """Whether an action makes sense for the question that is shown."""
    if now.is_written:
        return action in WHILE_WRITTEN
    is_approval = asking.ask.kind == "approval"
    taking = asking.taking
    match action:
        case "decide":
            return is_approval and (bool(asking.ask.rule) or "once" in parameters)
        case "deny":
            return is_approval
        case "edit":
            return taking is not None and taking.proposal.is_divisible
        case "hunks":
            return taking is not None and taking.proposal.is_divisible and len(taking.hunks) > 1
        case "take" | "mark":
            return not is_approval or now.is_choosing
        case "go":
            return now.count > 1
        case _:
            return True
