"""Where a Session's things are, and which Session a word on the command line means."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from yeaft.kernel.errors import NotFound
from yeaft.store.lock import LOCK_NAME
from yeaft.store.meta import META_NAME, SessionMeta

SESSIONS_NAME = "sessions"
JOURNAL_NAME = "session.db"
NEAR_MATCHES = 3
LAST = "last"


class SessionPaths:
    """The paths inside one Session's directory `root`; its name is the Session's id. Nothing is made by looking."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @property
    def session_id(self) -> str:
        """The id of the Session."""
        return self.root.name

    @property
    def db(self) -> Path:
        """The journal."""
        return self.root / JOURNAL_NAME

    @property
    def lock(self) -> Path:
        """The lock file; see `SessionLock`."""
        return self.root / LOCK_NAME

    @property
    def meta(self) -> Path:
        """The cache of what a list of Sessions shows."""
        return self.root / META_NAME

    @property
    def blobs(self) -> Path:
        """Large content by hash."""
        return self.root / "blobs"

    @property
    def tasks(self) -> Path:
        """One directory per background task."""
        return self.root / "tasks"

    @property
    def agents(self) -> Path:
        """The logs of sub-agents."""
        return self.root / "agents"

    @property
    def attachments(self) -> Path:
        """Files that the user gave."""
        return self.root / "attachments"

    @property
    def out(self) -> Path:
        """Artifacts."""
        return self.root / "out"

    @property
    def checkpoints(self) -> Path:
        """Manifests of the work folder's files."""
        return self.root / "checkpoints"


def sessions_root(home: Path) -> Path:
    """The directory of all Sessions under yeaft's home directory."""
    return home / SESSIONS_NAME


def session_paths(home: Path, session_id: str) -> SessionPaths:
    """The paths of a Session, whether it exists or not."""
    return SessionPaths(sessions_root(home) / session_id)


def list_session_ids(home: Path) -> list[str]:
    """The ids of all Sessions that have a journal, in alphabetical order."""
    try:
        found = sorted(sessions_root(home).iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [directory.name for directory in found if (directory / JOURNAL_NAME).exists()]


def find_session(home: Path, reference: str, *, folder: str = "") -> SessionPaths:
    """The Session meant by an id, a name that the user gave, `last`, or the beginning of an id, in that order.

    `last` is the one that was used last in the work folder `folder` or, if there is none in it, at all. Raises
    `NotFound`, which names the candidates if several fit and the nearest ones if none does.
    """
    ids = list_session_ids(home)
    if reference in ids:
        return session_paths(home, reference)
    metas = _metas(home)
    if reference == LAST and metas and not _named(metas, reference):
        here = [meta for meta in metas.values() if meta.folder == folder and not meta.archived]
        newest = max(here or metas.values(), key=lambda meta: (meta.last_active_ms, meta.session_id))
        return session_paths(home, newest.session_id)
    for fitting in (_named(metas, reference), _starting(ids, reference)):
        if len(fitting) == 1:
            return session_paths(home, fitting[0])
        if fitting:
            shown = ", ".join(_shown(metas[key]) for key in fitting)
            raise NotFound(f"'{reference}' fits {len(fitting)} Sessions: {shown}. Give more of the id.")
    raise NotFound(f"No Session '{reference}'. {_nearest(reference, metas)}")


def _metas(home: Path) -> dict[str, SessionMeta]:
    from yeaft.store.index import Index  # which is made of what this module says about places

    metas = Index(home).rows(include_archived=True)
    return {meta.session_id: meta for meta in sorted(metas, key=lambda meta: meta.session_id)}


def _named(metas: Mapping[str, SessionMeta], reference: str) -> list[str]:
    return [key for key, meta in metas.items() if meta.name and meta.name == reference]


def _starting(ids: Sequence[str], reference: str) -> list[str]:
    return [key for key in ids if reference and key.startswith(reference.lower())]


def _shown(meta: SessionMeta) -> str:
    called = meta.name or meta.title
    return f"{meta.session_id} ({called})" if called else meta.session_id


def _nearest(reference: str, metas: Mapping[str, SessionMeta]) -> str:
    import difflib  # only needed to be helpful

    if not metas:
        return "There are none yet."
    words = {key: key for key in metas}
    words |= {called.casefold(): key for key, meta in metas.items() for called in (meta.title, meta.name) if called}
    near = difflib.get_close_matches(reference.casefold(), words, NEAR_MATCHES)
    keys = dict.fromkeys(words[word] for word in near)
    if keys:
        return f"Did you mean {' or '.join(_shown(metas[key]) for key in keys)}?"
    return "`yeaft session ls --all` lists them."
