"""What the types of settings cannot say: ranges, which are mended, and words, which are refused."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from yeaft.config.keys import check_keys
from yeaft.config.settings import EFFORTS, Config, Limits, Mcp, Provider, Retry, Search, Web
from yeaft.kernel.errors import ConfigError

N = TypeVar("N", int, float)
MAX_DELAY_S = 600.0
KEY_SETTINGS = ("api_key", "api_key_env", "api_key_cmd")


class _Mended(Struct):
    """Sentences about values that were moved into their range."""

    origins: Mapping[str, str]
    notices: list[str]

    def within(self, key: str, value: N, low: N, high: N) -> N:
        """`value`, or the nearest end of its range."""
        mended = min(max(value, low), high)
        if mended != value:
            place = self.origins.get(key, "the built-in settings")
            self.notices.append(f"{key} = {value} ({place}) is out of range; {mended} is used.")
        return mended


def checked(config: Config, origins: Mapping[str, str]) -> tuple[Config, tuple[str, ...]]:
    """`config` with numbers moved into their ranges, and a sentence about each that was.

    Raises `ConfigError` for a word that means nothing, an address that is none, and more than one kind of key.
    """
    _check_effort("models.effort", config.models.effort, origins)
    for vp_id, vp in config.vps.items():
        _check_effort(f"vps.{vp_id}.effort", vp.effort, origins)
    for name, provider in config.providers.items():
        _check_provider(name, provider, origins)
    _check_search(config.search, origins)
    _check_address("images.url", config.images.url, origins)
    _check_places("sandbox.write", config.sandbox.write, origins)
    check_keys(config.keys, origins)
    mended = _Mended(origins=origins, notices=[])
    limits = _limits(config.limits, mended)
    retry = _retry(config.retry, mended)
    web = _web(config.web, mended)
    mcp = _mcp(config.mcp, mended)
    if not mended.notices:
        return config, ()
    return replace(config, limits=limits, retry=retry, web=web, mcp=mcp), tuple(mended.notices)


def _check_effort(key: str, word: str, origins: Mapping[str, str]) -> None:
    if word and word not in EFFORTS:
        place = origins.get(key, "the settings")
        raise ConfigError(f"{place}: {key} = {word!r} is no effort. Choose one of: {', '.join(EFFORTS)}.")


def _check_provider(name: str, provider: Provider, origins: Mapping[str, str]) -> None:
    given = (provider.api_key, provider.api_key_env, provider.api_key_cmd)
    named = [setting for setting, value in zip(KEY_SETTINGS, given, strict=True) if value]
    if len(named) > 1:
        place = origins.get(f"providers.{name}.{named[-1]}", "the settings")
        raise ConfigError(f"{place}: providers.{name} has {' and '.join(named)}. Keep one of them.")
    _check_address(f"providers.{name}.base_url", provider.base_url, origins)


def _check_search(search: Search, origins: Mapping[str, str]) -> None:
    place = origins.get("search.provider", "the settings")
    if search.api_key and search.api_key_env:
        raise ConfigError(f"{place}: search has api_key and api_key_env. Keep one of them.")
    if not search.provider and (search.url or search.api_key or search.api_key_env):
        raise ConfigError(f"{place}: search has no provider for its url or key. Add provider = ..., such as searxng.")
    if search.provider in ("searxng", "json") and not search.url:
        raise ConfigError(f"{place}: search.provider = {search.provider!r} needs the address to ask. Add url = ...")
    _check_address("search.url", search.url, origins)


def _check_address(key: str, url: str, origins: Mapping[str, str]) -> None:
    if url and not url.startswith(("http://", "https://")):
        place = origins.get(key, "the settings")
        raise ConfigError(f"{place}: {key} = {url!r} must begin with http:// or https://.")


def _check_places(key: str, paths: Sequence[str], origins: Mapping[str, str]) -> None:
    for path in paths:
        if not path.startswith(("/", "~/")) or "\0" in path:
            place = origins.get(key, "the settings")
            raise ConfigError(f"{place}: {key} names {path!r}; a path there begins with / or ~/.")


def _limits(limits: Limits, mended: _Mended) -> Limits:
    return replace(
        limits,
        max_rounds=mended.within("limits.max_rounds", limits.max_rounds, 1, 10_000),
        max_continues=mended.within("limits.max_continues", limits.max_continues, 0, 100),
        handoff_depth=mended.within("limits.handoff_depth", limits.handoff_depth, 0, 30),
        handoff_turns=mended.within("limits.handoff_turns", limits.handoff_turns, 0, 100),
        agents_per_vp=mended.within("limits.agents_per_vp", limits.agents_per_vp, 0, 64),
        agents_per_session=mended.within("limits.agents_per_session", limits.agents_per_session, 0, 64),
        agents_per_message=mended.within("limits.agents_per_message", limits.agents_per_message, 0, 1000),
        agent_idle_s=mended.within("limits.agent_idle_s", limits.agent_idle_s, 0.0, 86_400.0),
        agent_silence_s=mended.within("limits.agent_silence_s", limits.agent_silence_s, 0.001, 3600.0),
    )


def _web(web: Web, mended: _Mended) -> Web:
    return replace(
        web,
        timeout_s=mended.within("web.timeout_s", web.timeout_s, 1.0, MAX_DELAY_S),
        max_bytes=mended.within("web.max_bytes", web.max_bytes, 1024, 100 * 1024 * 1024),
    )


def _mcp(mcp: Mcp, mended: _Mended) -> Mcp:
    return replace(
        mcp,
        most_tools=mended.within("mcp.most_tools", mcp.most_tools, 1, 500),
        connect_timeout_s=mended.within("mcp.connect_timeout_s", mcp.connect_timeout_s, 0.1, MAX_DELAY_S),
        call_timeout_s=mended.within("mcp.call_timeout_s", mcp.call_timeout_s, 1.0, 86_400.0),
    )


def _retry(retry: Retry, mended: _Mended) -> Retry:
    base_s = mended.within("retry.base_delay_s", retry.base_delay_s, 0.0, 60.0)
    return replace(
        retry,
        max_retries=mended.within("retry.max_retries", retry.max_retries, 0, 20),
        base_delay_s=base_s,
        max_delay_s=mended.within("retry.max_delay_s", retry.max_delay_s, base_s, MAX_DELAY_S),
        jitter_ratio=mended.within("retry.jitter_ratio", retry.jitter_ratio, 0.0, 1.0),
        first_byte_timeout_s=mended.within("retry.first_byte_timeout_s", retry.first_byte_timeout_s, 0.0, MAX_DELAY_S),
        idle_timeout_s=mended.within("retry.idle_timeout_s", retry.idle_timeout_s, 0.0, MAX_DELAY_S),
        connect_timeout_s=mended.within("retry.connect_timeout_s", retry.connect_timeout_s, 0.1, MAX_DELAY_S),
        forbidden_delays_s=tuple(
            mended.within("retry.forbidden_delays_s", delay_s, 0.0, MAX_DELAY_S)
            for delay_s in retry.forbidden_delays_s[:3]
        ),
    )
