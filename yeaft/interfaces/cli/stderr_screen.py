"""What standard error says besides the answer: notices, questions nobody can answer, failures, and tool calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from yeaft.events.call import AskOpened, AskWithdrawn, CallFinished, CallStarted
from yeaft.events.codec import Recorded, Transient
from yeaft.events.session import NoticePosted
from yeaft.events.turn import (
    ModelSwitched,
    ProgressShown,
    ReplyCompleted,
    RequestSent,
    RetryWaiting,
    TurnEnded,
    TurnStarted,
)
from yeaft.interfaces.cli.call_lines import call_line, failure_line
from yeaft.interfaces.cli.counted import counted
from yeaft.interfaces.cli.terminal_text import unmasked
from yeaft.tools.policy.visible import visible

if TYPE_CHECKING:
    from yeaft.prompts.ui import Ui

EMPTY_REPLIES = 2
"""So often the engine lets a model answer with nothing before it gives up."""
LONGEST_CHARS = 500
"""So much of a command or a flag is shown."""
Write = Callable[[str], None]
"""Puts one line on standard error."""
NO_FAILURE = ("ok", "not_run")
"""What no line is needed for: what a call did, and that it waits for a human, which the question says."""


class StderrScreen:
    """Writes one line per thing worth knowing. `quiet` leaves only failures and questions.

    `open_asks` are questions that an earlier process put. `limits` are the limits in force, by kind, as the user would
    write them. Calls are told if `with_calls`, in lines of at most `columns` columns. Nothing more is said once it
    `is_muted`.
    """

    def __init__(
        self,
        write: Write,
        ui: Ui,
        session_id: str,
        open_asks: Iterable[AskOpened],
        limits: Mapping[str, str],
        *,
        quiet: bool,
        with_calls: bool,
        columns: int | None,
    ) -> None:
        self.is_muted = False
        self._write = write
        self._ui = ui
        self._session_id = session_id
        self._limits = limits
        self._quiet = quiet
        self._with_calls = with_calls
        self._columns = columns
        self._asks = {ask.ask_id: ask for ask in open_asks}
        self._models: dict[str, str] = {}
        self._vps: dict[str, str] = {}
        self._told_of_window: set[str] = set()
        self._at_work: set[str] = set()

    def tell(self, code: str, **params: str | float) -> None:
        """Write the words for `code`."""
        self.say(self._ui.text(code, session=self._session_id, **params))

    def say(self, line: str) -> None:
        """Write a line that says whose it is."""
        self._put(f"yeaft: {line}")

    def hear(self, heard: Recorded | Transient) -> None:
        """Take in one event."""
        event = heard.event if isinstance(heard, Recorded) else heard
        match event:
            case AskOpened():
                self._asks[event.ask_id] = event
            case AskWithdrawn(ask_id=ask_id, reason="headless") if ask_id in self._asks:
                self._question(self._asks[ask_id])
            case TurnStarted(turn_id=turn_id, vp_id=vp_id):
                self._vps[turn_id] = vp_id
                self._at_work.add(turn_id)
            case RequestSent(turn_id=turn_id, vp=vp_id, model=model):
                self._models[vp_id], self._vps[turn_id] = model, vp_id
                dropped = event.window.dropped
                if dropped and vp_id not in self._told_of_window and not self._quiet:
                    self._told_of_window.add(vp_id)  # in a long Session it is so in every turn
                    self.tell("turn.window_dropped", vp=vp_id, turns=counted(self._ui, "earlier_turns", dropped))
            case TurnEnded():
                self._at_work.discard(event.turn_id)
                self._end(event)
            case NoticePosted(code=code, params=params, level=level) if level != "info" or not self._quiet:
                self.tell(code, **{name: self._ui.retold(value) for name, value in params.items()})
            case _:
                if not self._quiet:
                    self._remark(event)

    def _put(self, line: str) -> None:
        if not self.is_muted:
            self._write(unmasked(line))

    def _remark(self, event: object) -> None:
        match event:
            case RetryWaiting(vp_id=vp_id, left_s=left_s, reason=reason, attempt=attempt):
                why = self._ui.text(f"retry.{reason}")
                self.tell("retry.waiting", vp=vp_id, seconds=f"{left_s:.0f}", reason=why, attempt=attempt)
            case ProgressShown(code=code, params=params):
                self.tell(code, **params)
            case ModelSwitched(turn_id=turn_id, from_model=old, to_model=new, reason=reason):
                why = self._ui.text(f"retry.{reason}")
                self.tell("model.switched", vp=self._vps.get(turn_id, ""), reason=why, to=new, **{"from": old})
            case ReplyCompleted(turn_id=turn_id, stop=stop) if stop.startswith("other:"):
                self.tell("turn.unknown_stop", vp=self._vps.get(turn_id, ""), stop=stop.removeprefix("other:"))
            case ReplyCompleted(turn_id=turn_id, stop="cut"):
                self.tell("turn.cut", vp=self._vps.get(turn_id, ""))
            case CallStarted(turn_id=turn_id, tool=tool, args=args) if self._with_calls:
                vp_id = self._vps.get(turn_id, "") if len(self._at_work) > 1 else ""
                self._put(call_line(tool, args, vp=vp_id, columns=self._columns))
            case CallFinished(tool=tool, status="denied", text=text):
                self._put(failure_line(tool, "denied", text, columns=self._columns))
            case CallFinished(tool=tool, status=status, text=text) if self._with_calls and status not in NO_FAILURE:
                self._put(failure_line(tool, status, text, columns=self._columns))
            case _:
                pass

    def _question(self, ask: AskOpened) -> None:
        text = self._ui.retold(visible(ask.text))
        if ask.kind == "approval":
            text, flag = _shortened(text), _shortened(ask.flag if visible(ask.flag) == ask.flag else "")
            self.tell("ask.needs_approval_flag" if flag else "ask.needs_approval", vp=ask.vp_id, text=text, flag=flag)
            return
        options = "".join(f"\n  {number}. {visible(one)}" for number, one in enumerate(ask.options, start=1))
        self.tell("ask.needs_human", vp=ask.vp_id, text=text + options)

    def _end(self, ended: TurnEnded) -> None:
        vp_id = ended.vp_id
        model = self._models.get(vp_id, "")
        match ended.outcome:
            case "answered" | "handed_off" | "needs_human":
                return
            case "limit":
                limit = self._limits.get(ended.limit or "") or counted(self._ui, "rounds", ended.rounds)
                code = "context_exceeded" if ended.limit == "tokens" else f"{ended.limit}_limit"
                times = counted(self._ui, "times", ended.rounds)
                self.tell(f"turn.{code}", vp=vp_id, limit=limit, times=times, model=model)
            case "failed":
                failure = ended.error
                if failure is not None and failure.kind == "empty":
                    self.tell("turn.empty_reply", vp=vp_id, times=counted(self._ui, "times", EMPTY_REPLIES))
                elif failure is not None and failure.kind == "context":
                    self.tell("turn.context_exceeded", vp=vp_id, model=model)
                else:
                    self.tell("turn.failed", vp=vp_id, message=self._ui.retold(failure.message) if failure else "")
            case "refused" | "aborted" | "lost":
                self.tell(f"turn.{ended.outcome}", vp=vp_id)


def _shortened(text: str) -> str:
    """The beginning of what is too long to be judged; then a flag is no good either, which is as it should be."""
    return text if len(text) <= LONGEST_CHARS else f"{text[:LONGEST_CHARS]}… ({len(text)} characters)"
