"""Custom commands: Markdown files whose text is said in place of a short word, and where they are kept."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from yeaft.kernel.effort_prefix import is_level
from yeaft.prompts.front_matter import FrontMatter, Problem, read_front_matter, split_head
from yeaft.prompts.markdown_tree import leads_out, markdown_files
from yeaft.prompts.scalars import prose
from yeaft.prompts.text_file import read_text_file
from yeaft.skills.skill_file import Tier, hint_of, key_of, problems_of, tools_of

PROJECT_PLACES = (".claude/commands", ".yeaft/commands")
DESCRIPTION_CHARS = 300
NOTE = "readme"
"""What a file that explains the others is called; with front matter it is a command all the same."""


class Command(Struct, frozen=True, kw_only=True):
    """A command: typed as `/name`, its text is `body`, which begins in line `first_line` of `source`.

    `hint` says what its arguments are. `allowed_tools` and `model` are what its author thinks it needs; they permit
    and change nothing.
    """

    name: str
    description: str
    body: str
    source: Path
    first_line: int = 1
    hint: str = ""
    allowed_tools: tuple[str, ...] = ()
    model: str = ""
    tier: Tier = "user"


class CommandFolder(Struct, frozen=True, kw_only=True):
    """A folder of command files, and whose it is; no link in it may lead out of `within`."""

    path: Path
    tier: Tier = "user"
    within: Path | None = None


class Commands(Struct, frozen=True, kw_only=True):
    """All commands at one moment, by name, what is wrong with their files, and those that another one hides.

    `notes` are files among them that only explain the others.
    """

    commands: tuple[Command, ...] = ()
    problems: tuple[Problem, ...] = ()
    hidden: tuple[Command, ...] = ()
    notes: tuple[Path, ...] = ()

    def get(self, name: str) -> Command | None:
        """Return the command that is typed as `name`, without its slash, in any capitals."""
        folded = name.casefold()
        return next((one for one in self.commands if one.name == folded), None)


def command_folders(
    home: Path, environ: Mapping[str, str], folder: Path | None = None, *, trusted: bool = False
) -> tuple[CommandFolder, ...]:
    """Return where commands are, later ones winning. `home` is yeaft's home directory, `folder` the work folder.

    A work folder that is not `trusted` has no commands.
    """
    user = environ.get("HOME", "")
    theirs = [Path(user) / ".claude" / "commands"] if Path(user).is_absolute() else []
    projects = [folder / place for place in PROJECT_PLACES] if folder is not None and trusted else []
    return (
        *(CommandFolder(path=path) for path in (*theirs, home / "commands")),
        *(CommandFolder(path=path, tier="project", within=folder) for path in projects),
    )


def read_commands(folders: Sequence[CommandFolder]) -> Commands:
    """Read all commands, where a later folder's one replaces an earlier one of the same name. Blocking; never raises.

    A file `a/b.md` is the command `/a:b`.
    """
    found: dict[str, Command] = {}
    problems: list[Problem] = []
    hidden: list[Command] = []
    notes: list[Path] = []
    seen: set[str] = set()
    for folder in folders:
        here: dict[str, Command] = {}
        tree = markdown_files(folder.path, folder.within)
        problems += tree.problems
        for path in tree.files:
            real = os.path.realpath(path)
            if real in seen:
                continue
            seen.add(real)
            command, faults = _read(path, folder, real)
            problems += faults
            if command is None:
                if not faults:
                    notes.append(path)
                continue
            if twin := here.get(command.name):
                problems.append(_hidden(command, f"{twin.source} has the same name and is used"))
                hidden.append(command)
                continue
            if earlier := found.get(command.name):
                problems.append(_hidden(earlier, f"it is replaced by {command.source}"))
                hidden.append(earlier)
            here[command.name] = command
        found |= here
    return Commands(
        commands=tuple(found[name] for name in sorted(found)),
        problems=tuple(problems),
        hidden=tuple(hidden),
        notes=tuple(notes),
    )


def name_of(place: Path) -> str:
    """Return what the command in a file is typed as; `place` is the file's path in its folder of commands."""
    return ":".join(key_of(part) for part in place.with_suffix("").parts)


def parse_command(
    text: str, source: Path, name: str, tier: Tier = "user"
) -> tuple[Command | None, tuple[Problem, ...]]:
    """Return the command in `text`, None if it cannot be used, and what is wrong with the file. Never raises."""
    if is_level(name):
        return None, (_fault(source, f"/{name} asks for an effort and does not start a command; rename the file"),)
    head = read_front_matter(text, str(source))
    if isinstance(head, Problem):
        return None, (head,)
    body = head.body.strip()
    if not body:
        return None, (*head.problems, Problem(path=str(source), line=1, reason="holds no text to say"))
    lines_above = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") - head.body.lstrip().count("\n")
    command = Command(
        name=name,
        description=_description(head, body),
        body=body,
        source=source,
        first_line=lines_above + 1,
        hint=hint_of(head),
        allowed_tools=tools_of(head),
        model=_text(head, "model"),
        tier=tier,
    )
    return command, problems_of(head)


def _read(path: Path, folder: CommandFolder, real: str) -> tuple[Command | None, tuple[Problem, ...]]:
    """Read one file; neither a command nor a problem comes back for a note."""
    if folder.within is not None and not Path(real).is_relative_to(os.path.realpath(folder.within)):
        return None, (leads_out(path, real),)
    place = path.relative_to(folder.path)
    name = name_of(place)
    if not all(map(key_of, place.with_suffix("").parts)):
        return None, (_fault(path, "has a name that cannot be typed; use letters, digits and hyphens"),)
    file = read_text_file(path)
    if isinstance(file, Problem):
        return None, (file,)
    if path.stem.casefold() == NOTE and split_head(file.text) is None:
        return None, ()
    command, problems = parse_command(file.text, path, name, folder.tier)
    return command, (*file.problems, *problems)


def _description(head: FrontMatter, body: str) -> str:
    given = " ".join(prose(head.fields.get("description", "")).split())
    text = given or next(line.strip("# \t") for line in body.split("\n") if line.strip())
    return text if len(text) <= DESCRIPTION_CHARS else f"{text[: DESCRIPTION_CHARS - 1]}…"


def _text(head: FrontMatter, key: str) -> str:
    value = head.fields.get(key, "")
    return value.strip() if isinstance(value, str) else ""


def _hidden(command: Command, reason: str) -> Problem:
    text = f"the command /{command.name} is not used: {reason}"
    return Problem(path=str(command.source), line=1, reason=text, fatal=False)


def _fault(path: Path, reason: str) -> Problem:
    return Problem(path=str(path), line=1, reason=reason)
