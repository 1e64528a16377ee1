"""What a model is told of the skills from the start: names and descriptions, as many as fit; the rest on request."""

from collections.abc import Sequence

from yeaft.skills.library import Shelf
from yeaft.skills.skill_file import Skill

LIMIT_BYTES = 2048
DESCRIPTION_CHARS = (300, 160, 80)
"""How long a description may be: the first of these with which all skills fit."""


def told_of(shelf: Shelf, limit_bytes: int = LIMIT_BYTES) -> str:
    """Return a line for each skill that a model may load, at most `limit_bytes` of UTF-8; empty if there is none.

    Where not all fit even with short descriptions, the project's and the user's own go before the bundled ones, and a
    last line says how many are left out.
    """
    skills = shelf.only(for_model=True).skills
    for chars in DESCRIPTION_CHARS:
        lines = [_line(skill, chars) for skill in skills]
        if _size(lines) <= limit_bytes:
            return "\n".join(lines)
    return _cut(skills, limit_bytes)


def _cut(skills: Sequence[Skill], limit_bytes: int) -> str:
    order = ("project", "user", "bundled")
    kept: list[str] = []
    for skill in sorted(skills, key=lambda skill: order.index(skill.tier)):
        line = _line(skill, DESCRIPTION_CHARS[-1])
        more = f"({len(skills) - len(kept)} more: action list)"
        if _size([*kept, line, more]) > limit_bytes:
            break
        kept.append(line)
    return "\n".join([*kept, f"({len(skills) - len(kept)} more: action list)"])


def _line(skill: Skill, chars: int) -> str:
    about = skill.description
    return f"- {skill.name}: {about if len(about) <= chars else about[: chars - 1] + '…'}"


def _size(lines: Sequence[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)
