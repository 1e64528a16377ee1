"""Permission rules of other agents in the words of yeaft, or why one cannot be said here.

A rule that forbids must never forbid less here than there; where that is in doubt it is not taken, and named.
"""

from __future__ import annotations

import ast
import itertools
import math
import re
import warnings
from collections.abc import Iterator, Mapping

from msgspec import Struct

from yeaft.config.json_text import Json, as_json, list_in, table_in
from yeaft.kernel.errors import BadData
from yeaft.mcp.mcp_file import clean_name
from yeaft.tools.policy.verdict import Judgement

SAME = frozenset({"Bash", "Glob", "Grep", "NotebookEdit", "TodoWrite", "WebFetch", "WebSearch", "Skill"})
OTHER: Mapping[str, tuple[str, ...]] = {
    "Read": ("FileRead",),
    "Write": ("FileWrite",),
    "Edit": ("FileEdit", "FileWrite", "ApplyPatch", "NotebookEdit"),
    "MultiEdit": ("FileEdit", "ApplyPatch"),
    "LS": ("ListDir",),
    "Task": ("SpawnAgent",),
    "Agent": ("SpawnAgent",),
    "BashOutput": ("ReadTaskLog",),
    "TaskOutput": ("ReadTaskLog",),
    "KillShell": ("CancelTask",),
    "KillBash": ("CancelTask",),
    "TaskStop": ("CancelTask",),
    "AskUserQuestion": ("AskUser",),
}
"""What does the same here; a rule about writing that has a path holds for all that write, so one of them is enough."""
PATHS: Mapping[str, str] = {"Read": "FileRead", "Write": "FileWrite", "Edit": "FileEdit", "MultiEdit": "FileEdit"}
OPENCODE: Mapping[str, str] = {
    "bash": "Bash",
    "shell": "Bash",
    "edit": "Edit",
    "read": "Read",
    "glob": "Glob",
    "grep": "Grep",
    "list": "LS",
    "webfetch": "WebFetch",
    "websearch": "WebSearch",
    "task": "Task",
    "subagent": "Task",
    "skill": "Skill",
    "todowrite": "TodoWrite",
    "question": "AskUserQuestion",
}
CODEX: Mapping[str, Judgement] = {"allow": "allow", "prompt": "ask", "forbidden": "deny"}
MOST_LINES = 1000
UNKNOWN = "it has no form that is known here"
_SHAPE = re.compile(r"([A-Za-z][\w*-]*)(?:\((.*)\))?", re.DOTALL)
_SERVER = re.compile(r"mcp__(.+?)(__.*)?", re.DOTALL)


class Translated(Struct, frozen=True, kw_only=True):
    """A rule as it was written, and the rules it becomes; without any, `reason` says why."""

    verdict: Judgement
    written: str
    rules: tuple[str, ...] = ()
    reason: str = ""


def claude_rule(verdict: Judgement, written: str, *, of_project: bool) -> Translated:
    """Translate a rule of Claude Code. In a project's settings a path that begins with / starts at the project."""
    found = _SHAPE.fullmatch(written.strip())
    if found is None:
        return Translated(verdict=verdict, written=written, reason=UNKNOWN)
    tool, pattern = found[1], found[2]
    if served := _SERVER.fullmatch(tool):
        name = served[1] if "*" in served[1] else clean_name(served[1])
        return Translated(verdict=verdict, written=written, rules=(f"mcp__{name}{served[2] or ''}",))
    if pattern is None or pattern in ("", "*", "**", ":*"):
        names = (tool,) if tool in SAME else OTHER.get(tool, ())
        return Translated(verdict=verdict, written=written, rules=names, reason="" if names else _unknown(tool))
    if tool == "Bash" or (tool == "WebFetch" and pattern.startswith("domain:")):
        return Translated(verdict=verdict, written=written, rules=(f"{tool}({pattern})",))
    if tool not in PATHS:
        reason = f"a pattern for {tool} means nothing here" if tool in SAME or tool in OTHER else _unknown(tool)
        return Translated(verdict=verdict, written=written, reason=reason)
    path = _claude_path(pattern, of_project=of_project)
    if path is None:
        return Translated(verdict=verdict, written=written, reason="its path starts at a folder of another program")
    return Translated(verdict=verdict, written=written, rules=(f"{PATHS[tool]}({path})",))


def _claude_path(pattern: str, *, of_project: bool) -> str | None:
    """A pattern as .gitignore has them: without a slash it holds at any depth, with one at the end for all below."""
    if pattern.endswith("/"):
        pattern += "**"
    if pattern.startswith("//"):
        return pattern[1:]
    if pattern.startswith("/"):
        return pattern[1:] if of_project else None
    if pattern.startswith("~"):
        return pattern
    path = pattern.removeprefix("./")
    return path if "/" in path else f"**/{path}"


def opencode_rules(permission: Json) -> Iterator[Translated]:
    """Translate `permission` (a word or a map) and `permissions` (a list), where the last rule that fits decides."""
    if isinstance(permission, str):
        yield _of_everything("*", permission)
        return
    for action, said in _by_action(permission).items():
        if action == "*":
            yield _of_everything(action, next(reversed(said.values()), ""))
            continue
        tool = OPENCODE.get(action)
        for pattern, word in said.items():
            yield _opencode_rule(action, tool, pattern, word, said)


def _by_action(permission: Json) -> dict[str, dict[str, str]]:
    """All forms as action -> pattern -> word."""
    found: dict[str, dict[str, str]] = {}
    for action, said in table_in(permission).items():
        patterns = said if isinstance(said, dict) else {"*": said}
        found[action] = {pattern: str(word) for pattern, word in patterns.items()}
    for one in map(table_in, list_in(permission)):
        if one:
            words = found.setdefault(str(one.get("action", "")), {})
            words[str(one.get("resource", "*"))] = str(one.get("effect", ""))
    return found


def _opencode_rule(action: str, tool: str | None, pattern: str, word: str, said: Mapping[str, str]) -> Translated:
    written = f"{action} {pattern}: {word}"
    verdict = _verdict(word)
    if verdict is None:
        return Translated(verdict="ask", written=written, reason=f"{word!r} is not one of allow, ask and deny")
    if tool is None:
        return Translated(verdict=verdict, written=written, reason=_unknown(action))
    if pattern == "*":
        if verdict == "ask" and len(said) > 1:
            return Translated(
                verdict=verdict, written=written, reason="yeaft asks where no rule allows, so it is not needed"
            )
        if verdict == "deny" and any(other != "deny" for other in said.values()):
            reason = "here a rule that denies wins over all others, so exceptions from it cannot be said"
            return Translated(verdict=verdict, written=written, reason=reason)
        return Translated(verdict=verdict, written=written, rules=OTHER.get(tool, (tool,)))
    if tool == "Bash":
        return Translated(verdict=verdict, written=written, rules=(f"Bash({pattern})",))
    if tool in PATHS:
        return Translated(verdict=verdict, written=written, rules=(f"{PATHS[tool]}({_opencode_path(pattern)})",))
    return Translated(verdict=verdict, written=written, reason=f"a pattern for {action} means nothing here")


def _opencode_path(pattern: str) -> str:
    """A pattern whose * goes on into folders below."""
    path = pattern.replace("$HOME/", "~/", 1) if pattern.startswith("$HOME/") else pattern
    *above, last = path.split("/")
    if last == "*":
        last = "**"
    elif "*" in last:
        last = f"**/{last}"
    return "/".join((*above, last))


def _of_everything(action: str, word: str) -> Translated:
    verdict = _verdict(word) or "ask"
    reason = "a rule for everything is a mode here: see `yeaft help permissions`"
    return Translated(verdict=verdict, written=f"{action}: {word}", reason=reason)


def codex_rules(text: str) -> Iterator[Translated]:
    """Translate the `prefix_rule(pattern=[...], decision="...")` lines of a `.rules` file.

    Raises `BadData` if it cannot be understood.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes in texts, which mean what they always meant
            statements = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadData("it cannot be understood") from error
    for statement in statements:
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Name(id="prefix_rule")) as call):
                yield _codex_rule(call)
            case _:
                yield Translated(verdict="ask", written=_written(statement), reason=UNKNOWN)


def _codex_rule(call: ast.Call) -> Translated:
    written = _written(call)
    try:
        given = {one.arg or "": as_json(ast.literal_eval(one.value)) for one in call.keywords}
    except (ValueError, TypeError, RecursionError):
        return Translated(verdict="ask", written=written, reason=UNKNOWN)
    verdict = CODEX.get(str(given.get("decision", "allow")))
    words = [word if isinstance(word, list) else [word] for word in list_in(given.get("pattern"))]
    if verdict is None or not words:
        return Translated(verdict="ask", written=written, reason=UNKNOWN)
    if math.prod(map(len, words)) > MOST_LINES:
        return Translated(verdict=verdict, written=written, reason=f"it stands for more than {MOST_LINES} commands")
    lines = [" ".join(map(str, line)) for line in itertools.product(*words)]
    return Translated(verdict=verdict, written=written, rules=tuple(f"Bash({line}:*)" for line in lines))


def _written(node: ast.AST) -> str:
    """The first line of what was written."""
    try:
        return ast.unparse(node).partition("\n")[0]
    except RecursionError:
        return "…"


def _verdict(word: str) -> Judgement | None:
    match word:
        case "allow" | "ask" | "deny":
            return word
        case _:
            return None


def _unknown(tool: str) -> str:
    return f"there is nothing like {tool} here"
