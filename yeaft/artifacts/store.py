"""The artifacts of one Session or work item: listed, found by what people call them, and read only if unchanged."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Generator, Iterable
from pathlib import Path

from yeaft.artifacts.artifact import PREFIX, Artifact, artifact_id, sha256_of
from yeaft.artifacts.index import INDEX_NAME, PRIVATE_FILE, clear_unfinished, read_index, write_index
from yeaft.artifacts.kinds import LIMITS_BYTES
from yeaft.artifacts.places import content_at, schema_name
from yeaft.kernel.clock import NowMs, wall_clock_ms
from yeaft.kernel.errors import BadData, NotFound, SessionBusy, StoreFailed
from yeaft.store.filesystem import make_private

LOCK_NAME = ".lock"
PATIENCE_S = 30.0
LEAST_PREFIX = 4
"""So many digits of an id say which one is meant, if no other begins so."""
_NAMED = 5


class ArtifactStore:
    """The folder `out`; it is made when the first artifact is kept. Reading needs no lock and makes nothing."""

    def __init__(self, out: Path, *, session_id: str = "", now_ms: NowMs = wall_clock_ms) -> None:
        self.out = out
        self.session_id = session_id
        self.now_ms = now_ms

    def all(self) -> list[Artifact]:
        """Return all artifacts, the oldest first. Raises `StoreFailed` if the list is damaged."""
        return list(read_index(self.out).values())

    def current(self) -> list[Artifact]:
        """Return the newest revision of each, the oldest first."""
        return newest(self.all())

    def find(self, reference: str) -> Artifact:
        """Return the artifact with that id, beginning of an id, path, or name (then the newest that has it).

        Raises `NotFound`, which names the candidates.
        """
        return one_of(self.all(), reference)

    def read(self, artifact: Artifact) -> bytes:
        """Return the content. Raises `NotFound` if the file is gone, `BadData` if it is not what was kept."""
        path = self.out / artifact.path
        try:
            content = content_at(self.out, artifact.path, LIMITS_BYTES[artifact.type])
        except FileNotFoundError as error:
            raise NotFound(
                f"The file of the artifact {artifact.artifact_id} ({artifact.name}) is gone: {path}. Restore it, or "
                "keep it again with `yeaft artifact add`."
            ) from error
        except OSError as error:
            reason = "it is a link" if error.errno == errno.ELOOP else error.strerror or str(error)
            raise BadData(
                f"The file of the artifact {artifact.artifact_id} cannot be read: {path}: {reason}."
            ) from error
        digest = sha256_of(content)
        if digest != artifact.sha256 or artifact_id(artifact.type, digest) != artifact.artifact_id:
            raise BadData(
                f"The file of the artifact {artifact.artifact_id} ({artifact.name}) was changed after it was kept: "
                f"{path}. Restore it, or keep what it is now with `yeaft artifact add`."
            )
        return content

    def strays(self) -> list[str]:
        """Return the files below `out` that no entry names: of a process that died while it kept them, or put there."""
        artifacts = read_index(self.out)
        known = {INDEX_NAME, LOCK_NAME, *(file for one in artifacts.values() for file in files_of(one))}
        found: list[str] = []
        for folder, _, names in os.walk(self.out):
            for name in names:
                path = os.path.relpath(Path(folder) / name, self.out)
                if path not in known:
                    found.append(path)
        return sorted(found)

    def keep_only(self, paths: Iterable[str]) -> None:
        """Take away all others, with their files. Raises `StoreFailed`."""
        wanted = set(paths)
        with self.locked() as artifacts:
            left = {path: one for path, one in artifacts.items() if path in wanted}
            gone = artifacts.keys() - left.keys()
            if not gone:
                return
            write_index(self.out, left)
            for path in gone:
                for file in files_of(artifacts[path]):
                    (self.out / file).unlink(missing_ok=True)

    @contextlib.contextmanager
    def locked(self) -> Generator[dict[str, Artifact]]:
        """Hold the lock of the list, which is read under it; the folder is there then.

        Raises `SessionBusy` if somebody else holds it for too long, `StoreFailed` where the disk does not take it.
        """
        from filelock import FileLock, Timeout

        try:
            make_private(self.out)
            with FileLock(self.out / LOCK_NAME, timeout=PATIENCE_S, mode=PRIVATE_FILE):
                clear_unfinished(self.out)
                yield read_index(self.out)
        except Timeout as error:
            raise SessionBusy(f"Another process keeps artifacts in {self.out}; try again in a moment.") from error
        except OSError as error:
            raise StoreFailed(
                f"Artifacts cannot be kept in {self.out}: {error.strerror}. Check free space and permissions."
            ) from error


def files_of(artifact: Artifact) -> tuple[str, ...]:
    """Return the paths of all files of an artifact: its own and, of a table, that of its schema."""
    if artifact.type != "table":
        return (artifact.path,)
    folder, name = artifact.path.split("/")
    return artifact.path, f"{folder}/{schema_name(name)}"


def newest(artifacts: Iterable[Artifact]) -> list[Artifact]:
    """Return of each name by each maker only the newest revision."""
    found: dict[tuple[str, str], Artifact] = {}
    for one in artifacts:
        known = found.get(_name_of(one))
        if known is None or one.revision >= known.revision:
            found.pop(_name_of(one), None)
            found[_name_of(one)] = one
    return list(found.values())


def maker(path: str) -> str:
    """Return the folder of an artifact: the VP or step that it is from, or `user`."""
    return path.partition("/")[0]


def one_of(artifacts: Iterable[Artifact], reference: str) -> Artifact:
    """Return the one of `artifacts` that is meant, as `ArtifactStore.find` does; raises `NotFound`."""
    everything = list(artifacts)
    wanted = reference.strip().removeprefix("@")
    for fitting in _readings(everything, wanted):
        if len({one.artifact_id for one in fitting}) == 1:
            return fitting[-1]
        if fitting:
            shown = ", ".join(f"{one.artifact_id} ({one.path})" for one in fitting[:_NAMED])
            raise NotFound(f"{reference!r} fits {len(fitting)} artifacts: {shown}. Give more of the id, or the path.")
    known = ", ".join(f"{one.artifact_id} ({one.path})" for one in newest(everything)[-_NAMED:])
    remedy = f"The newest are: {known}." if known else "There are none yet."
    raise NotFound(f"No artifact {reference!r}. {remedy} `yeaft artifact ls` lists them.")


def _readings(artifacts: list[Artifact], wanted: str) -> Generator[list[Artifact]]:
    """Yield what a word may stand for, the most exact first."""
    digits = wanted.lower().removeprefix(PREFIX)
    yield [one for one in artifacts if one.artifact_id == f"{PREFIX}{digits}"]
    yield [one for one in artifacts if one.path == wanted]
    yield [one for one in newest(artifacts) if one.name == wanted]
    if len(digits) >= LEAST_PREFIX:
        yield [one for one in artifacts if one.artifact_id.startswith(f"{PREFIX}{digits}")]


def _name_of(one: Artifact) -> tuple[str, str]:
    return maker(one.path), one.name
