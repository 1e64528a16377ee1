"""What a command in the sandbox may reach, as the arguments of bubblewrap: a pure function but for looking at paths.

All of the machine is there to be read. Writing is possible in the folders that the command works in, in temporary
ones and in those that the user names; never in yeaft's own folder. `/run` is empty, because the sockets in it lead to
services that act outside (D-Bus, Docker), and those in temporary folders (ssh-agent, tmux, X11) are covered up.
`/dev` holds the harmless devices only. Process ids stay those of the machine, so that what a command leaves running is
found and ended as ever. There is no `--die-with-parent`: a command that is told to end may still tidy up.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from msgspec import Struct

from yeaft.tools.shell.linked_worktree import shared_git

TEMPORARY = (Path("/", "tmp"), Path("/", "var", "tmp"))
KEPT_IN_RUN = (
    "/run/systemd/resolve",
    "/run/NetworkManager",
    "/run/resolvconf",
    "/run/connman",
    "/run/current-system",
    "/run/opengl-driver",
)
"""What name resolution and NixOS need of `/run`."""

DAEMONS = (".docker/run/docker.sock", ".docker/desktop/docker.sock", ".colima/default/docker.sock")
"""Sockets below the user's home that lead out."""

MOST_SOCKETS, MOST_ENTRIES = 256, 5000
DEVICES = Path("/dev")


class Plan(Struct, frozen=True, kw_only=True):
    """What commands may write to, and whether they reach a network.

    `kept` is never written to, even inside of one of the others. Paths that are not there are left out.
    """

    folders: tuple[Path, ...]
    temporary: tuple[Path, ...] = ()
    more: tuple[Path, ...] = ()
    kept: Path | None = None
    home: Path | None = None
    network: bool = False


def temporary_folders(environ: Mapping[str, str]) -> tuple[Path, ...]:
    """Where programs put their temporary files."""
    named = environ.get("TMPDIR", "")
    return (*TEMPORARY, Path(named)) if named.startswith("/") else TEMPORARY


def arguments(plan: Plan, cwd: Path) -> list[str]:
    """The options that make bubblewrap run a command in `cwd` as `plan` says."""
    options = ["--unshare-user-try", "--cap-drop", "ALL"]
    if not plan.network:
        options.append("--unshare-net")
    options += ["--ro-bind", "/", "/", "--dev", "/dev", "--tmpfs", "/run"]
    for place in KEPT_IN_RUN:
        options += ["--ro-bind-try", place, place]
    for path, may_write in _places(plan):
        kind = "--ro-bind" if not may_write else "--dev-bind" if path.is_relative_to(DEVICES) else "--bind"
        options += [kind, str(path), str(path)]
    for socket in _sockets(plan):
        options += ["--ro-bind", "/dev/null", str(socket)]
    return [*options, "--chdir", str(cwd)]


def writable(plan: Plan) -> tuple[Path, ...]:
    """The places to write to, real paths, but for what lies inside of another one."""
    return tuple(path for path, may_write in _places(plan) if may_write)


def _places(plan: Plan) -> Iterator[tuple[Path, bool]]:
    """The paths to be mounted, outer ones first, and whether each may be written to."""
    wanted = dict.fromkeys(_real((*plan.temporary, *plan.more, *plan.folders, *_repositories(plan.folders))), True)
    wanted |= dict.fromkeys(_real((plan.kept,) if plan.kept else ()), False)
    mounted: dict[Path, bool] = {Path("/"): False}
    apart = {Path("/run"), DEVICES}  # these are mounted anew, so what lies in them is to be mounted in any case
    for path, may_write in sorted(wanted.items(), key=lambda one: len(one[0].parts)):
        around = next(place for place in (path, *path.parents) if place in mounted or place in apart)
        if around in apart or mounted[around] != may_write:
            mounted[path] = may_write
            yield path, may_write


def _repositories(folders: Iterable[Path]) -> Iterator[Path]:
    """What git writes to when it works in a linked worktree: the repository that the worktree belongs to."""
    return (found for folder in folders if (found := shared_git(folder)) is not None)


def _real(paths: Iterable[Path]) -> Iterator[Path]:
    return (real for path in paths if _is_there(real := Path(os.path.realpath(path))))


def _is_there(path: Path) -> bool:
    try:
        path.lstat()
    except OSError:
        return False
    return True


def _sockets(plan: Plan) -> Iterator[Path]:
    """The sockets of others: in temporary folders and the folders in those, and of known services."""
    own = tuple(_real(plan.folders))
    below = (socket for folder in dict.fromkeys(_real(plan.temporary)) for socket in _sockets_below(folder))
    found = list(islice(below, MOST_SOCKETS))
    found += [path for name in DAEMONS if plan.home and _is_socket(path := plan.home / name)]
    return (path for path in found if not any(path.is_relative_to(folder) for folder in own))


def _sockets_below(folder: Path | str, levels: int = 2) -> Iterator[Path]:
    try:
        entries = list(islice(os.scandir(folder), MOST_ENTRIES))
    except OSError:
        return
    for entry in entries:
        if entry.is_file(follow_symlinks=False) or entry.is_symlink():
            continue
        if not entry.is_dir(follow_symlinks=False):
            yield from filter(_is_socket, (Path(entry.path),))
        elif levels > 1:
            yield from _sockets_below(entry.path, levels - 1)


def _is_socket(path: Path) -> bool:
    try:
        return stat.S_ISSOCK(path.lstat().st_mode)
    except OSError:
        return False


def as_told(plan: Plan, most: int = 4) -> str:
    """One line that tells a model what its commands may do."""
    places: Sequence[str] = [str(path) for path in writable(plan)]
    named = ", ".join(places[:most]) + (f" and {len(places) - most} more" if len(places) > most else "")
    network = "network on" if plan.network else "network off"
    return f"[sandbox: writes only in {named or 'no folder'}; {network}]"
