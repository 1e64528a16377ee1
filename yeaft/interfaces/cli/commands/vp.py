"""`yeaft vp`: see who can be talked to, and make, change, check and import virtual persons."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from yeaft.interfaces.cli.commands.consent import need_consent
from yeaft.interfaces.cli.commands.editor import edit as open_editor
from yeaft.interfaces.cli.commands.parsing import Action, argument, flag, option, run_group
from yeaft.interfaces.cli.commands.printing import put, put_json, put_table
from yeaft.interfaces.cli.commands.reading import read_text
from yeaft.interfaces.cli.commands.vp_import import IMPORT
from yeaft.interfaces.cli.streams import share_a_terminal
from yeaft.kernel.errors import NotFound, UsageError
from yeaft.kernel.outcome import EXIT_ANSWERED, EXIT_CONFIG
from yeaft.vp.library import Tier
from yeaft.vp.persona import ToolPolicy

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options
    from yeaft.prompts.front_matter import Problem
    from yeaft.vp.persona import Vp


class VpRow(Struct, frozen=True, kw_only=True):
    """What a list says of a VP; `tools` None means all that the Session allows."""

    id: str
    name: str
    name_zh: str
    aliases: tuple[str, ...]
    role: str
    role_zh: str
    area: str
    traits: tuple[str, ...]
    model: str
    tools: ToolPolicy | None
    bundled: bool
    tier: Tier
    path: str


class VpShown(VpRow, frozen=True, kw_only=True):
    """A VP with its persona by language; the key is empty for text that is for every language."""

    persona: dict[str, str]


class ProblemRow(Struct, frozen=True, kw_only=True):
    """Something to mend in a VP file; a `fatal` one leaves the VP out."""

    path: str
    line: int
    reason: str
    fatal: bool


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft vp ...` and return the exit code."""
    return run_group("vp", ACTIONS, options, words)


def ls(desk: Desk) -> int:
    """List every VP that can be talked to."""
    vps = desk.library.all()
    if desk.as_json:
        put_json([_row(desk, vp) for vp in vps])
    else:
        headings = [desk.text(f"heading.{key}") for key in ("id", "name", "whose", "role")]
        put_table(headings, [(vp.id, vp.name_in(desk.lang), _whose(desk, vp), vp.role_in(desk.lang)) for vp in vps])
    for problem in desk.library.problems():
        _note_problem(desk, problem)
    return EXIT_ANSWERED


def show(desk: Desk, *, vp: str) -> int:
    """Show one VP with its persona."""
    found = _found(desk, vp)
    if desk.as_json:
        put_json(VpShown(**msgspec.structs.asdict(_row(desk, found)), persona=found.persona))
        return EXIT_ANSWERED
    lines = (
        ("id", found.id),
        ("name", " / ".join(name for name in (found.name, found.name_zh) if name)),
        ("aliases", ", ".join(found.aliases)),
        ("role", found.role_in(desk.lang)),
        ("traits", ", ".join(found.traits)),
        ("model", found.model),
        ("tools", ", ".join(found.tools.allow) if found.tools.allow is not None else ""),
        ("tools_denied", ", ".join(found.tools.deny)),
        ("path", found.source),
    )
    for key, value in lines:
        if value:
            put(desk.fact(f"heading.{key}", value))
    put("\n" + found.text(desk.lang))
    return EXIT_ANSWERED


def new(desk: Desk, *, vp: str, name: str, role: str, persona: str, source: str) -> int:
    """Write a VP file of the user's own; without a persona, one that waits for it."""
    from yeaft.vp.edit import write_draft, write_vp
    from yeaft.vp.persona import Vp, split_persona

    if desk.library.get(vp) is not None:
        raise UsageError(f"There is a VP {vp!r} already; change it with `yeaft vp edit {vp}`, or choose another id.")
    if persona and source:
        raise UsageError("Give the persona once: with --persona or with --from.")
    made = Vp(id=vp, name=name or vp, role=role, persona=split_persona(read_text(source) if source else persona))
    if persona or source:
        return _tell_path(desk, write_vp(_own_folder(desk), made), "vp.created", vp=vp)
    comment = desk.text("vps.draft", name=made.name)
    return _tell_path(desk, write_draft(_own_folder(desk), made, comment), "vps.drafted", vp=vp)


def edit(desk: Desk, *, vp: str) -> int:
    """Open a VP file in the user's editor, or print its path; a bundled one is copied first."""
    from yeaft.vp.edit import write_vp

    own = _own_folder(desk) / f"{vp}.md"
    if not own.is_file():
        found = _found(desk, vp)
        own = Path(found.source)
        if _is_bundled(desk, found):
            own = write_vp(_own_folder(desk), found)
            desk.note("vps.copied", vp=found.id, path=str(own))
    open_editor(own, desk.environ)
    _tell_path(desk, own, "")
    return _check_files(desk, [own])


def rm(desk: Desk, *, vp: str, yes: bool) -> int:
    """Delete a VP file of the user's own."""
    own = _own_folder(desk) / f"{vp}.md"
    if not own.is_file():
        found = _found(desk, vp)
        own = _own_folder(desk) / f"{found.id}.md"
        if _is_bundled(desk, found):
            raise UsageError(f"@{found.id} comes with yeaft and cannot be deleted; leave it out of rosters instead.")
        if desk.library.tier_of(found.id) == "project":
            raise UsageError(f"@{found.id} belongs to this folder; delete {found.source} if that is what you want.")
    need_consent(desk, "vps.rm_question", yes=yes, path=str(own))
    own.unlink()
    return _tell_path(desk, own, "vps.deleted")


def check(desk: Desk, *, paths: tuple[str, ...]) -> int:
    """Report what is wrong with VP files, as `path:line: reason`."""
    if not paths:
        for path in desk.library.notes():
            desk.note("vps.note_file", path=str(path))
        return _report(desk, desk.library.problems(), count=len(desk.library.all()))
    files: list[Path] = []
    for path in map(Path, paths):
        if not path.exists():
            raise NotFound(f"There is no {path}.")
        files += _files_in(path) if path.is_dir() else [path]
    return _check_files(desk, files, data=True)


def _check_files(desk: Desk, files: list[Path], *, data: bool = False) -> int:
    """Check files wherever they are; only as `data` are the problems the output, otherwise notes beside it."""
    from yeaft.vp.library import read_agent, read_vp

    problems: list[Problem] = []
    for file in files:
        problems += (read_agent(file) if _is_of_agents(file.parent) else read_vp(file)).problems
    if data:
        return _report(desk, tuple(problems), count=len(files))
    for problem in problems:
        _note_problem(desk, problem)
    return _code(problems)


def _files_in(folder: Path) -> list[Path]:
    """The files of VPs in a folder, or those of agents in it and below it."""
    from yeaft.prompts.markdown_tree import markdown_files

    return list(markdown_files(folder).files) if _is_of_agents(folder) else sorted(folder.glob("*.md"))


def _is_of_agents(folder: Path) -> bool:
    """Whether a folder holds files of other programs' agents, which are always called so."""
    return "agents" in folder.resolve().parts


def _report(desk: Desk, problems: tuple[Problem, ...], *, count: int) -> int:
    """Show problems, or that none of `count` files has any."""
    if desk.as_json:
        put_json([ProblemRow(path=one.path, line=one.line, reason=one.reason, fatal=one.fatal) for one in problems])
    else:
        for problem in problems:
            put(desk.ui.retold(str(problem)))
        if not problems:
            desk.note("vps.fine", count=count)
    return _code(problems)


def _code(problems: list[Problem] | tuple[Problem, ...]) -> int:
    return EXIT_CONFIG if any(problem.fatal for problem in problems) else EXIT_ANSWERED


def _note_problem(desk: Desk, problem: Problem) -> None:
    code = "vp.left_out" if problem.fatal else "vp.doubtful"
    desk.note(code, path=problem.path, line=problem.line, reason=desk.ui.retold(problem.reason))


def _found(desk: Desk, label: str) -> Vp:
    """Return the VP that is called `label`. Raises `NotFound` with the nearest name."""
    from yeaft.interfaces.cli.wishes import vp_ids

    found = desk.library.get(vp_ids((label,), desk.library)[0])
    assert found is not None, "names are those of the library"
    return found


def _row(desk: Desk, vp: Vp) -> VpRow:
    return VpRow(
        id=vp.id,
        name=vp.name,
        name_zh=vp.name_zh,
        aliases=vp.aliases,
        role=vp.role,
        role_zh=vp.role_zh,
        area=vp.area,
        traits=vp.traits,
        model=vp.model,
        tools=None if vp.tools == ToolPolicy() else vp.tools,
        bundled=_is_bundled(desk, vp),
        tier=desk.library.tier_of(vp.id),
        path=vp.source,
    )


def _is_bundled(desk: Desk, vp: Vp) -> bool:
    return desk.library.tier_of(vp.id) == "bundled"


def _whose(desk: Desk, vp: Vp) -> str:
    match desk.library.tier_of(vp.id):
        case "bundled":
            return desk.text("vps.bundled")
        case "user":
            return desk.text("vps.yours")
        case "project":
            return desk.text("vps.project")


def _own_folder(desk: Desk) -> Path:
    return desk.home / "vps"


def _tell_path(desk: Desk, path: Path, code: str, **params: str) -> int:
    if desk.as_json:
        put_json({"id": path.stem, "path": str(path)})
    elif not code or desk.options.quiet or not share_a_terminal():
        put(str(path))
    if code:
        desk.note(code, path=str(path), **params)
    return EXIT_ANSWERED


VP = argument("VP")
ACTIONS: Mapping[str, Action] = {
    "ls": Action(run=ls),
    "show": Action(run=show, params=(VP,)),
    "new": Action(
        run=new,
        params=(
            argument("VP"),
            option("--name", default=""),
            option("--role", default=""),
            option("--persona", default=""),
            option("--from", "source", default=""),
        ),
    ),
    "edit": Action(run=edit, params=(VP,)),
    "rm": Action(run=rm, params=(VP, flag("-y", "--yes"))),
    "import": IMPORT,
    "check": Action(run=check, params=(argument("PATHS", nargs=-1),)),
}
