"""The window: what of a conversation one request carries. A pure function that asks no model and writes nothing."""

from collections.abc import Sequence
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from yeaft.config.settings import Window as Bounds
from yeaft.engine.cuts import Cuts
from yeaft.engine.pictures import newest_pictures
from yeaft.engine.view import Own, Summed, Unit, pictures_in
from yeaft.engine.window.costs import UNIT_TOKENS, Costs
from yeaft.engine.window.goals import dropped_turns, words_for
from yeaft.engine.window.relief import Relief, question_place
from yeaft.engine.window.room import Room
from yeaft.engine.window.summary import summary_text, summary_tokens, without
from yeaft.engine.window.trim import trim
from yeaft.kernel.errors import ConfigError
from yeaft.llm.tokens import estimate

CURRENT_UNITS = 2
"""The current turn and the message that it answers; what else stays is counted in rows and turns."""


class Window(Struct, frozen=True, kw_only=True):
    """The units that are sent, what is cut in them, and what was left out. `tokens_est` is without system and tools."""

    units: tuple[Unit, ...]
    cuts: Cuts
    dropped: int = 0
    dropped_turns: int = 0
    tokens_est: int = 0


def fit(units: Sequence[Unit], room: Room, bounds: Bounds, costs: Costs) -> Window:
    """Keep what fits in `room` of the conversation whose last unit is the current turn.

    First the earlier turns are brought within `bounds`, by what was known when the turn began. If it is still too
    much, more goes, in this order: the text of older results of the current turn, earlier turns, older rounds of the
    current turn, parts of the newest results. The user's message stays, and a call never goes without its result.
    What a model has made of the earliest turns stays too, as long as there is room for anything but the current turn.
    Raises `ConfigError` when there is no room for what must stay.
    """
    first = units[0] if units else None
    if not isinstance(first, Summed):
        return _fit(units, room, bounds, costs)
    text = summary_text(first, costs.manner, summary_tokens(room))
    tokens = UNIT_TOKENS + estimate(text)
    try:
        window = _fit(units[1:], without(room, tokens), bounds, costs)
    except ConfigError:
        return _fit(units[1:], room, bounds, costs)
    before = "\n\n".join(part for part in (text, window.cuts.before) if part)
    return replace(window, cuts=replace(window.cuts, before=before), tokens_est=window.tokens_est + tokens)


def _fit(units: Sequence[Unit], room: Room, bounds: Bounds, costs: Costs) -> Window:
    question = question_place(units)
    first = max(0, len(units) - bounds.rows - bounds.turns - CURRENT_UNITS)
    pictured = newest_pictures(pictures_in(units[first:], costs.batches))
    end = len(units) - isinstance(units[-1] if units else None, Own)
    places = [place for place in range(first, end) if place != question]
    trimmed = trim([units[place] for place in places], bounds, room.earlier - room.goals, costs, pictured)
    groups = tuple(tuple(places[place] for place in group) for group in trimmed.groups)
    relief = Relief(units, replace(trimmed, groups=groups), room, costs)
    cuts = relief.cut()
    kept = {*chain.from_iterable(relief.groups), *range(end, len(units)), *((question,) if question >= 0 else ())}
    before = words_for(units, kept, trimmed.left_out, costs.manner, room.goals)
    return Window(
        units=tuple(units[place] for place in sorted(kept)),
        cuts=replace(cuts, before=before),
        dropped=len(units) - len(kept),
        dropped_turns=dropped_turns(units, kept),
        tokens_est=relief.tokens - relief.words_tokens + estimate(before),
    )
