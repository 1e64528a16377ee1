"""The VPs that can be talked to: bundled ones, the user's over them, a trusted project's over those."""

from collections.abc import Sequence
from pathlib import Path

from yeaft.config.regular import MIB, read_regular
from yeaft.prompts.find import templates_dir
from yeaft.prompts.front_matter import Problem
from yeaft.vp.names import Names
from yeaft.vp.persona import Vp
from yeaft.vp.vp_file import Parsed, parse_vp

LARGEST_BYTES = MIB


def vp_folders(home: Path, project: Path | None = None) -> tuple[Path, ...]:
    """Return where VP files are, later ones winning; `project` is the work folder, and only if it is trusted."""
    own = (templates_dir() / "vps", home / "vps")
    return own if project is None else (*own, project / ".yeaft" / "vps")


class Library:
    """Finds VPs by id in `folders`, where a later folder's file replaces an earlier one's of the same name.

    Nothing is read before it is asked for, and nothing twice. A file that cannot be used leaves its VP out, also
    when an earlier folder has another one, so that nobody talks to a VP they thought they had changed. `made` are VPs
    without a file of their own, such as sub-agents.
    """

    def __init__(self, folders: Sequence[Path], made: Sequence[Vp] = ()) -> None:
        self._folders = tuple(folders)
        self._made = {vp.id: Path(vp.source) for vp in made}
        self._files: dict[str, Path] | None = None
        self._parsed = {vp.id: Parsed(vp=vp) for vp in made}

    def get(self, vp_id: str) -> Vp | None:
        """Return the VP with this exact id, reading only its file; None if there is none that can be used."""
        return self._read(vp_id).vp if vp_id in self._found() else None

    def all(self) -> tuple[Vp, ...]:
        """Return every VP that can be used, ordered by folder, then by id."""
        return tuple(vp for vp_id in self._found() if (vp := self._read(vp_id).vp))

    def ids(self) -> tuple[str, ...]:
        """Return the ids of `all()`."""
        return tuple(vp.id for vp in self.all())

    def problems(self) -> tuple[Problem, ...]:
        """Return all that is wrong with any file, and names that two VPs claim."""
        found = [problem for vp_id in self._found() for problem in self._read(vp_id).problems]
        return (*found, *_claimed_twice(self.all()))

    def _found(self) -> dict[str, Path]:
        if self._files is None:
            self._files = dict(self._made)
            for folder in self._folders:
                self._files.update({path.stem: path for path in _vp_files(folder)})
        return self._files

    def _read(self, vp_id: str) -> Parsed:
        if vp_id not in self._parsed:
            self._parsed[vp_id] = _parsed(self._found()[vp_id])
        return self._parsed[vp_id]


def _vp_files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == ".md" and not path.name.startswith("."))
    except OSError:
        return []  # most users and projects have no such folder


def _parsed(path: Path) -> Parsed:
    try:
        text = read_regular(path, LARGEST_BYTES).decode()
    except OSError as error:
        return _unreadable(path, 1, f"cannot be read: {error.strerror}")
    except UnicodeDecodeError as error:
        return _unreadable(path, error.object.count(b"\n", 0, error.start) + 1, "is not UTF-8 text; save it as UTF-8")
    return parse_vp(text, str(path), path.stem)


def _unreadable(path: Path, line: int, reason: str) -> Parsed:
    return Parsed(vp=None, problems=(Problem(path=str(path), line=line, reason=reason),))


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
