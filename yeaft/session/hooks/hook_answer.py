"""What a hook says by its exit code and its output: a pure function of how its command ended."""

from typing import Any, Literal

import msgspec
from msgspec import Struct, field

from yeaft.events.tools import HookOutcome
from yeaft.session.hooks.hook_process import Ran
from yeaft.session.hooks.hooks_file import HookEvent

BLOCK_CODE = 2
SHOWN_CHARS = 2000
CAN_BLOCK: tuple[HookEvent, ...] = ("PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SubagentStop")
WITH_CONTEXT: tuple[HookEvent, ...] = ("UserPromptSubmit", "SessionStart")
"""Events whose hooks add what they print to what the VP is told."""

Decision = Literal["", "allow", "ask", "deny"]
WORDS: dict[str, Decision] = {
    "": "",
    "allow": "allow",
    "approve": "allow",
    "ask": "ask",
    "block": "deny",
    "deny": "deny",
}


class Answer(Struct, frozen=True, kw_only=True):
    """What one hook wants. `stops` means that the work is to stop, `message` is for the user, `context` for the VP.

    A `warning` says what is wrong with the hook; it decides nothing then.
    """

    outcome: HookOutcome = "ok"
    decision: Decision = ""
    reason: str = ""
    context: str = ""
    stops: bool = False
    message: str = ""
    warning: str = ""


class _Specific(Struct, frozen=True):
    permission_decision: str | None = field(default=None, name="permissionDecision")
    permission_reason: str | None = field(default=None, name="permissionDecisionReason")
    context: str | None = field(default=None, name="additionalContext")
    updated_input: Any = field(default=None, name="updatedInput")


class _Said(Struct, frozen=True):
    goes_on: bool | None = field(default=None, name="continue")
    stop_reason: str | None = field(default=None, name="stopReason")
    decision: str | None = None
    reason: str | None = None
    message: str | None = field(default=None, name="systemMessage")
    specific: _Specific | None = field(default=None, name="hookSpecificOutput")


def answer_of(event: HookEvent, ran: Ran) -> Answer:
    """Return what the hook wants: exit code 0 is yes or what its JSON says, 2 is no, any other a fault of its own."""
    if ran.error:
        return Answer(outcome="failed", warning=ran.error)
    if ran.timed_out:
        return Answer(outcome="timed_out", warning=f"it was stopped after {ran.duration_ms / 1000:.1f} s")
    complaint = ran.stderr.strip()[:SHOWN_CHARS]
    if ran.exit_code == BLOCK_CODE:
        if event in CAN_BLOCK:
            return Answer(outcome="blocked", decision="deny", reason=complaint)
        return Answer(outcome="warned", warning=complaint or f"exit code {BLOCK_CODE}, but there is nothing to block")
    if ran.exit_code != 0:
        return Answer(outcome="warned", warning=": ".join(filter(None, (f"exit code {ran.exit_code}", complaint))))
    text = ran.stdout.strip()
    if text.startswith("{"):
        return _answer_in_json(event, text)
    return Answer(context=text if event in WITH_CONTEXT else "")


def _answer_in_json(event: HookEvent, text: str) -> Answer:
    try:
        said = msgspec.json.decode(text, type=_Said)
    except (msgspec.DecodeError, RecursionError) as error:
        return Answer(outcome="warned", warning=f"what it printed looks like JSON and cannot be used: {error}")
    specific = said.specific or _Specific()
    word, reason = said.decision or "", said.reason or ""
    if event == "PreToolUse" and specific.permission_decision:
        word, reason = specific.permission_decision, specific.permission_reason or reason
    decision = WORDS.get(word.casefold())
    warning = "" if decision is not None else f"{word!r} is no decision: there are {', '.join(filter(None, WORDS))}"
    if specific.updated_input is not None:
        warning = "updatedInput is not supported; the call stays as it is"
    if event not in CAN_BLOCK and decision == "deny":
        decision, warning = "", "there is nothing to block"
    stops = said.goes_on is False
    blocked = stops or decision == "deny"
    return Answer(
        outcome="blocked" if blocked else "warned" if warning else "ok",
        decision=decision or "",
        reason=((said.stop_reason if stops else "") or reason).strip()[:SHOWN_CHARS],
        context=(specific.context or "").strip(),
        stops=stops,
        message=(said.message or "").strip()[:SHOWN_CHARS],
        warning=warning,
    )
