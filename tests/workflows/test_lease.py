"""Whoever watches the driver of a run tells one that gets on from one that stands still."""

import asyncio
from pathlib import Path

from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.errors import Fenced
from yeaft.store.lock import SessionLock
from yeaft.workflows.graphs.runs.lease import LeaseWatch, held


async def test_a_driver_that_is_heard_of_has_not_stood_still_and_one_that_was_put_out_is_told(tmp_path: Path) -> None:
    losses: asyncio.Queue[Fenced] = asyncio.Queue()
    first = SessionLock.take(tmp_path)

    async with held(tmp_path, "r_1", losses.put_nowait):
        watch = LeaseWatch(tmp_path, "r_1")
        assert (watch.holder, watch.has_expired()) == (first.owner, False)

        with SessionLock.take(tmp_path, expired=watch.holder, now_ms=lambda: wall_clock_ms() + 1):
            loss = await losses.get()

    assert "taken over run r_1" in str(loss)
    first.release()


def test_nobody_drives_a_run_without_a_lease(tmp_path: Path) -> None:
    watch = LeaseWatch(tmp_path, "r_1")

    assert (watch.holder, watch.has_expired()) == (None, False)
