"""What the user can say about the web in config.toml."""

from pathlib import Path

import pytest

from yeaft.config.layers import Loaded, load
from yeaft.config.listing import settings
from yeaft.config.settings import Images, Search, Web
from yeaft.kernel.errors import ConfigError


def loaded(home: Path, text: str) -> Loaded:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(text, encoding="utf-8")
    return load(home, None, {}, system_config=home / "none.toml")


def test_the_web_is_closed_to_private_networks_and_search_needs_no_key(tmp_path: Path) -> None:
    config = loaded(tmp_path, "").config

    assert (config.web, config.search, config.images) == (Web(), Search(), Images())
    assert (config.web.allow_private, config.web.max_bytes, config.search.provider, config.images.url) == (
        False,
        10 * 1024 * 1024,
        "",
        "",
    )


def test_limits_out_of_range_are_mended_with_a_notice(tmp_path: Path) -> None:
    result = loaded(tmp_path, "[web]\ntimeout_s = 0\nmax_bytes = 999999999999\nallow_private = true\n")

    assert result.config.web == Web(allow_private=True, timeout_s=1.0, max_bytes=100 * 1024 * 1024)
    assert len(result.notices) == 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('provider = "google"', "choose one of ddgs, tavily, brave, searxng, json"),
        ('provider = "searxng"', "needs the address to ask. Add url = ..."),
        ('provider = "json"\nurl = "search.example"', "must begin with http:// or https://"),
        ('url = "http://s.example"', "search has no provider for its url or key"),
        ('provider = "brave"\napi_key = "a"\napi_key_env = "B"', "api_key and api_key_env. Keep one of them."),
        ('provider = "brave"\napikey = "a"', "did you mean api_key?"),
    ],
)
def test_a_search_that_cannot_work_is_refused_with_the_remedy(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(ConfigError) as caught:
        loaded(tmp_path, f"[search]\n{text}\n")

    assert reason in str(caught.value)


def test_the_key_of_a_search_provider_is_not_listed(tmp_path: Path) -> None:
    rows = settings(loaded(tmp_path, '[search]\nprovider = "brave"\napi_key = "secret"\n'))

    shown = {row.key: row.value for row in rows if row.key.startswith("search.")}
    assert shown == {
        "search.provider": '"brave"',
        "search.url": '""',
        "search.api_key": "***",
        "search.api_key_env": '""',
    }
