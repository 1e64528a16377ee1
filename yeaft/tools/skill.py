"""The tool with which a VP finds skills and loads the instructions that it then follows."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from yeaft.kernel.errors import ToolFailed
from yeaft.kernel.text import head_bytes
from yeaft.llm.prompt import ToolSpec
from yeaft.skills.disclosure import told_of
from yeaft.skills.library import Shelf, SkillLibrary, files_of
from yeaft.skills.skill_file import Skill
from yeaft.tools.files.file_bytes import read_file
from yeaft.tools.files.texts import decode
from yeaft.tools.paths import Paths
from yeaft.tools.tool import BoundCall, Running, Tool

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


class SkillTool:
    """The tool over one library; what a model is told of it names the skills there were when its turn began.

    `turn` says which turn that is. Within one the text stays the same, so that its requests share their beginning.
    """

    def __init__(self, library: SkillLibrary, turn: Callable[[], str]) -> None:
        self._library = library
        self._turn = turn
        self._tool = Tool(name="Skill", args=SkillCall, run=self._run, guard="read")
        self._told: tuple[str, ToolSpec] | None = None

    @property
    def name(self) -> str:
        """What models call it by."""
        return self._tool.name

    @property
    def spec(self) -> ToolSpec:
        """What a model is told of it; reads the skills at the first asking in a turn."""
        turn = self._turn()
        if self._told is None or self._told[0] != turn:
            spec, told = self._tool.spec, told_of(self._library.read())
            self._told = turn, replace(spec, description=f"{spec.description}\n{told}") if told else spec
        return self._told[1]

    def bind(self, args_raw: str, /) -> BoundCall:
        """The call with these arguments. Raises `BadArguments`."""
        return self._tool.bind(args_raw)

    async def _run(self, args: SkillCall, _: Running) -> str:
        return await asyncio.to_thread(self._answer, args)

    def _answer(self, args: SkillCall) -> str:
        shelf = self._library.read().only(for_model=True)
        match args.action:
            case "list":
                return _listed(shelf, shelf.skills, args.category)
            case "search":
                return _searched(shelf, args)
            case "view":
                return _viewed(_wanted(shelf, args.name), args.file_path)
            case "load":
                return _loaded(_wanted(shelf, args.name))


def skill(library: SkillLibrary, turn: Callable[[], str] = lambda: "") -> SkillTool:
    """Let the model list, search, view and load the skills of `library` that are meant for models."""
    return SkillTool(library, turn)


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
    if broken := [one for one in shelf.problems if one.fatal]:
        lines += ["", "Skill files that cannot be used, for the user to mend:", *(f"- {one}" for one in broken)]
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
