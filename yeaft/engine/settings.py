"""Everything that a request reads besides the journal, frozen once so that the request can be built again."""

import hashlib

import msgspec
from msgspec import Struct

from yeaft.config.settings import Window
from yeaft.llm.model import ModelEntry
from yeaft.llm.prompt import SystemBlock, ToolSpec

BUILDER = 2
"""Version of the request builder; a journal written by another one cannot be compared byte for byte."""


class Settings(Struct, frozen=True, kw_only=True):
    """One VP's settings for its next requests. `names` are what the others are called, by id."""

    builder: int = BUILDER
    vp_id: str
    system: tuple[SystemBlock, ...]
    tools: tuple[ToolSpec, ...]
    entry: ModelEntry
    effort: str
    max_output_tokens: int
    cache_key: str
    labelled: bool
    names: dict[str, str]
    phrases: dict[str, str]
    window: Window = Window()


class Frozen(Struct, frozen=True, kw_only=True):
    """Settings with the exact bytes that are stored and their SHA-256."""

    settings: Settings
    content: bytes
    digest: str


def freeze(settings: Settings) -> Frozen:
    """The stored form of `settings`."""
    content = msgspec.json.encode(settings)
    return Frozen(settings=settings, content=content, digest=hashlib.sha256(content).hexdigest())


def thaw(content: bytes) -> Settings:
    """The settings that `content` holds. Raises `msgspec.DecodeError` for what another builder wrote."""
    return msgspec.json.decode(content, type=Settings)
