"""What Sessions have used: every reply in them, in sub-agents and in steps of graphs, with who asked and when."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from yeaft.events.codec import Recorded
from yeaft.events.session import SessionCreated, SessionForked
from yeaft.events.turn import ReplyCompleted, RequestSent
from yeaft.kernel.errors import StoreFailed
from yeaft.kernel.usage import Usage
from yeaft.session.agents.agent_state import AGENT_STREAMS
from yeaft.session.past import COMPACT_STREAMS
from yeaft.store.blobs import FileBlobs
from yeaft.store.directory import list_session_ids, session_paths
from yeaft.store.journal import SESSION_STREAM, STEP_STREAMS
from yeaft.store.sqlite import SqliteJournal


class Spent(Struct, frozen=True, kw_only=True):
    """One reply. `cost_usd` None means that the price is not known; `vp` is who asked, also for its sub-agents."""

    session_id: str
    folder: str
    vp: str
    model: str
    at_ms: int
    usage: Usage
    cost_usd: float | None


class Spending(Struct, frozen=True, kw_only=True):
    """All replies of all Sessions, archived ones too, each once; `unread` are the Sessions that cannot be read."""

    replies: tuple[Spent, ...]
    unread: tuple[str, ...]


class _Book(Struct, frozen=True, kw_only=True):
    """One Session's replies by request; what a fork has from before it began is its original's, if that is there."""

    forked_ms: int
    replies: dict[str, Spent]


def spending(home: Path) -> Spending:
    """Read what every Session under `home` has used. Nothing is written."""
    books: list[_Book] = []
    unread: list[str] = []
    for session_id in sorted(list_session_ids(home)):
        try:
            books.append(_book(home, session_id))
        except StoreFailed:
            unread.append(session_id)
    known: dict[str, Spent] = {}
    for book in sorted(books, key=lambda book: book.forked_ms):
        for request_id, spent in book.replies.items():
            known.setdefault(request_id, spent)
    replies = sorted(known.values(), key=lambda spent: spent.at_ms)
    return Spending(replies=tuple(replies), unread=tuple(unread))


def _book(home: Path, session_id: str) -> _Book:
    paths = session_paths(home, session_id)
    journal = SqliteJournal.for_reading(paths.db, FileBlobs(paths.blobs))
    records = journal.read(SESSION_STREAM)
    folder = next((one.event.folder for one in records if isinstance(one.event, SessionCreated)), "")
    replies = dict(_replies(records, session_id, folder))
    for stream in sorted(journal.streams()):
        if stream.startswith((AGENT_STREAMS, COMPACT_STREAMS, STEP_STREAMS)):
            replies |= dict(_replies(journal.read(stream), session_id, folder))
    forked_ms = max((one.ts for one in records if isinstance(one.event, SessionForked)), default=0)
    return _Book(forked_ms=forked_ms, replies=replies)


def _replies(records: list[Recorded], session_id: str, folder: str) -> Iterator[tuple[str, Spent]]:
    vps: dict[str, str] = {}
    for recorded in records:
        match recorded.event:
            case RequestSent(request_id=request_id, vp=label):
                vps[request_id] = label.partition("/")[0]  # others are called by their VP and a name of their own
            case ReplyCompleted(request_id=request_id, model=model, usage=usage, cost_usd=cost_usd):
                yield (
                    request_id,
                    Spent(
                        session_id=session_id,
                        folder=folder,
                        vp=vps.get(request_id, ""),
                        model=model,
                        at_ms=recorded.ts,
                        usage=usage,
                        cost_usd=cost_usd,
                    ),
                )
            case _:
                pass
