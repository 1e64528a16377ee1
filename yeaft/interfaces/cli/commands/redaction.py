"""Masks secrets in what leaves the machine: known values, and texts that have the shape of a key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

import msgspec
from msgspec.structs import replace

from yeaft.events.codec import Recorded, decode, encode, type_of, version_of
from yeaft.llm.credentials import SHORTEST_SECRET_CHARS, secret_names

if TYPE_CHECKING:
    from yeaft.config.settings import Config

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"
MASK = "***"
_TELLING_NAMES = ("KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "AUTH", "COOKIE")
_SHAPES = re.compile(
    r"""-----BEGIN[ ][A-Z ]*PRIVATE[ ]KEY-----.*?(?:-----END[ ][A-Z ]*PRIVATE[ ]KEY-----|\Z)
    |\bsk-[A-Za-z0-9_-]{16,}                     # Anthropic, OpenAI, OpenRouter
    |\b(?:gh[pousr]_|github_pat_|glpat-)[A-Za-z0-9_]{16,}
    |\bxox[abeprs]-[A-Za-z0-9-]{10,}             # Slack
    |\bA[KS]IA[A-Z0-9]{16}\b                     # AWS
    |\bAIza[A-Za-z0-9_-]{35}                     # Google
    |\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}  # JSON web tokens
    |(?<=Bearer[ ])[A-Za-z0-9._~+/-]{16,}=*
    |(?<=://)[^/\s:@]+:[^/\s@]+(?=@)             # user and password in a URL""",
    re.VERBOSE | re.DOTALL,
)


class Redaction:
    """Knows the secrets of this machine's configuration and environment."""

    def __init__(self, config: Config, environ: Mapping[str, str]) -> None:
        named = secret_names(config, environ)
        values = {value for name, value in environ.items() if name in named or _tells(name)}
        for provider in config.providers.values():
            values |= {provider.api_key, *(value for name, value in provider.headers.items() if _tells(name))}
        known = sorted((value for value in values if len(value) >= SHORTEST_SECRET_CHARS), key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, known))) if known else None

    def text(self, text: str) -> str:
        """Return `text` without secrets."""
        if self._known is not None:
            text = self._known.sub(MASK, text)
        return _SHAPES.sub(MASK, text)

    def recorded(self, recorded: Recorded) -> Recorded:
        """Return the event without secrets in any of its texts."""
        event = recorded.event
        raw = encode(event)
        try:
            masked = msgspec.json.encode(self._value(msgspec.json.decode(raw)))
        except msgspec.DecodeError:
            masked = self.text(raw.decode("utf-8", "replace")).encode()
        return replace(recorded, event=decode(type_of(event), version_of(event), masked))

    def _value(self, value: Json) -> Json:
        match value:
            case str():
                return self.text(value)
            case list():
                return [self._value(inner) for inner in value]
            case dict():
                return {self.text(key): self._value(inner) for key, inner in value.items()}
            case _:
                return value


def _tells(name: str) -> bool:
    """Whether a variable or header of this name probably holds a secret."""
    return any(word in name.upper() for word in _TELLING_NAMES)
