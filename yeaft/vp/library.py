"""The VPs that can be talked to: bundled ones, the user's over them, a trusted project's over those."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from yeaft.prompts.find import templates_dir
from yeaft.prompts.front_matter import Problem
from yeaft.prompts.markdown_tree import leads_out, markdown_files
from yeaft.prompts.text_file import read_text_file
from yeaft.vp.names import Names
from yeaft.vp.persona import Vp
from yeaft.vp.vp_file import Parsed, parse_vp

NOTE = "readme"
"""What a file that explains the others is called."""

Tier = Literal["bundled", "user", "project"]


class VpFolder(Struct, frozen=True, kw_only=True):
    """A folder of VP files, or of another program's agent files; no link in it may lead out of `within`."""

    path: Path
    tier: Tier = "user"
    has_agents: bool = False
    within: Path | None = None


class _Source(Struct, frozen=True):
    """Where a VP comes from: its file and the folder that was found in."""

    path: Path
    folder: VpFolder


def vp_folders(home: Path, project: Path | None = None) -> tuple[VpFolder, ...]:
    """Return where VP files are, later ones winning; `project` is the work folder, and only if it is trusted."""
    own = (
        VpFolder(path=templates_dir() / "vps", tier="bundled"),
        VpFolder(path=home / "vps"),
    )
    if project is None:
        return own
    return (
        *own,
        VpFolder(path=project / ".claude" / "agents", tier="project", has_agents=True, within=project),
        VpFolder(path=project / ".yeaft" / "vps", tier="project", within=project),
    )


class Library:
    """Finds VPs by id in `folders`, where a later folder's file replaces an earlier one's of the same name.

    Nothing is read before it is asked for, and nothing twice. A file that cannot be used leaves its VP out, also
    when an earlier folder has another one, so that nobody talks to a VP they thought they had changed. `made` are VPs
    without a file of their own, such as sub-agents.
    """

    def __init__(self, folders: Sequence[Path | VpFolder], made: Sequence[Vp] = ()) -> None:
        self._folders = tuple(VpFolder(path=one) if isinstance(one, Path) else one for one in folders)
        self._made = made
        self._sources: dict[str, _Source] | None = None
        self._parsed = {vp.id: Parsed(vp=vp) for vp in made}
        self._remarks: list[Problem] = []
        self._notes: list[Path] = []
        self._names: tuple[tuple[str, ...], Names] | None = None

    def get(self, vp_id: str) -> Vp | None:
        """Return the VP with this exact id, reading only its file; None if there is none that can be used."""
        return self._read(vp_id).vp if vp_id in self._found() else None

    def all(self) -> tuple[Vp, ...]:
        """Return every VP that can be used, ordered by folder, then by id."""
        return tuple(vp for vp_id in self._found() if (vp := self._read(vp_id).vp))

    def ids(self) -> tuple[str, ...]:
        """Return the ids of `all()`."""
        return tuple(vp.id for vp in self.all())

    def names(self, first: tuple[str, ...]) -> Names:
        """Return what every VP is called; where two share a name, that of an id in `first` goes before."""
        if self._names is None or self._names[0] != first:
            foremost = [vp for vp_id in first if (vp := self.get(vp_id))]
            self._names = first, Names((*foremost, *self.all()))
        return self._names[1]

    def tier_of(self, vp_id: str) -> Tier:
        """Say whose file describes a VP; those without a file are the user's."""
        source = self._found().get(vp_id)
        return source.folder.tier if source else "user"

    def problems(self) -> tuple[Problem, ...]:
        """Return all that is wrong with any file, VPs that a project's replace, and names that two VPs claim."""
        found = [problem for vp_id in self._found() for problem in self._read(vp_id).problems]
        return (*self._remarks, *found, *_claimed_twice(self.all()))

    def notes(self) -> tuple[Path, ...]:
        """Return the files among agents that only explain the others."""
        self._found()
        return tuple(self._notes)

    def _found(self) -> dict[str, _Source]:
        if self._sources is None:
            made = VpFolder(path=Path())
            self._sources = {vp.id: _Source(Path(vp.source), made) for vp in self._made}
            for folder in self._folders:
                for vp_id, path in self._files(folder):
                    self._remark_replaced(vp_id, path, folder)
                    self._sources[vp_id] = _Source(path, folder)
        return self._sources

    def _files(self, folder: VpFolder) -> Iterator[tuple[str, Path]]:
        """Yield the files of a folder by id; that of an agent file stands inside, so those are read here."""
        if not folder.has_agents:
            yield from ((path.stem, path) for path in _vp_files(folder.path))
            return
        taken: dict[str, Path] = {}
        tree = markdown_files(folder.path, folder.within)
        self._remarks += tree.problems
        for path in tree.files:
            parsed = _parsed_agent(path, folder)
            if parsed is None:
                self._notes.append(path)
                continue
            vp_id = parsed.vp.id if parsed.vp else path.stem
            if vp_id in taken or (parsed.vp is None and vp_id in (self._sources or {})):
                hidden = () if parsed.vp is None else (_replaced(vp_id, path, taken.get(vp_id, path)),)
                self._remarks += [*parsed.problems, *hidden]
                continue
            taken[vp_id] = path
            self._parsed[vp_id] = parsed
            yield vp_id, path

    def _remark_replaced(self, vp_id: str, path: Path, folder: VpFolder) -> None:
        earlier = (self._sources or {}).get(vp_id)
        if earlier is not None and folder.tier == "project":
            self._remarks.append(_replaced(vp_id, earlier.path, path))
            if earlier.folder.has_agents:
                self._parsed.pop(vp_id, None)

    def _read(self, vp_id: str) -> Parsed:
        if vp_id not in self._parsed:
            source = self._found()[vp_id]
            self._parsed[vp_id] = _parsed(source.path, source.folder)
        return self._parsed[vp_id]


def _vp_files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == ".md" and not path.name.startswith("."))
    except OSError:
        return []  # most users and projects have no such folder


def _parsed(path: Path, folder: VpFolder) -> Parsed:
    if outside := _outside(path, folder):
        return Parsed(vp=None, problems=(outside,))
    return read_vp(path)


def _parsed_agent(path: Path, folder: VpFolder) -> Parsed | None:
    """Return what an agent file describes; None for a note that only explains the others."""
    if outside := _outside(path, folder):
        return Parsed(vp=None, problems=(outside,))
    parsed = read_agent(path)
    return None if parsed.vp is None and path.stem.casefold() == NOTE else parsed


def read_vp(path: Path) -> Parsed:
    """Read the VP file at `path`; never raises."""
    file = read_text_file(path)
    if isinstance(file, Problem):
        return Parsed(vp=None, problems=(file,))
    parsed = parse_vp(file.text, str(path), path.stem)
    return Parsed(vp=parsed.vp, problems=(*file.problems, *parsed.problems))


def read_agent(path: Path) -> Parsed:
    """Read another program's agent file at `path` as a VP; never raises."""
    from yeaft.vp.claude_agents import parse_agent  # hardly any folder has such files

    file = read_text_file(path)
    if isinstance(file, Problem):
        return Parsed(vp=None, problems=(file,))
    parsed = parse_agent(file.text, path)
    return Parsed(vp=parsed.vp, problems=(*file.problems, *parsed.problems))


def _outside(path: Path, folder: VpFolder) -> Problem | None:
    """Say that a file is a link that leads out of where it may lead."""
    if folder.within is None:
        return None
    real = os.path.realpath(path)
    return None if Path(real).is_relative_to(os.path.realpath(folder.within)) else leads_out(path, real)


def _replaced(vp_id: str, hidden: Path, used: Path) -> Problem:
    return Problem(path=str(hidden), line=1, reason=f"@{vp_id} is not this one: it is replaced by {used}", fatal=False)


def _claimed_twice(vps: Sequence[Vp]) -> list[Problem]:
    names = Names(vps)
    claims = ((vp, label, names.id_of(label)) for vp in vps for label in vp.labels)
    return [
        Problem(
            path=vp.source,
            line=1,
            reason=f"the name {label!r} already belongs to @{owner}, so @{label} means that one",
            fatal=False,
        )
        for vp, label, owner in claims
        if owner != vp.id
    ]
