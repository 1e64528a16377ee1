"""Which Session follows when one is left: a new one, another one, or the same again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from yeaft.session.opening import Wanted

if TYPE_CHECKING:
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.ground import Wish
    from yeaft.interfaces.orders import Leave


def next_wish(wish: Wish, left: Leave) -> Wish | None:
    """Return the wish for the Session that follows; None to leave for good."""
    if left.resume is not None:
        return replace(wish, wanted=Wanted(ref=left.resume, lang=wish.wanted.lang))
    return new_wish(wish) if left.new else None


def new_wish(wish: Wish) -> Wish:
    """Return the wish for a new Session with the same roster."""
    return replace(wish, wanted=Wanted(roster=wish.wanted.roster, lang=wish.wanted.lang))


def same_wish(wish: Wish, here: Opened) -> Wish:
    """Return the wish to be back in a Session; one in which nothing was said has left nothing behind."""
    if here.state.created is None:
        return new_wish(wish)
    return replace(wish, wanted=Wanted(ref=here.state.session_id, lang=wish.wanted.lang))
