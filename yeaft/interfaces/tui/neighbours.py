"""Who else is at work in a folder: Sessions of other live processes, which may change the same files."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from yeaft.store.directory import list_session_ids, session_paths
from yeaft.store.index import current_meta
from yeaft.store.lock import Owner, is_owned, read_owner


class Neighbour(Struct, frozen=True):
    """A Session that another process has open."""

    session_id: str
    owner: Owner


def neighbours(home: Path, folder: Path, own_id: str) -> tuple[Neighbour, ...]:
    """Return the Sessions in `folder` that other live processes have open. Blocks: it reads files."""
    found = list[Neighbour]()
    for session_id in list_session_ids(home):
        paths = session_paths(home, session_id)
        owner = read_owner(paths.root) if session_id != own_id else None
        if owner is None or not is_owned(paths.root):
            continue
        if current_meta(paths).folder == str(folder):
            found.append(Neighbour(session_id, owner))
    return tuple(found)
