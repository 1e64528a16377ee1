"""The listing of `Glob`: our own walk in a thread, because ripgrep's listing leaves out symbolic links."""

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from yeaft.kernel.text import head_bytes
from yeaft.tools.glob_files import Glob
from yeaft.tools.paths import Paths
from yeaft.tools.policy.read_denials import Withheld, Withholding, nothing_withheld
from yeaft.tools.search.search_request import TIMEOUT_S
from yeaft.tools.search.search_scope import STOPPED, Place, place_of
from yeaft.tools.search.walk import walk

ALL_MAY_BE_READ = Withheld()
OUTPUT_BYTES = 30 * 1024


class Listing(Struct, frozen=True, kw_only=True):
    """Absolute paths, newest first; `whole` unless the time was up."""

    files: tuple[bytes, ...]
    whole: bool


async def list_files(
    paths: Paths, args: Glob, timeout_s: float = TIMEOUT_S, withholding: Withholding = nothing_withheld
) -> str:
    """What the model is told; raises `ToolFailed` for a folder that does not exist or is too large to search."""
    place = place_of(paths, args.path, args.pattern, hidden=args.hidden, no_ignore=args.no_ignore)
    denied = withholding(place.scope.root)
    given_up = threading.Event()
    deadline = time.monotonic() + timeout_s
    try:
        found = await asyncio.to_thread(
            newest_first, place, lambda: given_up.is_set() or time.monotonic() > deadline, denied
        )
    finally:
        given_up.set()
    names = [paths.shown(Path(os.fsdecode(file))) for file in found.files[: args.limit]]
    notes = [*([] if found.whole else [STOPPED]), *([denied.note] if denied.rules else [])]
    return _told(names, len(found.files), notes)


def newest_first(place: Place, stopped: Callable[[], bool], denied: Withheld = ALL_MAY_BE_READ) -> Listing:
    """All files of the place that are not denied, by time of last change, then by name."""
    root = str(place.scope.root).rstrip("/")
    by_age: list[tuple[int, bytes]] = []
    for found in walk(place.scope, stopped):
        if place.glob.matches(found.path) and not denied.holds(f"{root}/{found.path}"):
            full = os.fsencode(f"{root}/{found.path}")
            with contextlib.suppress(OSError):
                by_age.append((-os.lstat(full).st_mtime_ns, full))
    return Listing(files=tuple(full for _, full in sorted(by_age)), whole=not stopped())


def _told(names: list[str], total: int, notes: list[str]) -> str:
    kept = names
    text = "\n".join(kept)
    if len(text.encode()) > OUTPUT_BYTES:
        kept = head_bytes(text, OUTPUT_BYTES).split("\n")[:-1]
        text = "\n".join(kept)
    cut = f"({len(kept)} of {total} matches, newest first; narrow the pattern for the others)"
    return "\n".join([text or "(no matches)", *notes, *([cut] if len(kept) < total else [])])
