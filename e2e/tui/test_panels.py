"""All panels, one after another, at a real terminal."""

from e2e.conftest import Serve, Terminals
from e2e.given import Yeaft
from yeaft.llm.scripted.script import Calls, Line, Says, Script, ScriptedCall

WRITES = Calls(calls=(ScriptedCall(tool="FileWrite", id="w1", args={"file_path": "list.txt", "content": "milk\n"}),))
TODOS = [{"content": "Buy [milk]", "status": "in_progress", "activeForm": "Buying [milk]"}]
PLANS = Calls(calls=(ScriptedCall(tool="TodoWrite", id="t1", args={"todos": TODOS}),))
SEARCHES = "/ search"
"""A part of the last line of every text panel."""
SCRIPT = Script(
    lines=(
        Line(when="list", steps=(PLANS, WRITES, Says(text="Noted, 牛奶."))),
        Line(steps=(Says(text="Hello there."),), repeat=True),
    )
)


async def test_a_user_walks_through_all_panels_and_back(serve: Serve, terminals: Terminals, yeaft: Yeaft) -> None:
    await serve(SCRIPT)
    await yeaft.run("an older talk")
    screen = terminals(columns=120, rows=30)
    screen.starts("--mode", "auto")
    await screen.shows("auto")
    screen.types("make a list")
    screen.presses("enter")
    await screen.shows("Noted, 牛奶.")

    screen.sends(b"\x1bOP")
    await screen.shows("Help", "/help", "this list")
    screen.presses("escape")
    screen.sends(b"\x1bOQ")
    await screen.shows("Todo of @omni (0 of 1)", "[>] Buying [milk]", "Noted, 牛奶.")
    screen.sends(b"\x1bOQ")
    screen.sends(b"\x1bOQ")
    await screen.hides("Todo of @omni")
    screen.sends(b"\x1bOS")
    await screen.shows("an older talk", "make a list", "Cost:")
    screen.presses("escape")
    screen.sends(b"\x1b[15~")
    await screen.shows("everybody", "anthropic/")
    screen.presses("escape")
    screen.sends(b"\x1b[17~")
    await screen.shows("1  make a list", "goes away", "list.txt")
    screen.presses("enter")
    await screen.shows("Go back?", "Type a number")
    screen.types("2")
    await screen.shows("Files that were brought back: 1")
    assert not (yeaft.folder / "list.txt").exists()

    screen.types("/redo")
    screen.presses("enter")
    await screen.shows("Noted, 牛奶.")
    for order, wanted in (("/context", "rules and persona"), ("/usage", "@omni"), ("/history", "make a list")):
        screen.types(order)
        screen.presses("enter")
        await screen.shows(wanted, SEARCHES)
        screen.types("q")
        await screen.hides(SEARCHES)
    screen.types("/search older")
    screen.presses("enter")
    await screen.shows("Search all Sessions", "an older talk")
    screen.presses("enter")
    await screen.shows("Hello there.", lambda text: "Search all Sessions" not in text)
    screen.types("/quit")
    screen.presses("enter")

    assert await screen.leaves() == 0


async def test_an_editor_gets_the_text_of_a_panel_and_the_screen_comes_back(
    serve: Serve, terminals: Terminals, yeaft: Yeaft
) -> None:
    await serve(SCRIPT)
    yeaft.environ["EDITOR"] = """sh -c 'cp "$0" .; printf EDITING; read line'"""
    screen = terminals(columns=80, rows=24)
    screen.starts("--mode", "auto")
    await screen.shows("auto")
    screen.types("good morning")
    screen.presses("enter")
    await screen.shows("Hello there.")
    screen.types("/history")
    screen.presses("enter")
    await screen.shows("yeaft session show", "good morning")

    screen.types("e")
    await screen.shows("EDITING")
    screen.presses("enter")
    await screen.shows("yeaft session show", "Hello there.", lambda text: "EDITING" not in text)
    screen.types("/")
    await screen.shows("Search for")
    screen.types("nowhere")
    screen.presses("enter")
    await screen.shows("nowhere is not in this text.")

    [copy] = list(yeaft.folder.glob("yeaft-*.txt"))
    assert "Hello there." in copy.read_text()
    screen.types("q")
    await screen.hides("yeaft session show")
