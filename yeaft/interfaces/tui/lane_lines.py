"""The lanes of those at work as lines whose columns stand below each other: sign, name, doing, numbers, about what."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.style import Style
from rich.text import Text

from yeaft.interfaces.amounts import money
from yeaft.interfaces.cli.terminal_text import cut, padded, unmasked, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yeaft.interfaces.tui.blocks import Lane
    from yeaft.interfaces.tui.look import Look
    from yeaft.prompts.ui import Ui

GAP = "  "
QUIET, BOLD = Style(dim=True), Style(bold=True)
LEAST_ABOUT_COLUMNS = 8
THOUSAND = 1_000


class _Told(NamedTuple):
    """One lane in words; `brief` is a state in fewer. `numbers` are time, tokens, cost, empty where not known."""

    lane: Lane
    name: str
    state: str
    brief: str
    about: str
    numbers: tuple[str, ...]


def lane_lines(lanes: Sequence[Lane], watched: str, columns: int, look: Look, ui: Ui, *, now_ms: int) -> list[Text]:
    """Return one line of at most `columns` for each lane; the mark of the watched one stands in the left margin.

    What a VP waits for after a failure is a sentence: it makes no column wider, and is told in fewer words where
    there is little room.
    """
    told = [_told(lane, ui, now_ms) for lane in lanes]
    names = min(max((width(one.name) for one in told), default=0), columns // 2)
    usual = [one for one in told if one.lane.state != "retrying"]
    states = max((width(one.state) for one in usual), default=0)
    numbers = _widths(usual or told)
    abouts = max((min(width(one.about), LEAST_ABOUT_COLUMNS) for one in usual), default=0)
    fixed = 3 + names + len(GAP) + states
    while any(numbers) and fixed + _room_of(numbers) + len(GAP) + abouts > columns:
        numbers = numbers[:-1]
    return [_line(one, one.lane.vp_id == watched, columns, look, (names, states, *numbers)) for one in told]


def clock(seconds: float) -> str:
    """Return a span of time as `7s`, `3m07s` or `2h05m`."""
    whole = max(0, int(seconds))
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}h{minutes:02d}m"
    return f"{minutes}m{rest:02d}s" if minutes else f"{rest}s"


def counted(number: int) -> str:
    """Return a number of things, from a thousand on in thousands."""
    return str(number) if number < THOUSAND else f"{number / THOUSAND:.1f}k"


def _line(one: _Told, is_watched: bool, columns: int, look: Look, widths: tuple[int, ...]) -> Text:
    vp = look.of_vp(one.lane.vp_id)
    mark = (">" if look.is_plain else "▸") if is_watched else " "
    names, states, *numbers = widths
    line = Text(no_wrap=True, overflow="ellipsis")
    line.append(f"{mark}{vp.glyph} {padded(cut(one.name, names), names)}{GAP}", style=vp.style)
    is_told_at_length = one.lane.state == "retrying"
    room = columns - line.cell_len
    state = one.state if width(one.state) <= room or not is_told_at_length else cut(one.brief, max(room, 1))
    line.append(state, style=BOLD if is_told_at_length or one.lane.state == "asking" else "")
    shown = [number for number, room in zip(one.numbers, numbers, strict=False) if room]
    if not is_told_at_length:
        line.append(" " * (states - width(one.state)))
        shown = [" " * (room - width(number)) + number for number, room in zip(one.numbers, numbers, strict=False)]
    tail = f"{GAP}{GAP.join(filter(None, shown))}".rstrip()
    room = columns - line.cell_len
    if width(tail) <= room:
        line.append(tail, style=QUIET)
        room -= width(tail)
    if one.about and room > len(GAP) + 1:
        line.append(" " * (_room_of(numbers) - width(tail)) if not is_told_at_length else "")
        line.append(f"{GAP}{cut(one.about, columns - line.cell_len - len(GAP))}", style=QUIET)
    line.rstrip()
    return line


def _told(lane: Lane, ui: Ui, now_ms: int) -> _Told:
    state, brief, about = _doing(lane, ui, now_ms)
    about = unmasked(about).replace("\n", " ").replace("\t", " ")
    return _Told(lane, f"@{lane.vp_id}", state, brief, about, _numbers(lane, ui, now_ms))


def _doing(lane: Lane, ui: Ui, now_ms: int) -> tuple[str, str, str]:
    """What a VP does, in words, in fewer words, and about what."""
    if lane.state != "retrying":
        state = ui.text(f"lane.{lane.state}")
        return state, state, lane.about
    left_s = max(0, round((lane.due_ms - now_ms) / 1000)) if lane.due_ms else round(lane.left_s)
    provider = lane.model.partition("/")[0] or ui.text("lane.provider")
    why = ui.text(f"lane.failed_{lane.failed}" if lane.failed else "lane.failed", provider=provider)
    if lane.status:
        why = ui.text("lane.failed_with", why=why, status=lane.status)
    code = "lane.again_connect" if lane.failed == "connect" else "lane.again"  # the own network may be what is down
    return ui.text(code, why=why, seconds=left_s), ui.text("lane.again_brief", why=why, seconds=left_s), ""


def _numbers(lane: Lane, ui: Ui, now_ms: int) -> tuple[str, str, str]:
    """How long it has taken, how much was said, and what it has cost, as far as that is known."""
    took = clock((now_ms - lane.started_ms) / 1000) if lane.started_ms else ""
    said = ui.text("lane.tokens", tokens=counted(lane.tokens)) if lane.tokens else ""
    return took, said, money(lane.cost_usd) if lane.cost_usd else ""


def _widths(told: Sequence[_Told]) -> tuple[int, ...]:
    """Return how wide each column of numbers is; 0 for one in which nothing stands."""
    return tuple(
        max((width(number) for number in column), default=0)
        for column in zip(*(one.numbers for one in told), strict=True)
    )


def _room_of(numbers: Sequence[int]) -> int:
    return sum(len(GAP) + number for number in numbers if number)
