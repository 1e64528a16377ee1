"""`yeaft artifact add`, `export` and `open`: between artifacts and files."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from yeaft.artifacts.kinds import TEXTUAL, TYPES
from yeaft.interfaces.cli.commands.artifact_rows import Kept, kept_in, one_kept, row_of
from yeaft.interfaces.cli.commands.editor import edit
from yeaft.interfaces.cli.commands.parsing import Action, argument, flag, option
from yeaft.interfaces.cli.commands.printing import put, put_json
from yeaft.kernel.errors import BadData, UsageError, YeaftError
from yeaft.kernel.outcome import EXIT_ANSWERED

if TYPE_CHECKING:
    from yeaft.events.artifact import ArtifactType
    from yeaft.interfaces.cli.commands.desk import Desk

STDOUT = 1
PRIVATE_FILE = 0o600
OPENER = "xdg-open"


def add(desk: Desk, *, file: Path, kind: ArtifactType | None, name: str, description: str, resume: str) -> int:
    """Keep a file as an artifact of a Session."""
    from yeaft.session.artifacts.storing import draft_of, keep_offline
    from yeaft.session.offline import read_session
    from yeaft.store.directory import LAST, find_session

    wanted = resume or desk.options.resume or LAST
    session_id = find_session(desk.home, wanted, folder=str(desk.folder)).session_id
    reading = read_session(desk.home, session_id)
    path = file if file.is_absolute() else desk.folder / file
    draft = draft_of(path, reading.state, kind=kind, name=name, description=description)
    tell = partial(desk.note_wait, session_id)
    artifact = asyncio.run(keep_offline(desk.home, session_id, draft, take_over=desk.options.take_over, tell=tell))
    kept = next(one for one in kept_in(reading.paths) if one.artifact.path == artifact.path)
    if desk.as_json:
        put_json(row_of(kept))
        return EXIT_ANSWERED
    put(artifact.artifact_id)
    shown = desk.text(f"artifact.is_{artifact.type}")
    desk.note("artifact.added", type=shown, name=artifact.name, session=session_id, id=artifact.artifact_id)
    return EXIT_ANSWERED


def export(desk: Desk, *, artifact: str, output: Path | None, force: bool, resume: str) -> int:
    """Write the content of an artifact to a file, or to standard output."""
    kept = one_kept(desk, artifact, resume)
    content = kept.store.read(kept.artifact)
    if output is None:
        if os.isatty(STDOUT) and kept.artifact.type not in TEXTUAL:
            raise UsageError(f"{kept.artifact.name} is no text for a terminal; name a file with -o, or send it on.")
        _put_bytes(content)
        return EXIT_ANSWERED
    target = desk.folder / output
    target = target / kept.artifact.name if target.is_dir() else target
    try:
        with target.open("wb" if force else "xb") as stream:
            stream.write(content)
    except FileExistsError as error:
        raise YeaftError(f"{target} is there already; --force replaces it.") from error
    except OSError as error:
        raise YeaftError(f"{target} cannot be written: {error.strerror}.") from error
    desk.note("artifact.exported", name=kept.artifact.name, path=str(target))
    return EXIT_ANSWERED


def open_(desk: Desk, *, artifact: str, resume: str) -> int:
    """Open a copy of an artifact in the user's editor, or with what the desktop has for it."""
    kept = one_kept(desk, artifact, resume)
    content = kept.store.read(kept.artifact)
    if kept.artifact.type == "model":
        raise BadData(f"A model is never opened, because that can run what is in it. The file is {kept.file}.")
    if kept.artifact.type == "url":
        address = content.decode().strip()
        _start(desk, kept, address)
        _told(desk, kept, OPENER, address)
        return EXIT_ANSWERED
    copy = _copied(kept, content)
    if kept.artifact.type in TEXTUAL and edit(copy, desk.environ):
        program = desk.environ.get("VISUAL", "").strip() or desk.environ["EDITOR"].strip()
        _after_editing(desk, kept, copy, content, program)
        return EXIT_ANSWERED
    try:
        _start(desk, kept, str(copy))
    except YeaftError:
        shutil.rmtree(copy.parent, ignore_errors=True)
        raise
    _told(desk, kept, OPENER, str(copy))
    return EXIT_ANSWERED


def _copied(kept: Kept, content: bytes) -> Path:
    """Return a private copy: what an editor saves must not change what was kept."""
    copy = Path(tempfile.mkdtemp(prefix="yeaft-")) / kept.artifact.name
    with os.fdopen(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE), "wb") as stream:
        stream.write(content)
    return copy


def _after_editing(desk: Desk, kept: Kept, copy: Path, content: bytes, program: str) -> None:
    """Say what was done; a copy that was changed stays, and how to keep it is told."""
    if copy.is_file() and copy.read_bytes() == content:
        shutil.rmtree(copy.parent, ignore_errors=True)
        _told(desk, kept, program, "")
        return
    _told(desk, kept, program, str(copy))
    if not desk.as_json:
        desk.note("artifact.edited", path=str(copy), session=kept.paths.session_id)


def _start(desk: Desk, kept: Kept, what: str) -> None:
    """Hand a file or address to the desktop. Raises `YeaftError` where there is none."""
    program = shutil.which(OPENER, path=desk.environ.get("PATH"))
    has_desktop = bool(
        desk.environ.get("DISPLAY") or desk.environ.get("WAYLAND_DISPLAY") or desk.environ.get("BROWSER")
    )
    where = what if kept.artifact.type == "url" else kept.file
    if program is None or not has_desktop:
        raise YeaftError(
            f"There is nothing here that could open {kept.artifact.name}: set $VISUAL or $EDITOR at a terminal, or "
            f"start it on a desktop with {OPENER}. It is {where}."
        )
    try:
        subprocess.run([program, what], check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr, env=dict(desk.environ))
    except (OSError, subprocess.CalledProcessError) as error:
        raise YeaftError(f"{OPENER} could not open {kept.artifact.name}: {error}. It is {where}.") from error


def _told(desk: Desk, kept: Kept, program: str, what: str) -> None:
    if desk.as_json:
        put_json({"id": kept.artifact.artifact_id, "program": program, "opened": what})
    else:
        code = "artifact.opened_copy" if what and kept.artifact.type != "url" else "artifact.opened"
        put(desk.text(code, name=kept.artifact.name, program=program, path=what))


def _put_bytes(content: bytes) -> None:
    sys.stdout.flush()
    try:
        with os.fdopen(STDOUT, "wb", closefd=False) as stream:
            stream.write(content)
    except BrokenPipeError:
        raise  # a reader that has seen enough is no failure
    except OSError as error:
        raise YeaftError(f"Standard output cannot be written: {error.strerror}.") from error


ARTIFACT = argument("ARTIFACT")
SESSION = option("-r", "--resume", "-s", "--session", "resume", default="")
FILES: Mapping[str, Action] = {
    "open": Action(run=open_, params=(ARTIFACT, SESSION)),
    "export": Action(
        run=export,
        params=(
            ARTIFACT,
            option("-o", "--output-file", "output", type=click.Path(path_type=Path)),
            flag("--force"),
            SESSION,
        ),
        has_json=False,
    ),
    "add": Action(
        run=add,
        params=(
            argument("FILE", type=click.Path(path_type=Path)),
            option("--type", "kind", type=click.Choice(TYPES)),
            option("--as", "name", default=""),
            option("--description", default=""),
            SESSION,
        ),
    ),
}
