"""What each VP thinks with: its model, and the settings of its requests, frozen before they are used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from yeaft.config.settings import Config, VpSettings
from yeaft.engine.pictures import Look, look_into
from yeaft.engine.request import Memory
from yeaft.engine.settings import BUILDER, Frozen, Settings, freeze
from yeaft.engine.view import PHRASES
from yeaft.events.session import NoticePosted, SettingsFrozen, VpFrozen
from yeaft.kernel.errors import ConfigError, NotFound
from yeaft.llm.catalogue import Catalogue
from yeaft.llm.choice import Chosen, choose_model
from yeaft.llm.effort import clamp
from yeaft.llm.models import Models
from yeaft.llm.prompt import SystemBlock
from yeaft.llm.watched import Watched
from yeaft.prompts.place import Place
from yeaft.prompts.system import Announced, Block, Note, Peer, Self, Texts, small_block, system_blocks
from yeaft.session.attachments.kept import content_in, gone, unseen
from yeaft.session.efforts import Efforts, asked_in
from yeaft.session.expectations import notices_about, unknown_price
from yeaft.session.known_settings import KnownSettings
from yeaft.session.last_sent import last_sent
from yeaft.session.offers import hidden
from yeaft.session.tasks.task_state import active_at
from yeaft.vp.library import Library

if TYPE_CHECKING:
    from yeaft.engine.state import TurnState
    from yeaft.events.fact import BlobRef
    from yeaft.events.ops import SetModel
    from yeaft.kernel.messages import ImagePart
    from yeaft.llm.model import Model, ModelEntry
    from yeaft.session.ledger import Ledger
    from yeaft.session.live_toolbox import Served
    from yeaft.store.attachments import Attachments
    from yeaft.store.journal import Blobs
    from yeaft.tools.tool import AnyTool, Toolbox
    from yeaft.vp.persona import Vp

JSON_MIME = "application/json"
OUTPUT_TOKENS = 32_000
"""The most that one reply may be long, whatever more a model could give."""
SMALL_WINDOW_TOKENS = 8_192
"""A model without tools and with no more than this is told in one line who it is."""


class Thinking(Struct, frozen=True, kw_only=True):
    """What all minds of a Session share.

    `place` tells where and on what day we are; `needs_prices` says that there is a cost limit to keep.
    """

    config: Config
    environ: Mapping[str, str]
    catalogue: Catalogue
    models: Models
    library: Library
    texts: Texts
    phrases: Mapping[str, str]
    lang: str
    place: Callable[[], Place]
    notes: Sequence[Note] = ()
    model: str = ""
    effort: str = ""
    has_embedded: bool = False
    needs_prices: bool = False


class VpMind:
    """One VP's mind; see `engine.exchange.Mind`."""

    def __init__(
        self,
        vp_id: str,
        thinking: Thinking,
        toolbox: Toolbox,
        ledger: Ledger,
        blobs: Blobs,
        *,
        attachments: Attachments | None = None,
        served: Served | None = None,
        known: KnownSettings | None = None,
    ) -> None:
        self._vp_id = vp_id
        self._thinking = thinking
        self._toolbox = toolbox
        self._ledger = ledger
        self._blobs = blobs
        self.picture = _Pictures(ledger, look_into(content_in(ledger.state, attachments, blobs)))
        self.memory = Memory()
        self._known = known or KnownSettings()
        self._placed: tuple[str, Place] | None = None
        self._served = served
        self._offered: tuple[str, tuple[AnyTool, ...]] | None = None
        self._model = thinking.model
        self._efforts = Efforts(thinking.effort)
        self._has_had_peers = False

    @property
    def phrases(self) -> Mapping[str, str]:
        """The texts that stand between turns, results and errors."""
        return self._thinking.phrases

    def change(self, op: SetModel) -> None:
        """Use another model or effort from the next request on."""
        self._model = op.model or self._model
        self._efforts.order(op.effort)

    def freeze(self, ref: str) -> tuple[Frozen, Model]:
        """Return the settings and the model of the next request; what is new of them is posted.

        Raises `NotFound`, `ConfigError` or `NoCredentials` when there is no such VP or model.
        """
        vp = self._thinking.library.get(self._vp_id)
        if vp is None:
            raise NotFound(f"There is no VP @{self._vp_id} any more; `yeaft vp ls` lists those there are.")
        chosen = Chosen(ref=ref, named_by="the turn") if ref else self._chosen(vp)
        model = self._thinking.models.get(chosen.ref, chosen.named_by)
        if self._thinking.needs_prices and model.entry.price is None:
            raise ConfigError(unknown_price(model.entry))
        state, place = self._ledger.state, self._place_at_turn_start()
        tasks = self._tasks_at_turn_start()
        skills = self._toolbox["Skill"].spec if "Skill" in self._toolbox else None  # names those there are now
        served = self._served_at_turn_start()
        asked = asked_in(self._open_turn(), state)
        effort = self._efforts.wanted(asked)
        key = (model.entry, state.roster, state.name, place, effort, vp.digest, tasks, skills, served)
        frozen = self._known.frozen(
            key, lambda: freeze(self._settings(vp, model.entry, place, tasks, served, effort=effort))
        )
        self._note(vp, frozen)
        self._tell_effort(asked)
        self._tell(model.entry)
        return frozen, Watched(model, self._tell_invalid)

    def _chosen(self, vp: Vp) -> Chosen:
        thinking = self._thinking
        return choose_model(
            thinking.config,
            thinking.environ,
            thinking.catalogue,
            flag=self._model,
            vp_id=vp.id,
            vp_model=vp.model,
            embedded=thinking.has_embedded,
        )

    def _open_turn(self) -> TurnState | None:
        return next((turn for turn in self._ledger.state.open_turns() if turn.started.vp_id == self._vp_id), None)

    def _place_at_turn_start(self) -> Place:
        """Where we are and the day on which the VP's turn began; it stays, so that a turn's requests share it."""
        turn = self._open_turn()
        turn_id = turn.started.turn_id if turn else ""
        if self._placed is None or self._placed[0] != turn_id or not turn_id:
            self._placed = (turn_id, self._thinking.place())
        return self._placed[1]

    def _served_at_turn_start(self) -> tuple[AnyTool, ...]:
        """The tools of servers that were known when the VP's turn began; later ones join at the next."""
        if self._served is None:
            return ()
        turn = self._open_turn()
        turn_id = turn.started.turn_id if turn else ""
        if self._offered is None or self._offered[0] != turn_id or not turn_id:
            self._offered = (turn_id, tuple(self._served.offered()))
        return self._offered[1]

    def _tasks_at_turn_start(self) -> tuple[str, ...]:
        """The ids of the tasks that ran when the VP's turn began, so that its requests share their beginning."""
        state, turn = self._ledger.state, self._open_turn()
        seq = state.started_at[turn.started.turn_id] if turn else state.head
        return tuple(task.task_id for task in active_at(state.tasks.values(), seq))

    def _settings(
        self, vp: Vp, entry: ModelEntry, place: Place, tasks: Sequence[str], served: Sequence[AnyTool], *, effort: str
    ) -> Settings:
        thinking, state = self._thinking, self._ledger.state
        others = [other for vp_id in state.roster if vp_id != vp.id and (other := thinking.library.get(vp_id))]
        peers = [Peer(id=o.id, name=o.name_in(thinking.lang), role=o.role_in(thinking.lang)) for o in others]
        self._has_had_peers |= bool(peers)  # what was offered once stays
        offered = [
            tool
            for name, tool in (*self._toolbox.items(), *((tool.name, tool) for tool in served))
            if not hidden(name, vp, has_peers=self._has_had_peers, entry=entry)
        ]
        is_small = not entry.tools and entry.context_tokens <= SMALL_WINDOW_TOKENS
        wanted = effort or thinking.config.vps.get(vp.id, VpSettings()).effort or thinking.config.models.effort
        return Settings(
            vp_id=vp.id,
            system=self._system(vp, peers, place, tasks, frozenset(tool.name for tool in offered), small=is_small),
            tools=tuple(tool.spec for tool in offered),
            entry=entry,
            effort=clamp(wanted, entry.efforts) if wanted else "",
            max_output_tokens=min(entry.output_tokens, OUTPUT_TOKENS),
            cache_key=state.created.session_id if state.created else "",
            labelled=bool(peers) and not is_small,
            names={peer.id: peer.name for peer in peers},
            phrases={key: thinking.phrases[key] for key in PHRASES},
            window=thinking.config.window,
        )

    def _system(
        self, vp: Vp, peers: Sequence[Peer], place: Place, tasks: Sequence[str], tools: frozenset[str], *, small: bool
    ) -> tuple[SystemBlock, ...]:
        thinking, name = self._thinking, vp.name_in(self._thinking.lang)
        blocks: tuple[Block, ...]
        if small:
            blocks = (small_block(thinking.texts, name=name, role=vp.role_in(thinking.lang)),)
        else:
            me = Self(id=vp.id, name=name, persona=vp.text(thinking.lang))
            state = self._ledger.state
            session = (
                Announced(session_id=state.session_id, name=state.name, vps=state.roster) if state.created else None
            )
            blocks = system_blocks(
                thinking.texts,
                me,
                peers=peers,
                place=place,
                session=session,
                notes=thinking.notes,
                tools=tools,
                tasks=tasks,
            )
        return tuple(SystemBlock(text=text, cache=cache) for text, cache in blocks)

    def _note(self, vp: Vp, frozen: Frozen) -> None:
        """Post what the journal does not know yet; the content is stored before the event that names it."""
        state, put, stored = self._ledger.state, self._blobs.put, self._known.stored
        new: list[VpFrozen | SettingsFrozen] = []
        if state.frozen_vps.get(vp.id) != vp.digest:
            blob = stored("vp", vp.digest, lambda: put(msgspec.json.encode(vp), JSON_MIME))
            new.append(VpFrozen(vp_id=vp.id, digest=vp.digest, blob=blob))
        if frozen.digest not in state.frozen:
            blob = stored("settings", frozen.digest, lambda: put(frozen.content, JSON_MIME))
            new.append(SettingsFrozen(vp_id=vp.id, digest=frozen.digest, blob=blob, builder=BUILDER))
        if new:
            self._ledger.post(new, src="engine")

    def _tell(self, entry: ModelEntry) -> None:
        """Tell the user once in a Session what to expect of a model."""
        pictures = unseen(self._ledger.state.attachments.values(), entry)
        self._post_new((*notices_about(entry, is_cut=self._is_cut()), *pictures))

    def _tell_effort(self, asked: str) -> None:
        """Tell the user once that what was asked for does not count beside what the caller wants."""
        callers = self._efforts.callers
        if asked and callers and asked != callers:
            params = {"effort": callers, "asked": asked}
            self._post_new((NoticePosted(code="effort.callers_counts", params=params, level="warn"),))

    def _is_cut(self) -> bool:
        """Whether the VP's last request had to leave something out."""
        sent = last_sent(self._ledger.state, self._vp_id)
        return sent is not None and sent.window.dropped + sent.window.left_out + sent.window.stubbed > 0

    def _tell_invalid(self, problems: Sequence[str]) -> None:
        """Tell the user of a request that a strict service would refuse; it has been sent as it is."""
        self._post_new((NoticePosted(code="request.invalid", params={"problem": problems[0]}, level="warn"),))

    def _post_new(self, notices: Sequence[NoticePosted]) -> None:
        _post_new(self._ledger, notices)


class _Pictures:
    """Finds pictures that were attached or that results had; the user is told of an attached one that is gone.

    What a mind remembers of its requests holds on to this, and must not hold on to the mind: both would stay until the
    next search for garbage.
    """

    def __init__(self, ledger: Ledger, look: Look) -> None:
        self._ledger = ledger
        self._look = look

    def __call__(self, ref: BlobRef, /) -> ImagePart | None:
        found = self._look(ref)
        if found is None:
            _post_new(self._ledger, gone(self._ledger.state.attachments.values(), ref))
        return found


def _post_new(ledger: Ledger, notices: Sequence[NoticePosted]) -> None:
    told = ledger.state.told
    new = [notice for notice in notices if (notice.code, *notice.params.values()) not in told]
    if new:
        ledger.post(new, src="engine")
