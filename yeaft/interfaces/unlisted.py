"""What the user is told when a closed Session is complete, but what lists show of it could not be kept beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.store.meta import META_NAME, read_meta

if TYPE_CHECKING:
    from yeaft.interfaces.assemble import Opened


def unlisted(here: Opened) -> tuple[tuple[str, dict[str, str]], ...]:
    """Return it as codes with parameters, once the Session is closed; nothing if all was kept. Reads a file."""
    if here.state.created is None:
        return ()
    path = here.artifacts.out.parent / META_NAME
    kept = read_meta(path)
    if kept is not None and kept.head_seq >= here.state.head:
        return ()
    return (("closing.unlisted", {"session": here.state.session_id, "path": str(path)}),)
