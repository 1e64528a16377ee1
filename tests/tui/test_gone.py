"""What is meant for something that is not there any more does no harm, and is done to nothing else."""

from pathlib import Path

from textual.events import Resize
from textual.geometry import Size
from textual.widgets import OptionList

from tests.tui.asks.asks_given import Seat, seated
from tests.tui.panels_given import room_with
from yeaft.interfaces.orders import Leave
from yeaft.interfaces.tui.choice import Choice
from yeaft.interfaces.tui.leaving import WAIT
from yeaft.interfaces.tui.panels.filtered_list import FilteredList
from yeaft.interfaces.tui.panels.rewind_panel import RewindPanel
from yeaft.interfaces.tui.panels.search_panel import SearchPanel
from yeaft.interfaces.tui.panels.text_panel import TextPanel
from yeaft.interfaces.tui.too_small import TooSmall
from yeaft.llm.scripted.script import Holds, Line, Says

HI = Says(text="Good morning.")
LINE = Line(steps=(HI,), repeat=True)
SMALL, LARGE = Size(10, 3), Size(100, 40)


def crash(seat: Seat) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in seat.given.home.glob("logs/crash-*"))


async def test_a_panel_over_a_session_goes_with_it(tmp_path: Path) -> None:
    held = Holds(of=Says(text="At last."), after_events=0, gate="g")
    async with seated(tmp_path, HI, held) as seat:
        app, before = seat.app, seat.here
        await seat.says("hi")
        await seat.until(lambda: len(seat.server.requests) == 1 and not before.state.open_turns())
        await seat.says("go on")
        await seat.server.reached("g")
        app.conversation.leave(Leave(new=True))
        await seat.until(lambda: isinstance(app.screen, Choice))
        app.screen.dismiss(WAIT)
        await seat.until(lambda: app.screen is app.conversation)
        await seat.presses("f6")
        await seat.until(lambda: isinstance(app.screen, RewindPanel))

        seat.server.release("g")
        await seat.until(lambda: app.conversation._here not in (None, before))

        await seat.until(lambda: app.screen is app.conversation)


async def test_an_entry_that_is_clicked_while_others_come_is_not_taken_for_one_of_them(tmp_path: Path) -> None:
    async with room_with(tmp_path, LINE) as room, room.desk() as desk:
        await desk.presses("f1")
        await desk.shows("/help")
        panel = desk.pilot.app.screen
        listed = panel.query_one(FilteredList)
        options = panel.query_one(OptionList)

        options.post_message(OptionList.OptionSelected(options, options.get_option_at_index(2), 2))
        listed.show(listed._entries[:1])
        await desk.pilot.pause()

        assert desk.pilot.app.screen is panel
        assert desk.host.deeds == []


async def test_a_hit_that_is_chosen_while_others_are_found_is_not_taken_for_one_of_them(tmp_path: Path) -> None:
    async with room_with(tmp_path, LINE) as room:
        await room.holds("hello there")
        async with room.desk() as desk:
            await desk.orders("/search hello")
            await desk.shows("hello there")
            panel = desk.pilot.app.screen
            assert isinstance(panel, SearchPanel)
            listed = panel.query_one(FilteredList)

            listed.post_message(FilteredList.Chosen(listed.marked))
            await panel._find("")
            await desk.pilot.pause()

            assert desk.pilot.app.screen is panel
            assert desk.host.deeds == []


async def test_a_work_folder_that_is_gone_is_told_where_a_command_would_be_run_in_it(tmp_path: Path) -> None:
    async with room_with(tmp_path, LINE) as room, room.desk() as desk:
        await desk.says("hi")
        room.folder.rmdir()

        await desk.orders("/usage")
        await desk.shows("yeaft cannot be started in")
        await desk.presses("escape")
        await desk.orders("/search hello")
        await desk.shows("yeaft cannot be started in")


async def test_a_text_whose_panel_was_left_at_once_is_not_read(tmp_path: Path) -> None:
    async with room_with(tmp_path, LINE) as room, room.desk() as desk:
        await desk.says("hi")
        app = desk.pilot.app

        await desk.orders("/usage")
        panel = app.screen
        assert isinstance(panel, TextPanel)
        await desk.presses("escape")
        panel._begin()

        assert [worker for worker in app.workers if worker.node is panel] == []


async def test_a_terminal_that_is_small_for_a_moment_shows_the_conversation_again(tmp_path: Path) -> None:
    async with seated(tmp_path, HI) as seat:
        app = seat.app

        for _ in range(3):
            app.post_message(Resize(SMALL, SMALL))
            app.post_message(Resize(LARGE, LARGE))
        app.post_message(Resize(SMALL, SMALL))
        await seat.until(lambda: isinstance(app.screen, TooSmall) and not app.screen.goes)
        await seat._pilot.resize_terminal(*LARGE)
        await seat.until(lambda: app.screen is app.conversation)
        await seat.types("still here")

        assert seat.draft == "still here"
        assert not crash(seat)
