"""Looks at the effort that a message begins with before it is said: it stands alone, before something to do."""

from collections.abc import Callable

from yeaft.kernel.effort_prefix import effort_in, end_of_effort, is_level
from yeaft.kernel.errors import UsageError
from yeaft.session.slash.words import behind_names, name_at
from yeaft.vp.names import Names


def check_effort(text: str, *, has_more: bool = False) -> None:
    """Check that one effort at most stands before a message, and that one follows.

    `has_more` says that something else than words goes along. Raises `UsageError`.
    """
    level = effort_in(text)
    if not level:
        return
    rest = text[end_of_effort(text) :]
    if second := effort_in(rest):
        raise UsageError(f"One effort can stand before a message: /{level} or /{second}, not both.")
    if not rest.strip() and not has_more:
        raise UsageError(
            f"/{level} holds for the message that it stands before, and none follows. Write /{level} MESSAGE;"
            f" for all messages: --effort {level}, or /effort {level} in a conversation."
        )


def with_effort_found(text: str, names: Callable[[], Names]) -> str:
    """Return a text whose effort can be read without knowing VPs: one behind a name of several words goes first."""
    at = behind_names(text, names)
    if not at or effort_in(text):
        return text
    found = name_at(text, at)
    if found is None or not is_level(found.name):
        return text
    return f"/{found.name} {text[:at].strip()} {found.arguments}".rstrip()
