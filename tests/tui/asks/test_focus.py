"""Keys that were meant for something else answer no question."""

from pathlib import Path

import pytest
from textual.widgets import Input

from tests.session.session_given import calls, cast, for_vp, held, says
from tests.tui.asks.asks_given import seated
from yeaft.events.ops import Interrupt
from yeaft.interfaces.tui.asks import guard as guarding
from yeaft.interfaces.tui.asks.guard import GUARD_S, TYPING_S, Guard
from yeaft.llm.scripted.script import Calls, Script

ONCE = "1 yes, once"
COME_HERE = "Alt+A answer the question"
TOO_SOON = "one moment"


class Moment:
    """How long a question takes no key, as a story wants it: on a machine that stands still, 0.3 s may be over."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch

    def lasts(self) -> None:
        """The moment is not over before `passes`."""
        self._patch.setattr(guarding, "GUARD_S", 3600.0)

    def passes(self) -> None:
        """From the next key that comes too soon on, it lasts as long as ever."""
        self._patch.setattr(guarding, "GUARD_S", GUARD_S)


@pytest.fixture
def moment(monkeypatch: pytest.MonkeyPatch) -> Moment:
    """The moment in which a question takes no key."""
    return Moment(monkeypatch)


def writes(wire_id: str = "c1", name: str = "a.txt") -> Calls:
    return calls("FileWrite", wire_id, file_path=name, content="milk\n")


def later() -> Script:
    """A model that wants to write once a gate is opened."""
    return cast(for_vp("", held(writes(), "now"), says("Noted.")))


def test_keys_are_taken_a_moment_after_the_last_one_that_came_too_soon() -> None:
    guard = Guard()

    guard.appeared(10.0)
    assert not guard.is_ready(10.0 + GUARD_S / 2)
    guard.appeared(10.2)
    assert not guard.is_ready(10.0 + GUARD_S)
    assert guard.is_ready(10.2 + GUARD_S)
    guard.appeared(11.0)
    guard.entered()
    assert guard.is_ready(11.0)


def test_who_has_pressed_a_key_within_the_last_second_is_typing() -> None:
    guard = Guard()
    assert guard.typing_s(0.0) == 0.0

    guard.pressed(5.0)

    assert guard.typing_s(5.0) == TYPING_S
    assert guard.typing_s(5.0 + TYPING_S) == 0.0


async def test_a_question_takes_the_focus_from_who_only_waits_and_keys_a_moment_later(
    tmp_path: Path, moment: Moment
) -> None:
    moment.lasts()
    async with seated(tmp_path, writes(), says("Noted.")) as seat:
        await seat.says("write")
        await seat.until(lambda: seat.is_asked)
        await seat.presses("1")
        assert TOO_SOON in seat.asks

        moment.passes()
        await seat.presses("1")
        await seat.sees(ONCE)
        assert seat.file() is None
        await seat.presses("1")

        await seat.until(lambda: seat.file() == "milk\n")
        await seat.until(lambda: not seat.panel.display)
        assert seat.app.focused is seat.app.conversation.composer


async def test_a_question_waits_while_something_is_written(tmp_path: Path) -> None:
    async with seated(tmp_path, later()) as seat:
        await seat.says("write")
        await seat.types("1 more th")
        seat.server.release("now")
        await seat.sees(COME_HERE)

        await seat.types("ing")
        assert seat.draft == "1 more thing"
        assert not seat.is_asked
        await seat.presses("alt+a")
        assert seat.is_asked
        assert ONCE in seat.asks
        await seat.presses("1")

        await seat.until(lambda: seat.file() == "milk\n")
        assert seat.draft == "1 more thing"


async def test_enter_while_a_question_is_open_goes_to_one_widget_alone(tmp_path: Path) -> None:
    async with seated(tmp_path, later()) as seat:
        await seat.says("write")
        await seat.types("and be brief")
        seat.server.release("now")
        await seat.sees(COME_HERE)

        await seat.presses("enter")
        await seat.until(lambda: seat.draft == "")
        assert seat.file() is None
        await seat.presses("alt+a")
        await seat.presses("enter")

        assert seat.draft == ""
        assert seat.file() is None
        assert seat.panel.is_open


async def test_a_click_answers_nothing(tmp_path: Path) -> None:
    async with seated(tmp_path, writes(), says("Noted.")) as seat:
        await seat.says("write")
        await seat.sees(ONCE)
        region = seat.panel.region

        for y in range(region.y, region.bottom):
            await seat.clicks(region.x + 3, y)

        assert seat.panel.is_open
        assert seat.file() is None


async def test_shift_tab_where_a_reason_is_written_approves_nothing_and_changes_no_mode(tmp_path: Path) -> None:
    async with seated(tmp_path, writes(), says("Noted.")) as seat:
        await seat.says("write")
        await seat.sees(ONCE)
        await seat.presses("4")
        await seat.types("Use b")

        await seat.presses("shift+tab", "tab")
        await seat.types(".txt")

        assert seat.app.screen.query_one(Input).value == "Use b.txt"
        assert seat.here.approvals.mode_of("omni") == "ask"
        assert seat.file() is None
        await seat.presses("enter")
        await seat.until(lambda: not seat.panel.is_open)
        assert seat.file() is None


async def test_escape_leaves_a_question_open_and_a_key_comes_back_to_it(tmp_path: Path) -> None:
    async with seated(tmp_path, writes(), says("Noted.")) as seat:
        await seat.says("write")
        await seat.sees(ONCE)

        await seat.presses("escape")
        await seat.sees("@omni asks: FileWrite", COME_HERE)
        await seat.types("1y")
        assert seat.draft == "1y"
        await seat.presses("alt+a", "y")

        await seat.until(lambda: seat.file() == "milk\n")


async def test_a_question_behind_a_modal_panel_waits_and_says_so(tmp_path: Path) -> None:
    async with seated(tmp_path, later()) as seat:
        await seat.says("write")
        await seat.presses("f1")
        await seat.until(lambda: isinstance(seat.app.focused, Input))
        seat.server.release("now")
        await seat.is_told("@omni has a question")

        await seat.presses("1", "y", "enter")
        assert isinstance(seat.app.focused, Input)
        assert seat.app.focused.value == "1y"
        assert seat.file() is None
        await seat.presses("escape")
        await seat.sees(ONCE)
        await seat.presses("1")

        await seat.until(lambda: seat.file() == "milk\n")


async def test_what_is_typed_as_a_reason_does_not_answer_the_question_behind_it(tmp_path: Path, moment: Moment) -> None:
    told = cast(for_vp("omni", writes(), says("ok")), for_vp("tester", writes("c2", "b.txt"), says("ok")))
    async with seated(tmp_path, told, roster=("omni", "tester")) as seat:
        await seat.says("@all write")
        await seat.sees("1 of 2", ONCE)
        await seat.presses("4")
        await seat.types("no ")

        moment.lasts()
        seat.here.session.send(Interrupt(vp_id="omni"))
        await seat.types_once(lambda: "1 of 2" not in seat.asks, "1y1y")
        await seat.sees("@tester", TOO_SOON)

        assert (seat.file(), seat.file("b.txt")) == (None, None)


async def test_a_key_pressed_twice_answers_once(tmp_path: Path, moment: Moment) -> None:
    async with seated(tmp_path, writes(), writes("c2", "b.txt"), says("Noted.")) as seat:
        await seat.says("write")
        await seat.sees("a.txt", ONCE)

        moment.lasts()
        await seat.presses("1", "1", "1")
        await seat.sees("b.txt")

        assert seat.file() == "milk\n"
        assert seat.file("b.txt") is None
        assert len(seat.here.state.answers) == 1


async def test_a_question_that_becomes_void_once_the_screen_is_gone_is_no_error(tmp_path: Path) -> None:
    async with seated(tmp_path, writes()) as seat:
        await seat.says("write")
        await seat.sees(ONCE)

    seat.app.notify("A question became void.")

    assert not seat.app.screen_stack
