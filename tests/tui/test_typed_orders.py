"""Orders are read as they are recognized, whatever white space follows their names."""

from pathlib import Path

import pytest

from tests.tui.panels_given import room_with
from yeaft.events.ops import SetMode
from yeaft.interfaces.orders import RunGraph
from yeaft.kernel.errors import UsageError
from yeaft.llm.scripted.script import Line, Says

LINE = Line(steps=(Says(text="Good morning."),), repeat=True)


@pytest.mark.parametrize(
    ("line", "deed"),
    [
        ("/mode\nauto", SetMode(mode="auto")),
        ("/mode\u3000auto", SetMode(mode="auto")),
        ("/graph\tg.yaml two\nlines", RunGraph("g.yaml", "two\nlines")),
    ],
)
async def test_what_follows_an_order_may_stand_behind_any_white_space(tmp_path: Path, line: str, deed: object) -> None:
    async with room_with(tmp_path, LINE) as room, room.desk() as desk:
        assert desk.dialogue.is_order(line)

        assert desk.dialogue.read(line) == deed


async def test_an_order_that_takes_nothing_says_so_of_more_lines(tmp_path: Path) -> None:
    async with room_with(tmp_path, LINE) as room, room.desk() as desk:
        with pytest.raises(UsageError, match="nothing more"):
            desk.dialogue.read("/help\nand more")
