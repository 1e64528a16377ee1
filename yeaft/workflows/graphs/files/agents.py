"""Agents that a file of graphs brings along, in the forms in which agent programs write them, as VPs of its runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path as FilePath
from typing import Any, cast

import msgspec

from yeaft.kernel.lists import is_list
from yeaft.kernel.nearness import nearest
from yeaft.prompts.front_matter import Problem, read_front_matter
from yeaft.vp.names import EVERYONE_LABELS
from yeaft.workflows.graphs.files.agent_prompts import PROMPT_KEYS, Prompts
from yeaft.workflows.graphs.files.located import Located, Mistake, Path
from yeaft.workflows.graphs.files.response_types import answer_schema, is_unknown
from yeaft.workflows.graphs.files.side_files import read_side_file
from yeaft.workflows.graphs.graph import Agent
from yeaft.workflows.graphs.plain_values import is_mapping, listing, mapping

NATIVE, HUMAN, IN_FILE, CALLBACK = "native", "human", "file", "callback"
SECTIONS = {
    "agents": NATIVE,
    "file_agents": IN_FILE,
    "acp_agents": "acp",
    "agui_agents": "agui",
    "claude_code_agents": "claude_code",
    "codex_agents": "codex",
}
"""Where agents stand in a file, and of what type they are if they do not say."""
_LISTED = (*PROMPT_KEYS, "tools", "toolsets")
"""What an agent adds to what it inherits, instead of having it in its place."""
_USED = frozenset(
    (
        *PROMPT_KEYS,
        "type",
        "name",
        "display_name",
        "description",
        "model",
        "provider",
        "inherits",
        "path",
        "connections",
    )
) | {"forward_to", "result_type", "output_type"}
_QUIET = frozenset(("debug", "retries", "end_strategy", "output_retries", "avatar", "requires_tool_confirmation"))
"""What makes no difference that anybody would miss."""
_AS_NATIVE = frozenset(("ai", "pydantic_ai", "litellm"))
"""How agents were called before that are a model with a prompt."""
_NO_SLIPS = frozenset(("mode", "models"))
"""What means something to another program, though it looks like a slip of what is used here."""
_LONGEST_LINE = 10
FindModel = Callable[[str], str]
"""Returns a model that can be used here for one that a file names as `provider/model`; empty for none."""


class AgentReader:
    """Reads the agents of one file; what is wrong is in `mistakes`, what is left out in `warnings`."""

    def __init__(self, located: Located, folder: FilePath, find_model: FindModel | None) -> None:
        self.mistakes: list[Mistake] = []
        self.warnings: list[Mistake] = []
        self._located = located
        self._folder = folder
        self._find_model = find_model
        self._data = cast("dict[str, Any]", located.data)
        self._written: dict[str, tuple[str, Any, int]] = {}

    def read(self) -> dict[str, Agent]:
        """Return all agents by name."""
        for section in SECTIONS:
            written = self._data.get(section)
            if written is not None and not is_mapping(written):
                self.mistakes.append(Mistake(self._located.line((section,)), f"{section} must be a mapping by name"))
            for name, raw in mapping(written).items():
                line = self._located.line((section, name))
                if name in self._written:
                    self.mistakes.append(Mistake(line, f"{name!r} stands here a second time"))
                self._written[name] = (section, raw, line)
        return {name: agent for name in self._written if (agent := self._agent(name)) is not None}

    def _agent(self, name: str) -> Agent | None:
        section, raw, line = self._written[name]
        if name.startswith(("@", "＠")) or name.casefold() in EVERYONE_LABELS:
            text = f"the agent {name!r} cannot be spoken to by that name; give it another"
            self.mistakes.append(Mistake(line, text))
        if section == "file_agents" and isinstance(raw, str):
            raw = {"path": raw}
        if raw is not None and not is_mapping(raw):
            self.mistakes.append(Mistake(line, f"the agent {name!r} must be a mapping"))
            return None
        agent = self._inherited(name, mapping(raw), line)
        kind = _kind(agent, section)
        if section == "file_agents" or kind == IN_FILE:
            agent = {**agent, **self._from_file(name, str(agent.get("path") or ""), line)}
        elif kind not in (NATIVE, HUMAN):
            text = f"the agent {name!r} of type {kind!r} would be another program; a VP with its prompt takes its part"
            self.warnings.append(Mistake(line, text))
        self._tell_unused(name, agent, line)
        answer, responses = agent.get("output_type", agent.get("result_type")), mapping(self._data.get("responses"))
        schema = answer_schema(answer, responses)
        if is_unknown(answer, responses):
            shown = answer if isinstance(answer, str) else "output_type"
            text = f"agent {name!r}: nothing is known here of the type {shown!r}; its answer is taken as it is"
            self.warnings.append(Mistake(line, text))
        return Agent(
            name=name,
            persona=self._prompts(name).persona(agent),
            description=str(agent.get("description") or ""),
            model="" if kind == HUMAN else self._model(name, agent, line),
            kind=kind,
            schema="" if schema is None else msgspec.json.encode(schema).decode(),
            line=line,
        )

    def _prompts(self, name: str) -> Prompts:
        library = mapping(self._data.get("prompts"))
        named = {**library, **mapping(library.get("system_prompts"))}
        return Prompts(
            named,
            self._folder,
            mistake=lambda key, part, reason: self._tell_of_prompt(self.mistakes, name, key, part, reason),
            warn=lambda key, part, reason: self._tell_of_prompt(self.warnings, name, key, part, reason),
        )

    def _tell_of_prompt(self, told: list[Mistake], name: str, key: str, part: Any, reason: str) -> None:
        """Note a reason at the line of a part of a prompt, unless it is inherited and so told of somebody else."""
        if place := self._place(name, key):
            own = mapping(self._written[name][1])[key]
            if part in _listed(own):
                whole = (*place, own.index(part)) if is_list(own) else place
                told.append(Mistake(self._located.line(whole), f"agent {name!r}: {reason}"))

    def _place(self, name: str, key: str) -> Path:
        """Where a key of an agent's own stands; empty if it is inherited."""
        section, raw, _ = self._written[name]
        return (section, name, key) if key in mapping(raw) else ()

    def _inherited(self, name: str, agent: Mapping[str, Any], line: int) -> dict[str, Any]:
        """An agent with all it takes over from others; its own prompts follow theirs."""
        made, seen = dict(agent), {name}
        while made.get("inherits"):
            parent = str(made.pop("inherits"))
            if parent not in self._written or parent in seen:
                near = nearest(parent, [one for one in self._written if one not in seen])
                hint = f" Did you mean {near!r}?" if near else ""
                said = "itself" if parent in seen else f"{parent!r}, which is no agent here"
                self.mistakes.append(Mistake(line, f"the agent {name!r} inherits from {said}.{hint}"))
                return made
            seen.add(parent)
            above = mapping(self._written[parent][1])
            joined = {
                key: [*_listed(above[key]), *_listed(made[key])] for key in _LISTED if key in above and key in made
            }
            made = {**above, **made, **joined, "inherits": above.get("inherits")}
        return made

    def _from_file(self, name: str, path: str, line: int) -> dict[str, Any]:
        """What an agent file in Markdown says: its front matter, and its text as the prompt."""
        try:
            text = read_side_file(path, self._folder)
        except ValueError as error:
            self.mistakes.append(Mistake(line, f"agent {name!r}: {error}"))
            return {}
        head = read_front_matter(text, path)
        if isinstance(head, Problem):
            return {"system_prompt": text}
        known = {key: value for key, value in head.fields.items() if key in ("description", "model")}
        return {**known, "system_prompt": head.body}

    def _tell_unused(self, name: str, agent: Mapping[str, Any], line: int) -> None:
        unused: list[str] = []
        for key in agent:
            if key in _USED or key in _QUIET:
                continue
            if key in _NO_SLIPS or not (near := nearest(key, sorted(_USED))):
                unused.append(key)
            elif place := self._place(name, key):
                text = f"{key!r} means nothing for an agent. Did you mean {near!r}?"
                self.warnings.append(Mistake(self._located.line(place), text))
        if unused:
            shown = ", ".join(unused[:_LONGEST_LINE]) + (", …" if len(unused) > _LONGEST_LINE else "")
            text = f"of the agent {name!r} these are not used here: {shown}; VPs have yeaft's own tools"
            self.warnings.append(Mistake(line, text))

    def _model(self, name: str, agent: Mapping[str, Any], line: int) -> str:
        """The first model of an agent that can be used here; empty, with a warning, if there is none."""
        provider = agent.get("provider")
        written = agent.get("model") or (mapping(provider).get("model") if isinstance(provider, dict) else None)
        named = list(_models(written, mapping(self._data.get("model_variants"))))
        for one in named:
            if found := one if self._find_model is None else self._find_model(one):
                return found
        if named or written:
            said = " or ".join(map(repr, named)) or "that it names"
            self.warnings.append(
                Mistake(line, f"agent {name!r}: the model {said} is not set up here; the default is used")
            )
        return ""


def _models(written: Any, variants: Mapping[str, Any], depth: int = 0) -> Iterator[str]:
    """Yield the models that are named, the first choice first, as `provider/model`."""
    if depth > _LONGEST_LINE:
        return
    if is_mapping(written):
        keys = ("identifier", "model", "model_name", "models")
        yield from _models(next((written[key] for key in keys if key in written), None), variants, depth + 1)
    for item in listing(written):
        yield from _models(item, variants, depth + 1)
    if not isinstance(written, str) or "$" in written:
        return  # a placeholder for a variable of the environment is not looked into
    if written in variants:
        yield from _models(variants[written], {}, depth + 1)
    else:
        yield written.replace(":", "/", 1) if "/" not in written.partition(":")[0] else written


def _kind(agent: Mapping[str, Any], section: str) -> str:
    provider = agent.get("provider")
    told = agent.get("type") or (mapping(provider).get("type") if isinstance(provider, dict) else provider)
    if section != "agents":
        return SECTIONS[section]
    model = agent.get("model")
    is_human = told == HUMAN or (is_mapping(model) and model.get("type") == "input")
    if is_human or told == CALLBACK:
        return HUMAN if is_human else CALLBACK
    return NATIVE if agent.get("type") in _AS_NATIVE else str(agent.get("type") or NATIVE)


def _listed(value: Any) -> list[Any]:
    return value if is_list(value) else [value]
