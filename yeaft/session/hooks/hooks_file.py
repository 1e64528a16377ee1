"""Reads `hooks.json`: which command is to be run when. Lenient; every problem is told with its line."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, get_args

from msgspec import Struct

from yeaft.config.json_text import Document, Items, Leaf, Members, Node, Remark, read_json
from yeaft.config.regular import read_regular
from yeaft.kernel.nearness import nearest
from yeaft.prompts.front_matter import Problem
from yeaft.session.hooks.hook_names import matches

HookEvent = Literal[
    "PreToolUse",
    "PostToolUse",
    "UserPromptSubmit",
    "Stop",
    "SubagentStop",
    "SessionStart",
    "SessionEnd",
    "Notification",
]
EVENTS: tuple[HookEvent, ...] = get_args(HookEvent)
DEFAULT_TIMEOUT_S, LEAST_TIMEOUT_S, MOST_TIMEOUT_S = 60.0, 0.1, 600.0
LIMIT_BYTES = 256 * 1024
GROUP_KEYS = frozenset({"matcher", "hooks", "description"})
HOOK_KEYS = frozenset({"type", "command", "timeout", "description", "statusMessage"})


class Hook(Struct, frozen=True, kw_only=True):
    """One command that listens to an event; an empty `matcher` means whatever it is about.

    `is_own` says that it stands in the user's own file: only such a hook may allow anything.
    """

    event: HookEvent
    command: str
    matcher: str = ""
    timeout_s: float = DEFAULT_TIMEOUT_S
    is_own: bool = True
    path: str = ""
    line: int = 1

    def listens_to(self, event: HookEvent, name: str) -> bool:
        """Whether it is to be run; `name` is what the event is about, such as a tool, empty if there is nothing."""
        return self.event == event and (not name or matches(self.matcher, name))


Hooks = tuple[Hook, ...]


def read_hooks(path: Path, *, is_own: bool = True) -> tuple[Hooks, tuple[Problem, ...]]:
    """Return what a file holds and what is wrong with it; never raises, and a file that is not there holds nothing.

    A `fatal` problem means that something written there is not in force; the other hooks are.
    """
    try:
        content = read_regular(path, LIMIT_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return (), ()
    except OSError as error:
        return (), (Problem(path=str(path), line=1, reason=f"cannot be read: {error.strerror or error}"),)
    found = read_json(content.decode("utf-8", "replace"))
    if isinstance(found, Remark):
        return (), (Problem(path=str(path), line=found.line, reason=f"no hook is in force: {found.reason}"),)
    reader = _Reader(found, path, is_own=is_own)
    return tuple(reader.hooks()), tuple(sorted(reader.problems, key=lambda one: one.line))


class _Reader:
    """Goes through one document."""

    def __init__(self, document: Document, path: Path, *, is_own: bool) -> None:
        self._document = document
        self._path = str(path)
        self._is_own = is_own
        self.problems = [
            Problem(path=self._path, line=one.line, reason=one.reason, fatal=False) for one in document.remarks
        ]

    def hooks(self) -> Iterator[Hook]:
        """Yield the hooks that can be used, in their order."""
        root = self._object(self._document.root, "the file must hold an object")
        if root is None:
            return
        events = root.get("hooks")
        if events is None:
            self._note(root.start, 'there is no "hooks" object, so nothing is in force')
            return
        for event, node in self._members(events, '"hooks" must be an object of events'):
            if event not in EVENTS:
                self._note(node.start, self._about_unknown(event))
                continue
            for group in self._items(node, f"{event} must be a list"):
                yield from self._group(EVENTS[EVENTS.index(event)], group)

    def _group(self, event: HookEvent, node: Node) -> Iterator[Hook]:
        group = self._object(node, f'an entry of {event} must be an object with "hooks"')
        if group is None:
            return
        matcher = self._matcher(group)
        if matcher is None:
            return
        if group.get("hooks") is None:
            self._note(group.start, f'this entry of {event} has no "hooks" list')
            return
        self._remark_unknown(group, GROUP_KEYS)
        for item in self._items(group.get("hooks"), '"hooks" must be a list'):
            one = self._object(item, "a hook must be an object")
            hook = self._hook(event, matcher, one) if one is not None else None
            if hook is not None:
                yield hook

    def _hook(self, event: HookEvent, matcher: str, node: Members) -> Hook | None:
        kind = self._text(node, "type", "command")
        if kind != "command":
            self._note(node.at("type"), f'hooks of type {kind!r} are not supported; write "command"')
            return None
        command = self._text(node, "command", "")
        if command is None or not command.strip() or "\0" in command:
            self._note(node.at("command"), "the command is missing, empty or no text")
            return None
        self._remark_unknown(node, HOOK_KEYS)
        return Hook(
            event=event,
            command=command,
            matcher=matcher,
            timeout_s=self._timeout(node),
            is_own=self._is_own,
            path=self._path,
            line=self._document.line(node.start),
        )

    def _matcher(self, group: Members) -> str | None:
        matcher = self._text(group, "matcher", "")
        if matcher is None:
            self._note(group.at("matcher"), "the matcher must be a text, so its hooks are not in force")
            return None
        try:
            re.compile("" if matcher.strip() == "*" else matcher)
        except (re.error, RecursionError, OverflowError) as error:
            reason = f"the matcher {matcher!r} is no regular expression ({error}), so its hooks are not in force"
            self._note(group.at("matcher"), reason)
            return None
        return "" if matcher.strip() in ("", "*") else matcher

    def _timeout(self, node: Members) -> float:
        given = node.get("timeout")
        if given is None:
            return DEFAULT_TIMEOUT_S
        found = given.value if isinstance(given, Leaf) else None
        if isinstance(found, bool) or not isinstance(found, int | float) or found <= 0:
            self._note(node.at("timeout"), f"the timeout must be seconds; {DEFAULT_TIMEOUT_S:g} are used", fatal=False)
            return DEFAULT_TIMEOUT_S
        if found > MOST_TIMEOUT_S:
            self._note(node.at("timeout"), f"at most {MOST_TIMEOUT_S:g} s are waited for a hook", fatal=False)
        return min(max(float(found), LEAST_TIMEOUT_S), MOST_TIMEOUT_S)

    def _about_unknown(self, event: str) -> str:
        folded = {one.casefold(): one for one in EVENTS}
        near = nearest(event.casefold(), folded)
        hint = f"did you mean {folded[near]}?" if near else f"there are {', '.join(EVENTS)}"
        return f"{event} is no event that hooks can listen to; {hint}"

    def _remark_unknown(self, node: Members, known: frozenset[str]) -> None:
        for member in node.unique():
            if member.key not in known:
                self._note(member.start, f"{member.key!r} means nothing here and is ignored", fatal=False)

    def _object(self, node: Node | None, otherwise: str) -> Members | None:
        if isinstance(node, Members):
            return node
        self._note(node.start if node else 0, otherwise)
        return None

    def _members(self, node: Node, otherwise: str) -> Iterator[tuple[str, Node]]:
        found = self._object(node, otherwise)
        for member in found.unique() if found else ():
            yield member.key, member.node

    def _items(self, node: Node | None, otherwise: str) -> Iterator[Node]:
        if isinstance(node, Items):
            yield from node.items
        else:
            self._note(node.start if node else 0, otherwise)

    def _text(self, node: Members, key: str, default: str) -> str | None:
        """Return the text of a key, `default` if it is not there, None if it is something else."""
        found = node.get(key)
        if found is None:
            return default
        return found.value if isinstance(found, Leaf) and isinstance(found.value, str) else None

    def _note(self, offset: int, reason: str, *, fatal: bool = True) -> None:
        self.problems.append(Problem(path=self._path, line=self._document.line(offset), reason=reason, fatal=fatal))
