"""`yeaft config instructions`: the instruction files that a Session here would begin with, and why each is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from yeaft.interfaces.cli.commands.printing import put_json, put_table
from yeaft.interfaces.instructed import instruction_remarks, sources_of
from yeaft.kernel.outcome import EXIT_ANSWERED

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.prompts.system import Note
    from yeaft.session.instruction_files import Denies

IMPORT = "import of "


class FileShown(Struct, frozen=True, kw_only=True):
    """One file; `bytes` and the estimate in `tokens` are of what is read of it."""

    path: str
    bytes: int
    tokens: int
    standing: str
    why: str


def instructions(desk: Desk) -> int:
    """List the instruction files; what is left out or cut is said on standard error."""
    from yeaft.session.instructions import instructions as found_in

    sources = sources_of(
        desk.config,
        folder=desk.folder,
        home=desk.home,
        environ=desk.environ,
        is_trusted=desk.trust.is_trusted,
    )
    found = found_in(replace(sources, denies=_denies(desk)))
    rows = [_row(note) for note in found.notes]
    if desk.as_json:
        put_json(rows)
    elif rows:
        headings = [desk.text(f"heading.{key}") for key in ("path", "bytes", "tokens", "standing", "why")]
        put_table(headings, [_cells(desk, row) for row in rows])
    else:
        desk.note("instructions.none", folder=str(desk.folder), names=", ".join(sources.names))
    for code, params in instruction_remarks(found):
        desk.note(code, **params)
    return EXIT_ANSWERED


def _denies(desk: Desk) -> Denies:
    from yeaft.session.catalogue import RULED
    from yeaft.tools.paths import Paths
    from yeaft.tools.policy.grants import grants, rules_for
    from yeaft.tools.policy.read_denials import withheld

    denying = rules_for("", grants(desk.loaded.layers, desk.home, RULED)).deny
    paths = Paths(desk.folder)
    return lambda path: withheld(denying, path, paths).holds(str(path))


def _row(note: Note) -> FileShown:
    from yeaft.llm.tokens import estimate

    return FileShown(
        path=note.path,
        bytes=len(note.text.encode()),
        tokens=estimate(note.text),
        standing=note.standing,
        why=note.why,
    )


def _cells(desk: Desk, row: FileShown) -> tuple[str, ...]:
    standing = desk.text(f"instructions.as_{row.standing}")
    return row.path, str(row.bytes), str(row.tokens), standing, _why(desk, row)


def _why(desk: Desk, row: FileShown) -> str:
    if row.why.startswith(IMPORT):
        return desk.text("instructions.why_import", path=row.why.removeprefix(IMPORT))
    return desk.text(f"instructions.why_{row.why}")
