"""`yeaft skill`: what VPs can load and what a user can start with `/`, and what is wrong with their files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from msgspec.structs import asdict

from yeaft.interfaces.cli.commands.parsing import Action, argument, run_group
from yeaft.interfaces.cli.commands.printing import put, put_json, put_table
from yeaft.kernel.errors import NotFound
from yeaft.kernel.nearness import nearest
from yeaft.kernel.outcome import EXIT_ANSWERED, EXIT_BAD_DATA
from yeaft.prompts.front_matter import Problem
from yeaft.session.slash.command_file import (
    Command,
    CommandFolder,
    Commands,
    command_folders,
    name_of,
    parse_command,
    read_commands,
)
from yeaft.skills.library import (
    SKILL_NAMES,
    Shelf,
    SkillFolder,
    SkillLibrary,
    files_of,
    skill_file_in,
    skill_files,
    skill_folders,
)
from yeaft.skills.skill_check import check_skill
from yeaft.skills.skill_file import Skill, Tier, key_of

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options

MOST_FILES = 100


class SkillRow(Struct, frozen=True, kw_only=True):
    """A skill or a custom command. `used` is False for one that another one of its name hides."""

    name: str
    kind: Literal["skill", "command"]
    tier: Tier
    description: str
    hint: str
    for_model: bool
    for_user: bool
    used: bool
    path: str


class SkillShown(SkillRow, frozen=True, kw_only=True):
    """It with its text, the files that belong to it, and what its author thinks it needs."""

    text: str
    files: tuple[str, ...]
    allowed_tools: tuple[str, ...]
    compatibility: str
    model: str


class FaultRow(Struct, frozen=True, kw_only=True):
    """Something to mend in a file; one that is not `fatal` is advice."""

    path: str
    line: int
    reason: str
    fatal: bool


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft skill ...` and return the exit code."""
    return run_group("skill", ACTIONS, options, words)


def ls(desk: Desk) -> int:
    """List all skills and commands, those that are hidden included."""
    shelf, commands = _shelf(desk), _commands(desk)
    rows = [
        *(_skill_row(one, used=True) for one in shelf.skills),
        *(_skill_row(one, used=False) for one in shelf.hidden),
        *(_command_row(one, used=True) for one in commands.commands),
        *(_command_row(one, used=False) for one in commands.hidden),
    ]
    if desk.as_json:
        put_json(rows)
    else:
        headings = [desk.text(f"heading.{key}") for key in ("name", "kind", "whose", "started_by", "about")]
        put_table(headings, [_cells(desk, row) for row in rows])
        if not commands.commands:
            desk.note("skills.no_commands", folder=str(desk.home / "commands"))
    for problem in (*shelf.problems, *commands.problems):
        code = "skills.left_out" if problem.fatal else "skills.doubtful"
        desk.note(code, path=problem.path, line=problem.line, reason=desk.ui.retold(problem.reason))
    for path in commands.notes:
        desk.note("skills.note_file", path=str(path))
    if desk.trust.is_refused:
        desk.note("skills.untrusted", folder=desk.trust.folder)
    return EXIT_ANSWERED


def show(desk: Desk, *, name: str) -> int:
    """Show one skill or command with its text."""
    wanted = name.removeprefix("/")
    shelf, commands = _shelf(desk), _commands(desk)
    command, skill = commands.get(wanted), shelf.get(wanted)
    if skill is not None and (command is None or not name.startswith("/")):
        shown = _skill_shown(skill)
    elif command is not None:
        shown = _command_shown(command)
    else:
        raise NotFound(_unknown(wanted, shelf, commands))
    if desk.as_json:
        put_json(shown)
        return EXIT_ANSWERED
    lines = (
        ("name", f"/{shown.name}" if shown.kind == "command" else shown.name),
        ("about", shown.description),
        ("kind", desk.text(f"skills.{shown.kind}")),
        ("whose", desk.text(f"skills.{shown.tier}")),
        ("started_by", _started_by(desk, shown)),
        ("arguments", shown.hint),
        ("tools", ", ".join(shown.allowed_tools)),
        ("model", shown.model),
        ("needs", shown.compatibility),
        ("files", ", ".join(shown.files)),
        ("path", shown.path),
    )
    for key, value in lines:
        if value:
            put(desk.fact(f"heading.{key}", value))
    put("\n" + shown.text)
    return EXIT_ANSWERED


def check(desk: Desk, *, paths: tuple[str, ...]) -> int:
    """Report what breaks the rules of agentskills.io, and advice, as `path:line: reason`."""
    checked = [found for path in paths for found in _checked(Path(path))] if paths else list(_all_checked(desk))
    problems = [problem for _, found in checked for problem in found]
    if desk.as_json:
        put_json([FaultRow(path=one.path, line=one.line, reason=one.reason, fatal=one.fatal) for one in problems])
    else:
        for problem in problems:
            said = desk.ui.retold(str(problem))
            put(said if problem.fatal else desk.text("skills.advice", problem=said))
        if not problems:
            desk.note("skills.fine", count=len(checked))
    return EXIT_BAD_DATA if any(problem.fatal for problem in problems) else EXIT_ANSWERED


def _all_checked(desk: Desk) -> Iterator[tuple[Path, tuple[Problem, ...]]]:
    """Check every file that is read here, and name those that another one hides."""
    for folder in _skill_folders(desk):
        yield from _folder_checked(folder)
    commands = _commands(desk)
    hidden = [one for one in _shelf(desk).problems if not one.fatal and "is not used: it is replaced" in one.reason]
    yield desk.home, (*hidden, *commands.problems)
    yield from ((command.source, ()) for command in commands.commands)


def _checked(path: Path) -> Iterator[tuple[Path, tuple[Problem, ...]]]:
    """Check a skill file, a command file, a skill's folder, or a folder of any of them."""
    if not path.exists():
        raise NotFound(f"There is no {path}.")
    if path.is_dir():
        own = skill_file_in(path)
        if own is None and "commands" in path.resolve().parts:
            yield from _commands_checked(path)
            return
        if own is None:
            found = list(_folder_checked(SkillFolder(path=path)))
            if not found:
                raise NotFound(f"There is no skill in {path}; a skill is a folder with a SKILL.md.")
            yield from found
            return
        path = own
    if path.name.casefold() == SKILL_NAMES[1]:
        yield path, check_skill(path, path.resolve().parent)
    elif "commands" in path.resolve().parts:
        yield path, _command_faults(path)
    else:
        yield path, check_skill(path, None)


def _folder_checked(folder: SkillFolder) -> Iterator[tuple[Path, tuple[Problem, ...]]]:
    for source, place, refused in skill_files(folder):
        yield source, (refused,) if refused else check_skill(source, place)


def _commands_checked(folder: Path) -> Iterator[tuple[Path, tuple[Problem, ...]]]:
    commands = read_commands([CommandFolder(path=folder)])
    yield folder, commands.problems
    yield from ((command.source, ()) for command in commands.commands)


def _command_faults(path: Path) -> tuple[Problem, ...]:
    from yeaft.prompts.text_file import read_text_file

    file = read_text_file(path)
    if isinstance(file, Problem):
        return (file,)
    parts = path.resolve().parts
    within = parts[len(parts) - parts[::-1].index("commands") :]
    _, problems = parse_command(file.text, path, name_of(Path(*within)))
    return (*file.problems, *problems)


def _skill_folders(desk: Desk) -> tuple[SkillFolder, ...]:
    return skill_folders(desk.home, desk.environ, desk.folder, trusted=desk.trust.is_trusted)


def _shelf(desk: Desk) -> Shelf:
    return SkillLibrary(_skill_folders(desk)).read()


def _commands(desk: Desk) -> Commands:
    return read_commands(command_folders(desk.home, desk.environ, desk.folder, trusted=desk.trust.is_trusted))


def _skill_row(skill: Skill, *, used: bool) -> SkillRow:
    return SkillRow(
        name=skill.name,
        kind="skill",
        tier=skill.tier,
        description=skill.description,
        hint=skill.hint,
        for_model=skill.for_model,
        for_user=skill.is_startable,
        used=used,
        path=str(skill.source),
    )


def _command_row(command: Command, *, used: bool) -> SkillRow:
    return SkillRow(
        name=command.name,
        kind="command",
        tier=command.tier,
        description=command.description,
        hint=command.hint,
        for_model=False,
        for_user=True,
        used=used,
        path=str(command.source),
    )


def _skill_shown(skill: Skill) -> SkillShown:
    row = _skill_row(skill, used=True)
    return SkillShown(
        **asdict(row),
        text=skill.body,
        files=files_of(skill, MOST_FILES),
        allowed_tools=skill.allowed_tools,
        compatibility=skill.compatibility,
        model="",
    )


def _command_shown(command: Command) -> SkillShown:
    row = _command_row(command, used=True)
    return SkillShown(
        **asdict(row),
        text=command.body,
        files=(),
        allowed_tools=command.allowed_tools,
        compatibility="",
        model=command.model,
    )


def _cells(desk: Desk, row: SkillRow) -> Sequence[str]:
    whose = desk.text(f"skills.{row.tier}")
    return (
        f"/{row.name}" if row.kind == "command" else row.name,
        desk.text(f"skills.{row.kind}"),
        whose if row.used else desk.text("skills.hidden", whose=whose),
        _started_by(desk, row),
        f"{row.hint} {row.description}".strip() if row.kind == "command" else row.description,
    )


def _started_by(desk: Desk, row: SkillRow) -> str:
    who = [code for code, may in (("model", row.for_model), ("user", row.for_user)) if may]
    return desk.text("skills.by_" + ("_".join(who) or "nobody"))


def _unknown(name: str, shelf: Shelf, commands: Commands) -> str:
    names = (*(skill.name for skill in shelf.skills), *(command.name for command in commands.commands))
    near = nearest(key_of(name), names)
    return f"No skill or command named {name!r}." + (f" Did you mean {near}?" if near else " See `yeaft skill ls`.")


ACTIONS: Mapping[str, Action] = {
    "ls": Action(run=ls),
    "show": Action(run=show, params=(argument("NAME"),)),
    "check": Action(run=check, params=(argument("PATHS", nargs=-1),)),
}
