"""A conversation on the whole screen, at a real terminal."""

from e2e.conftest import Serve, Terminals
from yeaft.llm.scripted.script import Calls, Line, Says, Script, ScriptedCall

WRITES = Calls(calls=(ScriptedCall(tool="FileWrite", id="w1", args={"file_path": "list.txt", "content": "milk\n"}),))


async def test_a_user_says_something_approves_a_change_and_leaves(serve: Serve, terminals: Terminals) -> None:
    await serve(Script(lines=(Line(steps=(Says(text="Good morning."), WRITES, Says(text="Noted."))),)))
    screen = terminals()
    screen.starts()

    await screen.shows("ask")
    screen.types("hello")
    screen.presses("enter")
    await screen.shows("Good morning.")
    screen.types("make a list")
    screen.presses("enter")
    await screen.shows("list.txt", "1 yes, once")
    screen.types("1")
    await screen.shows("Noted.")
    screen.types("/quit")
    screen.presses("enter")

    assert await screen.leaves() == 0
