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

    def gate(self, gate: AskingGate, state: SessionState, folder: Path | None = None) -> Gate:
        """The gate before calls that `state` tells of; who makes them may work in a `folder` of its own."""
        return HookedGate(gate, self._runs, partial(_of_call, state, folder), self._phrases)

    def around(self, state: SessionState, folder: Path | None = None) -> Around:
        """What they do around such calls."""
        return hooked(self._runs, partial(_of_call, state, folder), self._phrases)

    def stop_hooks(self) -> StopHooks:
        """What they do when a VP has answered."""
        scene_of = partial(_of_turn, self._ledger.state, None)
        return StopHooks(self._runs, self._ledger, scene_of, self._phrases, prompts=self._prompts)

    def agent_stop_hooks(self, spawned: AgentSpawned, ledger: Ledger) -> StopHooks:
        """What they do when a sub-agent has answered, whose place in the journal is `ledger`."""
        scene_of = partial(_of_turn, ledger.state, Path(spawned.folder))
        facts = {"agent_id": spawned.agent_id, "agent_name": spawned.name, "agent_type": spawned.persona}
        return StopHooks(self._runs, ledger, scene_of, self._phrases, event="SubagentStop", facts=facts)


def _of_call(state: SessionState, folder: Path | None, call_id: str) -> Scene:
    turn = state.turns.get(state.turn_of_call(call_id))
    if turn is None:  # the step of a graph calls a tool itself
        return Scene(folder=folder, call_id=call_id)
    return _of_turn(state, folder, turn, call_id)


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
