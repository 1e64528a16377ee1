"""What is typed or picked, as the answer to a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.events.ops import Answer

if TYPE_CHECKING:
    from yeaft.events.call import AskOpened
    from yeaft.interfaces.tui.asks.option_rows import Picked


def in_words(ask: AskOpened, text: str) -> Answer | None:
    """Return an answer in words, of an approval the no that they are the reason for; None if a question gets none."""
    words = text.strip()
    if ask.kind == "approval":
        return Answer(ask_id=ask.ask_id, decision="deny", text=words)
    return Answer(ask_id=ask.ask_id, text=words) if words else None


def picked(ask: AskOpened, what: Picked) -> Answer | None:
    """Return what was picked as an answer; None if it is to be given in words."""
    if what == "words":
        return None
    if what == "decline":
        return Answer(ask_id=ask.ask_id, decision="deny")
    return Answer(ask_id=ask.ask_id, choice=what)
