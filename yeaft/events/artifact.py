"""Facts about artifacts: typed outputs that are kept in a folder `out`, with where they came from."""

from typing import Literal

from msgspec import Struct

from yeaft.events.fact import Fact

ArtifactType = Literal["text", "json", "table", "image", "diff", "file", "url", "model"]
ColumnType = Literal["text", "integer", "number", "boolean", "date"]


class Column(Struct, frozen=True, kw_only=True):
    """A column of a table; every cell of it is empty or can be read as `type`."""

    name: str
    type: ColumnType = "text"


class Provenance(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where an artifact came from.

    `created_by` is `user` or `vp:<id>`; `step` the step of a graph, `run` the turn or run, `tool` and `call_id` the
    call that made it, as far as there are any. `source` is the file or address it was taken from. `supersedes` is the
    id of the earlier revision of the same name.
    """

    created_by: str = "user"
    session_id: str = ""
    step: str = ""
    run: str = ""
    tool: str = ""
    call_id: str = ""
    source: str = ""
    supersedes: str = ""


class ArtifactStored(Fact, frozen=True, kw_only=True, tag="artifact.stored"):
    """An artifact is kept; its id follows from its type and content.

    `path` is its place below `out`, where it never changes; `name` is what it is called there, and `revision` counts
    what had that name from the same maker. `sha256` is that of the file. Only a table has `columns` and `rows`.
    It has no derived id, because the same file may be described anew.
    """

    artifact_id: str
    artifact_type: ArtifactType
    path: str
    name: str
    sha256: str
    size_bytes: int
    mime: str
    provenance: Provenance
    revision: int = 1
    description: str = ""
    columns: tuple[Column, ...] = ()
    rows: int = 0
