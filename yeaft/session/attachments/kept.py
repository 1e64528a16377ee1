"""What was attached to a Session, seen from its requests: where the content is, and what the user is told of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from yeaft.engine.pictures import is_picture
from yeaft.events.session import NoticePosted

if TYPE_CHECKING:
    from yeaft.events.fact import BlobRef
    from yeaft.events.history import AttachmentAdded
    from yeaft.llm.model import ModelEntry
    from yeaft.session.state import SessionState
    from yeaft.store.attachments import Attachments
    from yeaft.store.journal import Blobs


ContentOf = Callable[[str], bytes | None]
"""Gives the content with a SHA-256; None if it is gone."""


def content_in(state: SessionState, attachments: Attachments | None, blobs: Blobs) -> ContentOf:
    """Look for content among attached files (`state` says which there are) and blobs."""

    def content(sha256: str) -> bytes | None:
        if attachments is not None:
            for one in state.attachments.values():
                if one.sha256 == sha256 and (found := attachments.read(one.file, sha256)) is not None:
                    return found
        return blobs.get(sha256)

    return content


def gone(attachments: Iterable[AttachmentAdded], ref: BlobRef) -> tuple[NoticePosted, ...]:
    """Tell the user which attached file is missing, if it is one."""
    names = dict.fromkeys(one.name for one in attachments if one.sha256 == ref.sha256)
    return tuple(NoticePosted(code="attachment.gone", params={"name": name}, level="warn") for name in names)


def unseen(attachments: Iterable[AttachmentAdded], entry: ModelEntry) -> tuple[NoticePosted, ...]:
    """Tell the user that a model cannot see the pictures that were attached."""
    if entry.images or not any(map(is_picture, attachments)):
        return ()
    return (NoticePosted(code="attachment.unseen", params={"model": entry.ref}, level="warn"),)
