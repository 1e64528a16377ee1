"""`yeaft config` and `yeaft model`: settings can be seen, with their origin, and changed; keys are never shown."""

import re

from tests.cli.commands_given import Given

BOX = """\
# my box
[providers.box]
base_url = "http://127.0.0.1:9/v1"
api_key = "top-secret-key"
[[providers.box.models]]
id = "qwen3-32b"
context_tokens = 32768
price_usd_per_mtok = {in = 0.5, out = 1.5}
"""


def test_what_is_set_can_be_read_back_and_removed(given: Given) -> None:
    given.says("config", "set", "limits.max_rounds", "7")
    given.says("config", "set", "models.primary", "box/qwen3-32b")
    given.says("config", "set", "permissions.allow", '["Bash(npm test:*)"]')

    assert given.says("config", "get", "limits.max_rounds") == "7"
    assert given.says("config", "get", "models.primary") == "box/qwen3-32b"
    assert given.yeaft("config", "get", "permissions.allow", "--json").json == ["Bash(npm test:*)"]
    given.says("config", "unset", "limits.max_rounds")
    assert given.says("config", "get", "limits.max_rounds") == "50"
    assert given.yeaft("config", "unset", "limits.max_rounds").code == 66


def test_each_setting_names_the_place_that_set_it_last(given: Given) -> None:
    given.says("config", "set", "limits.max_rounds", "7")
    told = given.yeaft("config", "set", "models.effort", "low", YEAFT_EFFORT="high")

    rows = given.yeaft("--set", "default_vp=skeptic", "config", "ls", "--json", YEAFT_EFFORT="high").json

    found = {row["key"]: (row["value"], row["origin"]) for row in rows}
    assert found["limits.max_rounds"] == (7, str(given.home / "config.toml"))
    assert found["models.effort"] == ("high", "YEAFT_EFFORT")
    assert found["default_vp"] == ("skeptic", "--set default_vp")
    assert found["retry.max_retries"] == (3, "built-in")
    assert "YEAFT_EFFORT" in told.err, "the user is told that the change has no effect"
    assert "built-in" in given.says("config", "list", "--origin")


def test_a_setting_that_nobody_has_made_says_what_happens_without_it(given: Given) -> None:
    shown = {row["key"]: row["value"] for row in given.yeaft("config", "ls", "--json").json}
    unset = given.yeaft("config", "get", "permissions.mode")

    assert (shown["permissions.mode"], shown["limits.max_cost_usd"], shown["models.primary"]) == (None, None, "")
    assert re.search(r"^limits\.max_cost_usd +-$", given.says("config", "ls"), re.MULTILINE)
    assert (unset.code, unset.out, unset.err) == (0, "", "permissions.mode is not set: mode ask.\n")
    assert given.yeaft("config", "get", "limits.max_cost_usd", "--json").json is None
    assert given.yeaft("config", "get", "vps.skeptic.model").err == "vps.skeptic.model is not set.\n"
    assert given.yeaft("config", "get", "vps.skeptic.modle").code == 66
    assert given.yeaft("config", "get", "not a key").code == 66


def test_a_value_that_makes_no_sense_is_refused_and_the_file_stays(given: Given) -> None:
    given.says("config", "set", "limits.max_rounds", "7")
    before = (given.home / "config.toml").read_bytes()

    wrong_type = given.yeaft("config", "set", "limits.max_rounds", "many")
    wrong_key = given.yeaft("config", "set", "limits.max_round", "9")

    assert (wrong_type.code, wrong_key.code) == (78, 78)
    assert "max_rounds" in wrong_key.err
    assert (given.home / "config.toml").read_bytes() == before
    assert given.yeaft("config", "get", "limits.max_round").code == 66


def test_a_configuration_that_does_not_parse_can_still_be_found_and_is_left_alone(given: Given) -> None:
    given.home.mkdir()
    file = given.home / "config.toml"
    file.write_text("models = [\n")

    assert given.yeaft("config", "ls").code == 78
    assert given.yeaft("config", "set", "language", "zh").code == 78
    assert given.says("config", "path") == str(file)
    assert given.says("config", "edit") == str(file)
    assert file.read_text() == "models = [\n"


def test_keys_are_never_shown(given: Given) -> None:
    given.home.mkdir()
    (given.home / "config.toml").write_text(BOX)

    for words in (
        ("config", "ls", "--json"),
        ("config", "ls", "--origin"),
        ("config", "get", "providers"),
        ("config", "get", "providers.box.api_key", "--json"),
        ("model", "ls", "--json"),
        ("doctor",),
    ):
        done = given.yeaft(*words, ANTHROPIC_API_KEY="sk-ant-hidden")
        assert done.code == 0
        assert "secret" not in done.out + done.err
        assert "hidden" not in done.out + done.err


def test_without_keys_no_model_is_usable_and_the_ways_out_are_named(given: Given) -> None:
    listed, shown = given.yeaft("model", "ls"), given.yeaft("model", "show")

    assert (listed.code, listed.out) == (0, "")
    assert shown.code == 77
    for done in (listed, shown):
        assert "ANTHROPIC_API_KEY" in done.err
        assert "yeaft local setup" in done.err
    known = given.yeaft("model", "ls", "--all", "--json").json
    assert known
    assert not any(row["usable"] for row in known)


def test_a_key_makes_its_models_usable_and_the_default_is_named_with_its_reason(given: Given) -> None:
    rows = given.yeaft("model", "ls", "--json", OPENAI_API_KEY="k").json
    shown = given.yeaft("model", "show", "--json", OPENAI_API_KEY="k").json

    assert {row["through"] for row in rows} == {"OPENAI_API_KEY"}
    assert all(row["ref"].startswith("openai/") and row["price_as_of"] for row in rows if row["price"])
    assert (shown["named_by"], shown["protocol"], shown["base_url"]) == (
        "OPENAI_API_KEY",
        "openai-responses",
        "https://api.openai.com/v1",
    )


def test_a_model_of_ones_own_has_the_price_and_window_one_gave_it(given: Given) -> None:
    given.home.mkdir()
    (given.home / "config.toml").write_text(BOX)

    shown = given.yeaft("model", "show", "--json").json

    assert (shown["ref"], shown["named_by"], shown["context_tokens"]) == (
        "box/qwen3-32b",
        "[providers.box]",
        32768,
    )
    assert (shown["price"], shown["price_as_of"]) == ({"in": 0.5, "out": 1.5}, None)
    assert shown["through"] == "providers.box.api_key"
    assert "providers.box.api_key" in given.says("model", "ls")


def test_a_vp_can_have_a_model_of_its_own(given: Given) -> None:
    given.says("config", "set", "vps.skeptic.model", "anthropic/claude-haiku")

    shown = given.yeaft("model", "show", "--vp", "质疑者", "--json", ANTHROPIC_API_KEY="k").json

    assert shown["named_by"] == "[vps.skeptic]"
    assert "claude-haiku" in shown["aliases"]
    assert given.yeaft("model", "show", "claud-sonet", ANTHROPIC_API_KEY="k").code == 66


def test_a_model_without_tool_calling_is_listed_with_how_it_uses_tools(given: Given) -> None:
    given.home.mkdir()
    told = {"small": "tools = false", "old": 'tools = "text"', "new": ""}
    models = "".join(f'[[providers.box.models]]\nid = "{name}"\n{line}\n' for name, line in told.items())
    (given.home / "config.toml").write_text(f'[providers.box]\nbase_url = "http://127.0.0.1:1/v1"\n{models}')

    listed = given.says("model", "ls")
    rows = given.yeaft("model", "ls", "--json").json

    assert {row["ref"]: row["tools"] for row in rows} == {"box/small": False, "box/old": "text", "box/new": True}
    assert [line.split()[3] for line in listed.splitlines()[:4]] == ["tools", "no", "text", "yes"]
    assert "tools: yes, in plain text" in given.says("model", "show", "box/old")
