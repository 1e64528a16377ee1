"""Which instruction files hold in a Session: where they are looked for, and what the user is told about them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from yeaft.session.instructions import LARGE_BYTES, Instructions, Sources, instructions, user_folders

if TYPE_CHECKING:
    from collections.abc import Mapping

    from yeaft.config.settings import Config
    from yeaft.interfaces.ground import Ground
    from yeaft.session.approvals import Approvals


def sources_of(config: Config, *, folder: Path, home: Path, environ: Mapping[str, str], is_trusted: bool) -> Sources:
    """Return where the instructions for `folder` come from; `home` is yeaft's own folder."""
    return Sources(
        folder=folder,
        home=Path(environ.get("HOME") or Path.home()),
        user_folders=user_folders(home, environ),
        names=config.instructions.names,
        limit_bytes=config.project_doc_max_bytes,
        is_trusted=is_trusted,
    )


def instructed(ground: Ground, approvals: Approvals) -> Ground:
    """Return the ground with the instructions that hold on it, as far as the rules let them be read."""

    def denies(path: Path) -> bool:
        return approvals.withheld("", ground.folder, path).holds(str(path))

    sources = replace(ground.sources, denies=denies)
    return replace(ground, sources=sources, instructions=instructions(sources))


def instruction_remarks(found: Instructions) -> Iterator[tuple[str, dict[str, str]]]:
    """What the user should know: which files are not used, or not whole, and that they are large."""
    for path in found.left_out:
        yield "instructions.left_out", {"path": str(path)}
    for path in found.cut:
        yield "instructions.cut", {"path": str(path)}
    if found.size_bytes > LARGE_BYTES and not found.cut:
        yield "instructions.large", {"size": f"{found.size_bytes // 1024} KiB"}
