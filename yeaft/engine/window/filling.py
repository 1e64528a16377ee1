"""What fills a model's window: how many tokens each part of a VP's next request takes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

from yeaft.engine.cuts import Cuts
from yeaft.engine.request import manner_of
from yeaft.engine.settings import Settings
from yeaft.engine.state import TurnState
from yeaft.engine.view import Own, Unit
from yeaft.engine.window.costs import AttemptCost, Costs
from yeaft.engine.window.fit import fit
from yeaft.engine.window.room import output_tokens, room_for, tool_tokens, tools_tokens
from yeaft.engine.window.trim import turns_up_to
from yeaft.llm.tokens import Factors, calibrated, estimate

Part = Literal["system", "instructions", "tools", "earlier", "current", "results", "pictures", "reply", "free"]
INSTRUCTIONS_MARK = "<project-notes "


class Filling(Struct, frozen=True, kw_only=True):
    """Tokens of one VP's next request, corrected by `factor`; its `parts` add up to `context_tokens` if it fits.

    `results` and `tools` are what single tools cost, the most expensive first: by what they gave and by what is said
    of them. `dropped_turns` earlier turns are not sent at all, of `bare` requests only the words; `stubbed` results
    are a line.
    """

    vp: str
    model: str
    context_tokens: int
    factor: float
    parts: dict[Part, int]
    results: dict[str, int]
    tools: dict[str, int]
    dropped_turns: int
    bare: int
    stubbed: int


def filling(units: Sequence[Unit], settings: Settings, factors: Factors) -> Filling:
    """Measure the request that would be built of `units`. Raises `ConfigError` as building it would."""
    costs = Costs()
    costs.begin(manner_of(settings))
    room = room_for(settings, factors)
    window = fit(units, room, settings.window, costs)
    tally = _Tally(costs, window.cuts)
    last = units[-1] if units else None
    for place, unit in enumerate(window.units):
        tally.add(window.units, place, is_current=unit is last)
    notes = sum(estimate(block.text) for block in settings.system if INSTRUCTIONS_MARK in block.text)
    tools = tools_tokens(settings)
    parts: dict[Part, int] = {
        "system": room.fixed - tools - notes,
        "instructions": notes,
        "tools": tools,
        "earlier": tally.words["earlier"] + estimate(window.cuts.before),
        "current": tally.words["current"],
        "results": sum(tally.results.values()),
        "pictures": tally.pictures,
    }
    parts = {part: calibrated(tokens, factors.now) for part, tokens in parts.items()}
    parts["reply"] = output_tokens(room, factors, window.tokens_est)
    parts["free"] = max(0, settings.entry.context_tokens - sum(parts.values()))
    offered = {tool.name: tool_tokens(tool, settings.entry.tools) for tool in settings.tools}
    return Filling(
        vp=settings.vp_id,
        model=settings.entry.ref,
        context_tokens=settings.entry.context_tokens,
        factor=factors.now,
        parts=parts,
        results=_largest(tally.results, factors),
        tools=_largest(offered, factors),
        dropped_turns=window.dropped_turns,
        bare=len(window.cuts.bare),
        stubbed=len(window.cuts.stubbed),
    )


class _Tally:
    def __init__(self, costs: Costs, cuts: Cuts) -> None:
        self.words: Counter[str] = Counter()
        self.results: Counter[str] = Counter()
        self.pictures = 0
        self._costs = costs
        self._cuts = cuts

    def add(self, units: Sequence[Unit], place: int, *, is_current: bool) -> None:
        unit = units[place]
        part = "current" if is_current else "earlier"
        self.words[part] += self._costs.unit(unit)
        if isinstance(unit, Own):
            self._add_turn(unit.turn, turns_up_to(units, place), part)

    def _add_turn(self, turn: TurnState, turns: Sequence[TurnState], part: str) -> None:
        for attempt in turn.attempts:
            cost, request_id = self._costs.attempt(turns, attempt), attempt.sent.request_id
            if request_id in self._cuts.left_out:
                continue
            if request_id in self._cuts.bare:
                self.words[part] += cost.heard + cost.words
                continue
            self.words[part] += cost.heard + cost.said
            for number, state in enumerate(attempt.calls):
                self._add_result(cost, number, state.call.tool, state.call.call_id)
                if state.call.call_id in self._cuts.stubbed:
                    self.results[state.call.tool] += self._costs.stub(state) - cost.results[number]

    def _add_result(self, cost: AttemptCost, number: int, tool: str, call_id: str) -> None:
        self.results[tool] += cost.results[number]
        if call_id in (self._cuts.pictured or ()) and call_id not in self._cuts.stubbed:
            self.pictures += cost.pictures[number]


def _largest(tokens: Mapping[str, int], factors: Factors) -> dict[str, int]:
    in_order = sorted(tokens.items(), key=lambda one: (-one[1], one[0]))
    return {name: calibrated(count, factors.now) for name, count in in_order if count}
