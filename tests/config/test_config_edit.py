"""`yeaft config set` changes one setting and nothing else."""

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from yeaft.config.edit import set_value, unset
from yeaft.kernel.errors import ConfigError, NotFound

WRITTEN = """\
# my settings
language = "en"   # for now

[limits]
max_rounds = 3    # enough

[[providers.box.models]]
id = "one"
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(WRITTEN)
    return path


def test_one_value_changes_and_every_comment_stays(config: Path) -> None:
    set_value(config, "limits.max_rounds", 9)

    assert config.read_text() == WRITTEN.replace("max_rounds = 3 ", "max_rounds = 9 ")


def test_new_tables_are_made_as_needed(tmp_path: Path) -> None:
    config = tmp_path / "new" / "config.toml"

    set_value(config, "vps.skeptic.model", "box/one")
    set_value(config, "permissions.allow", ["Glob"])

    assert config.read_text() == '[vps.skeptic]\nmodel = "box/one"\n\n[permissions]\nallow = ["Glob"]\n'
    assert stat.S_IMODE(config.stat().st_mode) == 0o600


def test_a_setting_can_be_taken_away_once(config: Path) -> None:
    unset(config, "limits.max_rounds")

    assert "max_rounds" not in config.read_text()
    with pytest.raises(NotFound):
        unset(config, "limits.max_rounds")


def test_a_link_stays_a_link_and_the_mode_stays(config: Path, tmp_path: Path) -> None:
    config.chmod(0o640)
    link = tmp_path / "link.toml"
    link.symlink_to(config)

    set_value(link, "language", "zh")

    assert link.is_symlink()
    assert 'language = "zh"' in config.read_text()
    assert stat.S_IMODE(config.stat().st_mode) == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config.toml", "link.toml"]


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("limits.max_rounds", "many", "line 5: limits.max_rounds: Expected int"),
        ("limits.max_round", 3, "did you mean max_rounds?"),
        ("mode", "auto", "did you mean permissions.mode?"),
        ("mode", "off", "did you mean sandbox.mode?"),
        ("model", "box/large", "did you mean models.primary?"),
        ("theme", "dark", "did you mean tui.theme?"),
        ("lang", "zh", "did you mean language?"),
        ("models.effort", "hard", "is no effort"),
        ("language.code", "en", "language is not a table"),
    ],
)
def test_what_would_not_be_valid_is_not_written(config: Path, key: str, value: object, said: str) -> None:
    with pytest.raises(ConfigError, match=said.replace("?", r"\?")):
        set_value(config, key, value)

    assert config.read_text() == WRITTEN


def test_a_file_that_does_not_parse_is_refused_and_left_alone(config: Path) -> None:
    config.write_text("[limits\n")

    with pytest.raises(ConfigError, match="not valid TOML"):
        set_value(config, "limits.max_rounds", 3)

    assert config.read_text() == "[limits\n"


def test_a_word_that_is_no_text_is_refused_and_leaves_nothing(config: Path) -> None:
    with pytest.raises(ConfigError, match=r"config\.toml stays as it is: .*\\udcff.* is no text"):
        set_value(config, "models.primary", "a\udcff")

    assert config.read_text() == WRITTEN
    assert list(config.parent.iterdir()) == [config]


def test_processes_that_write_at_once_lose_nothing(config: Path) -> None:
    script = "import sys; from pathlib import Path; from yeaft.config.edit import set_value; "
    script += "set_value(Path(sys.argv[1]), f'vps.v{sys.argv[2]}.model', 'm')"

    writers = [subprocess.Popen([sys.executable, "-c", script, str(config), str(number)]) for number in range(4)]

    assert [writer.wait() for writer in writers] == [0, 0, 0, 0]
    assert [f"[vps.v{number}]" in config.read_text() for number in range(4)] == [True] * 4
