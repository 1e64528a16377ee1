"""Saying yes at a real terminal: to parts of a change, to one's own text, and to nothing by mistake."""

import asyncio
import json
import os
import signal
import time
from pathlib import Path

from e2e.conftest import Serve, Terminals
from e2e.given import PATIENCE_S, Yeaft
from yeaft.llm.scripted.script import Calls, Line, Says, Script, ScriptedCall

OLD = "".join(f"line {number}\n" for number in range(1, 20))
NEW = OLD.replace("line 3\n", "line three\n").replace("line 15\n", "line fifteen\n")
ONCE = "1 yes, once"


def writes(content: str = NEW, wire_id: str = "w1") -> Calls:
    args = {"file_path": "a.txt", "content": content}
    return Calls(calls=(ScriptedCall(tool="FileWrite", id=wire_id, args=args),))


def by_round(*steps: object) -> Script:
    """What the model says, chosen by how far the turn is, so that a request that is sent again gets the same reply."""
    return Script(lines=(Line(steps=steps, order="round"),))


def appears(path: Path) -> None:
    """Wait until there is a file."""
    until = time.monotonic() + PATIENCE_S
    while not path.exists():
        assert time.monotonic() < until, path
        time.sleep(0.02)


async def test_a_change_is_written_otherwise_in_an_editor_and_looked_at_again(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    await serve(Script(lines=(Line(steps=(writes(), Says(text="Noted."))),)))
    (yeaft.folder / "a.txt").write_text(OLD)
    yeaft.environ["VISUAL"] = "sed -i s/three/drei/"
    screen = terminals()
    screen.starts()

    await screen.shows("ask")
    screen.types("change it")
    screen.presses("enter")
    await screen.shows("+ line three", "e edit")
    screen.types("e")
    await screen.shows("+ line drei")
    assert (yeaft.folder / "a.txt").read_text() == OLD
    screen.sends(b"\x1ba")  # on purpose, so that no key comes too soon
    screen.types("1")
    await screen.shows("Noted.")

    assert (yeaft.folder / "a.txt").read_text() == NEW.replace("three", "drei")


async def test_what_is_typed_when_a_question_comes_up_stays_in_the_draft(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    waits = Calls(calls=(ScriptedCall(tool="Bash", id="b1", args={"command": "until [ -e go ]; do sleep 0.05; done"}),))
    rule = "Bash(until [ -e go ]; do sleep 0.05; done)"
    await serve(Script(lines=(Line(steps=(waits, writes(), Says(text="Noted."))),)))
    screen = terminals()
    screen.starts("--allow", rule)

    await screen.shows("ask")
    screen.types("wait and write")
    screen.presses("enter")
    await screen.shows("until [ -e go ]")
    screen.types("1 and y and 2")
    await screen.shows("> 1 and y and 2")
    (yeaft.folder / "go").touch()
    await screen.shows("Alt+A answer the question")
    screen.types(" 1y")
    await screen.shows("> 1 and y and 2 1y")

    assert not (yeaft.folder / "a.txt").exists()
    screen.sends(b"\x1ba")
    await screen.shows(ONCE)
    screen.types("1")
    await asyncio.to_thread(appears, yeaft.folder / "a.txt")


async def test_after_a_kill_between_the_yes_and_the_write_the_yes_still_is_to_what_was_chosen(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    server = await serve(by_round(writes(), Says(text="Noted.")))
    file = yeaft.folder / "a.txt"
    file.write_text(OLD)
    hold = "cat > /dev/null; [ ! -e asked ] || { touch reached; until [ -e go ]; do sleep 0.05; done; }; touch asked"
    hooks = {"PreToolUse": [{"matcher": "FileWrite", "hooks": [{"type": "command", "command": hold}]}]}
    yeaft.dir.mkdir(exist_ok=True)
    (yeaft.dir / "hooks.json").write_text(json.dumps({"hooks": hooks}))
    screen = terminals()
    screen.starts()

    await screen.shows("ask")
    screen.types("change it")
    screen.presses("enter")
    await screen.shows("h parts")
    screen.types("h ")
    await screen.shows("> [ ] 1/2 left")
    screen.presses("enter")
    await asyncio.to_thread(appears, yeaft.folder / "reached")
    os.kill(screen.pid, signal.SIGKILL)
    await screen.leaves()
    assert file.read_text() == OLD
    (yeaft.folder / "go").touch()

    ran = await yeaft.run("-c", "--continue-turn")

    assert ran.code == 0, ran.err
    assert file.read_text() == OLD.replace("line 15\n", "line fifteen\n")
    assert "-line three" in server.requests[-1].raw.decode()


async def test_after_a_kill_a_question_is_there_again_for_a_yes_and_void_once_the_user_says_something_else(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    lines = (
        Line(when="change it", steps=(writes(), Says(text="Noted.")), order="round"),
        Line(when="undo it", steps=(writes(OLD, "w2"), Says(text="never said")), order="round"),
        Line(when="go on", steps=(Says(text="As you like."),)),
    )
    await serve(Script(lines=lines))
    (yeaft.folder / "a.txt").write_text(OLD)
    screen = terminals()
    screen.starts()

    await screen.shows("ask")
    screen.types("change it")
    screen.presses("enter")
    await screen.shows(ONCE)
    os.kill(screen.pid, signal.SIGKILL)
    await screen.leaves()
    assert (yeaft.folder / "a.txt").read_text() == OLD

    again = terminals()
    again.starts("-c")
    await again.shows("This was left open", "+ line three", "Alt+A answer the question")
    again.sends(b"\x1ba")
    await again.shows(ONCE)
    again.types("1")
    await again.shows("Noted.")
    assert (yeaft.folder / "a.txt").read_text() == NEW

    again.types("undo it")
    again.presses("enter")
    await again.shows("- line three", ONCE)
    os.kill(again.pid, signal.SIGKILL)
    await again.leaves()
    third = terminals()
    third.starts("-c")
    await third.shows("This was left open", "- line three")
    third.types("go on")
    third.presses("enter")
    await third.shows("As you like.")
    await third.hides("asks")
    assert (yeaft.folder / "a.txt").read_text() == NEW
