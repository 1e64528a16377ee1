"""What is known of models: windows, prices, efforts. Read from `templates/catalogue/models.json` when first needed."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from yeaft.kernel.errors import ConfigError
from yeaft.kernel.usage import Price
from yeaft.llm.effort import version_of
from yeaft.llm.model import Tools

FOREIGN_CONTEXT_TOKENS = 32_768
FOREIGN_OUTPUT_TOKENS = 4_096
UNKNOWN_CONTEXT_TOKENS = 128_000
UNKNOWN_OUTPUT_TOKENS = 16_384


class Traits(Struct, frozen=True, kw_only=True):
    """What a model can do, wherever it is served. `known` False means that the numbers are cautious guesses."""

    context_tokens: int
    output_tokens: int
    efforts: tuple[str, ...] = ()
    thinking: Literal["none", "adaptive", "budget"] = "none"
    price: Price | None = None
    tools: Tools = True
    images: bool = True
    cache: bool = True
    known: bool = True


class KnownModel(Traits, frozen=True, kw_only=True):
    """A model by its id."""

    id: str


class Family(Traits, frozen=True, kw_only=True):
    """Models whose id begins with `prefix` and whose version is at least `since`."""

    prefix: str
    since: tuple[int, ...] = ()


class Default(Struct, frozen=True, kw_only=True):
    """The model of a provider to use when nobody chose one, and the day it was picked."""

    id: str
    chosen: str


class Catalogue(Struct, frozen=True, kw_only=True):
    """Everything known, by provider. Prices are list prices as of the day `as_of`."""

    as_of: str
    about: str
    defaults: Mapping[str, Default]
    aliases: Mapping[str, Mapping[str, str]]
    models: Mapping[str, tuple[KnownModel, ...]]
    families: tuple[Family, ...]

    def real_id(self, provider: str, model_id: str) -> str:
        """The id to send for a short name such as `claude-sonnet`, or for `claude-opus-4.8`; any other as it is."""
        real = self.aliases.get(provider, {}).get(model_id, model_id)
        dashed = real.replace(".", "-")
        return dashed if any(model.id == dashed for model in self.models.get(provider, ())) else real

    def provider_of(self, model_id: str) -> str:
        """The provider that makes a model with this id or short name; empty if no id like it is known."""
        for provider, names in self.aliases.items():
            if model_id in names:
                return provider
        for provider, models in self.models.items():
            if any(model.id == plain_id(model_id) for model in models):
                return provider
        return ""

    def traits(self, model_id: str, *, foreign: bool) -> Traits:
        """What the model can do: as listed, as its family, or a guess, which is most cautious on a `foreign` server."""
        wanted = plain_id(model_id)
        for models in self.models.values():
            for model in models:
                if model.id == wanted:
                    return model
        version = version_of(wanted)
        for family in self.families:
            if wanted.startswith(family.prefix) and version >= family.since:
                return family
        return _FOREIGN if foreign else _UNKNOWN

    def refs(self) -> Iterator[str]:
        """All `provider/model`, short names included."""
        for provider, names in self.aliases.items():
            yield from (f"{provider}/{name}" for name in names)
        for provider, models in self.models.items():
            yield from (f"{provider}/{model.id}" for model in models)


_UNKNOWN = Traits(context_tokens=UNKNOWN_CONTEXT_TOKENS, output_tokens=UNKNOWN_OUTPUT_TOKENS, cache=False, known=False)
_FOREIGN = Traits(
    context_tokens=FOREIGN_CONTEXT_TOKENS,
    output_tokens=FOREIGN_OUTPUT_TOKENS,
    images=False,
    cache=False,
    known=False,
)


def read_catalogue(templates: Path) -> Catalogue:
    """The catalogue in a templates folder. Raises `ConfigError` if the installation is damaged."""
    path = templates / "catalogue" / "models.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=Catalogue)
    except (OSError, msgspec.DecodeError) as error:
        raise ConfigError(f"{path} cannot be used ({error}); install yeaft again.") from error


def plain_id(model_id: str) -> str:
    """The id that the model's maker uses, from what gateways and clouds make of it.

    `us.anthropic.claude-opus-4-6-v1:0`, `anthropic/claude-opus-4.6` and `claude-opus-4-6@20260205` are one model.
    """
    name = model_id.lower().rpartition("/")[2].partition(":")[0]
    if (start := name.find("claude")) >= 0:
        name = name[start:].replace(".", "-")
    name = re.sub(r"(-v\d)$", "", name)
    name = re.sub(r"([-@]20\d{6}|-20\d\d-\d\d-\d\d)$", "", name)
    return name.removesuffix("-latest")
