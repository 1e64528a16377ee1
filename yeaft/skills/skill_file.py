"""Turns the text of a SKILL.md into a skill, leniently, and says what its author should mend and where.

The format is that of agentskills.io: front matter with `name` and `description`, below it the instructions.
"""

import re
from pathlib import Path

from msgspec import Struct

from yeaft.prompts.front_matter import FrontMatter, Problem, read_front_matter
from yeaft.prompts.scalars import Value

LIMIT_NAME_CHARS = 64
LIMIT_DESCRIPTION_CHARS = 1024
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_UNUSABLE_IN_NAME = re.compile(r"[\x00-\x1f\x7f-\x9f/\\]")
_YES = frozenset({"true", "yes", "on", "1"})
_SEPARATORS = re.compile("[,\uff0c\u3001]")


class Skill(Struct, frozen=True, kw_only=True):
    """A skill as it is offered. `source` is its file, `folder` what it may read files from (None: it is one file).

    `platforms` are names such as `linux` and `macos`; none means all. `for_model` and `for_user` say who may start it.
    """

    name: str
    description: str
    body: str
    source: Path
    folder: Path | None
    category: str = ""
    keywords: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ()
    compatibility: str = ""
    for_model: bool = True
    for_user: bool = True


class ParsedSkill(Struct, frozen=True, kw_only=True):
    """A skill, or None if the file cannot be used, and what is wrong with the file."""

    skill: Skill | None
    problems: tuple[Problem, ...] = ()


def parse_skill(text: str, source: Path, folder: Path | None, category: str = "") -> ParsedSkill:
    """Return the skill in `text`; its name should be that of its folder, or of its file if it has none.

    Never raises. What can be understood is used, with a problem that is not fatal; unknown keys mean nothing.
    """
    head = read_front_matter(text, str(source))
    if isinstance(head, Problem):
        return ParsedSkill(skill=None, problems=(head,))
    body = head.body.strip()
    if not body:
        reason = "no instructions stand below the front matter"
        return ParsedSkill(skill=None, problems=(Problem(path=str(source), line=1, reason=reason),))
    name, name_fault = _name(head, folder.name if folder else source.stem)
    description, description_fault = _description(head, body)
    skill = Skill(
        name=name,
        description=description,
        body=body,
        source=source,
        folder=folder,
        category=_text(head, "category") or category,
        keywords=_list(head, "keywords"),
        platforms=tuple(platform.casefold() for platform in _list(head, "platforms")),
        compatibility=_text(head, "compatibility"),
        for_model=_text(head, "disable-model-invocation").casefold() not in _YES,
        for_user=_text(head, "user-invocable").casefold() in (_YES | {""}),
    )
    faults = (("name", name_fault), ("description", description_fault))
    return ParsedSkill(
        skill=skill,
        problems=tuple(
            Problem(path=str(source), line=head.lines.get(key, 1), reason=fault, fatal=False)
            for key, fault in faults
            if fault
        ),
    )


def _name(head: FrontMatter, expected: str) -> tuple[str, str]:
    """Return the name to use, and what is wrong with the one that was given."""
    given = _text(head, "name")
    if not given:
        return expected, f"`name` is missing; the skill is called {expected!r} like its place"
    if len(given) > LIMIT_NAME_CHARS or _UNUSABLE_IN_NAME.search(given):
        return expected, f"the name cannot be used (64 of a-z, 0-9 and hyphens at most); it is called {expected!r}"
    if not _NAME.fullmatch(given):
        return given, f"the name {given!r} should be of a-z, 0-9 and single hyphens between them"
    if given != expected:
        return given, f"the name {given!r} should be that of its place, {expected!r}; it is found as {given!r}"
    return given, ""


def _description(head: FrontMatter, body: str) -> tuple[str, str]:
    """Return the description to use, on one line, and what is wrong with the one that was given."""
    given = " ".join(_text(head, "description").split())
    if not given:
        first = next(line.strip("# \t") for line in body.split("\n") if line.strip())
        return _cut(first), "`description` is missing; say what the skill does and when to use it"
    if len(given) > LIMIT_DESCRIPTION_CHARS:
        return _cut(given), f"the description has {len(given)} characters; only the first 1024 are used"
    return given, ""


def _cut(text: str) -> str:
    return text if len(text) <= LIMIT_DESCRIPTION_CHARS else text[: LIMIT_DESCRIPTION_CHARS - 1] + "…"


def _text(head: FrontMatter, key: str) -> str:
    value = head.fields.get(key, "")
    return value.strip() if isinstance(value, str) else ""


def _list(head: FrontMatter, key: str) -> tuple[str, ...]:
    """Return a list that is written as one, or as text with commas."""
    value = head.fields.get(key, "")
    parts: list[Value] = list(_SEPARATORS.split(value)) if isinstance(value, str) else []
    found = value if isinstance(value, list) else parts
    return tuple(part.strip() for part in found if isinstance(part, str) and part.strip())
