"""What the rewind view says: the places that can be gone back to, and what going there would do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from rich.style import Style
from rich.text import Text

from yeaft.interfaces.cli.commands.printing import local_time
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
AGE_COLUMNS = 11
DIM, BOLD = Style(dim=True), Style(bold=True)


class Outlook(Struct, frozen=True):
    """What going to a place would do: the way there, and what happens to each file."""

    way: Way
    stats: Sequence[Stat]
    is_needed: bool


def places(situation: Situation, now_ms: int) -> list[Entry]:
    """Return the user's messages and the named checkpoints, newest first, as they count now."""
    from yeaft.session.rewinding_targets import said

    state = situation.state
    found: list[tuple[int, Entry]] = []
    for number, message in enumerate(said(state), start=1):
        seq, at_ms = state.posted_at[message.message_id], state.began_ms.get(message.message_id, 0)
        words = safe(message.text)
        shown = Text(f"{number:>3}  {words}", no_wrap=True, overflow="ellipsis")
        found.append((seq, Entry(message.message_id, _aged(situation, shown, at_ms, now_ms), words)))
    for kept in state.past.checkpoints:
        name = safe(kept.event.name)
        if name:
            shown = Text(f"  +  {situation.text('panel.checkpoint', name=name)}", style=BOLD, no_wrap=True)
            found.append((kept.seq, Entry(kept.event.checkpoint_id, _aged(situation, shown, kept.at_ms, now_ms), name)))
    return [entry for _, entry in sorted(found, key=lambda one: -one[0])]


async def outlook(situation: Situation, to: str, scope: RewindScope) -> Outlook:
    """Find out what going back to a place would do; nothing is changed. Raises `YeaftError`."""
    return Outlook(*await situation.here.lookout.back(to, scope))


async def outlook_forward(situation: Situation) -> Outlook:
    """Find out what taking the last rewind back would do. Raises `YeaftError`."""
    return Outlook(*await situation.here.lookout.forward())


def told(situation: Situation, seen: Outlook) -> Text:
    """Return in words what going would do."""
    return Text("\n").join(Text(line) for line in _lines(situation, seen))


def _lines(situation: Situation, seen: Outlook) -> Iterator[str]:
    text, way = situation.text, seen.way
    yield text("panel.scope", what=text(f"line.scope_{way.scope}"))
    if way.messages:
        yield text("rewind.messages_back" if way.undoes else "rewind.messages", count=way.messages)
    if not seen.is_needed:
        yield text("rewind.nothing")
    for stat in seen.stats[:MOST_NAMED]:
        count = "" if stat.added is None else f"  +{stat.added} -{stat.removed}"
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


def _aged(situation: Situation, shown: Text, at_ms: int, now_ms: int) -> Text:
    if not at_ms:
        return shown
    when = age(situation.ui, at_ms, now_ms) or local_time(at_ms)
    left = " " * (AGE_COLUMNS - width(when))
    return Text.assemble((f"{left}{when} ", DIM), shown, no_wrap=True, overflow="ellipsis")
