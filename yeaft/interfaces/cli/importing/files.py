"""Agents, commands and skills that other agents keep as Markdown files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from yeaft.interfaces.cli.importing.found import Item, Kind, NewFile, NewFolder, Places, not_taken
from yeaft.kernel.errors import YeaftError
from yeaft.skills.library import skill_file_in

MOST_FILES = 1000
_NAMED = re.compile(r"(?<![$\w\\])\$(?!ARGUMENTS\b)[A-Z][A-Z0-9_]+\b")


def agents(folder: Path, places: Places) -> Iterator[Item]:
    """Agent files in a folder and below it, as VPs of the user's own."""
    from yeaft.vp.claude_agents import import_agent

    for path in _markdown(folder):
        text = _text(path)
        if isinstance(text, Item):
            yield text
            continue
        try:
            found = import_agent(text, path)
        except YeaftError as error:
            yield not_taken("agents", path.stem, path, str(error))
            continue
        target = places.home / "vps" / f"{found.vp.id}.md"
        yield Item(
            kind="agents",
            name=path.stem,
            source=str(path),
            becomes=f"@{found.vp.id}",
            content=NewFile(path=target, text=found.text),
            warnings=found.warnings,
        )


def commands(folder: Path, places: Places) -> Iterator[Item]:
    """Command files in a folder and below it, as commands of the user's own."""
    for path in _markdown(folder):
        text = _text(path, "commands")
        if isinstance(text, Item):
            yield text
            continue
        below = path.relative_to(folder)
        name = ":".join(below.with_suffix("").parts)
        yield Item(
            kind="commands",
            name=name,
            source=str(path),
            becomes=f"/{name}",
            content=NewFile(path=places.home / "commands" / below, text=text),
            warnings=tuple(f"{word} is not filled in here" for word in sorted(set(_NAMED.findall(text)))),
        )


def skills(folder: Path, places: Places) -> Iterator[Item]:
    """Skill folders directly in a folder, as skills of the user's own."""
    for path in _listed(folder):
        if path.name.startswith(".") or skill_file_in(path) is None:
            continue
        yield Item(
            kind="skills",
            name=path.name,
            source=str(path),
            becomes=str(places.home / "skills" / path.name),
            content=NewFolder(path=places.home / "skills" / path.name, source=path),
        )


def in_place(kind: Kind, folder: Path, reason: str = "") -> Iterator[Item]:
    """Files and skill folders that yeaft uses where they are."""
    found = _listed(folder) if kind == "skills" else _markdown(folder)
    for path in found:
        if kind == "skills" and skill_file_in(path) is None:
            continue
        yield Item(kind=kind, name=path.stem, source=str(path), status="in_place", reason=reason)


def _markdown(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.rglob("*.md") if path.is_file())[:MOST_FILES]
    except OSError:
        return []


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())[:MOST_FILES]
    except OSError:
        return []


def _text(path: Path, kind: Kind = "agents") -> str | Item:
    from yeaft.prompts.front_matter import Problem
    from yeaft.prompts.text_file import read_text_file

    found = read_text_file(path)
    return not_taken(kind, path.stem, path, found.reason) if isinstance(found, Problem) else found.text
