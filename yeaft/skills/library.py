"""The skills that can be loaded: bundled ones, the user's over them, and those of further folders over these."""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from yeaft.kernel.nearness import nearest
from yeaft.prompts.find import templates_dir
from yeaft.prompts.front_matter import Problem
from yeaft.skills.skill_file import ParsedSkill, Skill, parse_skill

LIMIT_FILE_BYTES = 1024 * 1024
MOST_SKILLS = 500
DEPTH = 4
SKILL_NAMES = ("SKILL.md", "skill.md")
SKIPPED = frozenset({"node_modules", "__pycache__"})
PLATFORM_NAMES = {"linux": "linux", "darwin": "macos"}
IN_NAME, IN_DESCRIPTION, IN_BODY = 8, 4, 1


def skill_folders(home: Path) -> tuple[Path, ...]:
    """Return where skills are that need nobody's trust, later ones winning; `home` is yeaft's home directory."""
    return (templates_dir() / "skills", home / "skills")


class Shelf(Struct, frozen=True, kw_only=True):
    """All skills at one moment, by name, and what is wrong with their files."""

    skills: tuple[Skill, ...]
    problems: tuple[Problem, ...] = ()

    def get(self, name: str) -> Skill | None:
        """Return the skill of this name, written exactly or in other capitals."""
        folded = name.strip().casefold()
        return next((skill for skill in self.skills if skill.name.casefold() == folded), None)

    def nearest(self, name: str) -> str | None:
        """Return the name that `name` is most likely a slip of."""
        return nearest(name.strip().casefold(), (skill.name for skill in self.skills))

    def search(self, query: str) -> tuple[Skill, ...]:
        """Return the skills in which any word of `query` occurs, the best first; names count most."""
        terms = query.casefold().split()
        scored = [(_score(skill, terms), skill) for skill in self.skills]
        return tuple(skill for score, skill in sorted(scored, key=lambda pair: -pair[0]) if score)


class SkillLibrary:
    """Finds skills in `folders`, where a later folder's skill replaces an earlier one of the same name.

    A skill is a folder with a SKILL.md, or one Markdown file with front matter; folders above it are its category.
    Every reading is a new one, so that a skill that was just written can be used.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = tuple(folders)

    def read(self) -> Shelf:
        """Read all skills. Blocking, a few milliseconds for a hundred; never raises."""
        found: dict[str, Skill] = {}
        problems: list[Problem] = []
        for folder in self._folders:
            here: dict[str, Skill] = {}
            for parsed in _parsed(folder):
                problems += parsed.problems
                skill = parsed.skill
                if skill is None or not _runs_here(skill):
                    continue
                if twin := here.get(skill.name):
                    problems.append(_hidden(skill, f"{twin.source} has the same name and is used"))
                    continue
                if earlier := found.get(skill.name):
                    problems.append(_hidden(earlier, f"it is replaced by {skill.source}"))
                here[skill.name] = skill
            found |= here
        return Shelf(skills=tuple(found[name] for name in sorted(found)), problems=tuple(problems))


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


def _parsed(folder: Path) -> Iterator[ParsedSkill]:
    for count, (source, place) in enumerate(_sources(folder, DEPTH)):
        if count == MOST_SKILLS:
            reason = f"holds more than {MOST_SKILLS} skills; the rest is left out"
            yield ParsedSkill(skill=None, problems=(Problem(path=str(folder), line=1, reason=reason),))
            return
        above = (place or source).parent
        yield _read(source, place, "" if above == folder else above.relative_to(folder).as_posix())


def _sources(folder: Path, depth: int) -> Iterator[tuple[Path, Path | None]]:
    """Find skill files, each with the folder that is the skill's own."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return  # most users and projects have no such folder
    for entry in entries:
        if _is_skipped(entry.name):
            continue
        if not entry.is_dir():
            if entry.suffix == ".md" and entry.is_file() and _has_front_matter(entry):
                yield entry, None
            continue
        own = next((entry / name for name in SKILL_NAMES if (entry / name).is_file()), None)
        if own:
            yield own, entry
        elif depth > 1:
            yield from _sources(entry, depth - 1)


def _is_skipped(name: str) -> bool:
    return name.startswith(".") or name in SKIPPED


def _has_front_matter(path: Path) -> bool:
    """Whether a Markdown file is more than a note that lies among the skills, such as a README."""
    try:
        with path.open("rb") as stream:
            return stream.read(8).removeprefix(b"\xef\xbb\xbf").startswith((b"---", b"<!--"))
    except OSError:
        return False


def _read(source: Path, folder: Path | None, category: str) -> ParsedSkill:
    try:
        with source.open("rb") as stream:
            raw = stream.read(LIMIT_FILE_BYTES + 1)
        text = raw.decode()
    except OSError as error:
        return _unreadable(source, 1, f"cannot be read: {error.strerror}")
    except UnicodeDecodeError as error:
        return _unreadable(source, error.object.count(b"\n", 0, error.start) + 1, "is not UTF-8 text; save it as UTF-8")
    if len(raw) > LIMIT_FILE_BYTES:
        return _unreadable(source, 1, "is larger than 1 MiB; move parts into files beside it")
    return parse_skill(text, source, folder, category)


def _unreadable(source: Path, line: int, reason: str) -> ParsedSkill:
    return ParsedSkill(skill=None, problems=(Problem(path=str(source), line=line, reason=reason),))


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
