"""Builds a request: a pure function of what the journal holds and of frozen settings, so that a replay can redo it."""

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress

from msgspec import Struct

from yeaft.engine.manner import Manner
from yeaft.engine.memo import Memo
from yeaft.engine.pictures import Look, nothing_kept
from yeaft.engine.settings import Settings
from yeaft.engine.view import Own, Unit, prompt_messages
from yeaft.engine.window.costs import Costs
from yeaft.engine.window.fit import Window, fit
from yeaft.engine.window.normal import Reading, normalised
from yeaft.engine.window.room import Room, after_refusals, output_tokens, room_for
from yeaft.events.turn import WindowCut
from yeaft.kernel.errors import ConfigError
from yeaft.kernel.grown import Grown
from yeaft.llm.model import Encode, ModelEntry
from yeaft.llm.prompt import Prompt
from yeaft.llm.tokens import Factors

UNLEARNT = Factors()


class Memory:
    """What was worked out for a VP's last request and may hold for the next; it only saves time."""

    def __init__(self) -> None:
        self.pieces = Memo()
        self.costs = Costs()
        self.read: Grown[Reading] = Grown()
        self._turn_id = ""
        self._manner: Manner | None = None
        self._encoder: tuple[ModelEntry, Encode] | None = None

    def begin(self, turn_id: str, manner: Manner) -> None:
        """Begin another request, which may be of another turn or told in another manner."""
        if turn_id != self._turn_id or manner != self._manner:
            self.pieces.begin(afresh=manner != self._manner)
            self.costs.begin(manner)
            self._turn_id, self._manner = turn_id, manner

    def encoder(self, entry: ModelEntry, make: Callable[[], Encode]) -> Encode:
        """What makes the bodies of requests to a model, by `make` if the last one was to another."""
        if self._encoder is None or self._encoder[0] != entry:
            self._encoder = entry, make()
        return self._encoder[1]


class Built(Struct, frozen=True, kw_only=True):
    """The exact body of a request, its SHA-256 and what was left out."""

    body: bytes
    digest: str
    window: WindowCut


def build_request(
    units: Sequence[Unit],
    settings: Settings,
    encode: Encode,
    shrinks: int = 0,
    picture: Look = nothing_kept,
    *,
    bound: int | None = None,
    factors: Factors = UNLEARNT,
    memory: Memory | None = None,
) -> Built:
    """Build the next request of the last turn in `units`, whose pictures `picture` finds.

    `shrinks` counts how often the provider has said that this request is too long, `bound` is how many tokens it may
    have because another of the turn was, `factors` is what its reports have taught about our estimates. Raises
    `ConfigError` when what must be said does not fit in the model's window.
    """
    memory, manner = memory or Memory(), manner_of(settings, picture)
    memory.begin(_turn_id(units), manner)
    room = room_for(settings, factors, bound)
    window = fit(units, room, settings.window, memory.costs)
    if shrinks:
        # Where what must stay is all there is, the provider has the last word about it.
        with suppress(ConfigError):
            room = after_refusals(room, window.tokens_est, shrinks)
            window = fit(units, room, settings.window, memory.costs)
    prompt = Prompt(
        system=settings.system,
        tools=settings.tools,
        messages=normalised(prompt_messages(window.units, manner, window.cuts, memory.pieces), memory.read),
        max_output_tokens=output_tokens(room, factors, window.tokens_est),
        effort=settings.effort,
        cache_key=settings.cache_key,
    )
    body = encode(prompt)
    return Built(body=body, digest=hashlib.sha256(body).hexdigest(), window=_cut(window, room, factors))


def _turn_id(units: Sequence[Unit]) -> str:
    last = units[-1] if units else None
    return last.turn.started.turn_id if isinstance(last, Own) else ""


def manner_of(settings: Settings, picture: Look = nothing_kept) -> Manner:
    """How a VP with these settings is told things."""
    entry = settings.entry
    return Manner(
        vp_id=settings.vp_id,
        names=settings.names,
        phrases=settings.phrases,
        model=entry.ref,
        protocol=entry.protocol,
        labelled=settings.labelled,
        picture=picture,
        sees=entry.images,
        offered=frozenset(tool.name for tool in settings.tools) if entry.tools else frozenset(),
    )


def _cut(window: Window, room: Room, factors: Factors) -> WindowCut:
    cuts = window.cuts
    return WindowCut(
        units=len(window.units),
        dropped=window.dropped,
        stubbed=len(cuts.stubbed),
        bare=len(cuts.bare),
        left_out=len(cuts.left_out),
        shortened=len(cuts.shorter) + (cuts.question_bytes is not None),
        tokens_est=room.fixed + window.tokens_est,
        factor=factors.now,
    )
