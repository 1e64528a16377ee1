"""Which language yeaft speaks, and where it keeps its files."""

from pathlib import Path

import pytest

from yeaft.config.language import language
from yeaft.config.places import home


@pytest.mark.parametrize(
    ("flag", "configured", "environ", "expected"),
    [
        ("", "", {}, "en"),
        ("", "", {"LANG": "zh_CN.UTF-8"}, "zh"),
        ("", "", {"LANG": "zh_CN.UTF-8", "LC_ALL": "en_US.UTF-8"}, "en"),
        ("", "", {"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_TW"}, "zh"),
        ("", "", {"LANG": "zh_CN", "LC_ALL": ""}, "zh"),
        ("", "en", {"LANG": "zh_CN.UTF-8"}, "en"),
        ("zh", "en", {"LANG": "en_US"}, "zh"),
        ("", "zh-CN", {}, "zh"),
        ("", "", {"LANG": "de_DE"}, "en"),
    ],
)
def test_the_first_that_says_anything_decides(flag: str, configured: str, environ: dict, expected: str) -> None:
    assert language(flag, configured, environ) == expected


def test_home_is_yeaft_dir_or_a_folder_in_the_users_home(tmp_path: Path) -> None:
    assert home({"YEAFT_DIR": str(tmp_path), "HOME": "/h"}) == tmp_path
    assert home({"HOME": "/h"}) == Path("/h/.yeaft")
    assert home({"YEAFT_DIR": "", "HOME": "/h"}) == Path("/h/.yeaft")
    assert home({"YEAFT_DIR": "~/notes", "HOME": "/h"}) == Path("/h/notes")
    assert home({"YEAFT_DIR": "here"}) == Path.cwd() / "here"
