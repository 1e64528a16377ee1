"""The hooks of one Session, laid around whatever they may have a say in. Not loaded where there are none."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from yeaft.session.hooks.hook_process import HookShell
from yeaft.session.hooks.hook_runs import HookRuns, Scene
from yeaft.session.hooks.hook_scene import HookScene
from yeaft.session.hooks.hooked_calls import hooked
from yeaft.session.hooks.hooked_gate import AskingGate, HookedGate
from yeaft.session.hooks.prompt_hooks import PromptHooks
from yeaft.session.hooks.stop_hooks import StopHooks

if TYPE_CHECKING:
    from yeaft.engine.calls import Gate
    from yeaft.engine.state import TurnState
    from yeaft.events.agent import AgentSpawned
    from yeaft.session.asked import Caller
    from yeaft.session.hooks.hooks_file import Hooks
    from yeaft.session.intake import Step
    from yeaft.session.ledger import Ledger
    from yeaft.session.state import SessionState
    from yeaft.tools.around import Around

STARTUP, RESUME = "startup", "resume"


class SessionHooks:
    """Makes what the hooks of a Session need. `directory` is the Session's own; `environ` is without secrets."""

    def __init__(
        self,
        hooks: Hooks,
        ledger: Ledger,
        *,
        environ: Mapping[str, str],
        phrases: Mapping[str, str],
        session_id: str,
        directory: Path,
        folder: Path,
    ) -> None:
        self._ledger = ledger
        self._phrases = phrases
        self._callers: dict[str, Caller] = {}
        self._runs = HookRuns(
            hooks, HookShell(environ), ledger, session_id=session_id, directory=directory, folder=folder
        )
        self._prompts = PromptHooks(self._runs, phrases, RESUME if ledger.state.created else STARTUP)
        ledger.listen(self._runs.hear)

    @property
    def step(self) -> Step:
        """What they do to the user's words before these are said."""
        return self._prompts.step

    def scene(self, *, has_human: bool) -> HookScene:
        """What they hear of the Session as a whole; to be entered before the Session."""
        scene = HookScene(self._runs, self._prompts, self._phrases, has_human=has_human)
        self._ledger.listen(scene.hear)
        return scene

    def gate(self, gate: AskingGate, vp_id: str) -> Gate:
        """The gate before the calls of a VP."""
        return self._gate(gate, vp_id)

    def agent_gate(self, gate: AskingGate, label: str, caller: Caller) -> Gate:
        """The gate before the calls of a sub-agent."""
        self._callers[label] = caller
        return self._gate(gate, label)

    def around(self, label: str) -> Around:
        """What they do around the calls of a VP or a sub-agent."""
        return hooked(self._runs, partial(self._of_call, label), self._phrases)

    def stop_hooks(self) -> StopHooks:
        """What they do when a VP has answered."""
        scene_of = partial(_of_turn, self._ledger.state, None)
        return StopHooks(self._runs, self._ledger, scene_of, self._phrases, prompts=self._prompts)

    def agent_stop_hooks(self, spawned: AgentSpawned, ledger: Ledger) -> StopHooks:
        """What they do when a sub-agent has answered, whose place in the journal is `ledger`."""
        scene_of = partial(_of_turn, ledger.state, Path(spawned.folder))
        facts = {"agent_id": spawned.agent_id, "agent_name": spawned.name, "agent_type": spawned.persona}
        return StopHooks(self._runs, ledger, scene_of, self._phrases, event="SubagentStop", facts=facts)

    def _gate(self, gate: AskingGate, label: str) -> Gate:
        return HookedGate(gate, self._runs, partial(self._of_call, label), self._phrases)

    def _of_call(self, label: str, call_id: str) -> Scene:
        caller = self._callers.get(label)
        state = caller.ledger.state if caller else self._ledger.state
        turn = state.turns[state.turn_of_call(call_id)]
        return _of_turn(state, caller.folder if caller else None, turn, call_id)


def _of_turn(state: SessionState, folder: Path | None, turn: TurnState, call_id: str = "") -> Scene:
    started = turn.started
    return Scene(
        vp=started.vp_id,
        folder=folder,
        mode=started.mode,
        turn_id=started.turn_id,
        call_id=call_id,
        root_id=state.messages[started.message_id].root_id,
    )
