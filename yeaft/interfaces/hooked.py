"""Wires the user's hooks to a Session, where there are any."""

from __future__ import annotations

from msgspec.structs import replace

from yeaft.interfaces.ground import Ground
from yeaft.llm.credentials import scrubbed
from yeaft.session.hooks.configured import configured_hooks


def hooked(ground: Ground) -> Ground:
    """Return what is known with the hooks that hold there, and with what is wrong with their files."""
    environ = ground.wish.environ
    found, problems = configured_hooks(ground.home, ground.folder, environ, trusted=ground.trust.is_trusted)
    if not found:
        return replace(ground, hook_problems=problems)
    from yeaft.session.hooks.session_hooks import SessionHooks

    hooks = SessionHooks(
        found,
        ground.ledger,
        environ=scrubbed(environ, ground.config),
        phrases=ground.phrases,
        session_id=ground.room.paths.session_id,
        directory=ground.room.paths.root,
        folder=ground.folder,
    )
    return replace(ground, hooks=hooks, hook_problems=problems)
