"""Which of its tools a VP is offered, and why the others are kept back."""

from typing import Literal

from yeaft.config.settings import Config
from yeaft.llm.model import ModelEntry
from yeaft.vp.persona import Vp

Hidden = Literal["", "vp_file", "no_tools", "no_images", "no_peers", "no_node", "no_service"]
"""Why a tool is not offered; empty if it is."""
NEED_NODE = frozenset({"JsRepl", "JsReplReset"})


def hidden(tool: str, vp: Vp, *, has_peers: bool, entry: ModelEntry | None) -> Hidden:
    """Why a VP is not offered a tool that can work here; `entry` is its model, None if that is not known."""
    if not vp.tools.offers(tool):
        return "vp_file"
    if entry is not None and not entry.tools:
        return "no_tools"
    if tool == "ViewImage" and entry is not None and not entry.images:
        return "no_images"
    return "no_peers" if tool == "RouteForward" and not has_peers else ""


def missing(tool: str, config: Config, *, has_node: bool) -> Hidden:
    """What a tool lacks to work on this machine; empty if nothing."""
    if tool in NEED_NODE and not has_node:
        return "no_node"
    return "no_service" if tool == "ImageGeneration" and not config.images.url else ""
