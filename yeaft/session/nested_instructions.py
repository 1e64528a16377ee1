"""Instruction files deeper in a project: each VP is shown them once, when a call of its touches a file beside them."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from yeaft.events.call import FileFact
from yeaft.prompts.system import noted
from yeaft.session.instructions import Collector, Instructions, Sources

if TYPE_CHECKING:
    from yeaft.prompts.system import Note, Texts
    from yeaft.session.instruction_files import Inode
    from yeaft.tools.around import Around, GoOn
    from yeaft.tools.tool import BoundCall, Running, ToolResult

NESTED_BYTES = 7 * 1024
"""What one result may carry; the end of a long result is sent with at least so much."""


def nested_instructions(
    sources: Sources,
    known: Instructions,
    texts: Callable[[], Texts],
    files_read: Callable[[], Container[str]],
    is_heard: Callable[[str], bool],
) -> Around:
    """Return the layer for one VP; `files_read` are the files that it has seen, in this process and before.

    What it adds is part of the result's text, so it stays where it was said; the files count as read by the call. To
    the result of a call (by its id) that is not heard by any VP, it adds nothing.
    """
    seen: set[Inode] = set(known.read)
    told = {note.text for note in known.notes}  # a worktree has copies of what its repository has
    top = Path(os.path.realpath(sources.folder))

    async def around(_: BoundCall, running: Running, go_on: GoOn) -> ToolResult:
        result = await go_on(running)
        if result.failed or sources.limit_bytes <= 0 or not is_heard(running.call_id):
            return result
        touched = [Path(fact.path) for fact in result.facts.files]
        notes = [
            (note, fact) for note, fact in _found(touched, top, sources, seen, files_read()) if note.text not in told
        ]
        if not notes:
            return result
        blocks = (noted(texts(), note) for note, _ in notes)
        facts = structs.replace(result.facts, files=(*result.facts.files, *(fact for _, fact in notes if fact)))
        return structs.replace(result, text="\n\n".join((result.text, *blocks)), facts=facts)

    return around


def _found(
    touched: list[Path], top: Path, sources: Sources, seen: set[Inode], files_read: Container[str]
) -> Iterator[tuple[Note, FileFact | None]]:
    """Yield the notes of the folders on the way to what was touched that are new, with what is known of their files."""
    collector = Collector(sources, NESTED_BYTES, seen=seen)
    for place in _places(touched, top):
        for note in collector.of_folder(place, sources.names, "touched"):
            real = os.path.realpath(note.path)
            if real in files_read or Path(real) in touched:
                continue
            whole = collector.hashes.get(note.path, "")
            yield note, FileFact(path=real, sha256=whole) if whole else None


def _places(touched: list[Path], top: Path) -> list[Path]:
    """The folders between the work folder and what was touched, each once, the outer before the inner."""
    found: dict[Path, None] = {}
    for path in touched:
        if path.is_relative_to(top):
            between = [parent for parent in path.parents if parent != top and parent.is_relative_to(top)]
            found |= dict.fromkeys(reversed(between))
    return list(found)
