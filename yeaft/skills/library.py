"""The skills that can be loaded: bundled ones, the user's over them, and a trusted project's over these."""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from yeaft.kernel.nearness import nearest
from yeaft.prompts.find import templates_dir
from yeaft.prompts.front_matter import Problem
from yeaft.prompts.text_file import read_text_file
from yeaft.skills.skill_file import ParsedSkill, Skill, Tier, key_of, parse_skill, unstartable

MOST_SKILLS, MOST_FOLDERS = 500, 2000
MANY = f"holds more than {MOST_SKILLS} skills; the rest is left out"
TOO_MANY = f"there are more than {MOST_FOLDERS} folders; the rest is left out"
DEPTH = 8
SKILL_NAMES = ("SKILL.md", "skill.md")
"""What a skill's file is called first of all; any other capitals are understood too."""
SKIPPED = frozenset({"node_modules", "__pycache__"})
USER_PLACES = (".claude/skills", ".config/agents/skills", ".agents/skills")
PROJECT_PLACES = (".cursor/skills", ".claude/skills", ".agents/skills", ".yeaft/skills")
"""Where other programs and yeaft keep skills below the user's folder and below a work folder, later ones winning."""
PLATFORM_NAMES = {"linux": "linux", "darwin": "macos"}
IN_NAME, IN_DESCRIPTION, IN_BODY = 8, 4, 1


class SkillFolder(Struct, frozen=True, kw_only=True):
    """A folder of skills, and whose it is; no link in it may lead out of `within`."""

    path: Path
    tier: Tier = "user"
    within: Path | None = None


def skill_folders(
    home: Path, environ: Mapping[str, str], folder: Path | None = None, *, trusted: bool = False
) -> tuple[SkillFolder, ...]:
    """Return where skills are, later ones winning. `home` is yeaft's home directory, `folder` the work folder.

    The user's own folder is `HOME` of `environ`. A work folder that is not `trusted` has no skills.
    """
    user = environ.get("HOME", "")
    theirs = [Path(user) / place for place in USER_PLACES] if Path(user).is_absolute() else []
    projects = [folder / place for place in PROJECT_PLACES] if folder is not None and trusted else []
    return (
        SkillFolder(path=templates_dir() / "skills", tier="bundled"),
        *(SkillFolder(path=path) for path in (*theirs, home / "skills")),
        *(SkillFolder(path=path, tier="project", within=folder) for path in projects),
    )


class Shelf(Struct, frozen=True, kw_only=True):
    """All skills at one moment, by name, and what is wrong with their files.

    `hidden` are those that are not used because another one has their name.
    """

    skills: tuple[Skill, ...]
    problems: tuple[Problem, ...] = ()
    hidden: tuple[Skill, ...] = ()

    def get(self, name: str) -> Skill | None:
        """Return the skill of this name, or else the one whose place is called so; see `key_of`."""
        wanted = key_of(name)
        named = (skill for skill in self.skills if skill.keys[:1] == (wanted,))
        placed = (skill for skill in self.skills if wanted in skill.keys)
        return next(named, None) or next(placed, None)

    def nearest(self, name: str) -> str | None:
        """Return the name that `name` is most likely a slip of."""
        return nearest(key_of(name), (skill.name for skill in self.skills))

    def search(self, query: str) -> tuple[Skill, ...]:
        """Return the skills in which any word of `query` occurs, the best first; names count most."""
        terms = query.casefold().split()
        scored = [(_score(skill, terms), skill) for skill in self.skills]
        return tuple(skill for score, skill in sorted(scored, key=lambda pair: -pair[0]) if score)

    def only(self, *, for_model: bool = False, for_user: bool = False) -> "Shelf":
        """Return the shelf without those skills that a model, or the user, may not start."""
        kept = (one for one in self.skills if (one.for_model or not for_model) and (one.is_startable or not for_user))
        return replace(self, skills=tuple(kept))


class SkillLibrary:
    """Finds skills in `folders`, where a later folder's skill replaces an earlier one of the same name.

    A skill is a folder with a SKILL.md, or one Markdown file with front matter; folders above it are its category.
    Every reading is a new one, so that a skill that was just written can be used. A file that two folders link to is
    read once.
    """

    def __init__(self, folders: Sequence[Path | SkillFolder]) -> None:
        self._folders = tuple(SkillFolder(path=one) if isinstance(one, Path) else one for one in folders)

    def read(self) -> Shelf:
        """Read all skills. Blocking, a few milliseconds for a hundred; never raises."""
        found: dict[str, Skill] = {}
        problems: list[Problem] = []
        hidden: list[Skill] = []
        seen: set[str] = set()
        for folder in self._folders:
            here: dict[str, Skill] = {}
            for parsed in _parsed(folder, seen):
                problems += parsed.problems
                skill = parsed.skill
                if skill is None or not _runs_here(skill):
                    continue
                key = key_of(skill.name)
                if twin := here.get(key):
                    problems.append(_hidden(skill, f"{twin.source} has the same name and is used"))
                    hidden.append(skill)
                    continue
                if earlier := found.get(key):
                    problems.append(_hidden(earlier, f"it is replaced by {skill.source}"))
                    hidden.append(earlier)
                here[key] = skill
            found |= here
        problems += [problem for skill in found.values() for problem in unstartable(skill)]
        return Shelf(skills=_by_name(found.values()), problems=tuple(problems), hidden=tuple(hidden))


def files_of(skill: Skill, limit: int) -> tuple[str, ...]:
    """Return up to `limit` paths of further files of a skill, relative to its folder, links not followed."""
    if skill.folder is None:
        return ()
    names: list[str] = []
    for place, folders, files in os.walk(skill.folder):
        folders[:] = sorted(name for name in folders if not _is_skipped(name))
        paths = (Path(place) / name for name in sorted(files) if not _is_skipped(name))
        names += [str(path.relative_to(skill.folder)) for path in paths if path != skill.source]
        if len(names) >= limit:
            break
    return tuple(names[:limit])


def _by_name(skills: Iterable[Skill]) -> tuple[Skill, ...]:
    return tuple(sorted(skills, key=lambda skill: skill.name))


def _parsed(folder: SkillFolder, seen: set[str]) -> Iterator[ParsedSkill]:
    """Read the skills of a folder; `seen` are the real paths of files that have been read."""
    for count, (source, place, refused) in enumerate(skill_files(folder)):
        if count == MOST_SKILLS:
            yield ParsedSkill(skill=None, problems=(_fault(folder.path, MANY),))
            return
        if refused:
            yield ParsedSkill(skill=None, problems=(refused,))
            continue
        real = os.path.realpath(source)
        if real not in seen:
            seen.add(real)
            above = (place or source).parent
            category = "" if above == folder.path else above.relative_to(folder.path).as_posix()
            yield read_skill(source, place, category, folder.tier)


def skill_files(folder: SkillFolder) -> Iterator[tuple[Path, Path | None, Problem | None]]:
    """Find the skill files of a folder, each with the folder that is the skill's own, and why it may not be read.

    A link that leads nowhere is a skill file, too; one that leads out of where it may is refused and not followed.
    """
    within = os.path.realpath(folder.within) if folder.within else None
    if within and not Path(os.path.realpath(folder.path)).is_relative_to(within):
        yield folder.path, None, _leads_out(folder.path)
        return
    looked: set[str] = set()
    waiting = [(folder.path, DEPTH)]
    while waiting and len(looked) < MOST_FOLDERS:
        place, depth = waiting.pop(0)
        if (real := os.path.realpath(place)) in looked:
            continue
        looked.add(real)
        for entry in _entries(place):
            source, own = _skill_at(entry)
            if within and not Path(os.path.realpath(source or entry)).is_relative_to(within):
                if source or entry.is_dir():
                    yield entry, None, _leads_out(source or entry)
            elif source:
                yield source, own, None
            elif depth > 1 and entry.is_dir():
                waiting.append((entry, depth - 1))
    if waiting:
        yield folder.path, None, _fault(folder.path, TOO_MANY)


def skill_file_in(folder: Path) -> Path | None:
    """Return the file that makes a folder a skill, in whatever capitals it is written; None if there is none."""
    found = next((folder / name for name in SKILL_NAMES if os.path.lexists(folder / name)), None)
    if found is not None:
        return found
    return next((entry for entry in _entries(folder) if entry.name.casefold() == SKILL_NAMES[1]), None)


def _skill_at(entry: Path) -> tuple[Path | None, Path | None]:
    """Return the skill file that `entry` is or has, and the folder that is the skill's own."""
    if entry.is_dir():
        own = skill_file_in(entry)
        return (own, entry) if own else (None, None)
    is_skill = entry.suffix == ".md" and entry.is_file() and _has_front_matter(entry)
    return (entry, None) if is_skill else (None, None)


def _entries(place: Path) -> list[Path]:
    try:
        return sorted(entry for entry in place.iterdir() if not _is_skipped(entry.name))
    except OSError:
        return []  # most users and projects have no such folder


def _is_skipped(name: str) -> bool:
    return name.startswith(".") or name in SKIPPED


def _has_front_matter(path: Path) -> bool:
    """Whether a Markdown file is more than a note that lies among the skills, such as a README."""
    try:
        with path.open("rb") as stream:
            return stream.read(8).removeprefix(b"\xef\xbb\xbf").startswith((b"---", b"<!--", b"+++"))
    except OSError:
        return False


def read_skill(source: Path, folder: Path | None, category: str = "", tier: Tier = "user") -> ParsedSkill:
    """Read the skill in the file `source`; see `parse_skill`."""
    file = read_text_file(source)
    if isinstance(file, Problem):
        return ParsedSkill(skill=None, problems=(file,))
    parsed = parse_skill(file.text, source, folder, category, tier)
    return ParsedSkill(skill=parsed.skill, problems=(*file.problems, *parsed.problems))


def _leads_out(path: Path) -> Problem:
    real = os.path.realpath(path)
    return _fault(path, f"is a link that leads out of the work folder, to {real}; it is not used")


def _fault(path: Path, reason: str) -> Problem:
    return Problem(path=str(path), line=1, reason=reason)


def _hidden(skill: Skill, reason: str) -> Problem:
    return Problem(
        path=str(skill.source), line=1, reason=f"the skill {skill.name!r} is not used: {reason}", fatal=False
    )


def _runs_here(skill: Skill) -> bool:
    here = {sys.platform, PLATFORM_NAMES.get(sys.platform, sys.platform)}
    return not skill.platforms or not here.isdisjoint(skill.platforms)


def _score(skill: Skill, terms: Sequence[str]) -> int:
    name, body = skill.name.casefold(), skill.body.casefold()
    about = " ".join((skill.description, skill.category, *skill.keywords)).casefold()
    return sum(IN_NAME * (term in name) + IN_DESCRIPTION * (term in about) + IN_BODY * (term in body) for term in terms)
