"""Permission rules in settings: those of one VP, those of a folder nobody trusts, and rules that are added."""

import os
import tomllib
from pathlib import Path

import pytest

from yeaft.config.edit import append_value
from yeaft.config.layers import Loaded, forbidden_in, load
from yeaft.kernel.errors import ConfigError


def loaded(tmp_path: Path, *, trusted: bool = False) -> Loaded:
    return load(tmp_path / "home", tmp_path / "work", {}, trusted=trusted, system_config=tmp_path / "etc.toml")


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_rules_of_a_vp_add_up_from_layer_to_layer(tmp_path: Path) -> None:
    write(tmp_path / "etc.toml", '[vps.skeptic]\ndeny = ["Bash"]\nmode = "edits"\n')
    write(tmp_path / "home/config.toml", '[vps.skeptic]\ndeny = ["Grep", "Bash"]\nallow = ["Glob"]\nmode = "plan"\n')

    skeptic = loaded(tmp_path).config.vps["skeptic"]

    assert (skeptic.deny, skeptic.allow, skeptic.mode) == (("Bash", "Grep"), ("Glob",), "plan")


def test_a_folder_that_nobody_trusts_only_forbids(tmp_path: Path) -> None:
    text = (
        'default_vp = "evil"\n[permissions]\nmode = "auto"\nallow = ["Bash"]\nask = ["Grep"]\ndeny = ["Glob", 3]\n'
        '[vps.omni]\nallow = ["Bash"]\ndeny = ["Bash"]\nmodel = "x/y"\n[providers.x]\napi_key = "k"\n'
    )
    project = write(tmp_path / "work/.yeaft/config.toml", text)

    found = loaded(tmp_path)

    assert (found.config.permissions.allow, found.config.permissions.mode) == ((), None)
    assert (found.config.permissions.ask, found.config.permissions.deny) == (("Grep",), ("Glob",))
    assert (found.config.vps["omni"].deny, found.config.vps["omni"].allow) == (("Bash",), ())
    assert (found.config.vps["omni"].model, found.config.default_vp, found.config.providers) == ("", "omni", {})
    assert found.unread == (project,)
    assert found.origins["permissions.deny"] == str(project)
    assert [layer.table for layer in forbidden_in(tmp_path / "work")] == [found.layers[-1].table]


def test_a_trusted_folder_may_allow_too(tmp_path: Path) -> None:
    write(tmp_path / "work/.yeaft/config.toml", '[permissions]\nallow = ["Bash(make:*)"]\n')

    assert loaded(tmp_path, trusted=True).config.permissions.allow == ("Bash(make:*)",)


@pytest.mark.parametrize(
    "text", ["[permissions\n", "permissions = 3\n", '[permissions]\ndeny = "Bash"\n', "vps = []\n"]
)
def test_what_an_untrusted_file_says_wrongly_harms_nobody(tmp_path: Path, text: str) -> None:
    write(tmp_path / "work/.yeaft/config.toml", text)

    found = loaded(tmp_path)

    assert found.config == load(tmp_path / "home", None, {}, system_config=tmp_path / "etc.toml").config
    assert len(found.notices) == (1 if text.startswith("[permissions\n") else 0)


def test_a_pipe_or_a_monster_in_the_place_of_an_untrusted_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "work/.yeaft").mkdir(parents=True)
    os.mkfifo(tmp_path / "work/.yeaft/config.toml")
    write(tmp_path / "work/.yeaft/config.local.toml", "#" * 300_000)

    found = loaded(tmp_path)

    assert [Path(notice.split()[0]).name for notice in found.notices] == ["config.local.toml"]


def test_a_value_is_added_to_a_list_once_and_the_rest_stays_as_it_is(tmp_path: Path) -> None:
    path = write(
        tmp_path / "config.toml", '# top\n[permissions]\nallow = [\n  "a", # first\n]\n\n[limits]\nmax_rounds = 3\n'
    )

    for value in ("Bash(b)", "Bash(b)", "Bash(c)"):
        append_value(path, "permissions.allow", value)
    append_value(path, "vps.skeptic.deny", "Bash")

    text = path.read_text(encoding="utf-8")
    assert tomllib.loads(text)["permissions"]["allow"] == ["a", "Bash(b)", "Bash(c)"]
    assert tomllib.loads(text)["vps"] == {"skeptic": {"deny": ["Bash"]}}
    assert text.startswith("# top\n[permissions]\n")
    assert "# first" in text


def test_nothing_is_added_to_what_is_no_list_or_no_toml(tmp_path: Path) -> None:
    path = write(tmp_path / "config.toml", '[permissions]\nmode = "ask"\n')

    with pytest.raises(ConfigError, match="is not a list"):
        append_value(path, "permissions.mode", "x")
    write(path, "[permissions\n")
    with pytest.raises(ConfigError, match="not valid TOML"):
        append_value(path, "permissions.allow", "x")

    assert path.read_text(encoding="utf-8") == "[permissions\n"
