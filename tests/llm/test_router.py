"""What a user writes as a model, and the server, protocol and limits it comes to."""

import msgspec
import pytest

from yeaft.config.settings import Config
from yeaft.config.variables import variable_layers
from yeaft.kernel.errors import ConfigError, NoCredentials, NotFound
from yeaft.kernel.usage import Price
from yeaft.llm.catalogue import Catalogue, read_catalogue
from yeaft.llm.choice import choose_model
from yeaft.llm.providers import CommandKey, GivenKey, NoKey, VariableKey
from yeaft.llm.router import Route, known_refs, resolve, with_server
from yeaft.prompts.find import templates_dir

BOX = {
    "providers": {
        "box": {
            "base_url": "http://127.0.0.1:8080/v1/",
            "protocol": "openai-responses",
            "headers": {"x-team": "blue"},
            "models": [
                {"id": "qwen3-32b", "context_tokens": 40960, "output_tokens": 4096, "price_usd_per_mtok": {"out": 1.0}},
                {"id": "org/other", "tools": False, "images": True, "efforts": ["low"], "protocol": "anthropic"},
            ],
        }
    }
}


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return read_catalogue(templates_dir())


def configured(table: dict) -> Config:
    return msgspec.convert(table, Config)


def test_a_short_name_finds_the_newest_claude_at_its_maker(catalogue: Catalogue) -> None:
    for ref in ("claude-sonnet", "sonnet", "anthropic/claude-sonnet", "anthropic"):
        route = resolve(Config(), {"ANTHROPIC_API_KEY": "k"}, catalogue, ref)

        assert route.entry.ref == "anthropic/" + catalogue.defaults["anthropic"].id
        assert (route.entry.protocol, route.base_url) == ("anthropic", "https://api.anthropic.com")
        assert (route.auth, route.key) == ("x-api-key", VariableKey(name="ANTHROPIC_API_KEY"))
        assert route.entry.price is not None
        assert route.entry.known


def test_a_model_of_the_users_own_server_has_the_limits_they_wrote(catalogue: Catalogue) -> None:
    route = resolve(configured(BOX), {}, catalogue, "box/qwen3-32b")

    entry = route.entry
    assert (entry.provider, entry.id, entry.protocol) == ("box", "qwen3-32b", "openai-responses")
    assert (entry.context_tokens, entry.output_tokens, entry.price) == (40960, 4096, Price(output=1.0))
    assert (route.base_url, route.auth, route.key) == ("http://127.0.0.1:8080/v1", "bearer", NoKey())
    assert route.headers == {"x-team": "blue"}
    assert entry.known


def test_a_bare_id_is_found_where_it_is_listed_slashes_included(catalogue: Catalogue) -> None:
    entry = resolve(configured(BOX), {}, catalogue, "org/other").entry

    assert (entry.ref, entry.protocol) == ("box/org/other", "anthropic")
    assert (entry.tools, entry.images, entry.efforts) == (False, True, ("low",))


def test_an_unlisted_model_of_a_named_server_is_tried_with_a_small_window(catalogue: Catalogue) -> None:
    entry = resolve(configured(BOX), {}, catalogue, "box/brand-new").entry

    assert (entry.context_tokens, entry.known, entry.price) == (32768, False, None)


def test_an_unlisted_claude_is_taken_for_its_family(catalogue: Catalogue) -> None:
    entry = resolve(Config(), {}, catalogue, "claude-opus-9-1").entry

    assert (entry.ref, entry.protocol, entry.thinking) == ("anthropic/claude-opus-9-1", "anthropic", "adaptive")
    assert (entry.price, entry.known) == (None, True)


@pytest.mark.parametrize(
    ("environ", "auth", "key"),
    [
        ({"ANTHROPIC_AUTH_TOKEN": "t"}, "bearer", VariableKey(name="ANTHROPIC_AUTH_TOKEN")),
        ({"ANTHROPIC_AUTH_TOKEN": "t", "ANTHROPIC_API_KEY": "k"}, "x-api-key", VariableKey(name="ANTHROPIC_API_KEY")),
        ({"ANTHROPIC_BASE_URL": "http://127.0.0.1:9/"}, "x-api-key", NoKey()),
        ({}, "x-api-key", VariableKey(name="ANTHROPIC_API_KEY")),
    ],
)
def test_the_standard_variables_of_anthropic_work(catalogue: Catalogue, environ: dict, auth: str, key: object) -> None:
    route = resolve(Config(), environ, catalogue, "claude-haiku")

    assert (route.auth, route.key) == (auth, key)
    assert route.base_url == environ.get("ANTHROPIC_BASE_URL", "https://api.anthropic.com").rstrip("/")


def test_the_configuration_of_a_built_in_provider_wins_over_its_variables(catalogue: Catalogue) -> None:
    config = configured({"providers": {"anthropic": {"api_key_cmd": ["pass", "show", "x"], "auth": "bearer"}}})

    route = resolve(config, {"ANTHROPIC_API_KEY": "k"}, catalogue, "claude-opus")

    assert (route.auth, route.key) == ("bearer", CommandKey(argv=("pass", "show", "x")))
    assert route.base_url == "https://api.anthropic.com"


def test_openrouter_speaks_each_makers_protocol_with_one_key(catalogue: Catalogue) -> None:
    environ = {"OPENROUTER_API_KEY": "k"}

    claude = resolve(Config(), environ, catalogue, "openrouter/anthropic/claude-opus-4.8")
    gpt = resolve(Config(), environ, catalogue, "openrouter/openai/gpt-5.5")

    assert (claude.entry.id, claude.entry.protocol) == ("anthropic/claude-opus-4.8", "anthropic")
    assert gpt.entry.protocol == "openai-responses"
    assert {claude.base_url, gpt.base_url} == {"https://openrouter.ai/api/v1"}
    assert {claude.auth, gpt.auth} == {"bearer"}
    assert claude.entry.context_tokens == 1_000_000


def test_the_generic_provider_takes_any_model_and_no_other_key(catalogue: Catalogue) -> None:
    environ = {"YEAFT_BASE_URL": "http://127.0.0.1:7/v1", "OPENAI_API_KEY": "secret", "YEAFT_MODEL": "qwen/qwen3"}

    route = resolve(Config(), environ, catalogue, "env/qwen/qwen3")

    assert (route.entry.id, route.entry.protocol, route.key) == ("qwen/qwen3", "openai-responses", NoKey())
    assert resolve(Config(), environ, catalogue, "whatever").entry.ref == "env/whatever"


def test_a_generic_key_alone_goes_to_the_models_maker(catalogue: Catalogue) -> None:
    environ = {"YEAFT_API_KEY": "k"}

    assert resolve(Config(), environ, catalogue, "env/claude-opus-5").base_url == "https://api.anthropic.com"
    assert resolve(Config(), environ, catalogue, "env/gpt-5").base_url == "https://api.openai.com/v1"
    with pytest.raises(ConfigError, match="set YEAFT_BASE_URL"):
        resolve(Config(), environ, catalogue, "env/qwen3")


@pytest.mark.parametrize(
    ("ref", "environ", "said"),
    [
        ("openai/claude-opus-5", {}, "Write anthropic/claude-opus-5, or"),
        ("openai/claude-opus-5", {"OPENAI_BASE_URL": "http://127.0.0.1:1"}, r"under \[providers.openai\]"),
        ("anthropic/gpt-5", {}, "Write openai/gpt-5, or"),
    ],
)
def test_a_model_at_a_provider_of_another_protocol_is_a_config_error(
    catalogue: Catalogue, ref: str, environ: dict, said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        resolve(Config(), environ, catalogue, ref)


def test_a_user_who_insists_gets_claude_over_the_other_protocol(catalogue: Catalogue) -> None:
    config = configured({"providers": {"gate": {"base_url": "http://g", "protocol": "openai-responses"}}})

    assert resolve(config, {}, catalogue, "gate/claude-opus-5").entry.protocol == "openai-responses"


def test_an_unusable_protocol_variable_is_refused_with_the_way_out(catalogue: Catalogue) -> None:
    with pytest.raises(ConfigError, match="YEAFT_PROTOCOL=chat: choose anthropic or openai-responses"):
        resolve(Config(), {"YEAFT_BASE_URL": "http://x", "YEAFT_PROTOCOL": "chat"}, catalogue, "env/m")


@pytest.mark.parametrize(
    ("ref", "said"),
    [
        ("box/", "box/qwen3-32b"),
        ("qwen3-32", "Did you mean box/qwen3-32b"),
        ("claud-sonnet", "Did you mean anthropic/claude-sonnet"),
        ("bax/qwen3-32b", "no provider named 'bax'; known are box, anthropic,"),
        ("zzz", "For a server of your own write PROVIDER/zzz."),
    ],
)
def test_an_unknown_model_is_not_found_and_near_ones_are_named(catalogue: Catalogue, ref: str, said: str) -> None:
    if ref == "box/":
        assert resolve(configured(BOX), {}, catalogue, ref).entry.ref == said
        return
    with pytest.raises(NotFound) as caught:
        resolve(configured(BOX), {}, catalogue, ref, named_by="models.primary")

    assert said in str(caught.value)
    assert str(caught.value).startswith("models.primary: ")


def test_the_embedded_model_has_its_servers_limits_whatever_file_it_is(catalogue: Catalogue) -> None:
    for ref in ("local/smollm2", "local", "local/my-own.gguf"):
        route = resolve(Config(), {}, catalogue, ref)

        assert (route.entry.context_tokens, route.entry.tools, route.entry.images) == (4096, False, False)
        assert (route.entry.protocol, route.base_url, route.entry.price) == ("openai-responses", "", Price())

    started = with_server(route, "http://127.0.0.1:5/v1", "token")

    assert (started.base_url, started.key, started.auth) == ("http://127.0.0.1:5/v1", GivenKey(value="token"), "bearer")
    assert "token" not in repr(started.key)


def test_every_known_reference_resolves_to_itself_or_to_what_it_is_short_for(catalogue: Catalogue) -> None:
    refs = known_refs(configured(BOX), {}, catalogue)

    routes = [resolve(configured(BOX), {}, catalogue, ref) for ref in refs]

    assert all(isinstance(route, Route) and route.entry.known for route in routes[2:])
    assert refs[0] == "box/qwen3-32b"


KEYS = {"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o", "OPENROUTER_API_KEY": "r"}


def test_the_first_place_with_an_opinion_chooses_the_model(catalogue: Catalogue) -> None:
    config = configured({"models": {"primary": "p/1"}, "vps": {"skeptic": {"model": "c/1"}}})
    opinions = [
        {"flag": "f/1", "vp_id": "skeptic", "vp_model": "v/1", "session_model": "s/1"},
        {"vp_id": "skeptic", "vp_model": "v/1", "session_model": "s/1"},
        {"vp_id": "omni", "vp_model": "v/1", "session_model": "s/1"},
        {"vp_id": "omni", "session_model": "s/1"},
        {},
    ]

    chosen = [choose_model(config, KEYS, catalogue, **opinion).ref for opinion in opinions]

    assert chosen == ["f/1", "c/1", "v/1", "s/1", "p/1"]


@pytest.mark.parametrize(
    ("environ", "embedded", "named_by", "provider"),
    [
        (KEYS, True, "ANTHROPIC_API_KEY", "anthropic"),
        ({"ANTHROPIC_AUTH_TOKEN": "t", "OPENAI_API_KEY": "o"}, False, "ANTHROPIC_AUTH_TOKEN", "anthropic"),
        ({"OPENAI_API_KEY": "o", "OPENROUTER_API_KEY": "r"}, False, "OPENAI_API_KEY", "openai"),
        ({"OPENROUTER_API_KEY": "r"}, False, "OPENROUTER_API_KEY", "openrouter"),
        ({"ANTHROPIC_API_KEY": " "}, True, "yeaft local setup", "local"),
    ],
)
def test_without_any_opinion_a_key_decides_and_then_the_embedded_model(
    catalogue: Catalogue, environ: dict, embedded: bool, named_by: str, provider: str
) -> None:
    chosen = choose_model(Config(), environ, catalogue, embedded=embedded)

    assert chosen.named_by == named_by
    assert resolve(Config(), environ, catalogue, chosen.ref).entry.ref == (
        f"{provider}/{catalogue.defaults[provider].id}"
    )


def test_a_configured_provider_is_used_before_keys_that_lie_about(catalogue: Catalogue) -> None:
    own_key = configured({"providers": {"openai": {"api_key": "k"}}})

    assert choose_model(configured(BOX), KEYS, catalogue).ref == "box/qwen3-32b"
    assert choose_model(own_key, KEYS, catalogue).named_by == "[providers.openai]"


def test_the_model_variable_comes_before_keys_and_files(catalogue: Catalogue) -> None:
    environ = {**KEYS, "YEAFT_MODEL": "m", "YEAFT_BASE_URL": "http://x"}
    config = msgspec.convert(variable_layers(environ)[-1].table, Config)

    assert choose_model(config, environ, catalogue).ref == "env/m"


def test_primary_and_fast_stand_for_the_configured_models(catalogue: Catalogue) -> None:
    both = configured({"models": {"primary": "p/1", "fast": "q/1"}})
    primary_only = configured({"models": {"primary": "p/1"}})

    assert choose_model(both, {}, catalogue, vp_model="fast").ref == "q/1"
    assert choose_model(primary_only, {}, catalogue, vp_model="fast").ref == "p/1"
    assert choose_model(both, {}, catalogue, vp_model="primary", session_model="s/1").ref == "s/1"
    assert choose_model(both, {}, catalogue, flag="primary", session_model="s/1").ref == "p/1"


def test_nothing_at_all_names_the_three_ways_to_begin(catalogue: Catalogue) -> None:
    with pytest.raises(NoCredentials) as caught:
        choose_model(Config(), {}, catalogue)

    assert caught.value.exit_code == 77
    assert all(way in str(caught.value) for way in ("ANTHROPIC_API_KEY", "yeaft local setup", "yeaft demo"))


def test_a_model_known_not_to_call_tools_does_so_in_text_where_there_is_room_for_it(catalogue: Catalogue) -> None:
    def tools(said: dict) -> object:
        box = {"base_url": "http://127.0.0.1:1/v1", "models": [{"id": "smollm2", **said}]}
        return resolve(configured({"providers": {"box": box}}), {}, catalogue, "box/smollm2").entry.tools

    assert tools({}) is False
    assert tools({"context_tokens": 16_383}) is False
    assert tools({"context_tokens": 16_384}) == "text"
    assert tools({"context_tokens": 16_384, "tools": False}) is False
    assert tools({"tools": "text"}) == "text"
    assert tools({"tools": True}) is True
