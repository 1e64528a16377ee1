"""A yeaft home whose Sessions hold what a story says was said in them."""

from pathlib import Path

from yeaft.events.agent import AgentPrompted, AgentSpawned
from yeaft.events.codec import Event, Recorded
from yeaft.events.history import Rewound
from yeaft.events.session import MessagePosted, SessionCreated
from yeaft.events.turn import ReplyCompleted, TurnStarted
from yeaft.kernel import ids
from yeaft.kernel.messages import TextItem
from yeaft.store.blobs import FileBlobs
from yeaft.store.directory import SessionPaths, session_paths
from yeaft.store.index import Index
from yeaft.store.journal import SESSION_STREAM
from yeaft.store.search import Found, search
from yeaft.store.search_index import Narrow
from yeaft.store.search_words import Query
from yeaft.store.sqlite import SqliteJournal
from yeaft.store.task_files import TaskRecord, write_record

START_MS = 1_700_000_000_000
MINUTE_MS = 60_000


class SaidHome:
    """A home; each event comes a minute after the one before it, whatever Session it is in."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._now_ms = START_MS

    def paths(self, session_id: str) -> SessionPaths:
        return session_paths(self.root, session_id)

    async def session(self, session_id: str, *events: Event, folder: str = "/work") -> None:
        """Make a Session of these events."""
        created = SessionCreated(
            session_id=session_id,
            name="",
            folder=folder,
            roster=("omni",),
            default_vp="omni",
            lang="en",
            app_version="0",
        )
        await self.more(session_id, created, *events)

    async def more(self, session_id: str, *events: Event, stream: str = SESSION_STREAM) -> int:
        """Let more happen in a Session; returns where it stands now."""
        paths = self.paths(session_id)
        journal = SqliteJournal(paths.db, FileBlobs(paths.blobs))
        head = journal.head(stream)
        records = [self._recorded(event, f"{session_id}{stream}{head + n}") for n, event in enumerate(events)]
        head = await journal.append(stream, head, 1, records)
        await journal.close()
        return head

    def task(self, session_id: str, task_id: str, log: bytes) -> Path:
        """Put a background task that has printed `log` into a Session."""
        place = self.paths(session_id).tasks / task_id
        write_record(place, a_task(task_id, session_id))
        (place / "log").write_bytes(log)
        return place

    def search(self, words: str, *, limit: int = 100, to_write: bool = True, **narrow: object) -> Found:
        """Search all Sessions as the command does."""
        return search(self.root, self._ids(), Query(words), Narrow(**narrow), limit, update=to_write)

    def scan(self, words: str, **narrow: object) -> Found:
        """Search all Sessions without the cache."""
        paths = [self.root / f"search.db{end}" for end in ("", "-wal", "-shm")]
        kept = {path: path.read_bytes() for path in paths if path.exists()}
        for path in kept:
            path.unlink()
        found = self.search(words, to_write=False, **narrow)
        for path, content in kept.items():
            path.write_bytes(content)
        return found

    def _ids(self) -> list[str]:
        return [meta.session_id for meta in Index(self.root).rows(include_archived=True)]

    def _recorded(self, event: Event, key: str) -> Recorded:
        self._now_ms += MINUTE_MS
        return Recorded(
            id=f"e_{key}", stream="", seq=0, ts=self._now_ms, src="user", cause="", corr="", epoch=1, event=event
        )


def a_task(task_id: str, session_id: str) -> TaskRecord:
    return TaskRecord(
        task_id=task_id,
        session_id=session_id,
        call_id="c_1",
        vp_id="omni",
        title="server",
        command="serve",
        cwd="/work",
        host="box",
        mark="m",
        started_ms=START_MS,
    )


def asked(number: str, text: str, **more: object) -> MessagePosted:
    about = {"sender": "user", "kind": "user", "root_id": f"m_{number}", "to": ("omni",), **more}
    return MessagePosted(message_id=f"m_{number}", text=text, **about)


def answered(number: str, text: str, vp_id: str = "omni") -> tuple[TurnStarted, ReplyCompleted]:
    """A VP's whole answer to the message of that number."""
    turn_id = ids.turn_id(f"m_{number}", vp_id)
    started = TurnStarted(turn_id=turn_id, message_id=f"m_{number}", vp_id=vp_id, mode="ask")
    return started, said(turn_id, text)


def said(turn_id: str, text: str) -> ReplyCompleted:
    return ReplyCompleted(
        request_id=f"q_{turn_id}", turn_id=turn_id, model="a/b", items=(TextItem(text=text),), calls=(), stop="end"
    )


def spawned(number: str, mission: str) -> AgentSpawned:
    return AgentSpawned(
        agent_id=f"a_{number}",
        call_id=f"c_{number}",
        vp_id="omni",
        name="lookup",
        persona="",
        mission=mission,
        stream=f"agent/a_{number}",
        folder="/work",
        root_id=f"m_{number}",
    )


def prompted(number: str, text: str) -> AgentPrompted:
    return AgentPrompted(agent_id=f"a_{number}", call_id=f"c_{number}p", text=text)


def rewound(to_seq: int) -> Rewound:
    return Rewound(to_seq=to_seq, scope="both")


def texts(found: Found) -> list[str]:
    return [hit.spoken.text for hit in found.hits]


def places(found: Found) -> list[tuple[str, ...]]:
    return [hit.sessions for hit in found.hits]
