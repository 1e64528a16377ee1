"""Takes checkpoints of the work folder: before a call changes it, and when the user wants one."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from yeaft.events.history import CheckpointTaken
from yeaft.events.session import NoticePosted
from yeaft.events.turn import CallStreamed, ProgressShown
from yeaft.kernel import ids
from yeaft.kernel.errors import StoreFailed, ToolFailed
from yeaft.session.catalogue import guard_of
from yeaft.tools.files.file_bytes import INLINE_BYTES, size_of
from yeaft.tools.policy.policy import ALWAYS_ALLOWED, Policy
from yeaft.tools.policy.rules import Rules

if TYPE_CHECKING:
    from yeaft.events.codec import Recorded, Transient
    from yeaft.session.ledger import Ledger
    from yeaft.store.checkpoints.store import CheckpointStore, Taken
    from yeaft.tools.around import Around, GoOn
    from yeaft.tools.paths import Paths
    from yeaft.tools.tool import BoundCall, Running, ToolResult

Reason = Literal["start", "call", "user", "safety"]
NAMED_AS_SKIPPED = 20
WORTH_TELLING_S = 1.0
"""How long the user waits before hearing what for."""


class Checkpoints:
    """The checkpoints of one Session; without a store there are none, and calls go on as if there were no such thing.

    A call that changes named files has only these recorded. Before one that may change anything the whole folder is
    looked through, unless it has too many files; the user is told of that once.
    """

    def __init__(self, ledger: Ledger, store: Callable[[], CheckpointStore] | None) -> None:
        self._ledger = ledger
        self._make_store = store
        self._store: CheckpointStore | None = None
        self._lock = asyncio.Lock()
        self._said_at: int = 0
        self._recorded: set[str] = set()
        self._has_scan = False
        self._ahead: asyncio.Task[None] | None = None
        self._is_closing = False

    @property
    def are_kept(self) -> bool:
        """Whether the settings say that there are any."""
        return self._make_store is not None

    async def store(self) -> CheckpointStore:
        """The store, which is opened when it is first needed. Raises `StoreFailed`."""
        assert self._make_store is not None
        if self._store is None:
            store = self._make_store()
            if kept := self._ledger.state.past.checkpoints:
                await asyncio.to_thread(store.begin_with, kept[-1].event.manifest.sha256)
            self._store = self._store or store
        return self._store

    def around(self, paths: Paths) -> Around:
        """The layer around the calls of whoever works in the folder of `paths`."""

        async def around(bound: BoundCall, running: Running, go_on: GoOn) -> ToolResult:
            if self.are_kept and bound.tool not in ALWAYS_ALLOWED:
                await self._before(bound, paths, running.call_id)
            return await go_on(running)

        return around

    def hear(self, heard: Recorded | Transient) -> None:
        """Begin to read the folder as soon as a model writes a call that may change anything there.

        The checkpoint is still taken right before the call, and looks at every file; it only has less to read then.
        """
        if self._ahead is not None or not isinstance(heard, CallStreamed) or not self.are_kept or self._has_scan:
            return
        if heard.tool not in ALWAYS_ALLOWED and guard_of(heard.tool) == "unsafe":
            self._ahead = asyncio.create_task(self._read_ahead(), name="checkpoint:ahead")

    async def take(self, reason: Reason, *, name: str = "", more: Iterable[str] = ()) -> CheckpointTaken:
        """Take the whole folder and post that, safe on the disk. Raises `StoreFailed`.

        Where the folder has too many files, only the absolute paths `more` are taken.
        """
        async with self._lock:
            store, taken = await self.store(), await self.look(more, sync=True)
            store.accept(taken)
            event = self._event(store, taken, reason, name=name)
            commit = self._ledger.post((event,), src="engine", sync=True)
        await commit
        return event

    async def look(self, more: Iterable[str] = (), *, sync: bool = False) -> Taken:
        """Take the whole folder, or `more` where that is too large, without posting it. Raises `StoreFailed`."""
        store = await self.store()
        taken = await self._scan(store, sync=sync)
        if taken is None:
            taken = await asyncio.to_thread(store.record, more, sync=sync)
        if taken is None:
            raise StoreFailed("The folder has more files than checkpoints cover; see `yeaft help checkpoints`.")
        return taken

    async def aclose(self) -> None:
        """Keep what makes the next process fast, and close."""
        self._is_closing = True
        if self._ahead is not None:
            await asyncio.wait({self._ahead})
        if self._store is not None:
            await asyncio.to_thread(self._store.close)

    async def _read_ahead(self) -> None:
        with contextlib.suppress(StoreFailed):  # taking the checkpoint will say so
            store = await self.store()
            await asyncio.to_thread(store.read_ahead, lambda: not self._is_closing)

    async def _before(self, bound: BoundCall, paths: Paths, call_id: str) -> None:
        """Take what the call may change. What cannot be taken does not hold it up, but the user is told."""
        named = _named(bound, paths)
        if not named and (bound.guard != "unsafe" or _only_reads(bound, paths)):
            return
        try:
            async with self._lock:
                commit = await self._take_before(named, call_id)
        except StoreFailed as error:
            self._tell("checkpoint.failed", {"reason": str(error)}, level="warn")
            return
        if commit:
            await self._ledger.flushed()

    async def _take_before(self, named: list[str], call_id: str) -> bool:
        """Take a checkpoint if it tells anything new; return whether one was posted."""
        store = await self.store()
        past = self._ledger.state.past
        if past.said_at != self._said_at:
            self._said_at, self._recorded, self._has_scan = past.said_at, set(), False
        if named and self._ahead is not None:
            await asyncio.wait({self._ahead})  # it holds the store
        if not named:
            taken = await self._scan(store)
        elif sum(size_of(Path(path)) for path in named) <= INLINE_BYTES:
            taken = store.record(named)  # done sooner than a thread would take it up
        else:
            taken = await asyncio.to_thread(store.record, named)
        if taken is None:
            if not named:
                self._tell("checkpoint.too_many", {"limit": str(store.limits.max_files)})
            return False
        is_known = self._recorded.issuperset(named) if named else self._has_scan
        if is_known and not taken.is_new:
            return False
        store.accept(taken)
        if named:
            self._recorded.update(named)
        else:
            self._has_scan = True
        event = self._event(store, taken, "call" if past.checkpoints else "start", call_id=call_id)
        self._ledger.post((event,), src="engine", cause=call_id)
        return True

    async def _scan(self, store: CheckpointStore, *, sync: bool = False) -> Taken | None:
        created = self._ledger.state.created
        told = ProgressShown(code="checkpoint.scanning", params={"folder": created.folder if created else ""})
        telling = asyncio.get_running_loop().call_later(WORTH_TELLING_S, self._ledger.show, told)
        try:
            return await asyncio.to_thread(store.scan, sync=sync)
        finally:
            telling.cancel()

    def _event(
        self, store: CheckpointStore, taken: Taken, reason: Reason, *, name: str = "", call_id: str = ""
    ) -> CheckpointTaken:
        before = self._ledger.state.past.checkpoints
        if "no space left" in taken.skipped.values():
            mebibytes = store.limits.max_total_bytes // (1024 * 1024)
            self._tell("checkpoint.full", {"limit": str(mebibytes)}, level="warn")
        return CheckpointTaken(
            checkpoint_id="x_" + ids.new_session_id(),
            manifest=taken.manifest,
            reason=reason,
            parent=before[-1].event.checkpoint_id if before else "",
            name=name,
            files=store.files,
            changed=taken.changed,
            skipped=tuple(map(shown, sorted(taken.skipped)[:NAMED_AS_SKIPPED])),
            skipped_count=len(taken.skipped),
            call_id=call_id,
        )

    def _tell(self, code: str, params: dict[str, str], *, level: Literal["info", "warn"] = "info") -> None:
        """Tell the user something once in the life of the Session."""
        if (code, *params.values()) not in self._ledger.state.told:
            self._ledger.post((NoticePosted(code=code, params=params, level=level),), src="engine")


def shown(path: str) -> str:
    """A path as it can be written in the journal and on screens; bytes that are no UTF-8 are replaced."""
    return os.fsencode(path).decode("utf-8", "replace")


def _named(bound: BoundCall, paths: Paths) -> list[str]:
    """The absolute paths that a call says it writes; those that cannot be resolved it will fail on itself."""
    found: list[str] = []
    for text in bound.touches.writes:
        try:
            found.append(str(paths.resolve(text)))
        except ToolFailed:
            continue
    return found


def _only_reads(bound: BoundCall, paths: Paths) -> bool:
    """Whether a call runs a command that is known to change nothing, whatever rules say about it."""
    command = bound.touches.command
    if command is None:
        return False
    policy = Policy(mode="plan", rules=Rules(), paths=paths)
    return policy.judge_command(command, bound.touches.command_cwd).decision == "allow"
