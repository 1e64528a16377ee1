"""What the rewind view says: the places that can be gone back to, and what going there would do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct
from rich.style import Style
from rich.text import Text

from yeaft.interfaces.cli.line_counts import counts
from yeaft.interfaces.cli.terminal_text import width
from yeaft.interfaces.tui.panels.ages import age
from yeaft.interfaces.tui.panels.filtered_list import Entry
from yeaft.interfaces.tui.panels.shown_text import safe
from yeaft.session.rewinding import Way
from yeaft.store.checkpoints.diffstat import Stat

if TYPE_CHECKING:
    from yeaft.events.history import RewindScope
    from yeaft.interfaces.tui.panels.situation import Situation
    from yeaft.store.checkpoints.states import Left

MOST_NAMED = 200
DIM, BOLD = Style(dim=True), Style(bold=True)


class _Place(NamedTuple):
    """Something that can be gone back to: where it stands in the journal, when it was (UTC ms, 0 if nobody knows)."""

    seq: int
    at_ms: int
    key: str
    words: str
    shown: Text


class Outlook(Struct, frozen=True):
    """What going to a place would do: the way there, and what happens to each file."""

    way: Way
    stats: Sequence[Stat]
    is_needed: bool


def places(situation: Situation, now_ms: int) -> list[Entry]:
    """Return the user's messages and the named checkpoints, newest first, as they count now."""
    from yeaft.session.rewinding_targets import said

    state = situation.state
    found: list[_Place] = []
    for number, message in enumerate(said(state), start=1):
        seq, at_ms = state.posted_at[message.message_id], state.began_ms.get(message.message_id, 0)
        words = safe(message.text)
        found.append(_Place(seq, at_ms, message.message_id, words, Text(f"{number:>3}  {words}")))
    for kept in state.past.checkpoints:
        name = safe(kept.event.name)
        if name:
            shown = Text(f"  +  {situation.text('panel.checkpoint', name=name)}", style=BOLD)
            found.append(_Place(kept.seq, kept.at_ms, kept.event.checkpoint_id, name, shown))
    found.sort(key=lambda place: -place.seq)
    ages = [age(situation.ui, place.at_ms, now_ms) if place.at_ms else "" for place in found]
    columns = max(map(width, ages), default=0)
    aged = zip(found, ages, strict=True)
    return [Entry(place.key, _aged(place.shown, when, columns), place.words) for place, when in aged]


async def outlook(situation: Situation, to: str, scope: RewindScope) -> Outlook:
    """Find out what going back to a place would do; nothing is changed. Raises `YeaftError`."""
    return Outlook(*await situation.here.lookout.back(to, scope))


async def outlook_forward(situation: Situation) -> Outlook:
    """Find out what taking the last rewind back would do. Raises `YeaftError`."""
    return Outlook(*await situation.here.lookout.forward())


def told(situation: Situation, seen: Outlook) -> str:
    """Return in words what going would do."""
    return "\n".join(_lines(situation, seen))


def _lines(situation: Situation, seen: Outlook) -> Iterator[str]:
    text, way = situation.text, seen.way
    yield text("panel.scope", what=text(f"line.scope_{way.scope}"))
    if way.messages:
        yield text("rewind.messages_back" if way.undoes else "rewind.messages", count=way.messages)
    if not seen.is_needed:
        yield text("rewind.nothing")
    for stat in seen.stats[:MOST_NAMED]:
        count = "" if stat.added is None else f"  {counts(stat.added, stat.removed)}"
        yield f"{text(f'change.{stat.what}')}{count}  {safe(stat.path)}"
    if len(seen.stats) > MOST_NAMED:
        yield f"… +{len(seen.stats) - MOST_NAMED}"
    for path in way.foreign[:MOST_NAMED]:
        yield text("rewind.foreign", path=safe(path))
    for left in (way.plan.left if way.plan else ())[:MOST_NAMED]:
        yield text("rewind.left", path=safe(left.path), reason=_reason(situation, left))


def _reason(situation: Situation, left: Left) -> str:
    code = f"skipped.{left.reason.replace(' ', '_')}"
    return situation.text(code) if code in situation.ui.texts else left.reason


def _aged(shown: Text, when: str, columns: int) -> Text:
    left = " " * (columns - width(when))
    return Text.assemble((f"{left}{when} ", DIM), shown, no_wrap=True, overflow="ellipsis")
