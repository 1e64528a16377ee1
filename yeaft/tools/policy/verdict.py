"""What the policy says about a call."""

import shlex
from typing import Literal

from msgspec import Struct

Judgement = Literal["allow", "ask", "deny"]


class Judged(Struct, frozen=True, kw_only=True):
    """One command of a shell script: as it is written, and what is said about it."""

    command: str
    verdict: Judgement
    rule: str = ""
    reason: str = ""


class Verdict(Struct, frozen=True, kw_only=True):
    """Whether a call may run.

    `rule` is the rule that decided, empty when the mode did; `reason` says why in a sentence for the human or, for a
    denial, the model. When asking, `offer` is the rule that would allow it for good (empty: no rule can) and `flag`
    what to add to the command line. `commands` are the commands of a shell script, each with what is said about it.
    """

    decision: Judgement
    rule: str = ""
    reason: str = ""
    offer: str = ""
    flag: str = ""
    commands: tuple[Judged, ...] = ()


def allow_flag(offer: str) -> str:
    """The command-line flag that adds an allow rule."""
    return f"--allow {shlex.quote(offer)}"
