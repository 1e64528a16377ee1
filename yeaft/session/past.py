"""What a Session knows of its own past: states to go back to, how often the user went back, and what that took back."""

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from yeaft.events.call import TodoChanged, TodoItem
from yeaft.events.codec import Event, Recorded
from yeaft.events.history import CheckpointTaken, HistoryCompacted, Rewound
from yeaft.events.session import MessagePosted, NoticePosted, RosterChanged, SessionCreated
from yeaft.events.voids import LATEST, Voids

COMPACT_STREAMS = "compact/"
"""What the names of the streams begin with in which turns are summed up; the rest is the compaction's id."""
RESTORED, INCOMPLETE = "rewind.restored", "rewind.incomplete"
"""The notices that the files of the last `rewound` have been seen to: all brought back, or some left as they are."""


class Kept(Struct, frozen=True, kw_only=True):
    """A checkpoint, where it stands in the journal and when it was taken."""

    seq: int
    at_ms: int
    event: CheckpointTaken


class Gone(Struct, frozen=True, kw_only=True):
    """One time that the user went back, and where that stands in the journal."""

    seq: int
    event: Rewound


class Compacted(Struct, frozen=True, kw_only=True):
    """One time that turns of a VP were summed up, or that this was taken back, and where it stands in the journal."""

    seq: int
    event: HistoryCompacted


class Unfinished(Struct, frozen=True, kw_only=True):
    """Files were being brought back to `checkpoint_id`; `safety_id` is what they were before that had first begun."""

    checkpoint_id: str
    safety_id: str


class Past(Struct, frozen=True, kw_only=True):
    """A fold over the journal.

    `rewinds` are those that can be taken back, the last one first to go. `unfinished` is what was cut off while
    files were brought back, as far as is known. `said_at` is where the newest message of the user stands. `rosters`
    and `todos` come with the id of the message that they go back to.
    """

    voids: Voids = Voids()
    checkpoints: tuple[Kept, ...] = ()
    rewinds: tuple[Gone, ...] = ()
    unfinished: Unfinished | None = None
    said_at: int = 0
    rosters: tuple[tuple[str, SessionCreated | RosterChanged], ...] = ()
    todos: tuple[tuple[str, TodoChanged], ...] = ()
    compactions: tuple[Compacted, ...] = ()

    def after(self, event: Event, recorded: Recorded) -> "Past":
        """The same after one more event, in its envelope."""
        seq = recorded.seq
        match event:
            case MessagePosted(kind="user"):
                return replace(self, said_at=seq, rewinds=())
            case CheckpointTaken():
                return replace(self, checkpoints=(*self.checkpoints, Kept(seq=seq, at_ms=recorded.ts, event=event)))
            case Rewound():
                return self._after_rewind(event, seq)
            case NoticePosted(code=code) if code in (RESTORED, INCOMPLETE):
                return replace(self, unfinished=None)
            case SessionCreated() | RosterChanged():
                return replace(self, rosters=(*self.rosters, (recorded.corr, event)))
            case TodoChanged():
                return replace(self, todos=(*self.todos, (recorded.corr, event)))
            case HistoryCompacted():
                return replace(self, compactions=(*self.compactions, Compacted(seq=seq, event=event)))
            case _:
                return self

    def compactions_of(self, vp_id: str, at: int = LATEST) -> Iterator[HistoryCompacted]:
        """The summaries of a VP's turns that hold for whoever reads the Session up to `at`, the newest first."""
        told = [one for one in self.compactions if one.event.vp_id == vp_id and one.seq < at]
        counting = [one.event for one in told if not self.voids.hide(one.seq, at)]
        undone = {one.compaction_id for one in counting if one.undone}
        return (one for one in reversed(counting) if one.turn_ids and one.compaction_id not in undone)

    def checkpoint(self, checkpoint_id: str) -> Kept | None:
        """The checkpoint with this id, if there is one."""
        return next((kept for kept in self.checkpoints if kept.event.checkpoint_id == checkpoint_id), None)

    def from_on(self, seq: int) -> tuple[Kept, ...]:
        """The checkpoints that were taken at `seq` or later."""
        return tuple(kept for kept in self.checkpoints if kept.seq >= seq)

    def roster(self, is_void: Callable[[str], bool]) -> tuple[tuple[str, ...], str]:
        """Who takes part, and who answers by default: those who only a void mention brought in do not."""
        counting = [
            one
            for root_id, one in self.rosters
            if isinstance(one, SessionCreated) or one.reason != "mention" or not is_void(root_id)
        ]
        return counting[-1].roster, counting[-1].default_vp

    def todo_lists(self, is_void: Callable[[str], bool]) -> dict[str, tuple[TodoItem, ...]]:
        """The to-do lists by VP, as the part of the conversation that counts has left them."""
        return {one.vp_id: one.items for root_id, one in self.todos if not is_void(root_id)}

    def _after_rewind(self, event: Rewound, seq: int) -> "Past":
        gone, unfinished = Gone(seq=seq, event=event), self.unfinished
        if event.scope != "conversation":
            safety_id = unfinished.safety_id if unfinished else event.safety_id
            unfinished = Unfinished(checkpoint_id=event.checkpoint_id, safety_id=safety_id)
        rewinds = tuple(one for one in self.rewinds if one.seq < event.undoes) if event.undoes else self.rewinds
        return replace(
            self,
            voids=self.voids.after(event, seq),
            rewinds=rewinds if event.undoes else (*rewinds, gone),
            unfinished=unfinished,
        )
