"""How a VP is told things: who it is, what others are called, and the texts that stand between the turns."""

from collections.abc import Mapping

from msgspec import Struct

from yeaft.engine.pictures import Look, nothing_kept
from yeaft.llm.model import WireProtocol


class Manner(Struct, frozen=True, kw_only=True):
    """How a VP is told things.

    `model` (`provider/model`) is who is told. What was said over another `protocol` goes without its opaque parts.
    `labelled` is False while the VP is alone with the user: then the user's words go as they are. `picture` finds the
    pictures of results; a model that takes none (`sees` is False) is told so instead. `offered` are the names of the
    tools that the model can call.
    """

    vp_id: str
    names: Mapping[str, str]
    phrases: Mapping[str, str]
    model: str
    protocol: WireProtocol
    labelled: bool = False
    picture: Look = nothing_kept
    sees: bool = True
    offered: frozenset[str] = frozenset()
