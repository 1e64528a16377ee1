"""Imports `.claude/agents/*.md`: another tool's personas, whose front matter is often not quite YAML."""

import re
from pathlib import Path

from msgspec import Struct

from yeaft.kernel.errors import BadData
from yeaft.prompts.front_matter import Head, Problem, read_front_matter, split_head
from yeaft.prompts.scalars import Value, read_value
from yeaft.vp.edit import checked_text
from yeaft.vp.persona import LIMIT_ID_CHARS, ToolPolicy, Vp, id_problem

ROLE_CHARS = 160
CARRIED_KEYS = frozenset({"name", "description", "tools", "disallowedTools", "model"})
KNOWN_KEYS = CARRIED_KEYS | {"permissionMode", "skills", "mcpServers", "hooks", "memory", "color", "maxTurns"}
TOOLS = {
    "Bash": ("Bash",),
    "Edit": ("FileEdit", "ApplyPatch"),
    "Glob": ("Glob",),
    "Grep": ("Grep",),
    "LS": ("ListDir",),
    "MultiEdit": ("FileEdit", "ApplyPatch"),
    "NotebookEdit": ("NotebookEdit",),
    "Read": ("FileRead", "ListDir"),
    "Skill": ("Skill",),
    "Task": ("SpawnAgent", "PromptAgent", "WaitAgent", "CloseAgent", "ListAgents"),
    "TodoWrite": ("TodoWrite",),
    "WebFetch": ("WebFetch",),
    "WebSearch": ("WebSearch",),
    "Write": ("FileWrite",),
}
"""Their tool names and what does the same here."""

_MODELS = {"haiku": "fast", "sonnet": "", "opus": "", "inherit": ""}
_KEY_LINE = re.compile(r"([A-Za-z]+)[ \t]*:[ \t]*(.*)$")
_FIRST_SENTENCE = re.compile(r".+?(?:[.!?](?=\s|$)|[\u3002\uff01\uff1f])")
_TOOL = re.compile(r"[^,(]+(?:\([^)]*\))?")


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
    head = split_head(text)
    if head is None or not head.first_line:
        raise BadData(f"{path} is not an agent file: it has no front matter between two --- lines.")
    fields = _fields(text, head, path)
    if not head.body.strip():
        raise BadData(f"{path} has no prompt below its front matter, so there is nothing to import.")
    warnings = [f"{key!r} has no counterpart here and was left out" for key in fields if key not in CARRIED_KEYS]
    name = _text(fields, "name") or path.stem
    vp = Vp(
        id=_id(name, path),
        name=name.replace("-", " ").replace("_", " ").strip().capitalize(),
        role=_role(_text(fields, "description")),
        model=_model(_text(fields, "model"), warnings),
        tools=_policy(fields, warnings),
        persona={"": head.body.strip()},
    )
    return Imported(vp=vp, text=checked_text(vp), warnings=tuple(warnings))


def _fields(text: str, head: Head, path: Path) -> dict[str, Value]:
    """Read the front matter as what it should be, else by the keys that such files are known to have."""
    found = read_front_matter(text, str(path))
    if not isinstance(found, Problem) and KNOWN_KEYS.issuperset(found.fields):
        return found.fields
    return _by_known_keys(head)


def _by_known_keys(head: Head) -> dict[str, Value]:
    """Take each known key at the start of a line as the beginning of a value, whatever follows until the next one."""
    written: dict[str, list[str]] = {}
    current: list[str] = []
    for line in head.text.split("\n"):
        found = _KEY_LINE.match(line)
        if found and found[1] in KNOWN_KEYS and found[1] not in written:
            written[found[1]] = current = [found[2]]
        else:
            current.append(line)
    return {key: _value([line.strip() for line in lines if line.strip()]) for key, lines in written.items()}


def _value(lines: list[str]) -> Value:
    if lines and all(line.startswith("- ") for line in lines):
        return [line[2:].strip() for line in lines]
    text = " ".join(lines)
    try:
        return read_value(text)
    except ValueError:
        return text.strip("\"'|> ")


def _text(fields: dict[str, Value], key: str) -> str:
    value = fields.get(key, "")
    return " ".join(value.replace("\\n", " ").split()) if isinstance(value, str) else ""


def _id(name: str, path: Path) -> str:
    for text in (name, path.stem):
        vp_id = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:LIMIT_ID_CHARS].strip("-")
        if not id_problem(vp_id):
            return vp_id
    raise BadData(f"{path}: no id can be made of the name {name!r}; give it a name of letters a-z, digits and -.")


def _role(description: str) -> str:
    sentence = _FIRST_SENTENCE.match(description)
    role = sentence[0] if sentence else description
    return role if len(role) <= ROLE_CHARS else role[: ROLE_CHARS - 1].rstrip() + "…"


def _model(named: str, warnings: list[str]) -> str:
    if named in _MODELS:
        return _MODELS[named]
    if named:
        warnings.append(f"the model {named!r} is kept as it is; `yeaft model ls` shows whether it can be reached")
    return named


def _policy(fields: dict[str, Value], warnings: list[str]) -> ToolPolicy:
    allow = _tools(fields.get("tools", ""), warnings)
    deny = _tools(fields.get("disallowedTools", ""), warnings)
    return ToolPolicy(allow=None if not allow or "*" in allow else allow, deny=deny)


def _tools(value: Value, warnings: list[str]) -> tuple[str, ...]:
    texts = [value] if isinstance(value, str) else [text for text in value if isinstance(text, str)]
    found: dict[str, None] = {}
    for written in (name.strip() for text in texts for name in _TOOL.findall(text)):
        name, restricted, _ = written.partition("(")
        if not name:
            continue
        if restricted:
            warnings.append(f"{written!r} became {name!r}; write the restriction as a rule under [permissions]")
        if name not in TOOLS and name != "*" and not name.startswith("mcp__"):
            warnings.append(f"there is no tool like {name!r} here; the name is kept and does nothing")
        found |= dict.fromkeys(TOOLS.get(name, (name,)))
    return tuple(found)
