"""`yeaft doctor`, `local` and `demo`: what the machine has, said truly and without touching it."""

import json
from pathlib import Path
from typing import Any

from tests.cli.commands_given import Given


def statuses(given: Given, **variables: str) -> dict[str, str]:
    return {check["name"]: check["status"] for check in given.yeaft("doctor", "--json", **variables).json}


def checks(given: Given) -> dict[str, Any]:
    return {check["name"]: check for check in given.yeaft("doctor", "--json").json}


def test_a_fresh_machine_is_in_order_but_for_a_model_to_talk_to(given: Given) -> None:
    found = statuses(given)

    assert found.pop("model") == "warn"
    assert set(found.values()) == {"ok"}
    assert found.keys() >= {"python", "yeaft", "home", "disk", "filesystem", "config", "vps", "embedded", "shell"}
    assert not given.home.exists()
    assert statuses(given, ANTHROPIC_API_KEY="k")["model"] == "ok"


def test_a_broken_configuration_is_told_with_its_line_and_ends_with_78(given: Given) -> None:
    given.home.mkdir(mode=0o755)
    (given.home / "config.toml").write_text("[limits]\nmax_round = 3\n")

    broken = given.yeaft("doctor", "--json")
    checks = {check["name"]: check for check in json.loads(broken.out)}

    assert broken.code == 78
    assert checks["config"]["status"] == "fail"
    assert "line 2" in checks["config"]["detail"]
    assert "max_rounds" in checks["config"]["detail"]
    assert checks["home"]["status"] == "warn"
    assert f"chmod 700 {given.home}" in checks["home"]["remedy"]
    assert given.yeaft("doctor").code == 78


def test_a_provider_without_its_key_is_named_with_the_variable(given: Given) -> None:
    given.says("config", "set", "providers.box.api_key_env", "BOX_KEY")

    without = given.yeaft("doctor", "--json").json
    with_key = given.yeaft("doctor", "--json", BOX_KEY="not-to-be-seen")

    (provider,) = [check for check in without if check["name"] == "provider"]
    assert provider["status"] == "warn"
    assert "BOX_KEY" in provider["remedy"]
    assert "not-to-be-seen" not in with_key.out


def test_doctor_says_whether_the_folder_is_trusted_and_what_waits_for_that(given: Given) -> None:
    assert statuses(given)["trust"] == "ok"
    (given.folder / ".mcp.json").write_text('{"mcpServers": {"files": {"command": "x"}}}')

    untrusted = checks(given)
    given.says("trust", "-y")
    trusted = checks(given)

    assert untrusted["trust"]["status"] == untrusted["server"]["status"] == "warn"
    assert untrusted["trust"]["detail"] == f"{given.folder} is not trusted, so this waits: .mcp.json"
    assert untrusted["trust"]["remedy"] == untrusted["server"]["remedy"] == f"yeaft trust {given.folder}"
    assert (trusted["trust"]["status"], trusted["server"]["status"]) == ("ok", "ok")
    assert trusted["server"]["detail"] == "files: ready, not connected yet"


def test_doctor_names_each_mcp_server_as_its_last_connection_left_it_and_connects_none(given: Given) -> None:
    marker = given.folder / "started"
    (given.home).mkdir(mode=0o700)
    (given.home / "config.toml").write_text(
        f'[mcp.servers.a]\ncommand = "touch"\nargs = ["{marker}"]\n'
        '[mcp.servers.b]\ncommand = "x"\nenv = {K = "${NOWHERE}"}\n[mcp.servers.c]\ncommand = "x"\nenabled = false\n'
    )

    found = [check for check in given.yeaft("doctor", "--json").json if check["name"] == "server"]

    assert [(check["status"], check["detail"]) for check in found] == [
        ("ok", "a: ready, not connected yet"),
        ("warn", "b: variable missing (env.K needs the variable NOWHERE, which is not set)"),
        ("ok", "c: off"),
    ]
    assert not marker.exists()


def test_doctor_says_of_a_model_that_nobody_knows_what_is_assumed(given: Given) -> None:
    variables = {"YEAFT_MODEL": "mine", "YEAFT_BASE_URL": "http://127.0.0.1:9/v1", "YEAFT_API_KEY": "k"}

    (model,) = [one for one in given.yeaft("doctor", "--json", **variables).json if one["name"] == "model"]

    assert model["status"] == "ok"
    assert "32,768 tokens of context are assumed, and no price is known" in model["remedy"]


def test_doctor_speaks_chinese(given: Given) -> None:
    assert "配置" in given.says("doctor", LANG="zh_CN.UTF-8")


def test_without_the_embedded_model_its_status_says_how_to_get_it(given: Given) -> None:
    text, data = given.yeaft("local", "status"), given.yeaft("local", "status", "--json")

    assert text.code == data.code == 66
    assert "yeaft local setup" in text.out
    assert data.json["ready"] is False
    assert given.yeaft("local", "remove").code == 0, "there is nothing that needs consent"


def test_removing_the_embedded_model_leaves_weights_of_ones_own(given: Given) -> None:
    models = given.home / "models"
    (models / "python" / "xllamacpp").mkdir(parents=True)
    own = models / "own.gguf"
    own.write_bytes(b"GGUF and more")
    (models / "local.json").write_text(
        json.dumps(
            {
                "model": "own",
                "weights": str(own),
                "size_bytes": own.stat().st_size,
                "sha256": "",
                "site": str(models / "python"),
                "engine": "xllamacpp==1",
                "origin": str(own),
                "licence": "",
            }
        )
    )

    ready = given.yeaft("local", "status", "--json")
    unasked = given.yeaft("local", "remove")
    given.says("local", "remove", "--yes")

    assert (ready.code, ready.json["model"]) == (0, "own")
    assert unasked.code == 3
    assert [path.name for path in models.iterdir()] == ["own.gguf"]


def test_weights_that_are_none_are_refused_before_anything_is_fetched(given: Given) -> None:
    (given.folder / "x.gguf").write_text("no weights")

    assert given.yeaft("local", "setup", "--gguf", "x.gguf").code == 65
    assert given.yeaft("local", "setup", "--gguf", "y.gguf").code == 66


def test_a_message_that_is_handed_on_and_answered_counts_as_answered(given: Given) -> None:
    roster = ("--vp", "omni", "--vp", "skeptic")

    done = given.yeaft(*roster, "--json", "demo", "Let the skeptic check that change, then tell me where we are.")

    result = json.loads(done.out)
    assert (result["outcome"], result["exit_code"]) == ("answered", 0)
    assert [one["outcome"] for one in result["vps"]] == ["handed_off", "answered", "answered"]


def test_the_demo_is_played_in_lines_where_that_is_asked_for(given: Given) -> None:
    before, after = given.yeaft("--line", "demo", "@omni hi"), given.yeaft("demo", "--line", "@omni hi")

    assert (before.code, after.code, after.out) == (0, 0, before.out)


def test_the_demo_answers_without_a_key_and_leaves_nothing_behind(given: Given, tmp_path: Path) -> None:
    scratch = tmp_path / "tmp"
    scratch.mkdir()

    done = given.yeaft("demo", "@omni What can you do?", "--lang", "zh", TMPDIR=str(scratch), YEAFT_MODEL="x/y")

    assert done.code == 0, done.err
    assert "按脚本" in done.out
    assert "脚本" in done.err
    assert list(scratch.iterdir()) == []
    assert not given.home.exists()
    assert list(given.folder.iterdir()) == []
