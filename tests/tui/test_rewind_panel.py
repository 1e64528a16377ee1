"""Going back: where to, what it changes, what for, a fork from there, and forward again."""

from pathlib import Path

from tests.tui.panels_given import Desk, room_with
from yeaft.events.ops import Redo, Rewind
from yeaft.interfaces.orders import Leave
from yeaft.llm.scripted.script import Calls, Line, Says, ScriptedCall
from yeaft.session.offline import read_session
from yeaft.session.rewinding_targets import said


def writes(content: str, call_id: str) -> Calls:
    return Calls(
        calls=(ScriptedCall(tool="FileWrite", id=call_id, args={"file_path": "list.txt", "content": content}),)
    )


READS = Calls(calls=(ScriptedCall(tool="FileRead", id="r1", args={"file_path": "list.txt"}),))
LINES = (
    Line(when="milk", steps=(writes("milk\n", "w1"), Says(text="Milk is on it."))),
    Line(when="eggs", steps=(READS, writes("milk\neggs\n", "w2"), Says(text="And eggs."))),
    Line(steps=(Says(text="Hello."),), repeat=True),
)


async def talked(desk: Desk) -> None:
    await desk.says("hello")
    await desk.says("put milk on the list")
    await desk.says("and eggs")


async def test_what_going_back_changes_is_shown_and_agreed_to_before_it_happens(tmp_path: Path) -> None:
    async with room_with(tmp_path, *LINES) as room, room.desk() as desk:
        await talked(desk)
        listed = room.folder / "list.txt"

        await desk.presses("f6")
        await desk.shows("3  and eggs", "2  put milk on the list", "1  hello", "changes  +0 −1  list.txt")
        await desk.presses("down")
        await desk.shows("goes away", "they led to: 2")
        await desk.presses("enter")
        await desk.shows("Go back?", "Type a number")
        assert listed.read_text() == "milk\neggs\n"
        await desk.types("2")
        await desk.until(lambda: bool(desk.host.deeds))

        assert isinstance(desk.deed, Rewind)
        desk.dialogue.ask_for(desk.deed)
        await desk.here.session.idle()
        await desk.until(lambda: not listed.exists())
        assert [one.text for one in said(desk.here.state)] == ["hello"]

        await desk.presses("f6")
        await desk.presses("alt+r")
        await desk.shows("Take the last", "Type a number")
        await desk.types("2")
        await desk.until(lambda: len(desk.host.deeds) == 2)
        assert desk.deed == Redo()
        desk.dialogue.ask_for(desk.deed)
        await desk.here.session.idle()
        await desk.until(lambda: listed.exists() and listed.read_text() == "milk\neggs\n")


async def test_only_the_conversation_can_be_meant_and_named_checkpoints_stand_between_messages(tmp_path: Path) -> None:
    async with room_with(tmp_path, *LINES) as room, room.desk(size=(40, 20)) as desk:
        await desk.says("put milk on the list")
        await desk.orders("/checkpoint before-eggs")
        await desk.here.session.idle()
        await desk.until(lambda: any(kept.event.name for kept in desk.here.state.past.checkpoints))
        await desk.says("and eggs")

        await desk.presses("f6")
        await desk.shows("before-eggs")
        await desk.presses("alt+s")
        await desk.shows("Goes back: the conversation")
        await desk.hides("list.txt")
        await desk.presses("enter")
        await desk.shows("Go back?", "Type a number")
        await desk.types("2")
        await desk.until(lambda: bool(desk.host.deeds))

    assert isinstance(desk.deed, Rewind)
    assert desk.deed.scope == "conversation"


async def test_a_fork_from_a_message_has_what_was_said_before_it(tmp_path: Path) -> None:
    async with room_with(tmp_path, *LINES) as room, room.desk() as desk:
        await talked(desk)
        await desk.presses("f6")
        await desk.types("milk")
        await desk.hides("3  and eggs")
        await desk.presses("alt+f")
        await desk.until(lambda: bool(desk.host.deeds))

        assert isinstance(desk.deed, Leave)
        assert desk.deed.resume
        copy = read_session(room.home, desk.deed.resume)
        assert [one.text for one in said(copy.state)] == ["hello"]


async def test_going_back_where_nothing_was_said_says_so(tmp_path: Path) -> None:
    async with room_with(tmp_path, *LINES) as room, room.desk() as desk:
        await desk.presses("f6")
        assert "Nothing was said in this Session yet." in desk.toasts

        await desk.says("hello")
        await desk.presses("f6")
        await desk.shows("1  hello")
        await desk.presses("alt+r")
        await desk.until(lambda: "There is no rewind to take back" in desk.toasts)
