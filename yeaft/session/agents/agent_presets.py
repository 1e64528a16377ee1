"""Who a sub-agent is: one of the bundled personas or its VP's own, with the tools and the model that go with it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from yeaft.config.settings import Config, VpSettings
from yeaft.prompts.fill import fill
from yeaft.prompts.find import templates_dir
from yeaft.session.agents.agent_budget import told_budget
from yeaft.vp.library import Library
from yeaft.vp.persona import ToolPolicy, Vp

if TYPE_CHECKING:
    from yeaft.events.agent import AgentSpawned
    from yeaft.tools.tool import Toolbox

WITHHELD = frozenset(
    {
        *("SpawnAgent", "PromptAgent", "WaitAgent", "CloseAgent", "ListAgents"),
        *("RouteForward", "AskUser", "CreateWorkItem"),
    }
)
"""Tools that no sub-agent has: it spawns nobody, hands nothing on, and nobody answers it."""


class Wishes(Struct, frozen=True, kw_only=True):
    """The model and effort that the user has given a VP in this conversation; empty for none."""

    model: str = ""
    effort: str = ""


def preset(persona: str) -> Vp | None:
    """Return the bundled persona of this name; None for the empty name, by which a sub-agent works as its VP."""
    return Library((templates_dir() / "agents",)).get(persona) if persona else None


def label_of(spawned: AgentSpawned) -> str:
    """Return what screens and questions to the human call the agent: its VP's id and its own name."""
    return f"{spawned.vp_id}/{spawned.name}"


def agent_vp(spawned: AgentSpawned, parent: Vp, persona: Vp | None, lang: str, texts: Mapping[str, str]) -> Vp:
    """Return the VP that a sub-agent's requests are made for; what it may use is decided by `agent_tools`."""
    limits = told_budget(spawned.budget)
    values = {
        "name": spawned.name,
        "parent": parent.id,
        "parent_name": parent.name_in(lang),
        "budget": ", ".join(f"{name} {value}" for name, value in limits.items()) or texts["no_budget"],
    }
    text = f"{fill(texts['preamble'], values)}\n\n{(persona or parent).text(lang)}"
    return Vp(
        id=label_of(spawned),
        name=spawned.name,
        role=(persona or parent).role_in(lang),
        model=parent.model,
        tools=ToolPolicy(),
        persona={lang: text},
        digest=hashlib.sha256(text.encode()).hexdigest(),
        source=(persona or parent).source,
    )


def agent_tools(toolbox: Toolbox, parent: Vp, persona: Vp | None) -> Toolbox:
    """Return what a sub-agent can call at all: its VP's tools, without those withheld, cut down to its persona's."""
    subset = None if persona is None else persona.tools.allow or ()
    return {
        name: tool
        for name, tool in toolbox.items()
        if name not in WITHHELD and parent.tools.offers(name) and (subset is None or name in subset)
    }


def agent_config(config: Config, spawned: AgentSpawned) -> Config:
    """Return settings in which the agent has those of its VP."""
    own = config.vps.get(spawned.vp_id, VpSettings())
    return replace(config, vps={**config.vps, label_of(spawned): own})


def agent_model(config: Config, persona: Vp | None, flag: str) -> str:
    """Return what takes the place of `-m`: the fast model for a fast persona if there is one, else what the VP has."""
    is_fast = persona is not None and persona.model == "fast" and bool(config.models.fast)
    return "fast" if is_fast else flag
