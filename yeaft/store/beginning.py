"""The first event of a Session where the journal has lost it: what its list entry still knows."""

from pathlib import Path

from yeaft.events.session import SessionCreated
from yeaft.store.journal import SESSION_STREAM
from yeaft.store.meta import META_NAME, new_meta, read_meta

USUAL_VP = "omni"


def is_beginning(stream: str, seq: int) -> bool:
    """Whether a Session must have been created at this place."""
    return stream == SESSION_STREAM and seq == 1


def beginning_of(directory: Path) -> SessionCreated:
    """How the Session in `directory` may have begun; later events say more of its name and roster."""
    meta = read_meta(directory / META_NAME) or new_meta(directory.name)
    roster = meta.roster or (meta.default_vp or USUAL_VP,)
    return SessionCreated(
        session_id=directory.name,
        name=meta.name,
        folder=meta.folder,
        roster=roster,
        default_vp=meta.default_vp or roster[0],
        lang="",
        app_version="",
    )
