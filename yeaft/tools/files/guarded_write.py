"""The way of every file write: lock, plan, compare with what the VP has seen, commit, remember."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from yeaft.events.call import Facts, Intent
from yeaft.tools.files.change import Planned, file_facts, intents, refuse_unseen
from yeaft.tools.files.commit import commit
from yeaft.tools.files.file_bytes import INLINE_BYTES, sha256_of, size_of
from yeaft.tools.files.locks import PathLocks
from yeaft.tools.files.reads import Reads
from yeaft.tools.paths import Paths
from yeaft.tools.tool import ToolResult

Plan = Callable[[], Planned]


def intended(plan: Plan, paths: Paths, reads: Reads) -> tuple[Intent, ...]:
    """What `plan` would leave behind; raises `ToolFailed` if it cannot work now."""
    planned = plan()
    refuse_unseen(planned.changes, reads, paths)
    return intents(planned.changes)


async def guarded_write(
    plan: Plan, files: Sequence[Path], paths: Paths, reads: Reads, locks: PathLocks, *, size_bytes: int = 0
) -> ToolResult:
    """Plan and commit while holding the locks of `files`, the resolved paths that `plan` may change.

    The plan is made in a thread when the files, or the `size_bytes` of what is to be written, are large. The commit is
    not: it has no point at which cancelling could leave it half done.
    """
    async with locks.hold(*files):
        small = sum(map(size_of, files)) + size_bytes <= INLINE_BYTES
        planned = plan() if small else await asyncio.to_thread(plan)
        refuse_unseen(planned.changes, reads, paths)
        commit(planned.changes)
        for change in planned.changes:
            reads.note(change.path, sha256_of(change.after))
    return ToolResult(text=planned.text, facts=Facts(files=file_facts(planned.changes)))
