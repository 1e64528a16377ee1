"""The tool with which a VP finds skills and loads the instructions that it then follows."""

import asyncio
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from yeaft.kernel.errors import ToolFailed
from yeaft.kernel.text import head_bytes
from yeaft.skills.library import Shelf, SkillLibrary, files_of
from yeaft.skills.skill_file import Skill
from yeaft.tools.files.file_bytes import read_file
from yeaft.tools.files.texts import decode
from yeaft.tools.paths import Paths
from yeaft.tools.tool import Running, Tool

OUTPUT_BYTES = 29 * 1024  # with its closing note not more than 30 KiB
BODY_BYTES, FILES_BYTES = 24 * 1024, 3 * 1024
MOST_HITS = 20
MOST_FILES = 100
LISTED_CHARS = 300


class SkillCall(Struct, frozen=True, rename={"file_path": "filePath"}):
    """What the model says to use skills."""

    action: Literal["list", "search", "view", "load"]
    name: str = ""
    query: str = ""
    file_path: str = ""
    category: str = ""


def skill(library: SkillLibrary) -> Tool[SkillCall]:
    """Let the model list, search, view and load the skills of `library` that are meant for models."""

    def answer(args: SkillCall) -> str:
        shelf = _for_model(library.read())
        match args.action:
            case "list":
                return _listed(shelf, shelf.skills, args.category)
            case "search":
                return _searched(shelf, args)
            case "view":
                return _viewed(_wanted(shelf, args.name), args.file_path)
            case "load":
                return _loaded(_wanted(shelf, args.name))

    async def run(args: SkillCall, _: Running) -> str:
        return await asyncio.to_thread(answer, args)

    return Tool(name="Skill", args=SkillCall, run=run, guard="read")


def _for_model(shelf: Shelf) -> Shelf:
    return Shelf(skills=tuple(one for one in shelf.skills if one.for_model), problems=shelf.problems)


def _wanted(shelf: Shelf, name: str) -> Skill:
    found = shelf.get(name)
    if found:
        return found
    if not name.strip():
        raise ToolFailed("Give the name of a skill; action list shows all.")
    near = shelf.nearest(name)
    hint = f"Did you mean {near!r}?" if near else "Action list shows all."
    raise ToolFailed(f"No skill {name.strip()[:80]!r}. {hint}")


def _listed(shelf: Shelf, skills: Sequence[Skill], category: str) -> str:
    wanted = category.strip().casefold()
    lines = [_line(one) for one in skills if not wanted or one.category.casefold().startswith(wanted)]
    if not lines:
        known = ", ".join(sorted({one.category for one in skills if one.category})) or "none"
        lines = [f"(no skills in category {category.strip()[:80]!r}; categories: {known})" if wanted else "(no skills)"]
    if shelf.problems:
        lines += ["", "Problems with skill files, for the user to mend:", *(f"- {one}" for one in shelf.problems)]
    return _bounded("\n".join(lines), "narrow it with query or category")


def _line(one: Skill) -> str:
    said = one.description if len(one.description) <= LISTED_CHARS else one.description[: LISTED_CHARS - 1] + "…"
    return f"- {one.name}{f' [{one.category}]' if one.category else ''}: {said}"


def _searched(shelf: Shelf, args: SkillCall) -> str:
    if not args.query.strip():
        raise ToolFailed("Give a query; action list shows all skills.")
    hits = shelf.search(args.query)[:MOST_HITS]
    if not hits:
        return f"(no skill mentions {args.query.strip()[:80]!r}; action list shows all)"
    return _listed(Shelf(skills=hits), hits, args.category)


def _viewed(one: Skill, file_path: str) -> str:
    if file_path.strip():
        return _file(one, file_path)
    lines = [f"{one.name}: {one.description}", f"file: {one.source}"]
    lines += [f"compatibility: {one.compatibility}"] if one.compatibility else []
    return "\n".join(lines) + f"\n\n{_instructions(one)}{_files(one)}"


def _loaded(one: Skill) -> str:
    place = f' folder="{one.folder}"' if one.folder else ""
    return f'Follow this skill now.\n<skill name="{one.name}"{place}>\n{_instructions(one)}\n</skill>{_files(one)}'


def _instructions(one: Skill) -> str:
    return _bounded(one.body, f"the whole is {one.source}", BODY_BYTES)


def _files(one: Skill) -> str:
    names = files_of(one, MOST_FILES)
    return head_bytes(f"\n\nFiles (action view with filePath): {', '.join(names)}", FILES_BYTES) if names else ""


def _file(one: Skill, file_path: str) -> str:
    """Return a file of the skill's folder; links that lead out of it lead nowhere."""
    if one.folder is None:
        raise ToolFailed(f"The skill {one.name!r} is a single file and has no others.")
    paths = Paths(one.folder)
    path = paths.resolve(file_path)
    if not paths.inside(path):
        raise ToolFailed(f"{file_path[:200]!r} is not in the folder of the skill {one.name!r}.{_files(one)}")
    shown = f"{paths.shown(path)} of the skill {one.name!r}"
    text = decode(read_file(path, shown))
    if text is None:
        raise ToolFailed(f"{shown} is not text; its path is {path}.")
    return _bounded(text.text, f"the whole is {path}")


def _bounded(text: str, remedy: str, limit_bytes: int = OUTPUT_BYTES) -> str:
    size = len(text.encode())
    if size <= limit_bytes:
        return text
    return f"{head_bytes(text, limit_bytes)}\n[cut: {limit_bytes:,} of {size:,} bytes; {remedy}]"
