"""An effort before a message, on the full screen: offered, said above the draft, and no order that nobody knows."""

from pathlib import Path

import pytest

from tests.tui.composer.composer_given import writing_to_a_session
from yeaft.interfaces.tui.composer.completion_place import Place, place_at
from yeaft.llm.scripted.script import Holds, Line, Says, Script
from yeaft.vp.names import Names
from yeaft.vp.persona import Vp

NAMES = Names((Vp(id="omni", name="Omni"),))


@pytest.mark.parametrize(
    ("draft", "place"),
    [
        ("/hi", Place("slash", 0, 3, "hi")),
        ("/high", Place("slash", 0, 5, "high")),
        ("/high ", Place("hint", 0, 6, "high")),
        ("/high explain", None),
        ("/high /h", Place("slash", 6, 8, "h")),
        ("/high /", Place("slash", 6, 7, "")),
        ("@omni /high /re", Place("slash", 12, 15, "re")),
        ("/high @om", Place("at", 6, 9, "om")),
        ("/high read @om", Place("at", 11, 14, "om")),
    ],
)
def test_behind_an_effort_everything_is_completed_as_at_the_beginning(draft: str, place: Place | None) -> None:
    assert place_at(draft, len(draft), lambda: NAMES) == place


async def test_efforts_are_offered_and_what_is_said_with_one_is_no_order(tmp_path: Path) -> None:
    async with writing_to_a_session(tmp_path, "omni") as desk:
        await desk.types("/ult")
        await desk.shows("/ultra MESSAGE", "think ultra for this message")
        await desk.pilot.press("tab")
        await desk.until(lambda: desk.composer.text == "/ultra ")
        await desk.types("explain")
        await desk.pilot.press("enter")
        await desk.until(lambda: desk.app.sent == ["/ultra explain"])
        dialogue = desk.app.dialogue
        assert dialogue is not None
        await desk.until(lambda: not dialogue.is_busy)


async def test_the_effort_that_the_model_takes_stands_beside_it(tmp_path: Path) -> None:
    async with writing_to_a_session(tmp_path, "omni", environ={"YEAFT_MODEL": "gpt-5.4"}) as desk:
        await desk.types("@omni /ultra explain")
        await desk.shows("@omni gpt-5.4 /xhigh")
        await desk.pilot.press("ctrl+u")
        await desk.types("/low @omni explain")
        await desk.shows("@omni gpt-5.4 /low")


@pytest.mark.parametrize("draft", ["/high and fast", "@omni /high and fast"])
async def test_what_is_added_with_an_effort_reaches_those_at_work(tmp_path: Path, draft: str) -> None:
    told = Script(lines=(Line(steps=(Holds(of=Says(text="Well."), after_events=0, gate="gate"), Says(text="Fast."))),))
    async with writing_to_a_session(tmp_path, "omni", script=told) as desk:
        dialogue = desk.app.dialogue
        assert dialogue is not None
        await desk.types("work")
        await desk.pilot.press("enter")
        await desk.until(lambda: bool(dialogue.at_work))

        await desk.types(draft)
        await desk.shows("added to what runs: ", "@omni /high")
        await desk.pilot.press("enter")
        await desk.until(lambda: len(desk.app.sent) == 2)
        desk.server.release("gate")
        await desk.until(lambda: not dialogue.is_busy)

        (turn,) = desk.here.state.turns.values()
        assert turn.final_text == "Fast."
