"""How much a plan would change: what happens to each path, and how many lines come and go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from yeaft.store.checkpoints.entries import Entry
from yeaft.store.checkpoints.states import Change

What = Literal["create", "remove", "write", "mode"]
LARGEST_BYTES = 1024 * 1024
LOOKED_AT_BYTES = 8192


class Stat(Struct, frozen=True, kw_only=True):
    """One path of a plan. `added` and `removed` count lines of text; None for what is no text, or too long to count."""

    path: str
    what: What
    kind: str
    added: int | None = None
    removed: int | None = None


def stat_of(change: Change, content: Callable[[bytes], bytes | None]) -> Stat:
    """What a change amounts to; `content` gives that of a digest. Lines that only move are not counted."""
    now, then = change.now, change.then
    what: What = "create" if now is None else "remove" if then is None else "write"
    if now is not None and then is not None and (now.kind, now.content) == (then.kind, then.content):
        what = "mode"
    shown = then or now
    assert shown is not None
    stat = Stat(path=change.path, what=what, kind=shown.kind)
    before, after = _lines(now, content), _lines(then, content)
    if what == "mode" or before is None or after is None or "file" not in (now and now.kind, then and then.kind):
        return stat
    return Stat(
        path=stat.path,
        what=what,
        kind=stat.kind,
        added=(after - before).total(),
        removed=(before - after).total(),
    )


def _lines(entry: Entry | None, content: Callable[[bytes], bytes | None]) -> Counter[bytes] | None:
    if entry is None or entry.kind == "folder":
        return Counter()
    if entry.kind == "link" or entry.size_bytes > LARGEST_BYTES:
        return None
    found = content(entry.content)
    if found is None or b"\0" in found[:LOOKED_AT_BYTES]:
        return None
    return Counter(found.splitlines())
