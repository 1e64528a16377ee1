"""Reads `.claude/agents/*.md`: another tool's personas, whose front matter is often not quite YAML."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct, structs

from yeaft.kernel.errors import BadData
from yeaft.prompts.front_matter import FrontMatter, Head, Problem, read_front_matter, split_head
from yeaft.prompts.scalars import Value, prose, read_value
from yeaft.vp.edit import checked_text
from yeaft.vp.persona import LIMIT_ID_CHARS, ToolPolicy, Vp, id_problem, label_problem
from yeaft.vp.vp_file import Parsed

ROLE_CHARS = 160
CARRIED_KEYS = frozenset({"name", "description", "tools", "disallowedTools", "model"})
KNOWN_KEYS = CARRIED_KEYS | {"permissionMode", "skills", "mcpServers", "hooks", "memory", "color", "maxTurns"}
SPELLINGS = {
    "allowed-tools": "tools",
    "allowed_tools": "tools",
    "allowedTools": "tools",
    "disallowed-tools": "disallowedTools",
    "disallowed_tools": "disallowedTools",
}
"""How skills, commands and other programs call a key. Whoever restricts an agent means it under any of these names."""
_KNOWN = {key.casefold(): key for key in KNOWN_KEYS}
TOOLS = {
    "Agent": ("SpawnAgent", "PromptAgent", "WaitAgent", "CloseAgent", "ListAgents"),
    "AskUserQuestion": ("AskUser",),
    "Bash": ("Bash",),
    "BashOutput": ("ReadTaskLog", "ListTasks"),
    "Edit": ("FileEdit", "ApplyPatch"),
    "Glob": ("Glob",),
    "Grep": ("Grep",),
    "KillBash": ("CancelTask",),
    "KillShell": ("CancelTask",),
    "LS": ("ListDir",),
    "MultiEdit": ("FileEdit", "ApplyPatch"),
    "NotebookEdit": ("NotebookEdit",),
    "NotebookRead": ("FileRead",),
    "Read": ("FileRead", "ListDir"),
    "Skill": ("Skill",),
    "Task": ("SpawnAgent", "PromptAgent", "WaitAgent", "CloseAgent", "ListAgents"),
    "TaskOutput": ("ReadTaskLog", "ListTasks"),
    "TaskStop": ("CancelTask",),
    "TodoRead": ("TodoWrite",),
    "TodoWrite": ("TodoWrite",),
    "WebFetch": ("WebFetch",),
    "WebSearch": ("WebSearch",),
    "Write": ("FileWrite",),
    # other programs
    "codebase": ("Grep", "Glob"),
    "editFiles": ("FileEdit", "ApplyPatch", "FileWrite"),
    "execute": ("Bash",),
    "fetch": ("WebFetch",),
    "find": ("Glob",),
    "list": ("ListDir",),
    "patch": ("ApplyPatch",),
    "runCommands": ("Bash",),
    "runInTerminal": ("Bash",),
    "search": ("Grep", "Glob"),
    "shell": ("Bash",),
    "terminal": ("Bash",),
    "todo": ("TodoWrite",),
    "web": ("WebSearch", "WebFetch"),
}
"""Their tool names and what does the same here."""
_BY_NAME = {own.casefold(): (own,) for found in TOOLS.values() for own in found} | {
    name.casefold(): found for name, found in TOOLS.items()
}
_ALL = frozenset({"*", "all", "all tools", "all available tools", "inherit", "default"})
_NONE = frozenset({"none", "no tools"})
_OFF = frozenset({"false", "no", "off"})

_MODELS = {"haiku": "fast"} | dict.fromkeys(("sonnet", "opus", "opusplan", "inherit", "default", "auto"), "")
"""The nicknames that say how capable a model should be, and whose place they take among the user's own."""
_EXTRA = re.compile(r"\[[^\]]*\]$|[ \t]*\([^)]*\)$")
"""What stands behind a model's name and is no part of it, such as `[1m]` and ` (copilot)`."""
_KEY_LINE = re.compile(r"[*_]*([A-Za-z]+)[*_]*[ \t]*:[*_]*[ \t]*(.*)$")
_FIRST_SENTENCE = re.compile(r".+?(?:[.!?](?=\s|$)|[\u3002\uff01\uff1f])")
_TOOL = re.compile(r"[^,;|(]+(?:\([^)]*\))?")
_OTHER_SERVER = re.compile(r"([a-z][\w.-]*)/([\w*.-]+)", re.IGNORECASE)
"""A server's tool as Copilot names it."""
_WORD = re.compile(r"[^\s(]+(?:\([^)]*\))?")
Warnings = list[tuple[str, str]]
"""What could not be carried over, each with the key that it is about."""


class Imported(Struct, frozen=True, kw_only=True):
    """A VP made from an agent file: the VP, the text of its VP file, and what could not be carried over."""

    vp: Vp
    text: str
    warnings: tuple[str, ...]


def import_agent(text: str, path: Path) -> Imported:
    """Return the VP that the agent file at `path` with this `text` describes.

    Its name becomes the id, the first sentence of its description the role, its prompt the persona. Raises `BadData`
    if there is nothing to import.
    """
    try:
        read = _read(text, path)
    except BadData as error:
        raise BadData(f"{path} {error}") from error
    left_out = [f"{key!r} has no counterpart here and was left out" for key in read.left_out]
    remarks = [f"line {problem.line}: {problem.reason}" for problem in read.problems]
    warnings = (text for _, text in read.warnings)
    return Imported(vp=read.vp, text=checked_text(read.vp), warnings=(*remarks, *left_out, *warnings))


def parse_agent(text: str, path: Path) -> Parsed:
    """Return the VP of an agent file for use where it lies; keys that have no counterpart here mean nothing.

    Never raises: whatever is wrong comes back as problems with their lines.
    """
    try:
        read = _read(text, path)
    except BadData as error:
        return Parsed(vp=None, problems=(Problem(path=str(path), line=1, reason=str(error).removesuffix(".")),))
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    warnings = (
        Problem(path=str(path), line=read.lines.get(key, 1), reason=text, fatal=False) for key, text in read.warnings
    )
    return Parsed(vp=structs.replace(read.vp, digest=digest, source=str(path)), problems=(*read.problems, *warnings))


class _Read(Struct, frozen=True, kw_only=True):
    """What an agent file says, as far as it can be said of a VP."""

    vp: Vp
    problems: tuple[Problem, ...]
    left_out: tuple[str, ...]
    warnings: tuple[tuple[str, str], ...]
    lines: dict[str, int]


def _read(text: str, path: Path) -> _Read:
    """Read an agent file. Raises `BadData` whose message goes on after the name of the file."""
    head = split_head(text)
    if head is None or not (head.text or head.is_closed):
        raise BadData("is not an agent file: it has no front matter between two --- lines.")
    found = _front_matter(text, head, path)
    fields, body = dict(found.fields), found.body.strip()
    if not body:
        raise BadData("has no prompt below its front matter, so there is nothing to import.")
    warnings: Warnings = []
    _respell(fields, warnings)
    given = _text(fields, "name") or path.stem
    vp_id = _id(given, path)
    name = given.replace("-", " ").replace("_", " ").strip().capitalize()
    vp = Vp(
        id=vp_id,
        name=vp_id if label_problem(name) else name,
        role=_role(_text(fields, "description")),
        model=_model(fields, warnings),
        tools=_policy(fields, warnings),
        persona={"": body},
    )
    return _Read(
        vp=vp,
        problems=found.problems,
        left_out=tuple(key for key in fields if key not in CARRIED_KEYS),
        warnings=tuple(warnings),
        lines=found.lines,
    )


def _front_matter(text: str, head: Head, path: Path) -> FrontMatter:
    """Read the front matter as what it should be, else by the keys that such files are known to have."""
    found = read_front_matter(text, str(path))
    if not isinstance(found, Problem) and (not found.problems or KNOWN_KEYS.issuperset(found.fields)):
        return found
    first = found if isinstance(found, Problem) else found.problems[0]
    remark = structs.replace(first, reason=f"{first.reason}; read by the keys that such files have", fatal=False)
    fields, lines = _by_known_keys(head)
    return FrontMatter(fields=fields, lines=lines, body=head.body, problems=(remark,))


def _by_known_keys(head: Head) -> tuple[dict[str, Value], dict[str, int]]:
    """Take each known key at the start of a line as the beginning of a value, whatever follows until the next one.

    Returns the values, and the line of each.
    """
    written: dict[str, list[str]] = {}
    places: dict[str, int] = {}
    current: list[str] = []
    for number, line in enumerate(head.text.split("\n"), head.first_line):
        found = _KEY_LINE.match(line)
        key = _KNOWN.get(found[1].casefold(), "") if found else ""
        if found and key and key not in written:
            written[key] = current = [found[2]]
            places[key] = number
        else:
            current.append(line)
    fields = {key: _value([line.strip() for line in lines if line.strip()]) for key, lines in written.items()}
    return fields, places


def _value(lines: list[str]) -> Value:
    if lines and all(line.startswith("- ") for line in lines):
        return [line[2:].strip() for line in lines]
    text = " ".join(lines)
    try:
        return read_value(text)
    except ValueError:
        return text.strip("\"'|> ")


def _text(fields: dict[str, Value], key: str) -> str:
    return " ".join(prose(fields.get(key, "")).replace("\\n", " ").split())


def _id(name: str, path: Path) -> str:
    for text in (name, path.stem):
        vp_id = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:LIMIT_ID_CHARS].strip("-")
        if not id_problem(vp_id):
            return vp_id
    raise BadData(f"has a name that no id can be made of, {name!r}; give it one of letters a-z, digits and -.")


def _role(description: str) -> str:
    sentence = _FIRST_SENTENCE.match(description)
    role = sentence[0] if sentence else description
    return role if len(role) <= ROLE_CHARS else role[: ROLE_CHARS - 1].rstrip() + "…"


def _respell(fields: dict[str, Value], warnings: Warnings) -> None:
    """Take what stands under another name of a key as if it stood under its own."""
    for written, key in SPELLINGS.items():
        if written in fields and key not in fields:
            fields[key] = fields.pop(written)
            warnings.append((written, f"{written!r} is how other files call it; here it is {key!r}"))


def _model(fields: dict[str, Value], warnings: Warnings) -> str:
    value = fields.get("model", "")
    named = prose(value[0] if isinstance(value, list) and value else value).strip()
    nickname = _EXTRA.sub("", named).casefold()
    if nickname in _MODELS:
        return _MODELS[nickname]
    if named:
        named = _EXTRA.sub("", named)
        text = f"the model {named!r} is kept as it is; `yeaft model ls` shows whether it can be reached"
        warnings.append(("model", text))
    return named


def _policy(fields: dict[str, Value], warnings: Warnings) -> ToolPolicy:
    written = fields.get("tools", "")
    deny = _tools("disallowedTools", fields.get("disallowedTools", ""), warnings) or ()
    if isinstance(written, dict):  # which are on and which are off; of all others nothing is said
        off = [key for key, value in written.items() if isinstance(value, str) and value.casefold() in _OFF]
        on = [key for key in written if key not in off]
        if "*" not in off:
            return ToolPolicy(deny=(*deny, *(_tools("tools", list[Value](off), warnings) or ())))
        return ToolPolicy(allow=_tools("tools", list[Value](on), warnings), deny=deny)
    allow = None if written == "" else _tools("tools", written, warnings)
    return ToolPolicy(allow=allow, deny=deny)


def _tools(key: str, value: Value, warnings: Warnings) -> tuple[str, ...] | None:
    """Return the tools that `value` names, by their names here; None if it means all there are."""
    texts = [value] if isinstance(value, str) else [text for text in value if isinstance(text, str)]
    found: dict[str, None] = {}
    for written in (name for text in texts for name in _named(text)):
        name, restricted, _ = written.partition("(")
        if written.casefold() in _ALL:
            return None
        if written.casefold() in _NONE:
            continue
        if restricted:
            text = f"{written!r} became {name!r}; write the restriction as a rule under [permissions]"
            warnings.append((key, text))
        if (other := _OTHER_SERVER.fullmatch(name)) and name.casefold() not in _BY_NAME:
            name = f"mcp__{other[1]}__{other[2]}"
        if name.casefold() not in _BY_NAME and not name.startswith("mcp__"):
            warnings.append((key, f"there is no tool like {name!r} here; the name is kept and does nothing"))
        found |= dict.fromkeys(_BY_NAME.get(name.casefold(), (name,)))
    return tuple(found)


def _named(text: str) -> Iterator[str]:
    """Yield the names in `text`, which commas part, or spaces where each word is a tool."""
    for part in _TOOL.findall(text.strip("[] ")):
        name = part.strip(" \t\n\"'").removeprefix("- ")
        words = [word for word in _WORD.findall(name) if word != "-"]
        if len(words) > 1 and all(_is_tool(word) for word in words):
            yield from words
        elif name:
            yield name


def _is_tool(word: str) -> bool:
    return word.startswith("mcp__") or word.partition("(")[0].casefold() in _BY_NAME
