"""What the human is asked about while a call waits for the answer."""

from pathlib import Path

from msgspec import Struct

from yeaft.kernel.messages import Call
from yeaft.session.ledger import Ledger
from yeaft.tools.paths import Paths
from yeaft.tools.policy.verdict import Verdict
from yeaft.tools.policy.visible import visible
from yeaft.tools.tool import BoundCall

LONG_CHARS = 500
"""From here on a question tells how long the text is that the human says yes to."""


class Caller(Struct, frozen=True, kw_only=True):
    """A sub-agent that makes calls: whose it is, its own place in the journal, its folder, the root it goes back to."""

    vp_id: str
    ledger: Ledger
    folder: Path
    root_id: str


class Asked(Struct, frozen=True, kw_only=True):
    """A call that waits for the human: what it would do, and what rules and mode say about it.

    `paths` are those that it works with, a sub-agent's in its own folder. `why` is the reason of somebody else's, such
    as a hook, that wants the human asked; then no rule would help.
    """

    call: Call
    bound: BoundCall
    paths: Paths
    verdict: Verdict
    why: str = ""


def subject(bound: BoundCall, reason: str) -> str:
    """Return what the human decides about, with nothing in it that could deceive the eye."""
    touches = bound.touches
    named = ", ".join((*touches.writes, *touches.reads, *touches.domains))
    what = touches.command if touches.command is not None else named or touches.shown
    length = f"  [{len(what)} characters]" if len(what) > LONG_CHARS else ""
    return visible(f"{bound.tool}: {what}" + (f"  ({reason})" if reason else "") + length)
