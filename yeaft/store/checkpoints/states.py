"""What the folder was like at a checkpoint, and from several of them what each path has to become to be so again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Literal, NamedTuple

from msgspec import Struct

from yeaft.store.checkpoints.entries import Entry


class Unknown(Enum):
    """That a checkpoint says nothing about a path."""

    UNKNOWN = "unknown"


UNKNOWN: Literal[Unknown.UNKNOWN] = Unknown.UNKNOWN
Known = Entry | None | Literal[Unknown.UNKNOWN]


class State(NamedTuple):
    """One checkpoint: a scan knows all but what it `skipped`; without one only the paths in `tree` are known.

    Paths are relative to the folder, with `/`; what lies outside of it has its absolute path. None means nothing there.
    Bytes of names that are not UTF-8 are held as surrogates, as Python gives them; see `os.fsdecode`.
    In the tree of a scan are also paths out of its reach that had been recorded before, such as ignored files.
    """

    scanned: bool
    tree: Mapping[str, Entry | None]
    skipped: Mapping[str, str]

    def at(self, path: str) -> Known:
        """What stood at a path; None for nothing."""
        if path in self.skipped:
            return UNKNOWN
        if path in self.tree:
            return self.tree[path]
        return None if self.scanned and covers(self.skipped, path) else UNKNOWN


class Change(Struct, frozen=True, kw_only=True):
    """What has to happen at a path: what stands there `now`, and what is to stand there `then`; None is nothing."""

    path: str
    now: Entry | None
    then: Entry | None


class Left(NamedTuple):
    """A path that is not brought back, and why."""

    path: str
    reason: str


class Plan(Struct, frozen=True, kw_only=True):
    """How to come to an earlier state, by path."""

    changes: tuple[Change, ...] = ()
    left: tuple[Left, ...] = ()


def covers(skipped: Mapping[str, str], path: str) -> bool:
    """Whether a scan that skipped these paths must have seen `path` if it was there."""
    if path.startswith("/"):
        return False
    parts = path.split("/")
    return not any("/".join(parts[:count]) in skipped for count in range(1, len(parts) + 1))


def wanted(first: State, later: Sequence[State]) -> dict[str, Entry | None]:
    """What every path was like at `first`, as far as that or what was recorded in `later` tells, which follow it.

    A path is always recorded before it is changed, so the earliest record of it is how it was. The first scan among
    them has to come with its whole tree, the others with what changed: what it must have seen, and did not, was not
    there.
    """
    found: dict[str, Entry | None] = {}
    scan: State | None = None
    for state in (first, *later):
        for path, entry in state.tree.items():
            if path in found or path in state.skipped:
                continue
            missed = scan is not None and scan.at(path) is None
            found[path] = None if missed else entry
        if state.scanned and scan is None:
            scan = state
    return found


def planned(wanted_entries: Mapping[str, Entry | None], current: State) -> Plan:
    """What to do to make what stands in `current` what is wanted; what is not known of it is left alone."""
    changes: list[Change] = []
    left: list[Left] = []
    for path in sorted(wanted_entries):
        now, then = current.at(path), wanted_entries[path]
        if now is UNKNOWN:
            left.append(Left(path, current.skipped.get(path, "unknown")))
        elif now != then:
            changes.append(Change(path=path, now=now, then=then))
    return Plan(changes=tuple(changes), left=tuple(left))
