"""Runs the hooks that listen to an event, all at once, writes down each run, and sums up what they want."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from yeaft.events.codec import Recorded, Transient
from yeaft.events.session import MessagePosted, NoticePosted
from yeaft.events.tools import HookRan
from yeaft.kernel.errors import StoreFailed
from yeaft.session.hooks.hook_answer import SHOWN_CHARS, Answer, answer_of
from yeaft.session.hooks.hook_process import HookShell, Ran
from yeaft.session.hooks.hooks_file import Hook

if TYPE_CHECKING:
    from yeaft.events.codec import Event
    from yeaft.session.hooks.hooks_file import HookEvent, Hooks
    from yeaft.session.ledger import Ledger

COMMAND_CHARS = 500
INTERRUPTED = Ran(error="it was interrupted")
"""How a hook ran that ended with what it was about; nothing is wrong with it."""
Facts = Mapping[str, Any]
"""What a hook is told of an event besides what it is told of every one; plain JSON."""


class Scene(Struct, frozen=True, kw_only=True):
    """Whom and what an event is about; `vp` is the label of a sub-agent where it is one."""

    vp: str = ""
    folder: Path | None = None
    mode: str = ""
    turn_id: str = ""
    call_id: str = ""
    root_id: str = ""


class Heard(Struct, frozen=True):
    """What the hooks that have run want, each with its answer."""

    answers: tuple[tuple[Hook, Answer], ...] = ()

    @property
    def stop(self) -> str | None:
        """Why the work is to stop, maybe empty; None if it is not."""
        return next((answer.reason for _, answer in self.answers if answer.stops), None)

    @property
    def denial(self) -> str | None:
        """Why not, if any hook says no."""
        return _first(self.answers, "deny")

    @property
    def question(self) -> str | None:
        """Why the human is to be asked, if any hook says so."""
        return _first(self.answers, "ask")

    @property
    def is_allowed(self) -> bool:
        """Whether a hook of the user's own says yes."""
        return any(answer.decision == "allow" and hook.is_own for hook, answer in self.answers)

    @property
    def context(self) -> str:
        """What the hooks add to what the VP is told."""
        return "\n".join(answer.context for _, answer in self.answers if answer.context)


class HookRuns:
    """The hooks of one Session. Runs stand in the Session's own stream, those for sub-agents too.

    What runs before the first event of this process is written down behind the message that it was about. `notes`
    are what hooks have to say about calls that run now, by call id.
    """

    def __init__(
        self, hooks: Hooks, shell: HookShell, ledger: Ledger, *, session_id: str, directory: Path, folder: Path
    ) -> None:
        self.notes: dict[str, str] = {}
        self._hooks = hooks
        self._shell = shell
        self._ledger = ledger
        self._session_id = session_id
        self._directory = directory
        self._folder = folder
        self._head_at_first = ledger.state.head
        self._early: list[Event] = []

    def has(self, event: HookEvent, name: str = "") -> bool:
        """Whether any hook listens to an event about `name`, such as a tool; cheap."""
        return any(hook.listens_to(event, name) for hook in self._hooks)

    async def run(
        self, event: HookEvent, name: str, facts: Facts, scene: Scene, *, most_s: float | None = None
    ) -> Heard:
        """Run what listens; the same command once, as it is said first. `most_s` is a limit for all besides their own.

        When cancelled, the commands are ended and the runs written down as failed.
        """
        listening: dict[str, Hook] = {}
        for hook in self._hooks:
            if hook.listens_to(event, name):
                listening.setdefault(hook.command, hook)  # the user's own come first, so a folder cannot weaken them
        if not listening:
            return Heard()
        told = msgspec.json.encode({**self._common(event, scene), **facts})
        await self._ledger.flushed()  # a hook may read the Session and act on it, so what led here is kept first
        found: dict[str, Ran] = {}

        async def one(hook: Hook) -> None:
            timeout_s = hook.timeout_s if most_s is None else min(hook.timeout_s, most_s)
            found[hook.command] = await self._shell.run(
                hook.command,
                cwd=scene.folder or self._folder,
                told=told,
                timeout_s=timeout_s,
                environ=self._environ(event),
            )

        try:
            async with asyncio.TaskGroup() as group:
                for hook in listening.values():
                    group.create_task(one(hook), name=f"hook:{event}")
        except asyncio.CancelledError:
            aborted = [(hook, found.get(hook.command, INTERRUPTED)) for hook in listening.values()]
            with contextlib.suppress(StoreFailed):
                self._note(event, aborted, scene)
            raise
        ran = [(hook, found[hook.command]) for hook in listening.values()]
        return Heard(self._note(event, ran, scene))

    def hear(self, heard: Recorded | Transient) -> None:
        """Write down what ran before there was anything to write to; a listener of the Session's ledger."""
        if self._early and isinstance(heard, Recorded) and isinstance(heard.event, MessagePosted):
            early, self._early = self._early, []
            self._ledger.post(early, src="engine", cause=heard.event.message_id, corr=heard.corr)

    def tell(self, code: str, params: dict[str, str]) -> None:
        """Warn the user, once in a Session."""
        self._post(self._notices([(code, params)]), Scene())

    def _common(self, event: HookEvent, scene: Scene) -> Facts:
        common = {
            "session_id": self._session_id,
            "transcript_path": str(self._directory),
            "cwd": str(scene.folder or self._folder),
            "hook_event_name": event,
        }
        if scene.mode:
            common["permission_mode"] = scene.mode
        if scene.vp:
            common["vp"] = scene.vp
        return common

    def _environ(self, event: HookEvent) -> Mapping[str, str]:
        return {
            "YEAFT_HOOK": event,
            "YEAFT_SESSION_ID": self._session_id,
            "YEAFT_PROJECT_DIR": str(self._folder),
            "CLAUDE_PROJECT_DIR": str(self._folder),
        }

    def _note(self, event: HookEvent, ran: Iterable[tuple[Hook, Ran]], scene: Scene) -> tuple[tuple[Hook, Answer], ...]:
        """Write down the runs, with what the user should know of them; returns the answers."""
        answers: list[tuple[Hook, Answer]] = []
        events: list[Event] = []
        told: list[tuple[str, dict[str, str]]] = []
        for hook, how in ran:
            answer = answer_of(event, how)
            answers.append((hook, answer))
            events.append(_ran(event, hook, how, answer, scene))
            params = {"event": event, "command": hook.command[:COMMAND_CHARS]}
            if answer.warning and how is not INTERRUPTED:
                told.append(("hook.faulty", {**params, "reason": answer.warning}))
            if answer.message:
                told.append(("hook.says", {**params, "text": answer.message}))
            if answer.decision == "allow" and not hook.is_own:
                told.append(("hook.may_not_allow", params))
        self._post([*events, *self._notices(told)], scene)
        return tuple(answers)

    def _notices(self, told: Iterable[tuple[str, dict[str, str]]]) -> list[NoticePosted]:
        known = self._ledger.state.told
        new = [(code, params) for code, params in told if code == "hook.says" or (code, *params.values()) not in known]
        return [
            NoticePosted(code=code, params=params, level="info" if code == "hook.says" else "warn")
            for code, params in new
        ]

    def _post(self, events: Iterable[Event], scene: Scene) -> None:
        if self._ledger.state.head == self._head_at_first:
            self._early += events
        else:
            cause = scene.call_id or scene.turn_id or scene.root_id
            self._ledger.post(tuple(events), src="engine", cause=cause, corr=scene.root_id)


def _ran(event: HookEvent, hook: Hook, how: Ran, answer: Answer, scene: Scene) -> HookRan:
    return HookRan(
        hook_event=event,
        command=hook.command[:COMMAND_CHARS],
        outcome=answer.outcome,
        exit_code=how.exit_code,
        duration_ms=how.duration_ms,
        text=(answer.reason or answer.warning)[:SHOWN_CHARS],
        call_id=scene.call_id,
        turn_id=scene.turn_id,
    )


def _first(answers: Iterable[tuple[Hook, Answer]], decision: str) -> str | None:
    return next((answer.reason for _, answer in answers if answer.decision == decision), None)
