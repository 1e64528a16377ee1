"""The blocks that a transcript is made of: values, equal as long as there is nothing new to draw."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from yeaft.engine.state import CallState
from yeaft.events.session import Level, MessagePosted
from yeaft.events.turn import TurnEnded


class Block(Struct, frozen=True, kw_only=True):
    """What every block has: a `key` that stays the same while its content grows."""

    key: str


class Posted(Block, frozen=True, kw_only=True):
    """What the user said, or what one VP handed to another; `at_ms` is UTC. `files` are names of attachments."""

    message: MessagePosted
    at_ms: int = 0
    files: tuple[str, ...] = ()


class Heading(Block, frozen=True, kw_only=True):
    """Whose turn follows, with which model (empty until the first request)."""

    vp_id: str
    turn_id: str
    model: str = ""
    at_ms: int = 0


class Thought(Block, frozen=True, kw_only=True):
    """What a VP thought before it spoke; still growing if it `is_live`."""

    vp_id: str
    text: str
    is_live: bool = False


class Words(Block, frozen=True, kw_only=True):
    """What a VP said, as Markdown; still growing if it `is_live`."""

    vp_id: str
    turn_id: str
    text: str
    is_live: bool = False


class ToolUse(Block, frozen=True, kw_only=True):
    """A tool call with all that is known of it; `output` is the end of what it has printed while it runs."""

    vp_id: str
    turn_id: str
    call: CallState
    output: str = ""


class TurnOver(Block, frozen=True, kw_only=True):
    """How a turn ended, and how long it took (0 if that is not known)."""

    vp_id: str
    ended: TurnEnded
    duration_ms: int = 0


class Remark(Block, frozen=True, kw_only=True):
    """Something the user should know, in the user's language; one that `follows` another one stands close below it."""

    text: str
    level: Level = "info"
    follows: bool = False


AnyBlock = Posted | Heading | Thought | Words | ToolUse | TurnOver | Remark
LaneState = Literal["waiting", "thinking", "speaking", "calling", "asking", "retrying"]


class Lane(Struct, frozen=True, kw_only=True):
    """What one VP that is at work does right now, as one line can tell it.

    `about` is the tool and its subject, or the end of what is being said. `tokens` counts what this turn has got from
    models so far, what is streaming now estimated. While it is `retrying`: when it tries again (UTC ms), and which kind
    of failure (a `ModelErrorKind`, with the HTTP status if there was one) of which `provider/model` it waits after.
    """

    vp_id: str
    turn_id: str
    state: LaneState
    about: str = ""
    started_ms: int = 0
    tokens: int = 0
    cost_usd: float | None = None
    left_s: float = 0.0
    due_ms: int = 0
    failed: str = ""
    status: int = 0
    model: str = ""
