"""Hooks of a user's own: small shell commands, the file that names them, and what they were told."""

import json
from pathlib import Path
from typing import Any

from tests.session.session_given import Given, Talk
from yeaft.events.tools import HookRan

Hook = tuple[str, dict[str, Any]]
NOTES_DOWN = 'cat >> "$YEAFT_PROJECT_DIR/told.jsonl"; echo >> "$YEAFT_PROJECT_DIR/told.jsonl"'


def hook(event: str, command: str, matcher: str = "", **more: Any) -> Hook:
    """One hook with a group of its own."""
    return event, {"matcher": matcher, "hooks": [{"type": "command", "command": command, **more}]}


def answers(**said: Any) -> str:
    """A command that prints JSON."""
    return f"cat > /dev/null; printf '%s' '{json.dumps(said)}'"


def decides(decision: str, reason: str = "", **more: Any) -> str:
    """A command that decides about a call."""
    specific = {"permissionDecision": decision, "permissionDecisionReason": reason, **more}
    return answers(hookSpecificOutput={"hookEventName": "PreToolUse", **specific})


def listen(given: Given, *hooks: Hook, project: bool = False) -> Path:
    """Write the user's `hooks.json`, or that of the work folder."""
    events: dict[str, list[Any]] = {}
    for event, group in hooks:
        events.setdefault(event, []).append(group)
    path = given.folder / ".yeaft/hooks.json" if project else given.home / "hooks.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"hooks": events}))
    return path


def told(given: Given) -> list[dict[str, Any]]:
    """What the hooks that note it down were told, in order."""
    return [json.loads(line) for line in (given.folder / "told.jsonl").read_text().splitlines() if line]


def runs(talk: Talk) -> list[tuple[str, str]]:
    """Which hooks have run and how that ended, as the journal has it."""
    return [(ran.hook_event, ran.outcome) for ran in talk.all_of(HookRan)]
