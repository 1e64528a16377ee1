"""`--input-format stream-json`: prompts, answers and interrupts as lines on standard input."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import sys
import threading
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct, field

from yeaft.events.call import Decision
from yeaft.events.ops import Answer, AnyOp, Interrupt, Steer
from yeaft.kernel import ids
from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.errors import BadData, NotFound, UsageError, YeaftError
from yeaft.session.intake import Content, Draft
from yeaft.session.slash.effort import check_effort

if TYPE_CHECKING:
    from collections.abc import Callable

    from yeaft.interfaces.assemble import Opened

BYTE_ORDER_MARK = "\ufeff"
ATTACHED = ("image", "document")
"""The types of content parts that are files."""
DECISIONS: dict[str, Decision] = {
    "once": "once",
    "session": "session",
    "always": "always",
    "deny": "deny",
    "allow_once": "once",
    "allow_always": "always",
    "reject_once": "deny",
    "reject_always": "deny",
}


async def follow_input(here: Opened, lines: Lines, refuse: Callable[[YeaftError], None]) -> bool:
    """Do what each line asks, at once, until there are no more; then finish what runs. Say if there was any line.

    `refuse` hears of what cannot be done. A line that cannot be understood ends the input. Open questions are withdrawn
    at the end of input: nobody could answer them any more.
    """
    is_asked = False
    while (line := await lines.next()) is not None:
        if not line.strip():
            continue
        is_asked = True
        try:
            here.session.send(await _taken(here, line, lines.number))
        except NotFound as error:
            refuse(NotFound(f"Line {lines.number} of standard input: {error}"))
        except UsageError as error:
            refuse(UsageError(f"Line {lines.number} of standard input: {error}"))
            break
        except YeaftError as error:
            refuse(error)
            break
    here.approvals.leave()
    await here.session.idle()
    return is_asked


async def _taken(here: Opened, line: str, number: int) -> AnyOp:
    """Return the op that a line stands for; what is said has gone through all steps before it."""
    asked = read_op(line, number)
    if not isinstance(asked, Draft):
        return asked
    try:
        return await here.intake.take(asked)
    except BadData as error:
        raise BadData(f"Line {number} of standard input: {error}") from error


class PartSource(Struct, frozen=True, kw_only=True):
    """What a picture or document is; only base64 is taken, no address is fetched."""

    type: str = ""
    media_type: str = ""
    data: str = ""


class ContentPart(Struct, frozen=True, kw_only=True):
    """A part of a message's content: text, or a picture or document with its `source`."""

    type: str = "text"
    text: str = ""
    title: str = ""
    source: PartSource | None = None


class InputMessage(Struct, frozen=True, kw_only=True):
    """The message of a `user` line, as other agents' wrappers send it."""

    content: str | tuple[ContentPart, ...] = ""


class InputLine(Struct, frozen=True, kw_only=True):
    """A line of input, in all spellings that are understood."""

    type: str = ""
    message: InputMessage = InputMessage()
    content: str | tuple[ContentPart, ...] = ""
    text: str = ""
    prompt: str = ""
    to: tuple[str, ...] = ()
    target_vps: tuple[str, ...] = field(default=(), name="targetVps")
    vp: str = ""
    op_id: str = ""
    id: str = ""
    ask_id: str = ""
    decision: str = "once"
    choice: str | tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    reason: str = ""
    rule: str = ""

    @property
    def said(self) -> str:
        """The text, wherever it stands."""
        return _plain(self.message.content) or _plain(self.content) or self.text or self.prompt

    @property
    def files(self) -> tuple[ContentPart, ...]:
        """The parts that are pictures or documents."""
        parts = (*self._parts(self.message.content), *self._parts(self.content))
        return tuple(part for part in parts if part.type in ATTACHED)

    @staticmethod
    def _parts(content: str | tuple[ContentPart, ...]) -> tuple[ContentPart, ...]:
        return () if isinstance(content, str) else content


def read_op(line: str, number: int) -> AnyOp | Draft:
    """Return the op that a line of input stands for, or what is to be said. Raises `BadData` that names the line."""
    try:
        found = msgspec.json.decode(line, type=InputLine)
    except msgspec.DecodeError as error:
        raise BadData(f"Line {number} of standard input cannot be understood: {error}.") from error
    match found.type or ("user" if found.prompt else ""):
        case "user" | "prompt" | "say":
            contents = tuple(_content(part, place, number) for place, part in enumerate(found.files, start=1))
            if not (found.said.strip() or contents):
                raise BadData(f"Line {number} of standard input: the prompt is empty.")
            op_id = found.op_id or ids.new_ulid(wall_clock_ms())
            to = found.to or found.target_vps
            return Draft(text=found.said, to=to, contents=contents, typed=False, op_id=op_id)
        case "steer":
            check_effort(found.said)
            return Steer(text=found.said, vp_id=found.vp)
        case "answer" | "approval":
            return _answer(found, number)
        case "interrupt":
            return Interrupt(vp_id=found.vp)
        case kind:
            known = "user, steer, answer, interrupt"
            raise BadData(f"Line {number} of standard input: no input of type {kind!r}; known are {known}.")


def _answer(found: InputLine, number: int) -> Answer:
    decision = DECISIONS.get(found.decision)
    ask_id = found.id or found.ask_id
    if decision is None or not ask_id:
        needs = "an answer needs `id`, and a `decision` of once, session, always or deny"
        raise BadData(f"Line {number} of standard input: {needs}.")
    choice = (found.choice,) if isinstance(found.choice, str) else found.choice
    text = found.text or found.reason
    return Answer(ask_id=ask_id, decision=decision, choice=choice or found.choices, text=text, rule=found.rule)


def _content(part: ContentPart, place: int, number: int) -> Content:
    source = part.source
    if source is None or source.type != "base64":
        raise BadData(f"Line {number} of standard input: the {part.type} needs a `source` of the type base64.")
    try:
        raw = base64.b64decode("".join(source.data.split()), validate=True)
    except ValueError as error:
        raise BadData(f"Line {number} of standard input: the {part.type} is no base64 ({error}).") from error
    suffix = source.media_type.rpartition("/")[2]
    name = part.title or f"{part.type}{place}" + (f".{suffix}" if suffix.isalnum() else "")
    return Content(name=name, raw=raw, source="stdin")


def _plain(content: str | tuple[ContentPart, ...]) -> str:
    return content if isinstance(content, str) else "".join(part.text for part in content)


class Lines:
    """Lines of standard input, read by a thread so that files, pipes and terminals all work alike.

    `is_closed` says that the input was given up before its end.
    """

    def __init__(self) -> None:
        self.number = 0
        self.is_closed = False
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, name="input", daemon=True).start()

    async def next(self) -> str | None:
        """Return the next line; None at the end."""
        line = await self._queue.get()
        self.number += 1
        return None if self.is_closed else line

    def close(self) -> None:
        """Act as if the input had ended."""
        self.is_closed = True
        self._queue.put_nowait(None)

    def _read(self) -> None:
        try:
            for raw in sys.stdin.buffer:
                self._put(raw.decode("utf-8", "replace").removeprefix(BYTE_ORDER_MARK))
            self._put(None)
        except OSError:
            self._put(None)  # a directory, or a terminal that is gone

    def _put(self, line: str | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is over: nobody waits any more
            self._loop.call_soon_threadsafe(self._queue.put_nowait, line)
