"""Facts about what is allowed from now on."""

from typing import Literal

from yeaft.events.fact import Fact


class RuleSaved(Fact, frozen=True, kw_only=True, tag="rule.saved"):
    """The human's answer to a question became a rule that allows: for this Session, or `always`.

    `path` is the file that an `always` rule was written to. `ask_id` is the question.
    """

    rule: str
    scope: Literal["session", "always"]
    ask_id: str = ""
    path: str = ""


class TrustGranted(Fact, frozen=True, kw_only=True, tag="trust.granted"):
    """What a folder brings along is used in this Session: settings, hooks, servers, skills, commands and VPs.

    `digest` is the SHA-256 of those files. `saved` means that the user has trusted them before, `flag` that it holds
    for one process.
    """

    folder: str
    digest: str
    how: Literal["saved", "flag"]
