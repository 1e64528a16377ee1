"""Reads what became of sub-agents, from any process: from the journal, and by whether the owner still lives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from yeaft.events.agent import AgentEnded
from yeaft.events.codec import Recorded
from yeaft.kernel.errors import NotFound, StoreFailed
from yeaft.session.agents.agent_liveness import Pulse
from yeaft.session.agents.agent_state import AGENT_STREAMS, AgentState, AgentStatus
from yeaft.session.state import SessionState
from yeaft.store.agent_log import log_path
from yeaft.store.blobs import FileBlobs
from yeaft.store.directory import SessionPaths, find_session, list_session_ids, session_paths
from yeaft.store.journal import SESSION_STREAM
from yeaft.store.lock import is_owned
from yeaft.store.sqlite import SqliteJournal

ID_PREFIX = "a_"


class SeenAgent(Struct, frozen=True, kw_only=True):
    """An agent as it is seen from outside. `status` is `lost` for one whose yeaft is gone and has not said more."""

    session: SessionPaths
    agent: AgentState
    status: AgentStatus
    pulse: Pulse

    @property
    def agent_id(self) -> str:
        """Its id."""
        return self.agent.spawned.agent_id

    @property
    def log(self) -> Path:
        """Where its log is; the file may be missing."""
        return log_path(self.session.agents, self.agent_id)


class EndWatch:
    """Tells whether an agent has ended, reading only what is new in the journal."""

    def __init__(self, seen: SeenAgent) -> None:
        self._seen = seen
        self._journal = SqliteJournal.for_reading(seen.session.db, FileBlobs(seen.session.blobs))
        self._after = 0

    def is_over(self) -> bool:
        """Whether it has ended, or the process that ran it has."""
        for recorded in self._journal.read(SESSION_STREAM, self._after):
            self._after = recorded.seq
            if isinstance(recorded.event, AgentEnded) and recorded.event.agent_id == self._seen.agent_id:
                return True
        return not is_owned(self._seen.session.root)


def seen_agents(home: Path, session: str = "") -> list[SeenAgent]:
    """Return the agents of a Session, or of all that can be read, oldest first. Raises `NotFound`."""
    places = [find_session(home, session)] if session else _with_agents(home)
    found = [seen for paths in places for seen in _agents_of(paths)]
    return sorted(found, key=lambda seen: seen.agent.spawned_ms)


def one_agent(seen: Iterable[SeenAgent], reference: str) -> SeenAgent:
    """Return the agent whose id is or begins with `reference`, else the newest of that name. Raises `NotFound`."""
    agents = list(seen)
    wanted = ID_PREFIX + reference.lower().removeprefix(ID_PREFIX)
    exact = [one for one in agents if one.agent_id == wanted]
    fitting = exact or [one for one in agents if wanted != ID_PREFIX and one.agent_id.startswith(wanted)]
    if len(fitting) == 1:
        return fitting[0]
    named = [one for one in agents if one.agent.spawned.name == reference]
    if named:
        return named[-1]
    if fitting:
        shown = ", ".join(one.agent_id for one in fitting)
        raise NotFound(f"{reference!r} fits {len(fitting)} agents: {shown}. Give more of the id.")
    known = ", ".join(f"{one.agent_id} ({one.agent.spawned.name})" for one in agents[-5:]) or "none"
    raise NotFound(f"No agent {reference!r}. The newest are: {known}.")


def agent_records(paths: SessionPaths) -> Iterator[Recorded]:
    """Yield all that sub-agents of a Session did, one stream after the other."""
    journal = SqliteJournal.for_reading(paths.db, FileBlobs(paths.blobs))
    for stream in journal.streams():
        if stream.startswith(AGENT_STREAMS):
            yield from journal.read(stream)


def _with_agents(home: Path) -> Iterator[SessionPaths]:
    for session_id in list_session_ids(home):
        paths = session_paths(home, session_id)
        if paths.agents.is_dir():
            yield paths


def _agents_of(paths: SessionPaths) -> Iterator[SeenAgent]:
    journal = SqliteJournal.for_reading(paths.db, FileBlobs(paths.blobs))
    state = SessionState(paths.session_id)
    try:
        for recorded in journal.read(SESSION_STREAM):
            state.apply(recorded)
        for agent in state.agents.values():
            status = agent.status if agent.ended is not None or is_owned(paths.root) else "lost"
            yield SeenAgent(session=paths, agent=agent, status=status, pulse=_pulse(journal, agent))
    except StoreFailed:  # opening the Session says what is wrong with it
        return


def _pulse(journal: SqliteJournal, agent: AgentState) -> Pulse:
    pulse = Pulse()
    pulse.touch(agent.spawned_ms)
    for recorded in journal.read(agent.spawned.stream):
        pulse.feel(recorded, recorded.ts)
    return pulse
