"""What the hooks of a Session are to those around them, so that nobody loads more where there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from yeaft.engine.calls import Gate
    from yeaft.events.agent import AgentSpawned
    from yeaft.session.asked import Caller
    from yeaft.session.hooks.hook_scene import HookScene
    from yeaft.session.hooks.hooked_gate import AskingGate
    from yeaft.session.hooks.stop_hooks import StopHooks
    from yeaft.session.intake import Step
    from yeaft.session.ledger import Ledger
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

    def gate(self, gate: AskingGate, vp_id: str) -> Gate:
        """The gate before the calls of a VP."""
        ...

    def agent_gate(self, gate: AskingGate, label: str, caller: Caller) -> Gate:
        """The gate before the calls of a sub-agent."""
        ...

    def around(self, label: str) -> Around:
        """What they do around the calls of a VP or a sub-agent."""
        ...

    def stop_hooks(self) -> StopHooks:
        """What they do when a VP has answered."""
        ...

    def agent_stop_hooks(self, spawned: AgentSpawned, ledger: Ledger) -> StopHooks:
        """What they do when a sub-agent has answered, whose place in the journal is `ledger`."""
        ...
