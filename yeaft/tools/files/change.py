"""What a call would do to files, as a value that can be judged, journaled and compared after a crash."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from yeaft.events.call import FileFact, Intent
from yeaft.kernel.errors import ToolFailed
from yeaft.tools.files.file_bytes import sha256_of
from yeaft.tools.files.reads import Reads
from yeaft.tools.paths import Paths


class Change(Struct, frozen=True, kw_only=True):
    """The content of one file before and after; None means no file.

    A new file is `executable`, or takes mode and owner of `like`, the file that it was moved from.
    """

    path: Path
    before: bytes | None
    after: bytes | None
    executable: bool = False
    like: Path | None = None


class Planned(Struct, frozen=True, kw_only=True):
    """Changes that belong together, and what the model is told once they are made."""

    changes: tuple[Change, ...]
    text: str


def intents(changes: Sequence[Change]) -> tuple[Intent, ...]:
    """The hashes that decide after a crash whether the changes were made."""
    return tuple(
        Intent(path=str(change.path), pre=sha256_of(change.before), post=sha256_of(change.after)) for change in changes
    )


def file_facts(changes: Sequence[Change]) -> tuple[FileFact, ...]:
    """What a call that made the changes left behind."""
    return tuple(FileFact(path=str(change.path), sha256=sha256_of(change.after), written=True) for change in changes)


def refuse_unseen(changes: Sequence[Change], reads: Reads, paths: Paths) -> None:
    """Raise `ToolFailed` if a file is not as the VP last saw it; files it never saw may be changed."""
    for change in changes:
        seen = reads.last(change.path)
        if seen is not None and seen != sha256_of(change.before):
            shown = paths.shown(change.path)
            raise ToolFailed(f"{shown} changed since you read it; read it again. Nothing was written.")
