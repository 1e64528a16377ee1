"""Choosing a model, an effort, a mode, who takes part; and searching everything."""

import re
from pathlib import Path

from tests.tui.panels_given import room_with
from yeaft.events.ops import SetMode, SetModel, SetRoster
from yeaft.interfaces.orders import Leave
from yeaft.llm.scripted.script import Line, Says

TALK = Line(steps=(Says(text="The chimney is fine."),), repeat=True)
PROVIDER = """
[providers.lab]
base_url = "{url}"
protocol = "openai-responses"
[[providers.lab.models]]
id = "big-one"
context_tokens = 64000
efforts = ["low", "high"]

"""


async def test_a_model_is_chosen_for_one_vp_from_those_that_can_be_used_and_others(tmp_path: Path) -> None:
    async with room_with(tmp_path, TALK) as room:
        room.home.mkdir()
        (room.home / "config.toml").write_text(PROVIDER.format(url=room.environ["YEAFT_BASE_URL"]))
        async with room.desk(roster=("omni", "skeptic")) as desk:
            await desk.presses("f5")
            await desk.shows("everybody", "anthropic/", "$1/5", "missing: ANTHROPIC_API_KEY")
            await desk.types("big-one")
            await desk.shows("lab/big-one", "64k")
            await desk.presses("alt+w", "alt+w")
            await desk.shows("@skeptic")
            await desk.shows("lab/big-one")
            await desk.presses("enter")
            await desk.until(lambda: bool(desk.host.deeds))

    assert desk.deed == SetModel(vp_id="skeptic", model="lab/big-one")


async def test_the_windows_of_models_are_flush_right(tmp_path: Path) -> None:
    async with room_with(tmp_path, TALK) as room, room.desk() as desk:
        await desk.presses("f5")
        text = await desk.shows("1000k", " 200k")

    assert len({found.end() for line in text.splitlines() if (found := re.search(r"\d+k(?=  \$)", line))}) == 1


async def test_an_effort_that_a_model_does_not_know_is_shown_with_what_it_takes_instead(tmp_path: Path) -> None:
    async with room_with(tmp_path, TALK) as room:
        room.home.mkdir()
        (room.home / "config.toml").write_text(PROVIDER.format(url=room.environ.pop("YEAFT_BASE_URL")))
        room.environ["YEAFT_MODEL"] = "lab/big-one"
        async with room.desk(size=(60, 20)) as desk:
            await desk.orders("/effort")
            await desk.shows("lab/big-one knows it", "lab/big-one takes high instead")
            await desk.types("max")
            await desk.presses("enter")
            await desk.until(lambda: bool(desk.host.deeds))

    assert desk.deed == SetModel(effort="max")


async def test_a_mode_is_chosen_from_what_each_lets_happen(tmp_path: Path) -> None:
    async with room_with(tmp_path, TALK) as room, room.desk(size=(40, 16), lang="zh") as desk:
        await desk.orders("/mode")
        await desk.shows("* auto", "plan       只读取，并做计划")
        await desk.types("plan\n")
        await desk.until(lambda: bool(desk.host.deeds))

    assert desk.deed == SetMode(mode="plan")


async def test_who_takes_part_changes_only_when_it_is_applied(tmp_path: Path) -> None:
    async with room_with(tmp_path, TALK) as room, room.desk() as desk:
        await desk.orders("/vp")
        await desk.shows("[1]*", "@omni", "@skeptic")
        await desk.types("skeptic\n")
        await desk.shows("[2]  ")
        await desk.presses("alt+d")
        await desk.shows("[2]*")
        await desk.presses("shift+up")
        await desk.shows("[1]*")
        assert not desk.host.deeds
        await desk.presses("ctrl+s")
        await desk.until(lambda: bool(desk.host.deeds))

    assert desk.deed == SetRoster(roster=("skeptic", "omni"), default_vp="skeptic")


async def test_all_sessions_are_searched_while_one_types_and_a_hit_is_read_or_resumed(tmp_path: Path) -> None:
    async with room_with(tmp_path, TALK) as room:
        wanted = await room.holds("how is the chimney?", "你好世界 and the roof", name="house")
        async with room.desk() as desk:
            await desk.presses("f9")
            await desk.shows("Type what to look for")
            await desk.types("chimney")
            await desk.shows(
                "how is the chimney?", "The chimney is fine.", "just now  You  house", "just now  @omni  house"
            )
            await desk.presses("alt+o")
            await desk.shows(f"yeaft session show {wanted}", "── You → @omni")
            await desk.presses("q")
            await desk.presses("ctrl+u")
            await desk.types("你好")
            await desk.shows("你好世界 and the roof")
            await desk.presses("enter")
            await desk.until(lambda: bool(desk.host.deeds))

    assert isinstance(desk.deed, Leave)
    assert desk.deed.resume == wanted
    assert desk.deed.at


async def test_a_search_without_a_hit_says_so_on_a_narrow_screen(tmp_path: Path) -> None:
    async with room_with(tmp_path, TALK) as room, room.desk(size=(40, 16)) as desk:
        await desk.orders("/search nowhere")

        await desk.shows("nowhere", "Nothing")


async def test_on_a_narrow_screen_what_a_mode_lets_happen_is_told_in_full_and_a_vp_by_its_role(tmp_path: Path) -> None:
    async with room_with(tmp_path, TALK) as room, room.desk(size=(40, 24)) as desk:
        await desk.orders("/mode")
        await desk.shows("edits")
        assert "edits files of the work folder unasked, asks for the rest" in " ".join(desk.text.split())
        await desk.presses("escape")

        await desk.orders("/vp")
        await desk.shows("@omni")
        await desk.shows("@omni        Takes any")


async def test_names_and_roles_of_vps_stand_in_columns(tmp_path: Path) -> None:
    async with room_with(tmp_path, TALK) as room, room.desk(size=(100, 24)) as desk:
        await desk.orders("/vp")
        await desk.shows("Takes any question", "Reads a change")

        lines = desk.text.splitlines()
        assert (
            len({line.index(word) for word in ("Takes any", "Reads a change") for line in lines if word in line}) == 1
        )
