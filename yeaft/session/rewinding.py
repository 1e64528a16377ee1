"""Goes back in a Session: the conversation, the files of its work folder, or both; and takes that back again."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.events.history import CheckpointTaken, RewindScope, Rewound
from yeaft.events.session import NoticePosted
from yeaft.kernel.errors import BadData, StoreFailed
from yeaft.kernel.text import without_surrogates
from yeaft.session.checkpoints import shown
from yeaft.session.past import INCOMPLETE, RESTORED
from yeaft.session.rewinding_targets import Target, check_name, said, target_of, to_take_back
from yeaft.store.checkpoints.states import Left, Plan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from yeaft.session.checkpoints import Checkpoints
    from yeaft.session.ledger import Ledger
    from yeaft.session.past import Kept

NAMED_AS_LEFT = 5


class Way(Struct, frozen=True, kw_only=True):
    """How to go to another place: `plan` is None if files are not asked for; `undoes` is that of `Rewound`.

    `messages` of the user will count no more, or count again. `foreign` are paths whose content is newer than anything
    that yeaft has done.
    """

    target: Target
    scope: RewindScope
    plan: Plan | None = None
    undoes: int = 0
    messages: int = 0
    foreign: tuple[str, ...] = ()


class Done(Struct, frozen=True, kw_only=True):
    """What became of it; `left` are the paths that were not brought back, and why.

    `checkpoint_id` is the state that the files were to have again, `safety_id` the one they had.
    """

    way: Way
    checkpoint_id: str = ""
    safety_id: str = ""
    left: tuple[Left, ...] = ()


class Rewinds:
    """Goes back and forth in one Session, in which nothing else may happen meanwhile."""

    def __init__(self, ledger: Ledger, checkpoints: Checkpoints) -> None:
        self._ledger = ledger
        self._checkpoints = checkpoints

    def check(self, to: str, scope: RewindScope) -> Target:
        """Return what `to` means. Raises `NotFound`, or `BadData` for what can never be gone back to."""
        target = target_of(self._ledger.state, to)
        if scope == "files" and not self._checkpoints.are_kept:
            raise BadData("Checkpoints are switched off (`checkpoints.enabled`), so files cannot be brought back.")
        return target

    async def name(self, name: str) -> CheckpointTaken:
        """Keep the state of the folder under a name. Raises `BadData` or `StoreFailed`."""
        name = without_surrogates(name)
        check_name(self._ledger.state, name)
        if not self._checkpoints.are_kept:
            raise BadData("Checkpoints are switched off (`checkpoints.enabled`).")
        return await self._checkpoints.take("user", name=name)

    async def look(self, to: str, scope: RewindScope) -> Way:
        """Find out what going back would do; nothing is posted and no file is changed. Raises as `check`."""
        target = self.check(to, scope)
        return await self._way(target, scope, undoes=0)

    async def look_forward(self) -> Way:
        """Find out what taking the last rewind back would do. Raises `BadData` if there is none."""
        gone = to_take_back(self._ledger.state)
        safety = self._ledger.state.past.checkpoint(gone.event.safety_id)
        target = Target(to_seq=gone.seq - 1, files_from=safety.seq if safety else gone.seq, checkpoint=safety)
        return await self._way(target, gone.event.scope, undoes=gone.seq)

    def is_needed(self, way: Way) -> bool:
        """Whether going would change anything, or finish what was cut off."""
        if way.messages or way.plan is None:
            return way.messages > 0
        return bool(way.plan.changes) or self._ledger.state.past.unfinished is not None

    async def go(self, way: Way) -> Done:
        """Go: first everything is kept as it is now, then it is said where to, then the files are brought back.

        What was planned is found anew, because the folder may have changed since. Raises `BadData`, `StoreFailed`.
        """
        target, safety, plan = way.target, None, None
        chain: tuple[Kept, ...] = ()
        if way.scope != "conversation":
            chain = self._ledger.state.past.from_on(target.files_from)
            safety = await self._checkpoints.take("safety", more=await self._paths_of(chain))
            plan = await self._planned(_digests(self._ledger.state.past.from_on(target.files_from)))
        rewound = Rewound(
            to_seq=target.to_seq,
            scope=way.scope,
            checkpoint_id=chain[0].event.checkpoint_id if chain else "",
            safety_id=safety.checkpoint_id if safety else "",
            undoes=way.undoes,
        )
        await self._ledger.post((rewound,), src="user", sync=True)
        left = await self._restored(plan) if plan is not None else ()
        return Done(way=way, checkpoint_id=rewound.checkpoint_id, safety_id=rewound.safety_id, left=left)

    async def _way(self, target: Target, scope: RewindScope, *, undoes: int) -> Way:
        state = self._ledger.state
        chain = state.past.from_on(target.files_from)
        if scope == "both" and not (chain and self._checkpoints.are_kept):
            scope = "conversation"  # nothing has been changed since, as far as is known
        plan: Plan | None = None
        foreign: tuple[str, ...] = ()
        if scope != "conversation":
            if not chain:
                raise BadData("No tool or command has changed files since then, so there is nothing to bring back.")
            store = await self._checkpoints.store()
            taken = await self._checkpoints.look(await self._paths_of(chain))
            plan = await self._planned((*_digests(chain), taken.manifest.sha256))
            foreign = await asyncio.to_thread(self._changed_since, plan, store.absolute)
        messages = 0 if scope == "files" else abs(len(said(state)) - self._count_at(target.to_seq))
        return Way(target=target, scope=scope, plan=plan, undoes=undoes, messages=messages, foreign=foreign)

    def _count_at(self, seq: int) -> int:
        """How many messages of the user counted at a place of the journal."""
        state = self._ledger.state
        mine = (m.message_id for m in state.messages.values() if m.kind == "user")
        return sum(state.posted_at[key] <= seq and not state.is_void(key, seq) for key in mine)

    async def _planned(self, digests: Sequence[str]) -> Plan:
        store = await self._checkpoints.store()
        plan = await asyncio.to_thread(store.plan, digests)
        if plan is None:
            raise StoreFailed(
                "What the files were like then is not here any more; --conversation goes back without them."
            )
        return plan

    async def _paths_of(self, chain: Sequence[Kept]) -> list[str]:
        """The absolute paths that checkpoints speak of; needed where the folder is too large to be looked through."""
        store = await self._checkpoints.store()
        return await asyncio.to_thread(store.paths_of, _digests(chain))

    def _changed_since(self, plan: Plan, absolute: Callable[[str], str]) -> tuple[str, ...]:
        """The paths whose content somebody changed after the last event of the Session."""
        last_ns = (self._ledger.state.last_active_ms + 1) * 1_000_000
        found: list[str] = []
        for change in plan.changes:
            try:
                status = os.lstat(absolute(change.path))
            except OSError:
                continue
            if change.now is not None and change.now.kind != "folder" and status.st_mtime_ns > last_ns:
                found.append(change.path)
        return tuple(found)

    async def _restored(self, plan: Plan) -> tuple[Left, ...]:
        store = await self._checkpoints.store()
        left = (*plan.left, *await asyncio.to_thread(store.restore, plan.changes))
        params = {"files": str(len(plan.changes) - len(left) + len(plan.left)), "left": str(len(left))}
        if left:
            params["names"] = ", ".join(f"{shown(one.path)} ({one.reason})" for one in left[:NAMED_AS_LEFT])
        notice = NoticePosted(code=INCOMPLETE if left else RESTORED, params=params, level="warn" if left else "info")
        await self._ledger.post((notice,), src="engine", sync=True)
        return left


def _digests(chain: Sequence[Kept]) -> list[str]:
    return [kept.event.manifest.sha256 for kept in chain]
