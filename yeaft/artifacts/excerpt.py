"""What a model is told of an artifact: a line of what it is, and as much of its content as a budget allows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from yeaft.artifacts.tables import Table, read_table, write_table
from yeaft.kernel.errors import BadData

if TYPE_CHECKING:
    from yeaft.artifacts.artifact import Artifact

TEXT_CHARS = 4000
TABLE_ROWS = 20
COLUMNS_NAMED = 50


def index_line(artifact: Artifact) -> str:
    """Return one line of what it is, with nothing of its content."""
    facts = [artifact.type, f"{artifact.size_bytes:,} bytes"]
    if artifact.type == "table":
        facts.insert(1, f"{artifact.rows:,} rows x {len(artifact.columns)} columns")
    made_by = artifact.created_by.removeprefix("vp:")
    by = made_by if artifact.created_by == made_by else f"@{made_by}"
    revision = f", revision {artifact.revision}" if artifact.revision > 1 else ""
    said = " ".join(artifact.description.split())
    return (
        f"{artifact.artifact_id} {artifact.name} ({', '.join(facts)}{revision}, by {by}){f': {said}' if said else ''}"
    )


def excerpt(artifact: Artifact, content: bytes, *, text_chars: int = TEXT_CHARS, rows: int = TABLE_ROWS) -> str:
    """Return the beginning of the content, and where it stops what is left out; empty for what is no text."""
    match artifact.type:
        case "text" | "diff":
            return _cut(content.decode("utf-8", "replace"), text_chars)
        case "url":
            return content.decode("utf-8", "replace").strip()
        case "json":
            return _cut(_tight(content), text_chars)
        case "table":
            return _of_table(artifact, content, rows, text_chars)
        case "image" | "file" | "model":
            return ""


def _of_table(artifact: Artifact, content: bytes, rows: int, text_chars: int) -> str:
    try:
        table = read_table(content.decode("utf-8", "replace"), columns=artifact.columns)
    except BadData:
        return _cut(content.decode("utf-8", "replace"), text_chars)
    named = ", ".join(f"{column.name} {column.type}" for column in table.columns[:COLUMNS_NAMED])
    more = f", and {len(table.columns) - COLUMNS_NAMED} more" if len(table.columns) > COLUMNS_NAMED else ""
    shown = write_table(Table(columns=table.columns, rows=table.rows[:rows]))
    left = len(table.rows) - rows
    end = f"[{left:,} more rows]" if left > 0 else ""
    return "\n".join(part for part in (f"Columns: {named}{more}", _cut(shown.rstrip("\n"), text_chars), end) if part)


def _tight(content: bytes) -> str:
    """Return JSON without needless white space if it is long, as it is if not."""
    text = content.decode("utf-8", "replace")
    if len(text) <= TEXT_CHARS:
        return text.rstrip("\n")
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return text


def _cut(text: str, chars: int) -> str:
    if len(text) <= chars:
        return text.rstrip("\n")
    head = text[:chars]
    head = head.rpartition("\n")[0] or head
    return f"{head}\n[{len(text) - len(head):,} more characters]"
