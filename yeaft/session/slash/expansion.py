"""Makes of a command the text that a VP gets: runs what it wants run, as far as the user's rules allow; reads files.

Everything is judged before anything runs, so that a refused command leaves nothing behind.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.kernel import ids
from yeaft.kernel.errors import BadData, Denied, NeedsConsent, ToolFailed
from yeaft.session.at_signs import path_at
from yeaft.session.attachments.reading import read_located
from yeaft.session.attachments.references import Located, Missing, locate
from yeaft.session.slash.template import Insert, Piece, Run, Words, pieces
from yeaft.tools.bash import bash
from yeaft.tools.paths import Paths
from yeaft.tools.policy.read_denials import Withholding
from yeaft.tools.policy.verdict import Verdict
from yeaft.tools.policy.visible import visible
from yeaft.tools.shell.shell import Shell
from yeaft.tools.tool import BoundCall, ToolResult

if TYPE_CHECKING:
    from yeaft.session.slash.command_file import Command


class Errands(Struct, frozen=True, kw_only=True):
    """What commands can have done: `judge` says by the user's rules what may run, `shell_at` makes a shell.

    `paths` is the work folder alone; no file outside of it is read, nor one that is withheld.
    """

    paths: Paths
    judge: Callable[[BoundCall], Verdict]
    withholding: Withholding
    shell_at: Callable[[Path], Shell]


async def expanded(command: Command, arguments: str, errands: Errands) -> str:
    """Return the text of `command` with `arguments`, and what it runs and names put in.

    Raises `NeedsConsent` or `Denied` if it wants to run what is not allowed, `BadData` if a file cannot be read; then
    nothing was run.
    """
    found = pieces(command.body, arguments)
    files = await asyncio.to_thread(_files, command, found, errands)
    runs = [piece for piece in found if isinstance(piece, Run)]
    outputs = await _outputs(command, runs, errands) if runs else []
    texts: list[str] = []
    blocks: list[str] = []
    for number, piece in enumerate(found):
        match piece:
            case Words():
                texts.append(piece.text)
            case Run():
                texts.append(outputs.pop(0))
            case Insert():
                texts.append(piece.path if number in files else f"@{piece.path}")
                blocks.append(files.get(number, ""))
    whole = "".join(texts).strip()
    return "\n\n".join([whole, *(block for block in dict.fromkeys(blocks) if block)])


def _files(command: Command, found: Sequence[Piece], errands: Errands) -> dict[int, str]:
    """Return the blocks of the files that pieces name, by the piece's place; what names no file is left out."""
    blocks: dict[int, str] = {}
    for number, piece in enumerate(found):
        if isinstance(piece, Insert):
            try:
                block = _block(piece, errands)
            except ToolFailed as error:
                raise BadData(f"{_place(command, piece.line)}: @{piece.path}: {error}") from error
            if block is not None:
                blocks[number] = block
    return blocks


def _block(piece: Insert, errands: Errands) -> str | None:
    """Return a file as it goes along; None if no file is meant. Raises `ToolFailed` if it cannot be read."""
    paths, token = errands.paths, path_at(piece.path, 0)
    if token is None or token.end != len(piece.path):  # a space in it, or no sign of being a path
        token = path_at(f'"{piece.path}"', 0)
    located = locate(token, paths) if token else None
    if not isinstance(located, Located):
        if piece.is_needed or isinstance(located, Missing):
            raise ToolFailed("There is no such file.")
        return None
    if not paths.inside(located.path):
        raise ToolFailed("It lies outside the work folder, where commands read nothing.")
    given = read_located(located, paths, errands.withholding)
    if given.mime.startswith("image/"):
        raise ToolFailed("It is a picture; attach it to a message instead.")
    return given.block


async def _outputs(command: Command, runs: Sequence[Run], errands: Errands) -> list[str]:
    """Run the shell commands one after another and return what each gave, as the tool Bash tells it."""
    with tempfile.TemporaryDirectory(prefix="yeaft-command-") as folder:
        shell = errands.shell_at(Path(folder))
        tool = bash(errands.paths, shell)
        bound = [tool.bind(json.dumps({"command": run.command})) for run in runs]
        _check(command, runs, bound, errands)
        outputs: list[str] = []
        try:
            for run, call in zip(runs, bound, strict=True):
                try:
                    found = await call.start(_Running())
                except ToolFailed as error:
                    raise BadData(f"{_place(command, run.line)}: !`{run.command}`: {error}") from error
                outputs.append(found if isinstance(found, str) else _without_log(found))
        finally:
            await shell.close()
        return outputs


def _check(command: Command, runs: Sequence[Run], bound: Sequence[BoundCall], errands: Errands) -> None:
    refused: list[str] = []
    flags: dict[str, None] = {}
    is_denied = False
    for run, call in zip(runs, bound, strict=True):
        verdict = errands.judge(call)
        if verdict.decision != "allow":
            refused.append(
                visible(f"{_place(command, run.line)}: !`{run.command}` may not run. {verdict.reason}".strip())
            )
            flags |= {verdict.flag: None} if verdict.flag else {}
            is_denied = is_denied or verdict.decision == "deny"
    if not refused:
        return
    said = "\n".join((*refused, "Nothing was run and nothing was said."))
    if is_denied or not flags:
        raise Denied(said)
    raise NeedsConsent(f"{said} Add {' '.join(flags)} to let it run.")


def _without_log(result: ToolResult) -> str:
    """Return what a command gave without naming its log, which is gone by the time somebody could read it."""
    log = result.facts.log
    return result.text.replace(f"[all output: {log}]", "[long: the middle is left out]") if log else result.text


def _place(command: Command, line: int) -> str:
    return f"{command.source}:{command.first_line + line - 1}"


class _Running:
    """A shell command that belongs to no call of a VP: what it prints is only needed at its end."""

    def __init__(self) -> None:
        self.call_id = f"c_{ids.new_session_id()}"

    def show(self, chunk: str) -> None:
        """Show nothing."""
