"""What 40 columns still show: whole rows of answers, the keys of a question, a mark where something is cut off."""

from pathlib import Path

from tests.tui.asks.asks_given import Seat, seated
from yeaft.llm.scripted.script import Calls, Says, ScriptedCall

NARROW = (40, 24)


def asks(*options: str) -> Calls:
    args = {"question": "How long?", "options": list(options)}
    return Calls(calls=(ScriptedCall(tool="AskUser", id="a1", args=args),))


def lines(seat: Seat) -> list[str]:
    return [strip.text.rstrip() for strip in seat.app.screen._compositor.render_strips(seat.app.size)]


async def test_an_answer_of_two_lines_hangs_under_its_first_word_and_the_keys_stay_in_view(tmp_path: Path) -> None:
    long = "30 seconds (what most of the servers expect)"
    async with seated(tmp_path, asks("10 seconds", long, "No limit"), Says(text="Fine."), size=NARROW) as seat:
        await seat.says("@omni ask")

        await seat.sees("No limit", "Enter", "Space", "Esc")

        at = next(number for number, line in enumerate(lines(seat)) if "2  30 seconds" in line)
        first, second = lines(seat)[at : at + 2]
        assert first.split("2  ")[1] + " " + second.strip() == long
        assert len(second) - len(second.lstrip()) == first.index("30")


async def test_of_more_answers_than_there_is_room_for_those_around_the_chosen_one_are_shown(tmp_path: Path) -> None:
    options = [f"answer {number}, which takes more than a line of the screen" for number in range(1, 8)]
    async with seated(tmp_path, asks(*options), Says(text="Fine."), size=NARROW) as seat:
        await seat.says("@omni ask")
        await seat.sees("> 1  answer 1", "Enter", "Esc")

        for number in range(2, 8):
            await seat.presses("down")
            await seat.sees(f"> {number}  answer {number},", "Enter", "Esc")
        await seat.presses("down", "down")

        await seat.sees("> 9  ", "Enter", "Esc")


async def test_what_the_line_of_the_draft_takes_is_told_in_short_where_it_does_not_fit_in_full(tmp_path: Path) -> None:
    async with seated(tmp_path, Says(text="Fine."), size=NARROW) as seat:
        (line,) = [one for one in lines(seat) if "Write a message" in one]

        assert line.endswith("Enter sends it.")


async def test_of_many_who_will_answer_as_many_are_named_as_fit_and_the_others_are_counted(tmp_path: Path) -> None:
    async with seated(tmp_path, Says(text="Fine."), size=NARROW) as seat:
        await seat.types("@builder @reviewer @skeptic @tester hello")

        await seat.until(lambda: any("to ✚ @builder +3  " in line and line.endswith("×4") for line in lines(seat)))
