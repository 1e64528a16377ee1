"""The pictures of a block of the transcript: those that a call has given back, and those that the user sent along."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from yeaft.interfaces.tui.blocks import AnyBlock, Posted, ToolUse
from yeaft.store.attachments import Attachments
from yeaft.store.directory import session_paths

if TYPE_CHECKING:
    from yeaft.interfaces.tui.panels.situation import Situation

PICTURES = "image/"


class Picture(Struct, frozen=True, kw_only=True):
    """One picture: what it is called, where it lies, and how to get at it; `content` blocks, None means it is gone."""

    name: str
    mime: str
    size_bytes: int
    path: Path
    content: Callable[[], bytes | None]


class _Given(Struct, frozen=True):
    file_path: str = ""


def pictures_of(block: AnyBlock, situation: Situation) -> list[Picture]:
    """Return the pictures of a block, none for most."""
    match block:
        case ToolUse():
            return _of_call(block, situation)
        case Posted():
            return _of_message(block, situation)
        case _:
            return []


def _of_call(block: ToolUse, situation: Situation) -> list[Picture]:
    finished = block.call.finished
    named = _named_file(block.call.call.args_raw)
    blobs = session_paths(situation.home, situation.state.session_id).blobs
    found: list[Picture] = []
    for image in finished.images if finished else ():
        path = situation.here.folder / named if named else blobs / image.sha256
        found.append(
            Picture(
                name=Path(named).name if named else block.call.call.tool,
                mime=image.mime,
                size_bytes=image.size_bytes,
                path=path,
                content=_blob(situation, image.sha256),
            )
        )
    return found


def _blob(situation: Situation, sha256: str) -> Callable[[], bytes | None]:
    return lambda: situation.here.blob(sha256)


def _of_message(block: Posted, situation: Situation) -> list[Picture]:
    folder = session_paths(situation.home, situation.state.session_id).attachments
    kept = Attachments(folder)
    found: list[Picture] = []
    for attachment_id in block.message.attachments:
        added = situation.state.attachments.get(attachment_id)
        if added is not None and added.mime.startswith(PICTURES):
            found.append(
                Picture(
                    name=added.name,
                    mime=added.mime,
                    size_bytes=added.size_bytes,
                    path=folder / added.file,
                    content=_file(kept, added.file, added.sha256),
                )
            )
    return found


def _file(kept: Attachments, file: str, sha256: str) -> Callable[[], bytes | None]:
    return lambda: kept.read(file, sha256)


def _named_file(args_raw: str) -> str:
    """Return the file that a call was about, empty if it names none."""
    try:
        return msgspec.json.decode(args_raw or "{}", type=_Given, strict=False).file_path
    except (msgspec.DecodeError, msgspec.ValidationError):
        return ""
