"""`yeaft route`: who would answer a text and what the user would be told, without asking or writing anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from yeaft import __version__
from yeaft.events.codec import Recorded
from yeaft.events.session import NoticePosted, RosterChanged, SessionCreated
from yeaft.interfaces.cli.commands.parsing import Action, argument, option, run_action
from yeaft.interfaces.cli.commands.printing import put, put_json
from yeaft.interfaces.cli.commands.reading import read_text
from yeaft.interfaces.cli.wishes import vp_ids
from yeaft.kernel.outcome import EXIT_ANSWERED
from yeaft.session.addressing import address
from yeaft.session.routing import Unknown, route
from yeaft.session.state import SessionState
from yeaft.store.journal import SESSION_STREAM
from yeaft.vp.names import Names

if TYPE_CHECKING:
    from yeaft.events.codec import Event
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options


class Notice(Struct, frozen=True, kw_only=True):
    """What the user would be told: the code, what belongs to it, and the words in the user's language."""

    code: str
    params: dict[str, str]
    text: str


class Routed(Struct, frozen=True, kw_only=True):
    """Who would answer; `roster` is the one after those who join have joined."""

    to: tuple[str, ...]
    joined: tuple[str, ...]
    unknown: tuple[Unknown, ...]
    broadcast: bool
    truncated: bool
    reason: Literal["mention", "all", "default"]
    default_vp: str
    roster: tuple[str, ...]
    notices: tuple[Notice, ...]


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft route ...` and return the exit code."""
    return run_action("route", ACTION, options, words)


def show(desk: Desk, *, text: str, vps: tuple[str, ...], resume: str) -> int:
    """Print who would answer."""
    state = _state(desk, resume or desk.options.resume, vp_ids((*desk.options.vps, *vps), desk.library))
    found = routed(desk, state, read_text(text) if text == "-" else text)
    if desk.as_json:
        put_json(found)
        return EXIT_ANSWERED
    put(" ".join(f"@{vp_id}" for vp_id in found.to))
    if not found.unknown:
        desk.note(f"route.{found.reason}")
    for notice in found.notices:
        desk.note("route.notice", text=notice.text)
    return EXIT_ANSWERED


def routed(desk: Desk, state: SessionState, text: str) -> Routed:
    """Say where `text` would go in a Session in this state."""
    routing = route(text, roster=state.roster, default_vp=state.default_vp, names=Names(desk.library.all()))
    addressed = address(state, desk.library, text, (), desk.lang)
    notices = (event for event in addressed.notices if isinstance(event, NoticePosted))
    return Routed(
        to=addressed.to,
        joined=routing.joined,
        unknown=routing.unknown,
        broadcast=routing.broadcast,
        truncated=routing.truncated,
        reason=routing.reason,
        default_vp=state.default_vp,
        roster=(*state.roster, *routing.joined),
        notices=tuple(
            Notice(code=one.code, params=one.params, text=desk.text(one.code, **one.params)) for one in notices
        ),
    )


def _state(desk: Desk, resume: str, roster: tuple[str, ...]) -> SessionState:
    """Return the Session that the text would go to: a new one unless one from before is named."""
    if not resume and not desk.options.continue_:
        everyone = roster or (desk.config.default_vp,)
        state = SessionState("")
        created = SessionCreated(
            session_id="",
            name="",
            folder=str(desk.folder),
            roster=everyone,
            default_vp=everyone[0],
            lang=desk.lang,
            app_version=__version__,
        )
        _happen(state, created)
        return state
    state = _state_from_before(desk, resume)
    if roster:
        _happen(state, RosterChanged(roster=roster, default_vp=roster[0], reason="user"))
    return state


def _state_from_before(desk: Desk, resume: str) -> SessionState:
    from yeaft.kernel.errors import NotFound
    from yeaft.session.offline import read_session
    from yeaft.store.index import Index

    if resume:
        return read_session(desk.home, resume).state
    newest = next(iter(Index(desk.home).rows(folder=str(desk.folder))), None)
    if newest is None:
        raise NotFound(f"No Session in {desk.folder} yet. `yeaft session ls --all` lists those of other folders.")
    return read_session(desk.home, newest.session_id).state


def _happen(state: SessionState, event: Event) -> None:
    """Apply an event that is recorded nowhere."""
    state.apply(
        Recorded(
            id="", stream=SESSION_STREAM, seq=state.head + 1, ts=0, src="user", cause="", corr="", epoch=0, event=event
        )
    )


ACTION = Action(
    run=show,
    params=(
        argument("TEXT"),
        option("--vp", "--agent", "vps", multiple=True),
        option("-r", "--resume", "-s", "--session", "resume", default=""),
    ),
)
