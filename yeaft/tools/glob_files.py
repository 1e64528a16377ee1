"""Find files by the pattern of their names, newest first."""

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from yeaft.kernel.text import head_bytes
from yeaft.tools.paths import Paths
from yeaft.tools.search_scope import STOPPED, TIMEOUT_S, Place, place_of, written_folder
from yeaft.tools.tool import Running, Tool, Touches
from yeaft.tools.walk import walk

LIMIT = 500
OUTPUT_BYTES = 30 * 1024


class Glob(Struct, frozen=True, kw_only=True):
    """Arguments."""

    pattern: str
    path: str = ""
    limit: Annotated[int, Meta(ge=1)] = LIMIT
    hidden: bool = True
    no_ignore: bool = False


class Listing(Struct, frozen=True, kw_only=True):
    """Paths newest first; `whole` unless the time was up."""

    files: tuple[Path, ...]
    whole: bool


def glob_files(paths: Paths, timeout_s: float = TIMEOUT_S) -> Tool[Glob]:
    """Let the model find files. The walk is our own, because ripgrep's listing leaves out symbolic links."""

    async def run(args: Glob, _: Running) -> str:
        place = place_of(paths, args.path, args.pattern, hidden=args.hidden, no_ignore=args.no_ignore)
        given_up = threading.Event()
        deadline = time.monotonic() + timeout_s
        try:
            found = await asyncio.to_thread(
                newest_first, place, lambda: given_up.is_set() or time.monotonic() > deadline
            )
        finally:
            given_up.set()
        return _told([paths.shown(file) for file in found.files], args.limit, whole=found.whole)

    return Tool(
        name="Glob",
        args=Glob,
        run=run,
        guard="read",
        touches=lambda args: Touches(reads=(written_folder(args.path, args.pattern),)),
    )


def newest_first(place: Place, stopped: Callable[[], bool]) -> Listing:
    """All files of the place, by time of last change, then by name."""
    by_age: list[tuple[int, bytes]] = []
    for found in walk(place.scope, stopped):
        if place.glob.matches(found.path):
            full = os.fsencode(place.scope.root / found.path)
            with contextlib.suppress(OSError):
                by_age.append((-os.lstat(full).st_mtime_ns, full))
    return Listing(files=tuple(Path(os.fsdecode(full)) for _, full in sorted(by_age)), whole=not stopped())


def _told(names: list[str], limit: int, *, whole: bool) -> str:
    kept = names[:limit]
    text = "\n".join(kept)
    if len(text.encode()) > OUTPUT_BYTES:
        kept = head_bytes(text, OUTPUT_BYTES).split("\n")[:-1]
        text = "\n".join(kept)
    notes = [] if whole else [STOPPED]
    if len(kept) < len(names):
        notes.append(f"({len(kept)} of {len(names)} matches, newest first; narrow the pattern for the others)")
    return "\n".join([text or "(no matches)", *notes])
