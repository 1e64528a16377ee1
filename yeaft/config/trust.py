"""Whether the user has agreed to what a work folder brings along; kept in `trust.json` of yeaft's own folder."""

import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from yeaft.config.brought import Brought, brought, changes
from yeaft.config.regular import MIB, read_regular
from yeaft.kernel.errors import ConfigError

NAME = "trust.json"
LARGEST_BYTES = 16 * MIB
MARK_CHARS = 16
"""How much of a file's SHA-256 is kept, only to say which files have changed."""

State = Literal["nothing", "trusted", "unknown", "changed"]


class TrustedFolder(Struct, frozen=True, kw_only=True):
    """What was agreed to for a folder, and when; `files` has the beginning of each file's SHA-256."""

    digest: str
    at_ms: int = 0
    files: dict[str, str] = {}


class AllowedServer(Struct, frozen=True, kw_only=True):
    """An MCP server of a project that may be started, and where it was when that was agreed."""

    name: str
    at_ms: int = 0
    folder: str = ""


class Agreements(Struct, frozen=True, kw_only=True):
    """All that the user has agreed to: folders by their real path, servers by their digest.

    `declined` has the digest of what was refused for a folder. A `problem` says that the file cannot be used; nothing
    is trusted then.
    """

    folders: dict[str, TrustedFolder] = {}
    servers: dict[str, AllowedServer] = {}
    declined: dict[str, str] = {}
    problem: str = ""


class Trust(Struct, frozen=True, kw_only=True):
    """What holds for one folder; `changed` are the paths that differ from `agreed_files`, agreed to at `at_ms`.

    `how` is empty unless the folder is trusted; `flag` means for this process only. `servers` are the digests of the
    MCP servers that may be started anywhere. With `was_declined` the user has said no to just what is there now.
    """

    folder: str
    state: State
    how: Literal["", "saved", "flag"] = ""
    brought: Brought = Brought()
    changed: tuple[str, ...] = ()
    agreed_files: frozenset[str] = frozenset()
    at_ms: int = 0
    servers: frozenset[str] = frozenset()
    was_declined: bool = False
    problem: str = ""

    @property
    def is_trusted(self) -> bool:
        """Whether what the folder brings is used."""
        return self.state == "trusted"

    @property
    def is_refused(self) -> bool:
        """Whether the folder brings something that stays unused because nobody has agreed to it."""
        return self.state in ("unknown", "changed")

    def allows_server(self, digest: str) -> bool:
        """Whether a project's server with this digest may be started."""
        return self.is_trusted and (self.how == "flag" or digest in self.servers)


def trust_of(home: Path, folder: Path, environ: Mapping[str, str], *, by_flag: bool = False) -> Trust:
    """Return whether `folder` is trusted; `by_flag` trusts it for this process. Fast, and never raises.

    A folder that brings nothing is trusted if it, or a folder around it in the same repository, is. Without a
    repository nothing follows from the folders around: what was downloaded into a trusted one is not trusted.
    """
    real = os.path.realpath(folder)
    own = Path(environ["HOME"]) if environ.get("HOME") else None
    found = brought(folder, home, own)
    agreed = agreements(home)
    known = agreed.folders.get(real)
    if known is None and not found.digest:
        known = _around(Path(real), agreed)
    changed = tuple(changes(known.files, found)) if known and known.digest != found.digest else ()
    return Trust(
        folder=real,
        state=_state(found, known, by_flag=by_flag),
        how=_how(found, known, by_flag=by_flag),
        brought=found,
        changed=changed,
        agreed_files=frozenset(known.files) if known else frozenset(),
        at_ms=known.at_ms if known else 0,
        servers=frozenset(agreed.servers),
        was_declined=bool(found.digest) and agreed.declined.get(real) == found.digest,
        problem=agreed.problem,
    )


def agreements(home: Path) -> Agreements:
    """Read what the user has agreed to; nothing, with a `problem`, if the file cannot be used. Never raises."""
    path = home / NAME
    try:
        return msgspec.json.decode(read_regular(path, LARGEST_BYTES), type=Agreements)
    except (FileNotFoundError, NotADirectoryError):
        return Agreements()
    except OSError as error:
        return Agreements(problem=_unusable(path, str(error.strerror)))
    except msgspec.DecodeError as error:
        return Agreements(problem=_unusable(path, str(error)))


def agree(home: Path, trust: Trust, servers: Mapping[str, str], now_ms: int) -> None:
    """Trust a folder as it is, and allow `servers` (name by digest). Raises `ConfigError`."""
    files = {file.path: file.sha256[:MARK_CHARS] for file in trust.brought.files}
    with _changing(home) as table:
        folder = TrustedFolder(digest=trust.brought.digest, at_ms=now_ms, files=files)
        _entries(table, "folders")[trust.folder] = msgspec.to_builtins(folder)
        _entries(table, "declined").pop(trust.folder, None)
        _allow(table, servers, trust.folder, now_ms)


def decline(home: Path, trust: Trust) -> None:
    """Remember that the user does not want to be asked again about what a folder brings now. Raises `ConfigError`."""
    with _changing(home) as table:
        _entries(table, "declined")[trust.folder] = trust.brought.digest


def allow_servers(home: Path, servers: Mapping[str, str], folder: str, now_ms: int) -> None:
    """Allow MCP servers (name by digest) of a folder that is trusted already. Raises `ConfigError`."""
    with _changing(home) as table:
        _allow(table, servers, folder, now_ms)


def forget(home: Path, folder: str) -> bool:
    """Take back what was agreed to for a folder (its real path); False if that was nothing. Raises `ConfigError`."""
    if folder not in agreements(home).folders:
        return False
    with _changing(home) as table:
        _entries(table, "folders").pop(folder, None)
        servers = _entries(table, "servers")
        for digest in [digest for digest, one in servers.items() if one.get("folder") == folder]:
            del servers[digest]
    return True


def _state(found: Brought, known: TrustedFolder | None, *, by_flag: bool) -> State:
    if found.obstacles:
        return "unknown" if known is None else "changed"
    if by_flag or (known is not None and (known.digest == found.digest or not found.digest)):
        return "trusted"
    if known is not None:
        return "changed"
    return "unknown" if found.digest else "nothing"


def _how(found: Brought, known: TrustedFolder | None, *, by_flag: bool) -> Literal["", "saved", "flag"]:
    if _state(found, known, by_flag=False) == "trusted":
        return "saved"
    return "flag" if _state(found, known, by_flag=by_flag) == "trusted" else ""


def _around(folder: Path, agreed: Agreements) -> TrustedFolder | None:
    """What was agreed to for the nearest folder around `folder` that is in the same repository."""
    if not agreed.folders:
        return None
    places = (folder, *folder.parents)
    root = next((place for place in places if (place / ".git").exists()), None)
    inside = (str(place) for place in places if root is not None and place.is_relative_to(root))
    return next((agreed.folders[place] for place in inside if place in agreed.folders), None)


def _allow(table: dict[str, Any], servers: Mapping[str, str], folder: str, now_ms: int) -> None:
    entries = _entries(table, "servers")
    for digest, name in servers.items():
        entries[digest] = msgspec.to_builtins(AllowedServer(name=name, at_ms=now_ms, folder=folder))


def _entries(table: dict[str, Any], key: str) -> dict[str, Any]:
    found: dict[str, Any] = table.setdefault(key, {})
    return found


@contextmanager
def _changing(home: Path) -> Generator[dict[str, Any], None, None]:
    """The content of the file, to be changed; what this version does not know in it stays."""
    from yeaft.config.rewriting import locked, replace_file

    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = (home / NAME).resolve()
    with locked(home):
        if problem := agreements(home).problem:
            raise ConfigError(problem)
        table: dict[str, Any] = msgspec.json.decode(path.read_bytes()) if path.exists() else {"version": 1}
        yield table
        replace_file(path, msgspec.json.format(msgspec.json.encode(table), indent=2).decode() + "\n")


def _unusable(path: Path, reason: str) -> str:
    return f"{path} cannot be used: {reason}. No folder is trusted until it is mended or moved away."
