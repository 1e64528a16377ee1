"""Turns the text of a SKILL.md into a skill, leniently, and says what its author should mend and where.

The format is that of agentskills.io: front matter with `name` and `description`, below it the instructions.
"""

from pathlib import Path
from typing import Literal

from msgspec import Struct

from yeaft.kernel.effort_prefix import is_level
from yeaft.kernel.pattern import Pattern
from yeaft.prompts.front_matter import FrontMatter, Problem, read_front_matter
from yeaft.prompts.scalars import Value, prose

LIMIT_NAME_CHARS = 64
LIMIT_DESCRIPTION_CHARS = 1024
_NAME = Pattern(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_UNFIT = Pattern(r"[^\w.-]+")
_TOOL = Pattern(r"[^\s,(]+(?:\([^)]*\))?")
_UNUSABLE_IN_NAME = Pattern(r"[\x00-\x1f\x7f-\x9f/\\]")
_YES = frozenset({"true", "yes", "on", "1"})
_SEPARATORS = Pattern("[,\uff0c\u3001]")

Tier = Literal["bundled", "user", "project"]
"""Whose a skill is: it comes with yeaft, is the user's own, or comes with a work folder that the user trusts."""


class Skill(Struct, frozen=True, kw_only=True):
    """A skill as it is offered. `source` is its file, `folder` what it may read files from (None: it is one file).

    `alias` is the name of its place if that is another one. `platforms` are names such as `linux` and `macos`; none
    means all. `for_model` and `for_user` say who may start it. `allowed_tools` are what its author thinks it needs;
    they permit nothing.
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
    alias: str = ""
    hint: str = ""
    allowed_tools: tuple[str, ...] = ()
    tier: Tier = "user"

    @property
    def keys(self) -> tuple[str, ...]:
        """What the skill is found by, its name first; see `key_of`."""
        return tuple(dict.fromkeys(key_of(name) for name in (self.name, self.alias) if name))

    @property
    def is_startable(self) -> bool:
        """Whether `/name` starts it: its author lets the user, and it is not called like an effort."""
        return self.for_user and not is_level(key_of(self.name))


class ParsedSkill(Struct, frozen=True, kw_only=True):
    """A skill, or None if the file cannot be used, and what is wrong with the file."""

    skill: Skill | None
    problems: tuple[Problem, ...] = ()


def key_of(name: str) -> str:
    """Return `name` as it is looked up and typed: in small letters, with hyphens where it has spaces."""
    return _UNFIT.sub("-", name.strip().casefold()).strip("-")


def parse_skill(text: str, source: Path, folder: Path | None, category: str = "", tier: Tier = "user") -> ParsedSkill:
    """Return the skill in `text`; its name should be that of its folder, or of its file if it has none.

    Never raises. What can be understood is used, with a problem that is not fatal; unknown keys mean nothing.
    """
    head = read_front_matter(text, str(source))
    if isinstance(head, Problem):
        return ParsedSkill(skill=None, problems=(head,))
    body = head.body.strip()
    if not body:
        reason = "no instructions stand below the front matter"
        return ParsedSkill(skill=None, problems=(*head.problems, Problem(path=str(source), line=1, reason=reason)))
    place = folder.name if folder else source.stem
    name, name_fault = _name(head, place)
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
        alias=place if key_of(place) != key_of(name) else "",
        hint=hint_of(head),
        allowed_tools=tools_of(head),
        tier=tier,
    )
    found = [
        Problem(path=str(source), line=head.lines.get(key, 1), reason=fault, fatal=False)
        for key, fault in (("name", name_fault), ("description", description_fault))
        if fault
    ]
    return ParsedSkill(skill=skill, problems=(*problems_of(head), *found))


def unstartable(skill: Skill) -> tuple[Problem, ...]:
    """Return what keeps a user from starting a skill that is meant for them: `/high` is read as an effort."""
    if not skill.for_user or skill.is_startable:
        return ()
    reason = f"/{key_of(skill.name)} asks for an effort and does not start the skill; give it another name"
    return (Problem(path=str(skill.source), line=1, reason=reason, fatal=False),)


def hint_of(head: FrontMatter) -> str:
    """Return what the arguments are, such as `[file] [line]`: brackets are meant as they stand, not as a list."""
    value = head.fields.get("argument-hint", "")
    if isinstance(value, list):
        return f"[{', '.join(part for part in value if isinstance(part, str))}]"
    return " ".join(value.split()) if isinstance(value, str) else ""


def tools_of(head: FrontMatter) -> tuple[str, ...]:
    """Return the tools in `allowed-tools`: a list, or text with commas or spaces, as `Bash(git add:*) Read`."""
    value = head.fields.get("allowed-tools", "")
    texts = [value] if isinstance(value, str) else list(value)
    return tuple(name for text in texts if isinstance(text, str) for name in _TOOL.findall(text))


def problems_of(head: FrontMatter) -> tuple[Problem, ...]:
    """Return what is to be mended in the front matter; hints are written without quotes everywhere."""
    hint_line = head.lines.get("argument-hint", 0)
    return tuple(problem for problem in head.problems if problem.line != hint_line)


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
    value = head.fields.get("description", "")
    given = " ".join(f"{prose(value)} {prose(head.fields.get('when_to_use', ''))}".split())
    if given and value and not isinstance(value, str):
        return _cut(given), "`description` must be text; what stands there is a list or a map, and is read as text"
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
