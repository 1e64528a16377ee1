"""Typed outputs of steps, kept as artifacts; and whether those that a step depends on are still what they were."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec

from yeaft.artifacts.artifact import Draft, stored
from yeaft.artifacts.keeping import keep
from yeaft.artifacts.kinds import LIMITS_BYTES
from yeaft.artifacts.said_tables import check_said_table
from yeaft.artifacts.tables import read_table
from yeaft.events.artifact import ArtifactStored, ArtifactType, ColumnType, Provenance
from yeaft.kernel.errors import BadData, YeaftError
from yeaft.workflows.graphs.conditions import text_of
from yeaft.workflows.graphs.graph import OutType

if TYPE_CHECKING:
    from yeaft.artifacts.artifact import Artifact
    from yeaft.artifacts.store import ArtifactStore
    from yeaft.workflows.graphs.runs.doing import Work

HANDED: frozenset[OutType] = frozenset(("table", "image", "diff", "file", "url", "model"))
"""What is handed over as a file or as its content, rather than as a value."""
BY_PATH_ONLY: frozenset[OutType] = frozenset(("image", "file", "model"))
MOST_TEXT_CHARS = 100_000
"""A longer diff goes on as a reference only."""
MOST_ROWS = 10_000
PATH = {"type": "string", "description": "A file below the work folder that holds the result."}
CONTENT = {
    "type": "string",
    "description": "The result itself, instead of a path: CSV with a head line, a diff, an address.",
}
MORE = {
    "name": {"type": "string", "description": "What to call it; a file name."},
    "description": {"type": "string", "description": "One sentence on what it holds."},
}


def handed_schema(out: OutType) -> dict[str, Any]:
    """Return the JSON Schema of what a VP hands over for an output of one of the types `HANDED`."""
    if out in BY_PATH_ONLY:
        return {"type": "object", "properties": {"path": PATH, **MORE}, "required": ["path"]}
    return {
        "type": "object",
        "properties": {"path": PATH, "content": CONTENT, **MORE},
        "anyOf": [{"required": ["path"]}, {"required": ["content"]}],
    }


class KeptOutputs:
    """Keeps what steps give in `store`; `tell` hears of each artifact."""

    def __init__(self, store: ArtifactStore, tell: Callable[[ArtifactStored], None]) -> None:
        self._store = store
        self._tell = tell

    def mistake(self, artifact_ids: Sequence[str]) -> str:
        """Say what is wrong with artifacts that a step depends on; empty for nothing. Blocks."""
        try:
            for one in artifact_ids:
                self._store.read(self._store.find(one))
        except YeaftError as error:
            return str(error)
        return ""

    async def keep(self, work: Work, made_by: str, value: Any, folder: Path) -> tuple[Any, tuple[str, ...]]:
        """Keep what a step gave, if it is to be kept, and return what goes on with the ids of artifacts.

        `folder` is where paths begin and what they may not lead out of. Raises `BadData` for what is not of the
        step's type, `StoreFailed`, `SessionBusy`.
        """
        step = work.step
        if step.out not in HANDED and not step.keep:
            return value, ()

        def kept() -> tuple[Any, Artifact]:
            draft = self._draft(work, made_by, value, folder)
            if draft.type == "table" and not draft.provenance.source:
                check_said_table(draft)
            artifact = keep(self._store, draft)
            return _passed_on(step.out, value, draft.content, artifact, self._store.out), artifact

        passed, artifact = await asyncio.to_thread(kept)
        self._tell(stored(artifact))
        return passed, (artifact.artifact_id,)

    def _draft(self, work: Work, made_by: str, value: Any, folder: Path) -> Draft:
        step = work.step
        place = "".join(f"-{frame.index + 1}" for frame in work.act.scope)
        name, description, source = f"{step.id}{place}", step.label, ""
        if step.out in HANDED and isinstance(value, Mapping):
            handed = cast("Mapping[str, Any]", value)
            description = str(handed.get("description") or description)
            name = str(handed.get("name") or name)
            if path := handed.get("path"):
                file = _within(folder, str(path))
                content, source = _read(file, LIMITS_BYTES[_type(step.out)]), str(file)
                name = str(handed.get("name") or file.name)
            else:
                content = str(handed.get("content", "")).encode()
        elif step.out in ("json", "list"):
            content = msgspec.json.format(msgspec.json.encode(value), indent=2)
        else:
            content = text_of(value).encode()
        return Draft(
            name=name,
            content=content,
            type=_type(step.out),
            description=description,
            provenance=Provenance(created_by=made_by, step=step.id, run=work.run_id, source=source),
        )


def _type(out: OutType) -> ArtifactType:
    return "json" if out == "list" else out


def _within(folder: Path, path: str) -> Path:
    """The file that a path means. Raises `BadData` if it lies outside the folder or is none."""
    root = folder.resolve()
    file = (root / path).resolve()
    if not file.is_relative_to(root):
        raise BadData(f"The path {path!r} leads out of the work folder; hand over a file below it.")
    if not file.is_file():
        raise BadData(f"There is no file {path!r}; write it first, then hand over its path.")
    return file


def _read(file: Path, limit_bytes: int) -> bytes:
    size_bytes = file.stat().st_size
    if size_bytes > limit_bytes:
        raise BadData(f"{file.name} has {size_bytes:,} bytes; {limit_bytes:,} are the most.")
    return file.read_bytes()


def _cell(text: str, kind: ColumnType) -> str | int | float | bool | None:
    if not text:
        return None
    match kind:
        case "integer":
            return int(text)
        case "number":
            return float(text)
        case "boolean":
            return text.casefold() == "true"
        case "text" | "date":
            return text


def _passed_on(out: OutType, value: Any, content: bytes, artifact: Artifact, place: Path) -> Any:
    """What goes on to the next step: the value where it can be one, else what says where it is."""
    match out:
        case "text" | "json" | "list":
            return value
        case "url":
            return content.decode("utf-8", "replace").strip()
        case "table" if artifact.rows <= MOST_ROWS:
            table = read_table(content.decode(), columns=artifact.columns)
            return [
                {column.name: _cell(cell, column.type) for column, cell in zip(table.columns, row, strict=True)}
                for row in table.rows
            ]
        case "diff" if len(content) <= MOST_TEXT_CHARS:
            return content.decode("utf-8", "replace")
        case _:
            return {
                "artifact": artifact.artifact_id,
                "type": artifact.type,
                "name": artifact.name,
                "path": str(place / artifact.path),
            }
