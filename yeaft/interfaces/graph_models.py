"""The models that agents in files of graphs name, as far as they can be used with what is set up here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from yeaft.kernel.errors import ConfigError, NotFound

if TYPE_CHECKING:
    from yeaft.config.settings import Config
    from yeaft.workflows.graphs.files.agents import FindModel

OTHER_NAMES = {
    "openai-chat": "openai",
    "openai-responses": "openai",
    "claude": "anthropic",
    "anthropic-chat": "anthropic",
}
"""What other programs call providers that are known here."""


def usable_models(config: Config, environ: Mapping[str, str]) -> FindModel:
    """Return what finds a model for a name such as `openai/gpt-5-mini`: itself, or the same one by another way.

    A model can be used if its provider is configured or there is a key for it.
    """
    from yeaft.config.variables import GENERIC_PROVIDER
    from yeaft.llm.catalogue import read_catalogue
    from yeaft.llm.providers import has_key, servers
    from yeaft.llm.router import resolve
    from yeaft.prompts.find import templates_dir

    catalogue = read_catalogue(templates_dir())
    known = servers(config, environ)

    def find(ref: str) -> str:
        for one in _ways(ref, tuple(known)):
            try:
                provider = resolve(config, environ, catalogue, one).entry.provider
            except (NotFound, ConfigError):
                continue
            is_meant = provider != GENERIC_PROVIDER or one.startswith(f"{GENERIC_PROVIDER}/")
            if is_meant and (provider in config.providers or has_key(known[provider], environ)):
                return one
        return ""

    return find


def _ways(ref: str, providers: tuple[str, ...]) -> Iterator[str]:
    """Yield how a model may be named here."""
    provider, slash, model = ref.partition("/")
    if not slash:
        yield ref
        return
    named = OTHER_NAMES.get(provider, provider)
    if named in providers:
        yield f"{named}/{model}"
    yield from (f"{other}/{named}/{model}" for other in providers if other == "openrouter")
    yield model.rpartition("/")[2]
