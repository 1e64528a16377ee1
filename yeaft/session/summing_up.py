"""Lets a model sum up a conversation piece by piece, in a stream of the Session's journal of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from yeaft import __version__
from yeaft.config.settings import Window
from yeaft.engine.calls import Hands, Refused, Verdict
from yeaft.engine.closing import Ending, closing_events
from yeaft.engine.decide import Rules
from yeaft.engine.request import Memory
from yeaft.engine.settings import BUILDER, Frozen, Settings, freeze
from yeaft.engine.turn import run_turn
from yeaft.engine.view import PHRASES
from yeaft.events.session import MessagePosted, SessionCreated, SettingsFrozen
from yeaft.events.turn import Failure, Limits, TurnEnded, TurnStarted
from yeaft.kernel import ids
from yeaft.kernel.clock import NowMs
from yeaft.kernel.errors import ConfigError, YeaftError
from yeaft.kernel.usage import Usage
from yeaft.llm.choice import Chosen, choose_model
from yeaft.llm.effort import clamp
from yeaft.llm.prompt import SystemBlock
from yeaft.prompts.fill import fill
from yeaft.session.expectations import unknown_price
from yeaft.session.ledger import Ledger
from yeaft.session.minds import Thinking
from yeaft.session.past import COMPACT_STREAMS
from yeaft.session.seat import SeatLog
from yeaft.session.state import SessionState
from yeaft.store.journal import Blobs, Journal

if TYPE_CHECKING:
    from yeaft.events.fact import BlobRef
    from yeaft.kernel.messages import Call, ImagePart
    from yeaft.llm.model import Model, ModelEntry
    from yeaft.tools.tool import BoundCall

SUMMARY_TOKENS = 4_096
"""The most that one summary may be long."""
MOST_ROUNDS = 6
ALONE = Window(turns=0, rows=0, history_tokens=0, tool_turns=0)
"""Each piece comes with the summary so far, and without the pieces before it."""
NOT_SAID = ("turns_dropped", "turns_dropped_search", "turns_dropped_asked")


class Means(Struct, frozen=True, kw_only=True):
    """What the Session has to sum up with; `parent` is its own place in the journal."""

    parent: Ledger
    journal: Journal
    blobs: Blobs
    thinking: Thinking
    rules: Rules
    now_ms: NowMs


class Piece(Struct, frozen=True, kw_only=True):
    """A part of a conversation, and which of how many it is."""

    text: str
    number: int
    count: int


class Summary(Struct, frozen=True, kw_only=True):
    """What came of it. `request_id` is the request that gave it; `cost_usd` None means that the price is not known."""

    text: str
    request_id: str
    requests: int
    usage: Usage
    cost_usd: float | None


def summing_model(thinking: Thinking, vp_id: str, last_model: str, wanted: str = "") -> Chosen:
    """Which model sums up: `wanted`, else `models.fast`, else the one that the VP had last, else the VP's own.

    Raises `NoCredentials` when there is nothing to use.
    """
    config = thinking.config
    if not wanted and config.models.fast:
        return Chosen(ref=config.models.fast, named_by="models.fast")
    if not wanted and last_model:
        return Chosen(ref=last_model, named_by=f"the last turn of @{vp_id}")
    vp = thinking.library.get(vp_id)
    return choose_model(
        config,
        thinking.environ,
        thinking.catalogue,
        flag=wanted or thinking.model,
        vp_id=vp_id,
        vp_model=vp.model if vp else "",
        embedded=thinking.has_embedded,
    )


class SummingMind:
    """What sums up thinks with: the one instruction, no tools, one model; see `engine.exchange.Mind`."""

    def __init__(self, means: Means, ledger: Ledger, label: str, chosen: Chosen, texts: Mapping[str, str]) -> None:
        self.memory = Memory()
        self._means = means
        self._ledger = ledger
        self._label = label
        self._chosen = chosen
        self._texts = texts

    @property
    def phrases(self) -> Mapping[str, str]:
        """The texts that stand between results and errors."""
        return self._means.thinking.phrases

    def picture(self, ref: BlobRef, /) -> ImagePart | None:
        """There are none."""
        del ref
        return None

    def settings(self, ref: str = "") -> tuple[Settings, Model]:
        """The settings of the next request and its model. Raises `NotFound`, `ConfigError` or `NoCredentials`."""
        thinking = self._means.thinking
        model = thinking.models.get(ref or self._chosen.ref, "models.fallback" if ref else self._chosen.named_by)
        if self._means.rules.max_cost_usd is not None and model.entry.price is None:
            raise ConfigError(unknown_price(model.entry))
        return self._settings(model.entry), model

    def freeze(self, ref: str) -> tuple[Frozen, Model]:
        """See `engine.exchange.Mind`."""
        settings, model = self.settings(ref)
        frozen = freeze(settings)
        if frozen.digest not in self._ledger.state.frozen:
            blob = self._means.blobs.put(frozen.content, "application/json")
            event = SettingsFrozen(vp_id=self._label, digest=frozen.digest, blob=blob, builder=BUILDER)
            self._ledger.post((event,), src="engine")
        return frozen, model

    def _settings(self, entry: ModelEntry) -> Settings:
        vp_id = self._label.partition("/")[0]
        return Settings(
            vp_id=self._label,
            system=(SystemBlock(text=fill(self._texts["system"], {"vp": vp_id}), cache=True),),
            tools=(),
            entry=entry,
            effort=clamp("low", entry.efforts) if entry.efforts else "",
            max_output_tokens=min(entry.output_tokens, SUMMARY_TOKENS),
            cache_key=self._ledger.state.session_id,
            labelled=False,
            names={},
            phrases={key: "" if key in NOT_SAID else self.phrases[key] for key in PHRASES},
            window=ALONE,
        )


class SummingUp:
    """One compaction at work: pieces in, one after the other, and the summary out."""

    def __init__(self, means: Means, compaction_id: str, vp_id: str, chosen: Chosen, texts: Mapping[str, str]) -> None:
        parent = means.parent
        self._ledger = Ledger(
            means.journal,
            SessionState(compaction_id),
            means.now_ms,
            parent.epoch,
            stream=COMPACT_STREAMS + compaction_id,
            purse=parent.purse,
        )
        self._means = means
        self._label = f"{vp_id}/summary"
        self._texts = texts
        self.mind = SummingMind(means, self._ledger, self._label, chosen, texts)

    async def sum_up(self, pieces: Sequence[Piece], so_far: str) -> Summary | TurnEnded:
        """Ask for the summary of each piece and what was before it; how asking ended if one does not come.

        Raises what freezing the mind raises.
        """
        created = self._means.parent.state.created
        assert created is not None
        beginning = SessionCreated(
            session_id=self._ledger.state.session_id,
            name="",
            folder=created.folder,
            roster=(self._label,),
            default_vp=self._label,
            lang=self._means.thinking.lang,
            app_version=__version__,
        )
        self._ledger.post((beginning,), src="engine")
        for piece in pieces:
            found = await self._one(piece, so_far)
            if isinstance(found, TurnEnded):
                return found
            so_far = found
        turns = tuple(self._ledger.state.turns.values())
        costs = [turn.cost_usd for turn in turns]
        last = turns[-1].last
        assert last is not None
        return Summary(
            text=so_far,
            request_id=last.sent.request_id,
            requests=sum(len(turn.attempts) for turn in turns),
            usage=sum((turn.usage for turn in turns), Usage()),
            cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
        )

    async def _one(self, piece: Piece, so_far: str) -> str | TurnEnded:
        counted = {"number": str(piece.number), "count": str(piece.count)}
        part = fill(self._texts["part"], counted) if piece.count > 1 else ""
        text = fill(self._texts["next" if so_far else "first"], {"summary": so_far, "part": part, "text": piece.text})
        message_id = ids.derive("m_", self._ledger.state.session_id, piece.number)
        message = MessagePosted(
            message_id=message_id,
            sender="system",
            to=(self._label,),
            kind="continue",
            text=text,
            root_id=message_id,
        )
        turn_id = ids.turn_id(message_id, self._label)
        rules = replace(self._means.rules, max_rounds=MOST_ROUNDS)
        limits = Limits(rounds=rules.max_rounds, cost_usd=rules.max_cost_usd)
        started = TurnStarted(turn_id=turn_id, message_id=message_id, vp_id=self._label, mode="plan", limits=limits)
        self._ledger.post((message, started), src="engine", corr=message_id)
        log = SeatLog(self._ledger, turn_id)
        hands = Hands({}, _NoGate(), self.mind.phrases, self._means.blobs.put)
        try:
            await run_turn(log, self.mind, hands, rules, self._means.now_ms)
        except asyncio.CancelledError:
            log.post(*closing_events(log.state, Ending(outcome="aborted"), {}, self.mind.phrases))
            raise
        except YeaftError as error:
            failure = Failure(kind=type(error).__name__, message=str(error))
            log.post(*closing_events(log.state, Ending(outcome="failed", error=failure), {}, self.mind.phrases))
            raise
        ended, summary = log.state.ended, log.state.final_text.strip()
        assert ended is not None
        is_cut = ended.outcome == "limit" and ended.limit == "output"  # a summary that goes on for ever is one, too
        return summary if summary and (ended.outcome == "answered" or is_cut) else ended


class _NoGate:
    """There are no tools, so nothing can be asked for; see `engine.calls.Gate`."""

    def judge(self, bound: BoundCall) -> Verdict:
        """See `engine.calls.Gate`."""
        return Verdict(denied=f"{bound.tool} cannot be used here.")

    async def ask(self, call: Call, bound: BoundCall) -> Refused | None:
        """See `engine.calls.Gate`."""
        return Refused(status="denied", text=f"{call.tool} ({bound.guard}) cannot be used here.")
