"""Does in an open Session what its user asks about its past: one thing at a time, and no turn meanwhile."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from yeaft.events.ops import Checkpoint, Compact, ContinueTurn, Redo, Rewind, Say, Steer
from yeaft.events.session import NoticePosted
from yeaft.kernel.errors import SessionBusy, YeaftError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from yeaft.events.ops import AnyOp
    from yeaft.events.session import MessageSettled
    from yeaft.session.compacting import Compactions
    from yeaft.session.ledger import Ledger
    from yeaft.session.rewinding import Rewinds, Way

PastOp = Checkpoint | Rewind | Redo | Compact
HELD_UP = (Say, Steer, ContinueTurn, Checkpoint, Rewind, Redo, Compact)
"""What cannot be done while the Session goes back, because it would be void at once. Nothing else holds it up."""


class RewindOps:
    """Takes `PastOp`s; what comes of them is heard as events, a failure as a notice `rewind.failed`, `compact.failed`.

    With `is_compacting` earlier turns are summed up without being asked for, after turns that had no room for them.
    """

    def __init__(
        self,
        rewinds: Callable[[], Rewinds],
        compactions: Callable[[], Compactions],
        ledger: Ledger,
        *,
        is_compacting: bool = False,
    ) -> None:
        self._make_rewinds = rewinds
        self._make_compactions = compactions
        self._ledger = ledger
        self._is_compacting = is_compacting
        self._task: asyncio.Task[None] | None = None
        self._doing: PastOp | None = None
        self._create_task: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]] = asyncio.create_task
        self._then: Callable[[], None] = _nothing

    def attach(
        self, create_task: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]], then: Callable[[], None]
    ) -> None:
        """Let whoever waits for it make the tasks; `then` is called when turns may begin again."""
        self._create_task = create_task
        self._then = then

    @property
    def are_under_way(self) -> bool:
        """Whether one is being done."""
        return self._task is not None and not self._task.done()

    @property
    def are_going_back(self) -> bool:
        """Whether one is being done that changes what counts."""
        return isinstance(self._doing, Rewind | Redo) and self.are_under_way

    @property
    def are_summing_up(self) -> bool:
        """Whether earlier turns are being summed up, which can be stopped."""
        return isinstance(self._doing, Compact) and not self._doing.undo and self.are_under_way

    @property
    def hold_turns(self) -> bool:
        """Whether one is being done that no turn may begin before."""
        return isinstance(self._doing, Rewind | Redo | Compact) and self.are_under_way

    def check(self, op: PastOp) -> None:
        """Raise `NotFound` or `BadData` for what cannot be done, `SessionBusy` while another one is being done."""
        if self.are_under_way:
            raise SessionBusy(
                "What was asked before this is still at work; wait for its end or stop it, then try again."
            )
        from yeaft.session.rewinding_targets import check_name, to_take_back

        match op:
            case Rewind(to=to, scope=scope):
                self._make_rewinds().check(to, scope)
            case Redo():
                to_take_back(self._ledger.state)
            case Checkpoint(name=name):
                check_name(self._ledger.state, name)
            case Compact(vp_id=vp_id, undo=undo):
                self._make_compactions().check(vp_id, undo=undo)

    def start(self, op: PastOp) -> None:
        """Begin to do it."""
        self._begin(op, (op,))

    def follow(self, settled: MessageSettled) -> None:
        """Sum up what did not fit in the windows of those who have answered, if that is wanted and none is at work."""
        state = self._ledger.state
        if not self._is_compacting or self.are_under_way or state.open_turns() or any(state.waiting.values()):
            return
        vp_ids = [turn.vp_id for turn in settled.turns if turn.outcome == "answered"]
        ops = [Compact(vp_id=vp_id) for vp_id in self._make_compactions().overflowed(vp_ids)]
        if ops:
            self._begin(ops[0], ops)

    def stop(self, vp_id: str) -> None:
        """Stop summing up, for one VP or for all: then everything is as it was."""
        doing = self._doing
        if self._task is None or not isinstance(doing, Compact) or doing.undo:
            return
        if vp_id in ("", doing.vp_id or self._ledger.state.default_vp):
            self._task.cancel()

    async def ended(self) -> None:
        """Wait until it is done."""
        if self._task is not None:
            await asyncio.wait((self._task,))

    def _begin(self, first: PastOp, ops: Sequence[PastOp]) -> None:
        self._doing = first
        self._task = self._create_task(self._do_all(ops))

    async def _do_all(self, ops: Sequence[PastOp]) -> None:
        try:
            for op in ops:
                self._doing = op
                await self._do(op)
        finally:
            self._doing = None
            self._then()

    async def _do(self, op: PastOp) -> None:
        if isinstance(op, Compact):
            await self._make_compactions().do(op)
            return
        rewinds = self._make_rewinds()
        try:
            match op:
                case Rewind(to=to, scope=scope):
                    await self._go(rewinds, await rewinds.look(to, scope), op.op_id)
                case Redo():
                    await self._go(rewinds, await rewinds.look_forward(), op.op_id)
                case Checkpoint(name=name):
                    await rewinds.name(name)
        except YeaftError as error:
            params = {"reason": str(error)}
            notice = NoticePosted(code="rewind.failed", params=params, level="error", op_id=op.op_id)
            await self._ledger.post((notice,), src="engine")

    async def _go(self, rewinds: Rewinds, way: Way, op_id: str) -> None:
        if rewinds.is_needed(way):
            await rewinds.go(way)
        else:
            await self._ledger.post((NoticePosted(code="rewind.nothing", op_id=op_id),), src="engine")


def admit(ops: RewindOps | None, op: AnyOp) -> None:
    """Raise `SessionBusy` for an op that has to wait until the Session has gone back."""
    if ops is not None and ops.are_going_back and isinstance(op, HELD_UP):
        raise SessionBusy("The Session is going back to an earlier state; try again in a moment.")


def _nothing() -> None:
    """Nobody waits."""
