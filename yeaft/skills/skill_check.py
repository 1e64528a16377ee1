"""Checks a skill file as strictly as other programs do, by the rules of agentskills.io."""

import re
from collections.abc import Iterator
from pathlib import Path

from yeaft.prompts.front_matter import FrontMatter, Problem, read_front_matter
from yeaft.prompts.text_file import read_text_file
from yeaft.skills.skill_file import parse_skill, unstartable

FIELDS = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
VENDOR_FIELDS = frozenset(
    {
        "agent",
        "argument-hint",
        "category",
        "context",
        "disable-model-invocation",
        "hooks",
        "keywords",
        "model",
        "platforms",
        "user-invocable",
        "version",
        "when_to_use",
    }
)
"""Fields that several programs know beyond those of agentskills.io."""
COMPATIBILITY_CHARS = 500
LONG_LINES, LONG_CHARS = 500, 20_000
_LINK = re.compile(r"\]\(([^)#?\s:]+)\)")


def check_skill(source: Path, folder: Path | None) -> tuple[Problem, ...]:
    """Return what is wrong with the skill in `source`, by line. Blocking; never raises.

    What breaks the rules is fatal, also where yeaft itself makes do; the rest is advice.
    """
    file = read_text_file(source)
    if isinstance(file, Problem):
        return (file,)
    parsed = parse_skill(file.text, source, folder)
    broken = [Problem(path=one.path, line=one.line, reason=one.reason) for one in (*file.problems, *parsed.problems)]
    head = read_front_matter(file.text, str(source))
    advice: list[Problem] = []
    if isinstance(head, FrontMatter) and parsed.skill is not None:
        broken += (Problem(path=str(source), line=line, reason=reason) for line, reason in _field_faults(head))
        found = (*_unknown_fields(head), *_about_text(file.text, head, folder))
        advice = [Problem(path=str(source), line=line, reason=reason, fatal=False) for line, reason in found]
        advice += unstartable(parsed.skill)
    return tuple(sorted((*broken, *advice), key=lambda problem: problem.line))


def _field_faults(head: FrontMatter) -> Iterator[tuple[int, str]]:
    compatibility, metadata = head.fields.get("compatibility", ""), head.fields.get("metadata", "")
    if isinstance(compatibility, str) and len(compatibility) > COMPATIBILITY_CHARS:
        yield head.lines.get("compatibility", 1), f"`compatibility` has more than {COMPATIBILITY_CHARS} characters"
    if metadata != "" and not isinstance(metadata, dict):
        yield head.lines.get("metadata", 1), "`metadata` must be `key: value` lines"
    if isinstance(head.fields.get("allowed-tools", ""), dict):
        yield head.lines.get("allowed-tools", 1), "`allowed-tools` must be names of tools with spaces between"


def _unknown_fields(head: FrontMatter) -> Iterator[tuple[int, str]]:
    for key in head.fields:
        if key not in FIELDS | VENDOR_FIELDS:
            yield head.lines.get(key, 1), f"the field {key!r} is none of agentskills.io; it belongs under `metadata`"


def _about_text(text: str, head: FrontMatter, folder: Path | None) -> Iterator[tuple[int, str]]:
    lines = head.body.strip().count("\n") + 1
    if lines > LONG_LINES or len(head.body) > LONG_CHARS:
        reason = f"the instructions have {lines} lines; move what is not always needed into files beside this one"
        yield 1, reason
    if folder is None:
        return
    for number, line in enumerate(text.splitlines(), 1):
        for path in _LINK.findall(line):
            if not path.startswith("/") and not (folder / path).exists():
                yield number, f"names {path}, which is not in the skill's folder"
