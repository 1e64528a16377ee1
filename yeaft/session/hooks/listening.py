"""What the hooks of a Session are to those around them, so that nobody loads more where there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from yeaft.engine.calls import Gate
    from yeaft.events.agent import AgentSpawned
    from yeaft.session.hooks.hook_scene import HookScene
    from yeaft.session.hooks.hooked_gate import AskingGate
    from yeaft.session.hooks.stop_hooks import StopHooks
    from yeaft.session.intake import Step
    from yeaft.session.ledger import Ledger
    from yeaft.session.state import SessionState
    from yeaft.tools.around import Around


class Listening(Protocol):
    """All places at which the hooks of one Session listen; see `session_hooks`."""

    @property
    def step(self) -> Step:
        """What they do to the user's words before these are said."""
        ...

    def scene(self, *, has_human: bool) -> HookScene:
        """What they hear of the Session as a whole; to be entered before the Session."""
        ...

    def gate(self, gate: AskingGate, state: SessionState, folder: Path | None = None) -> Gate:
        """The gate before calls that `state` tells of; who makes them may work in a `folder` of its own."""
        ...

    def around(self, state: SessionState, folder: Path | None = None) -> Around:
        """What they do around such calls."""
        ...

    def stop_hooks(self) -> StopHooks:
        """What they do when a VP has answered."""
        ...

    def agent_stop_hooks(self, spawned: AgentSpawned, ledger: Ledger) -> StopHooks:
        """What they do when a sub-agent has answered, whose place in the journal is `ledger`."""
        ...
