"""The twelve VPs that come with yeaft."""

import re
from pathlib import Path

import pytest

from yeaft.prompts.find import templates_dir
from yeaft.vp.library import Library
from yeaft.vp.persona import Vp

LIBRARY = Library((templates_dir() / "vps",))
HAN = re.compile("[\u4e00-\u9fff]")


def test_there_are_twelve_and_omni_is_one_of_them():
    assert len(LIBRARY.ids()) == 12
    assert "omni" in LIBRARY.ids()
    assert LIBRARY.problems() == ()


@pytest.mark.parametrize("vp", LIBRARY.all(), ids=lambda vp: vp.id)
def test_each_is_whole_in_both_languages(vp: Vp):
    assert all((vp.name, vp.name_zh, vp.role, vp.role_zh, vp.area, vp.traits))
    assert any(HAN.search(alias) for alias in vp.aliases)
    assert 80 <= len(vp.text("en").split()) <= 180
    assert not HAN.search(vp.text("en"))
    assert 80 <= len(HAN.findall(vp.text("zh"))) <= 320
    assert vp.model == ""


def test_no_two_share_a_name():
    labels = [label.casefold() for vp in LIBRARY.all() for label in {label.casefold() for label in vp.labels}]

    assert len(labels) == len(set(labels))


def test_the_skeptic_only_looks_and_can_still_hand_on():
    tools = LIBRARY.get("skeptic").tools

    assert [tool for tool in ("FileRead", "FileWrite", "Bash", "RouteForward", "AskUser") if tools.offers(tool)] == [
        "FileRead",
        "RouteForward",
        "AskUser",
    ]


def test_the_reviewer_changes_nothing_and_omni_may_do_all():
    assert not LIBRARY.get("reviewer").tools.offers("FileEdit")
    assert LIBRARY.get("reviewer").tools.offers("Bash")
    assert LIBRARY.get("omni").tools.offers("FileEdit")


def test_files_are_named_after_their_ids():
    assert [Path(vp.source).stem for vp in LIBRARY.all()] == list(LIBRARY.ids())
