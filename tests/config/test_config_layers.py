"""What the user wrote in several places becomes one set of settings, or a message that says what to mend."""

from pathlib import Path

import msgspec
import pytest

from yeaft.config.layers import Loaded, load
from yeaft.config.listing import is_key, settings
from yeaft.config.settings import Config
from yeaft.kernel.errors import ConfigError, UsageError


class Place:
    """A user's home and work folder in a temporary directory."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.folder = root / "work"
        self.system = root / "etc" / "config.toml"

    def write(self, path: Path, text: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def user(self, text: str) -> Path:
        return self.write(self.home / "config.toml", text)

    def project(self, text: str, name: str = "config.toml") -> Path:
        return self.write(self.folder / ".yeaft" / name, text)

    def load(
        self, *overrides: str, environ: dict | None = None, flags: dict | None = None, trusted: bool = False
    ) -> Loaded:
        return load(self.home, self.folder, environ or {}, overrides, flags, trusted=trusted, system_config=self.system)

    def refusal(self, *overrides: str, environ: dict | None = None) -> str:
        with pytest.raises(ConfigError) as caught:
            self.load(*overrides, environ=environ)
        assert caught.value.exit_code == 78
        return str(caught.value)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_without_any_file_the_built_in_settings_hold(place: Place) -> None:
    loaded = place.load()

    assert loaded.config.limits.max_rounds == 50
    assert loaded.origins == {}
    assert not place.home.exists()


def test_each_stronger_place_overrides_the_weaker_ones(place: Place) -> None:
    place.write(place.system, 'default_vp = "system"')
    order = [place.load().config.default_vp]
    place.user('default_vp = "user"')
    order.append(place.load().config.default_vp)
    place.project('default_vp = "project"')
    order.append(place.load(trusted=True).config.default_vp)
    place.project('default_vp = "local"', "config.local.toml")
    order.append(place.load(trusted=True).config.default_vp)
    order.append(place.load(environ={"YEAFT_VP": "variable"}, trusted=True).config.default_vp)
    order.append(place.load("default_vp=set", environ={"YEAFT_VP": "variable"}).config.default_vp)
    order.append(place.load("default_vp=set", flags={"default_vp": "flag"}).config.default_vp)

    assert order == ["system", "user", "project", "local", "variable", "set", "flag"]


def test_an_untrusted_folder_changes_nothing_but_is_reported(place: Place) -> None:
    path = place.project('[permissions]\nmode = "auto"')

    loaded = place.load()

    assert loaded.config.permissions.mode is None
    assert loaded.unread == (path,)
    assert place.load(trusted=True).config.permissions.mode == "auto"


def test_tables_merge_lists_replace_and_permissions_add_up(place: Place) -> None:
    user = place.user(
        '[permissions]\nallow = ["Glob"]\ndeny = ["Bash"]\n[providers.box]\nbase_url = "http://a"\n'
        'models = [{id = "one"}, {id = "two"}]'
    )
    project = place.project('[permissions]\nallow = ["Grep", "Glob"]\n[providers.box]\nmodels = [{id = "three"}]')

    loaded = place.load(trusted=True)

    assert loaded.config.permissions.allow == ("Glob", "Grep")
    assert loaded.config.permissions.deny == ("Bash",)
    assert loaded.config.providers["box"].base_url == "http://a"
    assert [model.id for model in loaded.config.providers["box"].models] == ["three"]
    assert loaded.origins["permissions.allow"] == f"{user} + {project}"


def test_every_mistake_is_named_with_its_line_and_what_was_meant(place: Place) -> None:
    path = place.user(
        'language = "en"\n\n[limits]\nmax_rounds = "many"  # a word\nmax_cost = 2\n\n'
        '[[providers.box.models]]\nid = "a"\n\n[[providers.box.models]]\nid = "b"\ncontxt_tokens = 3\n'
    )

    said = place.refusal("limitz.max_rounds=3").splitlines()

    assert said == [
        f"{path}, line 4: limits.max_rounds: Expected int, got str. Correct or remove it.",
        f"{path}, line 5: unknown key 'max_cost' in limits; did you mean max_cost_usd?",
        f"{path}, line 12: unknown key 'contxt_tokens' in providers.box.models[1]; did you mean context_tokens?",
        "--set limitz.max_rounds: unknown key 'limitz' at the top; did you mean limits?",
    ]


def test_another_protocol_is_answered_with_the_way_out(place: Place) -> None:
    path = place.user('[providers.box]\nprotocol = "openai-chat"')

    said = place.refusal()

    assert said.startswith(f"{path}, line 2: providers.box.protocol = 'openai-chat': choose one of anthropic, openai-")
    assert "gateway" in said


def test_a_price_under_other_names_is_no_price_of_nothing(place: Place) -> None:
    path = place.user('[[providers.box.models]]\nid = "a"\nprice_usd_per_mtok = {input = 1.0}\n')

    assert place.refusal().startswith(f"{path}, line 3: unknown key 'input'")


def test_a_model_without_an_id_is_found_by_its_line(place: Place) -> None:
    path = place.user("[[providers.box.models]]\ncontext_tokens = 5\n")

    assert place.refusal() == f"{path}, line 1: providers.box.models[0] has no id. Add id = ..."


def test_a_file_that_does_not_parse_is_named_and_left_alone(place: Place) -> None:
    path = place.user("[limits\nmax_rounds = 3\n")
    before = (path.read_bytes(), path.stat().st_mtime_ns)

    said = place.refusal()

    assert said.startswith(f"{path} is not valid TOML")
    assert "line 1" in said
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_a_file_that_is_not_text_is_a_config_error(place: Place) -> None:
    path = place.user("")
    path.write_bytes(b"\xff\xfe\x00")

    assert str(path) in place.refusal()


def test_a_byte_order_mark_and_windows_line_ends_are_read(place: Place) -> None:
    path = place.user("")
    path.write_bytes(b'\xef\xbb\xbfdefault_vp = "skeptic"\r\n[limits]\r\nmax_rounds = 7\r\n')

    config = place.load().config

    assert (config.default_vp, config.limits.max_rounds) == ("skeptic", 7)


def test_numbers_out_of_range_are_mended_with_a_notice(place: Place) -> None:
    path = place.user("[retry]\nmax_retries = 99\nbase_delay_s = 50\nmax_delay_s = 10\n")

    loaded = place.load()

    assert (loaded.config.retry.max_retries, loaded.config.retry.max_delay_s) == (20, 50)
    assert loaded.notices == (
        f"retry.max_retries = 99 ({path}) is out of range; 20 is used.",
        f"retry.max_delay_s = 10.0 ({path}) is out of range; 50.0 is used.",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[models]\neffort = "hard"', "models.effort = 'hard' is no effort. Choose one of: none,"),
        ('[providers.x]\napi_key = "k"\napi_key_env = "K"', "providers.x has api_key and api_key_env. Keep one"),
        ('[providers.x]\nbase_url = "localhost:8080"', "must begin with http:// or https://"),
    ],
)
def test_words_that_mean_nothing_are_refused_with_their_place(place: Place, text: str, said: str) -> None:
    path = place.user(text)

    refusal = place.refusal()

    assert refusal.startswith(str(path))
    assert said in refusal


@pytest.mark.parametrize(
    ("override", "read", "expected"),
    [
        ("limits.max_rounds=10", lambda c: c.limits.max_rounds, 10),
        ("limits.max_cost_usd = 0.5", lambda c: c.limits.max_cost_usd, 0.5),
        ("models.primary=anthropic/claude-sonnet", lambda c: c.models.primary, "anthropic/claude-sonnet"),
        ('models.primary="a=b"', lambda c: c.models.primary, "a=b"),
        ('permissions.allow=["Bash(ls:*)"]', lambda c: c.permissions.allow, ("Bash(ls:*)",)),
        ('vps."a.b".model=x', lambda c: c.vps["a.b"].model, "x"),
        ("default_vp=two\nlanguage=zh", lambda c: c.default_vp, "two\nlanguage=zh"),
    ],
)
def test_set_takes_toml_values_and_plain_words(place: Place, override: str, read, expected) -> None:
    assert read(place.load(override).config) == expected


@pytest.mark.parametrize("override", ["limits.max_rounds", "=3", "a..b=3", "a b=3"])
def test_a_set_that_is_no_setting_is_a_usage_error(place: Place, override: str) -> None:
    with pytest.raises(UsageError):
        place.load(override)


def test_variables_set_their_settings_and_say_so(place: Place) -> None:
    place.user('[models]\nprimary = "box/one"')
    environ = {"YEAFT_EFFORT": "high", "YEAFT_MAX_ROUNDS": "3", "YEAFT_MAX_COST": "1.5", "YEAFT_MODEL": "openai/gpt-5"}

    loaded = place.load(environ=environ)

    assert loaded.config.models.effort == "high"
    assert (loaded.config.limits.max_rounds, loaded.config.limits.max_cost_usd) == (3, 1.5)
    assert loaded.config.models.primary == "openai/gpt-5"
    assert loaded.origins["models.primary"] == "YEAFT_MODEL"


def test_a_variable_with_a_word_for_a_number_is_named(place: Place) -> None:
    assert place.refusal(environ={"YEAFT_MAX_ROUNDS": "many"}).startswith("The variable YEAFT_MAX_ROUNDS")
    assert place.refusal(environ={"YEAFT_MODE": "free"}).startswith("YEAFT_MODE: permissions.mode = 'free': choose")


def test_a_model_variable_with_a_server_belongs_to_that_server(place: Place) -> None:
    environ = {"YEAFT_MODEL": "qwen/qwen3", "YEAFT_BASE_URL": "http://127.0.0.1:1/v1"}

    assert place.load(environ=environ).config.models.primary == "env/qwen/qwen3"


def test_the_listing_shows_every_key_where_it_was_set_and_no_secrets(place: Place) -> None:
    path = place.user(
        '[limits]\nmax_rounds = 7\n[providers.box]\napi_key = "sk-secret"\n'
        'headers = {"X-Auth" = "sk-secret", "X-Team" = "blue"}\n'
        'models = [{id = "m", price_usd_per_mtok = {in = 1.0, out = 2.0}}]'
    )

    rows = {row.key: (row.value, row.origin) for row in settings(place.load())}

    assert rows["limits.max_rounds"] == ("7", str(path))
    assert rows["limits.max_continues"] == ("3", "built-in")
    assert rows["providers.box.models[0].price_usd_per_mtok.in"] == ("1.0", str(path))
    assert rows["providers.box.headers.X-Team"] == ('"blue"', str(path))
    assert "sk-secret" not in str(rows)
    assert rows["permissions.mode"] == ("null", "built-in")
    assert "providers.box.protocol" not in rows


@pytest.mark.parametrize("key", [*(field.encode_name for field in msgspec.structs.fields(Config))])
def test_every_table_and_setting_is_a_key_and_nothing_else_is(key: str) -> None:
    assert is_key((key,))
    assert not is_key((key, "nothing", "of", "the", "kind"))
    assert not is_key((f"{key}x",))


def test_keys_below_names_that_users_choose_are_keys(place: Place) -> None:
    assert is_key(("vps", "poet", "model"))
    assert is_key(("providers", "my.box", "base_url"))
    assert not is_key(("vps", "poet", "api_key"))
    assert {row.key for row in settings(place.load()) if not row.is_set} >= {"permissions.mode", "models.primary"}


def test_a_trusted_project_cannot_open_a_sandbox_that_the_user_requires(place: Place) -> None:
    place.project("[sandbox]\nmode = 'off'\nrequired = false\nnetwork = true\n")
    assert place.load(trusted=True).config.sandbox.network

    place.user("[sandbox]\nrequired = true\n")

    sandbox = place.load(trusted=True).config.sandbox
    assert (sandbox.required, sandbox.network) == (True, False)


def test_a_project_binds_no_keys_and_is_told_so_by_name(place: Place) -> None:
    place.user("[keys]\n'panel.side' = 'f8'\n")
    project = place.project("default_vp = 'poet'\n[keys]\n'composer.send' = 'f9'\n[keys.panel]\nside = 'f9'\n")

    loaded = place.load(trusted=True)

    assert loaded.config.default_vp == "poet"
    assert loaded.config.keys == {"panel.side": "f8"}
    assert loaded.notices == (
        f"{project} has [keys], which are not in force: keys are set in your own config.toml alone.",
    )
    assert place.load().notices == ()
