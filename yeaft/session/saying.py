"""The messages that a user's ops become."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.events.session import MessagePosted
from yeaft.kernel.text import without_surrogates

if TYPE_CHECKING:
    from yeaft.events.ops import Say, Steer
    from yeaft.events.turn import TurnStarted
    from yeaft.session.addressing import Addressed


def said(op: Say, message_id: str, text: str, addressed: Addressed) -> MessagePosted:
    """What the user says, to those it is addressed to; `text` is that of the op without surrogates."""
    return MessagePosted(
        message_id=message_id,
        sender="user",
        to=addressed.to,
        kind="user",
        text="\n\n".join(part for part in (text, without_surrogates(op.attached)) if part),
        root_id=message_id,
        op_id=op.op_id,
        unknown_mentions=addressed.unknown,
        attachments=tuple(one.attachment_id for one in op.attachments),
        verbatim=op.verbatim,
    )


def steered(op: Steer, message_id: str, started: TurnStarted, root_id: str) -> MessagePosted:
    """What the user adds to a running turn."""
    return MessagePosted(
        message_id=message_id,
        sender="user",
        to=(started.vp_id,),
        kind="steer",
        text=without_surrogates(op.text),
        root_id=root_id,
        turn_id=started.turn_id,
        op_id=op.op_id,
    )
