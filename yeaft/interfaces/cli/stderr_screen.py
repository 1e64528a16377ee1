"""What standard error says besides the answer: notices, questions nobody can answer, failures, and tool calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from yeaft.events.call import AskOpened, AskWithdrawn, CallFinished, CallStarted
from yeaft.events.codec import Recorded, Transient
from yeaft.events.session import NoticePosted
from yeaft.events.turn import ModelSwitched, ReplyCompleted, RequestSent, RetryWaiting, TurnEnded
from yeaft.interfaces.cli.streams import complain
from yeaft.tools.visible import visible

if TYPE_CHECKING:
    from yeaft.prompts.ui import Ui

BRIEF_CHARS = 100


class StderrScreen:
    """Writes one line per thing worth knowing. `quiet` leaves only failures and questions.

    `limits` are the limits in force, by kind, as the user would write them. Nothing more is said once it `is_muted`.
    """

    def __init__(self, ui: Ui, session_id: str, limits: Mapping[str, str], *, quiet: bool, verbose: int) -> None:
        self.is_muted = False
        self._ui = ui
        self._session_id = session_id
        self._limits = limits
        self._quiet = quiet
        self._verbose = verbose
        self._asks: dict[str, AskOpened] = {}
        self._models: dict[str, str] = {}
        self._vps: dict[str, str] = {}

    def tell(self, code: str, **params: str | float) -> None:
        """Write the words for `code`."""
        self.say(self._ui.text(code, session=self._session_id, **params))

    def say(self, line: str) -> None:
        """Write a line."""
        if not self.is_muted:
            complain(line)

    def hear(self, heard: Recorded | Transient) -> None:
        """Take in one event."""
        event = heard.event if isinstance(heard, Recorded) else heard
        match event:
            case AskOpened():
                self._asks[event.ask_id] = event
            case AskWithdrawn(ask_id=ask_id, reason="headless") if ask_id in self._asks:
                self._question(self._asks[ask_id])
            case RequestSent(turn_id=turn_id, vp=vp_id, model=model):
                self._models[vp_id], self._vps[turn_id] = model, vp_id
                dropped = event.window.dropped
                if dropped and event.round == 0 and not self._quiet:
                    self.tell("turn.window_dropped", vp=vp_id, count=dropped)
            case TurnEnded():
                self._end(event)
            case NoticePosted(code=code, params=params, level=level) if level != "info" or not self._quiet:
                self.tell(code, **params)
            case _:
                if not self._quiet:
                    self._remark(event)

    def _remark(self, event: object) -> None:
        match event:
            case RetryWaiting(vp_id=vp_id, left_s=left_s, reason=reason, attempt=attempt):
                why = self._ui.text(f"retry.{reason}")
                self.tell("retry.waiting", vp=vp_id, seconds=f"{left_s:.0f}", reason=why, attempt=attempt)
            case ModelSwitched(turn_id=turn_id, from_model=old, to_model=new, reason=reason):
                why = self._ui.text(f"retry.{reason}")
                self.tell("model.switched", vp=self._vps.get(turn_id, ""), reason=why, to=new, **{"from": old})
            case ReplyCompleted(turn_id=turn_id, stop=stop) if stop.startswith("other:"):
                self.tell("turn.unknown_stop", vp=self._vps.get(turn_id, ""), stop=stop.removeprefix("other:"))
            case ReplyCompleted(turn_id=turn_id, stop="cut"):
                self.tell("turn.cut", vp=self._vps.get(turn_id, ""))
            case CallStarted(tool=tool, args=args) if self._verbose:
                self.say(f"{tool} {_brief(bytes(args).decode())}")
            case CallFinished(tool=tool, status=status, text=text) if self._verbose and status != "ok":
                self.say(f"{tool}: {status}: {_brief(text)}")
            case _:
                pass

    def _question(self, ask: AskOpened) -> None:
        code = "ask.needs_approval_flag" if ask.flag else "ask.needs_approval"
        self.tell(code if ask.kind == "approval" else "ask.needs_human", vp=ask.vp_id, text=ask.text, flag=visible(ask.flag))

    def _end(self, ended: TurnEnded) -> None:
        vp_id = ended.vp_id
        model = self._models.get(vp_id, "")
        match ended.outcome:
            case "answered" | "handed_off" | "needs_human":
                return
            case "limit":
                limit = self._limits.get(ended.limit or "", str(ended.rounds))
                code = "context_exceeded" if ended.limit == "tokens" else f"{ended.limit}_limit"
                self.tell(f"turn.{code}", vp=vp_id, limit=limit, times=ended.rounds, model=model)
            case "failed":
                failure = ended.error
                if failure is not None and failure.kind == "empty":
                    self.tell("turn.empty_reply", vp=vp_id, times=2)
                elif failure is not None and failure.kind == "context":
                    self.tell("turn.context_exceeded", vp=vp_id, model=model)
                else:
                    self.tell("turn.failed", vp=vp_id, message=failure.message if failure else "")
            case "refused" | "aborted" | "lost":
                self.tell(f"turn.{ended.outcome}", vp=vp_id)


def _brief(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= BRIEF_CHARS else line[: BRIEF_CHARS - 1] + "…"
