"""Blocks as a Session makes them, and an app that shows nothing but a transcript."""

import json
from collections.abc import Sequence
from typing import Any

from msgspec import Raw
from textual.app import App, ComposeResult

from yeaft.engine.state import CallState
from yeaft.events.call import CallFinished, CallStarted, Facts
from yeaft.events.session import MessagePosted
from yeaft.events.turn import TurnEnded
from yeaft.interfaces.tui.blocks import AnyBlock, Heading, Posted, Remark, Thought, ToolUse, TurnOver, Words
from yeaft.interfaces.tui.look import Look
from yeaft.interfaces.tui.scene import Change
from yeaft.interfaces.tui.transcript.palette import palette_of
from yeaft.interfaces.tui.transcript.transcript import Transcript
from yeaft.interfaces.tui.transcript.view import View
from yeaft.kernel.messages import Call
from yeaft.prompts.ui import Ui


def said(number: int, text: str) -> Posted:
    key = f"m{number}"
    message = MessagePosted(message_id=key, sender="user", to=("omni",), kind="user", text=text, root_id=key)
    return Posted(key=key, message=message)


def words(number: int, text: str, *, is_live: bool = False) -> Words:
    return Words(key=f"w{number}", vp_id="omni", turn_id=f"t{number}", text=text, is_live=is_live)


def heading(number: int) -> Heading:
    return Heading(key=f"t{number}", vp_id="omni", turn_id=f"t{number}", model="test/model")


def thought(number: int, text: str, *, is_live: bool = False) -> Thought:
    return Thought(key=f"h{number}", vp_id="omni", text=text, is_live=is_live)


def over(number: int) -> TurnOver:
    return TurnOver(key=f"o{number}", vp_id="omni", ended=TurnEnded(turn_id="t", vp_id="omni", outcome="answered"))


def remark(number: int, text: str) -> Remark:
    return Remark(key=f"r{number}", text=text)


def call(number: int, tool: str = "Bash", text: str | None = "done\n", *, output: str = "", **how: Any) -> ToolUse:
    """A call with its result, or one that runs if `text` is None; `status`, `exit_code` and arguments by name."""
    key, status, images = f"c{number}", how.pop("status", "ok"), how.pop("images", ())
    facts = Facts(exit_code=how.pop("exit_code", None))
    raw = json.dumps(how)
    started = CallStarted(call_id=key, turn_id="t", tool=tool, args=Raw(raw.encode()), guard="read")
    finished = None
    if text is not None:
        finished = CallFinished(
            call_id=key, turn_id="t", tool=tool, status=status, text=text, images=images, facts=facts
        )
    state = CallState(call=Call(call_id=key, wire_id=key, tool=tool, args_raw=raw), started=started, finished=finished)
    return ToolUse(key=key, vp_id="omni", turn_id="t", call=state, output=output)


def view(columns: int = 60, **how: Any) -> View:
    look = Look(colours="none")
    return View(columns=columns, look=look, palette=palette_of(look), ui=Ui("en"), pictures=lambda *_: (), **how)


class OneTranscript(App[None]):
    """Shows a transcript alone. `asked` counts how often it wanted what lies back."""

    def __init__(self, look: Look | None = None) -> None:
        super().__init__()
        self.asked = 0
        self.older: list[tuple[AnyBlock, ...]] = []
        self.transcript = Transcript(look or Look(), Ui("en"))

    def compose(self) -> ComposeResult:
        yield self.transcript

    def on_transcript_wants_older(self) -> None:
        self.asked += 1
        self.transcript.prepend(self.older.pop() if self.older else ())

    def shows(self, done: Sequence[AnyBlock], tail: Sequence[AnyBlock] = (), *, is_reset: bool = False) -> None:
        self.transcript.apply(Change(done=tuple(done), tail=tuple(tail), is_reset=is_reset))

    @property
    def lines(self) -> list[str]:
        return [self.transcript.render_line(y).text[1:].rstrip() for y in range(self.transcript.size.height)]
