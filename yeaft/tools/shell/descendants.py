"""Which processes belong to a shell command, and how they are ended, whatever they did to get away.

A process belongs to a command if it is in the command's session, carries its mark in the environment, or descends from
one that does. `&`, `nohup`, `disown`, `setsid` and double forks change at most two of the three; only a process that
changes all three at once (`env -i setsid` after a double fork) is missed. Linux only: without /proc nobody is found and
callers fall back on the process group.
"""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct

PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
STAT_PARENT, STAT_SESSION, STAT_STARTED = 1, 3, 19  # proc(5), counted from the state, which follows the name
FIRST_LOOK_S, SLOWEST_LOOK_S = 0.01, 0.16
KILL_WAIT_S = 0.8
COMMAND_CHARS = 120


class Sighting(Struct, frozen=True, kw_only=True):
    """A process as the process table showed it; `started` (clock ticks since boot) tells it from a later namesake."""

    pid: int
    parent: int
    session: int
    state: str
    started: int

    @property
    def alive(self) -> bool:
        """Whether it can still do anything; a zombie cannot."""
        return self.state not in {"Z", "X"}


Family = Mapping[int, Sighting]


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends, so that none is lost to init. Idempotent."""
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def own_children() -> frozenset[int] | None:
    """The pids of this process's children (adopted ones are the main thread's); None where the kernel does not say."""
    me = os.getpid()
    try:
        return frozenset(map(int, Path(f"/proc/{me}/task/{me}/children").read_bytes().split()))
    except OSError:
        return None


def sighting_in(line: str) -> Sighting | None:
    """A process from its line of /proc/PID/stat; the name in parentheses may hold anything."""
    head, _, rest = line.rpartition(")")
    fields = rest.split()
    if len(fields) <= STAT_STARTED:
        return None
    return Sighting(
        pid=int(head.split(" ", 1)[0]),
        parent=int(fields[STAT_PARENT]),
        session=int(fields[STAT_SESSION]),
        state=fields[0],
        started=int(fields[STAT_STARTED]),
    )


def sighting(pid: int) -> Sighting | None:
    """The process that has this pid now."""
    try:
        return sighting_in(Path(f"/proc/{pid}/stat").read_bytes().decode("utf-8", "replace"))
    except OSError:
        return None


def family(session: int | None, mark: str) -> Family:
    """All living processes of `session`, all that carry `mark` (`NAME=value`), and all their descendants."""
    everyone = _process_table()
    members = {pid for pid, one in everyone.items() if one.session == session or _carries(pid, mark.encode())}
    grown = True
    while grown:
        children = {pid for pid, one in everyone.items() if one.parent in members} - members
        members |= children
        grown = bool(children)
    return {pid: everyone[pid] for pid in sorted(members) if everyone[pid].alive}


def command_line(pid: int) -> str:
    """What a process was started as, on one short line; empty if it is gone."""
    try:
        raw = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return ""
    words = raw.decode("utf-8", "replace").rstrip("\0").replace("\0", " ")
    return " ".join(words.split())[:COMMAND_CHARS]


def strike(members: Family, signal_number: int) -> None:
    """Send a signal to each member that is still who it was."""
    for pid, then in members.items():
        now = sighting(pid)
        if now is not None and now.started == then.started:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal_number)


async def end(find: Callable[[], Family], grace_s: float) -> Family:
    """Ask all that `find` finds to end (SIGTERM), kill who is left after `grace_s`; returns who could not be killed.

    Cancelled while it waits, it kills at once.
    """
    loop = asyncio.get_running_loop()
    seen = dict(find())
    strike(seen, signal.SIGTERM)
    try:
        left = await _watch(find, seen, loop.time() + grace_s)
        give_up_at = loop.time() + KILL_WAIT_S
        while left and loop.time() < give_up_at:
            strike(left, signal.SIGKILL)
            left = await _watch(find, seen, min(give_up_at, loop.time() + FIRST_LOOK_S))
    except asyncio.CancelledError:
        strike(find(), signal.SIGKILL)
        raise
    return left


def bury(members: Family) -> dict[int, Sighting]:
    """Collect those of `members` that are dead and were adopted by this process; returns who still lives."""
    return {pid: then for pid, then in members.items() if _still_lives(then)}


async def _watch(find: Callable[[], Family], seen: dict[int, Sighting], deadline: float) -> Family:
    """Look ever more slowly until nobody is left or the deadline has passed; who is new is told to end as well."""
    loop, pause_s = asyncio.get_running_loop(), FIRST_LOOK_S
    while True:
        left = find()
        strike({pid: one for pid, one in left.items() if pid not in seen}, signal.SIGTERM)
        seen.update(left)
        if not left or loop.time() >= deadline:
            return left
        await asyncio.sleep(min(pause_s, max(0.0, deadline - loop.time())))
        pause_s = min(pause_s * 2, SLOWEST_LOOK_S)


def _still_lives(then: Sighting) -> bool:
    now = sighting(then.pid)
    if now is None or now.started != then.started:
        return False
    with contextlib.suppress(ChildProcessError):  # its parent is another process, until that ends
        return os.waitpid(then.pid, os.WNOHANG)[0] == 0
    return now.alive


def _process_table() -> dict[int, Sighting]:
    seen = (sighting(int(entry.name)) for entry in Path("/proc").glob("[0-9]*"))
    return {one.pid: one for one in seen if one is not None}


def _carries(pid: int, mark: bytes) -> bool:
    try:
        return mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
