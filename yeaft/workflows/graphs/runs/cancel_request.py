"""How another process asks whoever drives a run to stop it: a small file beside the Session's journal."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from yeaft.store.filesystem import make_private

FOLDER = "requests"
LOOK_S = 0.1


def request_cancel(session_root: Path, run_id: str, reason: str) -> None:
    """Ask for a run to be stopped. Raises `OSError`."""
    make_private(session_root / FOLDER)
    _place(session_root, run_id).write_text(reason, encoding="utf-8")


def forget_request(session_root: Path, run_id: str) -> None:
    """Take a request away, whether there is one or not."""
    with contextlib.suppress(OSError):
        _place(session_root, run_id).unlink(missing_ok=True)


@asynccontextmanager
async def heeding(session_root: Path, run_id: str, cancel: Callable[[str], Awaitable[None]]) -> AsyncGenerator[None]:
    """Look for a request while the run goes on, and `cancel` with its reason; one from before is not meant any more."""
    forget_request(session_root, run_id)
    watching = asyncio.create_task(_watch(session_root, run_id, cancel), name=f"cancel-request:{run_id}")
    try:
        yield
    finally:
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching
        forget_request(session_root, run_id)


async def _watch(session_root: Path, run_id: str, cancel: Callable[[str], Awaitable[None]]) -> None:
    place = _place(session_root, run_id)
    while True:
        await asyncio.sleep(LOOK_S)
        if place.exists():
            break
    try:
        reason = place.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        reason = ""
    await cancel(reason)


def _place(session_root: Path, run_id: str) -> Path:
    return session_root / FOLDER / f"cancel-{run_id}"
