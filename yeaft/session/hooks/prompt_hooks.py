"""Lets hooks see what the user is about to say, and that a Session begins: they may add to it, or refuse it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from yeaft.kernel.errors import Denied
from yeaft.prompts.fill import fill
from yeaft.session.hooks.hook_runs import Scene

if TYPE_CHECKING:
    from yeaft.session.hooks.hook_runs import HookRuns
    from yeaft.session.hooks.hooks_file import HookEvent
    from yeaft.session.intake import Draft

REFUSED = "A hook does not let this be said: {reason}"
INTERRUPTED = "Nothing was said: it was interrupted while hooks were running."
NO_REASON = "it gave no reason."


class PromptHooks:
    """The hooks of `SessionStart` and `UserPromptSubmit`; `source` says how the Session began for this process."""

    def __init__(self, runs: HookRuns, phrases: Mapping[str, str], source: str) -> None:
        self.has_started = False
        self._runs = runs
        self._phrases = phrases
        self._source = source
        self._running: set[asyncio.Task[Draft]] = set()
        self._stopped: set[asyncio.Task[Draft]] = set()

    async def step(self, draft: Draft) -> Draft:
        """Take a draft on its way; see `session.intake`. Raises `Denied`."""
        is_first, self.has_started = not self.has_started, True
        if not self._runs.has("UserPromptSubmit") and not (is_first and self._runs.has("SessionStart", self._source)):
            return draft
        asking = asyncio.create_task(self._asked(draft, is_first=is_first), name="hooks:prompt")
        self._running.add(asking)
        try:
            return await asking
        except asyncio.CancelledError:
            if asking in self._stopped and not _is_being_cancelled():
                raise Denied(INTERRUPTED) from None
            raise
        finally:
            self._running.discard(asking)
            self._stopped.discard(asking)

    def stop(self) -> None:
        """End the hooks that run now; what they were asked about is not said."""
        for asking in self._running:
            self._stopped.add(asking)
            asking.cancel()

    async def _asked(self, draft: Draft, *, is_first: bool) -> Draft:
        if is_first:
            draft = await self._heard(draft, "SessionStart", self._source, {"source": self._source})
        return await self._heard(draft, "UserPromptSubmit", "", {"prompt": draft.text})

    async def _heard(self, draft: Draft, event: HookEvent, name: str, facts: dict[str, str]) -> Draft:
        heard = await self._runs.run(event, name, facts, Scene())
        no = heard.stop if heard.stop is not None else heard.denial
        if no is not None:
            raise Denied(REFUSED.format(reason=no or NO_REASON))
        if not heard.context:
            return draft
        values = {"event": event, "text": heard.context.replace("</hook", "&lt;/hook")}
        return draft.with_block(fill(self._phrases["hook_context"], values))


def _is_being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
