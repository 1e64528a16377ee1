"""How the process that drives a run shows that it still gets on: a small file that it writes again and again.

A process can stand still and keep its Session's lock for ever. Whoever wants the run watches the file and, once nothing
has come for `LEASE_S`, takes the Session over; from then on the journal refuses what the old owner writes.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

from yeaft.kernel.errors import Fenced, StoreFailed
from yeaft.store.database import deleted
from yeaft.store.directory import SessionPaths
from yeaft.store.filesystem import make_private
from yeaft.store.lock import Owner, read_owner

FOLDER = "leases"
BEAT_S = 1.0
LEASE_S = 5.0


class Lease(Struct, frozen=True, kw_only=True):
    """Who drives a run, and how often that was said."""

    owner: Owner
    beat: int


@asynccontextmanager
async def held(session_root: Path, run_id: str, on_loss: Callable[[StoreFailed], None]) -> AsyncGenerator[None]:
    """Renew the lease of a run while this process, which owns the Session, drives it.

    `on_loss` is called once if another process has taken the Session over, or its journal is gone.
    """
    owner = read_owner(session_root)
    if owner is None:  # what is not in a directory of its own nobody can take over
        yield
        return
    place = _place(session_root, run_id)
    with contextlib.suppress(OSError):  # a full disk is noticed where it matters
        make_private(place.parent)
        _write(place, Lease(owner=owner, beat=0))
    beating = asyncio.create_task(_beat(session_root, run_id, owner, on_loss), name=f"lease:{run_id}")
    try:
        yield
    finally:
        beating.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await beating
        if read_owner(session_root) == owner:
            with contextlib.suppress(OSError):
                place.unlink(missing_ok=True)


async def _beat(session_root: Path, run_id: str, owner: Owner, on_loss: Callable[[StoreFailed], None]) -> None:
    beat = 0
    while True:
        await asyncio.sleep(BEAT_S)
        now = read_owner(session_root)
        if now != owner:
            on_loss(_loss(session_root, run_id, now))
            return
        beat += 1
        with contextlib.suppress(OSError):
            _write(_place(session_root, run_id), Lease(owner=owner, beat=beat))


def _loss(session_root: Path, run_id: str, now: Owner | None) -> StoreFailed:
    """Why the lock is not this process's any more, which `now` has."""
    journal = SessionPaths(session_root).db
    if now is None and not journal.exists():  # the lock went with all the rest
        return deleted(journal)
    by = f"{now} has" if now else "another process has"
    return Fenced(
        f"This process stood still for too long, and {by} taken over run {run_id}. Nothing more is written here; "
        f"follow it with: yeaft graph resume {run_id}"
    )


class LeaseWatch:
    """Watches from another process whether a run's driver still gets on."""

    def __init__(self, session_root: Path, run_id: str) -> None:
        self._place = _place(session_root, run_id)
        self._seen = self._read()
        self._since_s = time.monotonic()

    @property
    def holder(self) -> Owner | None:
        """Who drives the run, or did when it was last heard of; None for nobody."""
        return self._seen.owner if self._seen else None

    def has_expired(self) -> bool:
        """Whether nothing has been heard for too long; this has to be asked again and again."""
        found = self._read()
        if found != self._seen:
            self._seen, self._since_s = found, time.monotonic()
        return time.monotonic() - self._since_s >= LEASE_S

    def _read(self) -> Lease | None:
        try:
            return msgspec.json.decode(self._place.read_bytes(), type=Lease)
        except (OSError, msgspec.DecodeError):
            return None


def _write(place: Path, lease: Lease) -> None:
    fresh = place.with_name(f"{place.name}.{os.getpid()}")
    fresh.write_bytes(msgspec.json.encode(lease))
    fresh.replace(place)


def _place(session_root: Path, run_id: str) -> Path:
    return session_root / FOLDER / run_id
