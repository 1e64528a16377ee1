"""What commands print, help and where one is, over the whole screen."""

from pathlib import Path

from tests.tui.panels_given import room_with
from yeaft.config.keys import KEYS
from yeaft.interfaces.key_names import text_code
from yeaft.interfaces.orders import Run
from yeaft.llm.scripted.script import Line, Says
from yeaft.prompts.ui import Ui

TALK = Line(steps=(Says(text="It is the build [bold]log[/bold] you want."),), repeat=True)


async def test_what_a_command_prints_is_shown_searched_and_kept(tmp_path: Path) -> None:
    async with room_with(tmp_path, TALK) as room, room.desk() as desk:
        await desk.says("where is the log?")

        await desk.orders("/history")
        await desk.shows("where is the log?", "It is the build [bold]log[/bold] you want.")
        await desk.types("/build\n")
        await desk.types("w")
        await desk.types("talk.txt\n")
        await desk.until(lambda: "talk.txt" in desk.toasts)
        await desk.presses("q")
        await desk.shows("the conversation")

    assert "It is the build [bold]log[/bold] you want." in (tmp_path / "work" / "talk.txt").read_text()


async def test_help_lists_keys_as_they_are_bound_and_opens_topics(tmp_path: Path) -> None:
    async with room_with(tmp_path, TALK) as room:
        room.home.mkdir()
        (room.home / "config.toml").write_text('[keys]\n"panel.side" = "ctrl+f8"\n')
        async with room.desk() as desk:
            await desk.presses("f1")
            await desk.shows("/help", "this list")
            await desk.types("todo, tasks, agents")
            await desk.shows("Ctrl+F8")
            await desk.presses("ctrl+u")
            await desk.types("sandbox")
            await desk.presses("enter")

            await desk.until(lambda: bool(desk.host.deeds))

    assert desk.deed == Run(("help", "sandbox"))


async def test_help_lists_the_keys_of_every_place(tmp_path: Path) -> None:
    first_keys = {key_id.partition(".")[0]: key_id for key_id in reversed(KEYS)}
    ui = Ui("en")

    async with room_with(tmp_path, TALK) as room, room.desk() as desk:
        await desk.presses("f1")
        for key_id in first_keys.values():
            await desk.pastes(words := ui.text(text_code(key_id))[:40])
            await desk.until(lambda words=words: desk.text.count(words) > 1)
            await desk.presses("ctrl+u")


async def test_a_session_in_which_nothing_was_said_has_nothing_to_show(tmp_path: Path) -> None:
    async with room_with(tmp_path, TALK) as room, room.desk(size=(40, 20)) as desk:
        await desk.orders("/context")
        await desk.orders("/history")

        assert desk.toasts.count("Nothing was said in this Session yet.") == 2
        assert "the conversation" in desk.text


async def test_all_of_what_an_order_is_for_can_be_read_in_the_help_however_wide_it_is(tmp_path: Path) -> None:
    async with room_with(tmp_path, TALK) as room:
        for columns in (40, 80):
            async with room.desk(size=(columns, 24)) as desk:
                await desk.presses("f1")
                await desk.shows("/status")
                told = " ".join(desk.text.split())

                assert "where you are, who takes part, what it cost" in told
                assert "…" not in told


async def test_where_there_is_room_what_is_said_of_a_long_order_stands_beside_it(tmp_path: Path) -> None:
    async with room_with(tmp_path, TALK) as room, room.desk(size=(120, 60)) as desk:
        await desk.presses("f1")
        await desk.shows("/rewind TO")

        lines = [line for line in desk.text.splitlines() if "/rewind TO" in line or "take the last rewind back" in line]
        long, short = lines
        assert long.index("go back, in the conversation") == short.index("take the last rewind back")
