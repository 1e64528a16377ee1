"""`--input-format stream-json`: prompts, answers and interrupts as lines on standard input."""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import TYPE_CHECKING, Any

import msgspec

from yeaft.events.call import Decision
from yeaft.events.ops import Answer, AnyOp, Interrupt, Say, Steer
from yeaft.kernel import ids
from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.errors import BadData, YeaftError

if TYPE_CHECKING:
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.cli.signals import Signals

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


async def follow_input(here: Opened, signals: Signals) -> None:
    """Do what each line asks, at once, until standard input ends; then finish what runs.

    A line that cannot be understood ends the input with `BadData`, after what runs has finished. Open questions are
    withdrawn at the end of input: nobody could answer them any more.
    """
    lines = _Lines()
    signals.also(lines.close)
    problem: YeaftError | None = None
    while signals.exit_code is None and (line := await lines.next()) is not None:
        if not line.strip():
            continue
        try:
            here.session.send(read_op(line, lines.number))
        except YeaftError as error:
            problem = error
            break
    here.approvals.leave()
    await here.session.idle()
    if problem is not None:
        raise problem


def read_op(line: str, number: int) -> AnyOp:
    """Return the op that a line of input stands for. Raises `BadData` that names the line."""
    try:
        found = msgspec.json.decode(line, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise BadData(f"Line {number} of standard input is not a JSON object: {error}.") from error
    kind = found.get("type", "user" if "prompt" in found else "")
    match kind:
        case "user" | "prompt" | "say":
            targets = found.get("to") or found.get("targetVps") or ()
            if not isinstance(targets, list | tuple) or not all(isinstance(target, str) for target in targets):
                raise BadData(f"Line {number}: `to` must be a list of VP names.")
            text = _text(found)
            if not text.strip():
                raise BadData(f"Line {number}: the prompt is empty.")
            op_id = str(found.get("op_id") or ids.new_ulid(wall_clock_ms()))
            return Say(text=text, to=tuple(targets), op_id=op_id)
        case "steer":
            return Steer(text=_text(found), vp_id=str(found.get("vp", "")))
        case "answer" | "approval":
            return _answer(found, number)
        case "interrupt":
            return Interrupt(vp_id=str(found.get("vp", "")))
        case _:
            raise BadData(f"Line {number}: no input of type {kind!r}; known are user, steer, answer, interrupt.")


def _answer(found: dict[str, Any], number: int) -> Answer:
    decision = DECISIONS.get(str(found.get("decision", "once")))
    ask_id = found.get("id") or found.get("ask_id")
    if decision is None or not isinstance(ask_id, str):
        raise BadData(f"Line {number}: an answer needs `id`, and a decision of once, session, always or deny.")
    choices = found.get("choices") or found.get("choice") or ()
    choices = (choices,) if isinstance(choices, str) else tuple(map(str, choices))
    text = str(found.get("text") or found.get("reason") or "")
    return Answer(ask_id=ask_id, decision=decision, choice=choices, text=text, rule=str(found.get("rule", "")))


def _text(found: dict[str, Any]) -> str:
    message = found.get("message")
    content: Any = message.get("content") if isinstance(message, dict) else None
    for value in (content, found.get("content"), found.get("text"), found.get("prompt")):
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            return "".join(str(part.get("text", "")) for part in value if isinstance(part, dict))
    return ""


class _Lines:
    """Lines of standard input, read by a thread so that files, pipes and terminals all work alike."""

    def __init__(self) -> None:
        self.number = 0
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, name="input", daemon=True).start()

    async def next(self) -> str | None:
        """Return the next line; None at the end."""
        line = await self._queue.get()
        self.number += 1
        return line

    def close(self) -> None:
        """Act as if the input had ended."""
        self._queue.put_nowait(None)

    def _read(self) -> None:
        for raw in sys.stdin.buffer:
            self._loop.call_soon_threadsafe(self._queue.put_nowait, raw.decode("utf-8", "replace"))
        self._loop.call_soon_threadsafe(self._queue.put_nowait, None)
