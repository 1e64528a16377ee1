"""Lets hooks look at what a call has given back, and say something about it to the VP."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from yeaft.prompts.fill import fill
from yeaft.session.hooks.hooked_gate import told_of

if TYPE_CHECKING:
    from yeaft.session.hooks.hook_runs import Facts, Heard, HookRuns, Scene
    from yeaft.tools.around import Around, GoOn
    from yeaft.tools.tool import BoundCall, Running, ToolResult

MOST_TOLD_CHARS = 256 * 1024
LEAST_S = 0.5


def hooked(runs: HookRuns, scene_of: Callable[[str], Scene], phrases: Mapping[str, str]) -> Around:
    """Return the layer that runs the hooks of `PostToolUse`; a call that has failed has none.

    They have what the time limit of the call leaves, so that its result is never lost to them. The result of a call
    that no turn makes is what a step of a graph gives: what hooks say of it is not put in, and stands in the journal.
    """

    async def around(bound: BoundCall, running: Running, go_on: GoOn) -> ToolResult:
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        note = runs.notes.pop(running.call_id, "")
        scene = scene_of(running.call_id)
        result = await go_on(running)
        said = [fill(phrases["hook_note"], {"text": note})] if note else []
        if not result.failed and runs.has("PostToolUse", bound.tool):
            left_s = None if bound.timeout_s is None else bound.timeout_s - (loop.time() - began_s) - LEAST_S
            facts = {**told_of(running.call_id, bound), "tool_response": _response(result)}
            most_s = None if left_s is None else max(LEAST_S, left_s)
            heard = await runs.run("PostToolUse", bound.tool, facts, scene, most_s=most_s)
            said += _feedback(heard, phrases)
        return replace(result, text="\n".join((result.text, *said))) if said and scene.turn_id else result

    return around


def _response(result: ToolResult) -> Facts:
    response: dict[str, object] = {"text": result.text[:MOST_TOLD_CHARS]}
    if result.facts.exit_code is not None:
        response["exit_code"] = result.facts.exit_code
    if result.facts.files:
        response["files"] = [fact.path for fact in result.facts.files]
    return response


def _feedback(heard: Heard, phrases: Mapping[str, str]) -> list[str]:
    said: list[str] = []
    if heard.stop is not None:
        said.append(fill(phrases["hook_stops"], {"text": heard.stop}).strip())
    elif heard.denial is not None:
        said.append(fill(phrases["hook_objects"], {"text": heard.denial or phrases["hook_no_reason"]}))
    if heard.context:
        said.append(fill(phrases["hook_note"], {"text": heard.context}))
    return said
