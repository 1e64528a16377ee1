"""Facts about tools that come from outside, and about the user's own commands that listen in."""

from typing import Literal

from yeaft.events.fact import Fact

HookOutcome = Literal["ok", "blocked", "warned", "failed", "timed_out"]


class ToolsChanged(Fact, frozen=True, kw_only=True, tag="tools.changed"):
    """A server's tools are offered from the next turn on: all of them by the names that models use.

    `digest` is the SHA-256 of what models are told of them. `reason` says how they became known: `listed` in what was
    kept from an earlier connection, or by the server itself.
    """

    server: str
    digest: str
    tools: tuple[str, ...] = ()
    reason: Literal["listed", "connected", "changed", "gone"]


class HookRan(Fact, frozen=True, kw_only=True, tag="hook.ran"):
    """A hook has run. `hook_event` is the name of what it listens to, such as `PreToolUse`; `text` is what it objected.

    `call_id` and `turn_id` are what it was about, if anything; without an `exit_code` it was killed or never began.
    """

    hook_event: str
    command: str
    outcome: HookOutcome
    exit_code: int | None = None
    duration_ms: int = 0
    text: str = ""
    call_id: str = ""
    turn_id: str = ""
