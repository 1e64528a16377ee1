"""A newcomer's first quarter of an hour, minute by minute: no model, the demo, a conversation, files, tasks, a crash."""

import asyncio
import base64
import contextlib
import json
import os
import signal
import struct
import zlib
from pathlib import Path

import pytest

from e2e.conftest import Serve, Terminals
from e2e.given import PATIENCE_S, Yeaft
from e2e.screen import Screen
from e2e.tui.ways import answers, are_usual, modes, until
from yeaft.llm.scripted.script import Calls, Fails, Holds, Line, Says, Script, ScriptedCall

READY = "$0.00"
SURE = "Type a number"
"""Stands below a question once it takes keys."""
F2, F6, ALT_A, CTRL_HOME, CTRL_END = b"\x1bOQ", b"\x1b[17~", b"\x1ba", b"\x1b[1;5H", b"\x1b[1;5F"
FAMILY = "👨‍👩‍👧‍👦"
LONG = "\n".join(f"line {number}" for number in range(300))
NUMBERS = "\n\n".join(f"number {number} ends" for number in range(1, 121))
CODE = "```python\nprint('你好')\n```\n"


def calls(tool: str, wire_id: str = "c1", **args: object) -> Calls:
    return Calls(calls=(ScriptedCall(tool=tool, id=wire_id, args=args),))


def says(*steps: object) -> Script:
    return Script(lines=(Line(steps=steps),))


def picture() -> bytes:
    """A PNG of one pixel."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b"")
    )


def content(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


async def sends(screen: Screen, text: str, *wanted: str) -> None:
    screen.types(text)
    screen.presses("enter")
    await screen.shows(*wanted)


async def leaves(screen: Screen) -> None:
    screen.presses("ctrl+d")
    assert await screen.leaves() == 0
    assert are_usual(screen), modes(screen)


async def test_without_a_key_the_demo_is_chosen_and_played_to_its_end_and_nothing_stays(
    terminals: Terminals, yeaft: Yeaft
) -> None:
    scratch = yeaft.home / "tmp"
    scratch.mkdir()
    screen = terminals(columns=100, rows=40, TMPDIR=str(scratch))
    screen.starts()
    await screen.shows(
        "Which model shall answer?", "1  Use a key", "2  Set up a small model", "3  Watch the demo", SURE
    )

    screen.types("3")
    await screen.shows("> @omni @skeptic What is in this folder")
    screen.presses("enter")
    await screen.shows("notes.md │ total.py", "34.00", "> @builder Mend the price of tea")
    screen.presses("enter")
    await screen.shows("34.0}", "3.40}", "FileEdit  total.py")
    await agrees(screen)
    await screen.shows("python3 total.py may do more than read")
    await agrees(screen)
    await screen.shows("Total: 7.10", "> @builder Write the prices into a table")
    screen.presses("enter")
    await screen.shows("prices.csv (new)")
    await agrees(screen)
    await screen.shows("allowed: sleep 1")
    await agrees(screen)
    await screen.shows("meanwhile.", "> @omni Let the skeptic check")
    screen.sends(F2)
    await screen.shows("Tasks", "running · @builder", "| Total: 7.10")
    screen.sends(F2 + F2)
    await screen.hides("Tasks")
    screen.presses("enter")
    await screen.shows("@omni → @skeptic", "So the change holds", "by a second pair of eyes", "> /artifact prices.csv")
    screen.presses("enter")
    told = await screen.shows("prices.csv (table)", "That was the demo.")
    assert told.index("Kept as") < told.index("That was the demo.")

    screen.presses("ctrl+d")
    await screen.shows(lambda text: SURE in text or b"\x1b[?1049l" in screen.raw)
    if SURE in screen.text:  # the task is not over yet
        screen.types("2")
    assert await screen.leaves() == 0
    assert are_usual(screen), modes(screen)
    assert b"Traceback" not in screen.raw
    assert list(scratch.iterdir()) == []
    assert not (yeaft.dir / "sessions").exists() or not list((yeaft.dir / "sessions").glob("*/session.db-wal"))


async def agrees(screen: Screen) -> None:
    """Say yes once, as soon as the question takes keys."""
    await screen.shows("1 yes, once")
    screen.types("1")


async def test_a_question_on_the_command_line_streams_and_the_screen_says_model_window_cost_and_folder(
    serve: Serve, terminals: Terminals
) -> None:
    server = await serve(says(Holds(of=Says(text="This repo is empty so far."), after_events=6, gate="g")))
    screen = terminals(columns=120, rows=30)

    screen.starts()
    await sends(screen, "explain this repo", "speaks")
    await screen.shows(lambda text: "This" in text and "so far." not in text)
    server.release("g")

    await screen.shows("so far.", "answered", "ask", "env/scripted", "ctx ", "work")
    assert "$0.0" in screen.lines[-1]
    await leaves(screen)


async def test_three_hundred_lines_chinese_a_family_and_a_picture_are_pasted_and_arrive_whole(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    server = await serve(answers("Understood."))
    shot = yeaft.home / "shot.png"
    shot.write_bytes(picture())
    screen = terminals(columns=80, rows=24)
    screen.starts()
    await screen.shows(READY)

    screen.pastes(LONG)
    await screen.shows("> [Pasted #1: 300 lines]")
    screen.pastes(f"你好 {FAMILY} e\u0301!")
    await screen.shows("你好")
    screen.presses("backspace", "backspace")
    await screen.hides("!")
    screen.types("é?")
    screen.pastes(str(shot))
    await screen.shows("shot.png")
    screen.presses("enter")
    await screen.shows("Understood.", "cannot see pictures; it is only told")

    sent = json.dumps(server.requests[0].body, ensure_ascii=False)
    assert json.dumps(LONG)[1:-1] in sent
    assert f"你好 {FAMILY} é?" in sent
    assert "shot.png" in sent
    await leaves(screen)


async def test_a_long_answer_is_read_resized_copied_from_stopped_and_gone_on_with(
    serve: Serve, terminals: Terminals
) -> None:
    long = Holds(of=Says(text=CODE + NUMBERS, chunk=20), after_events=60, gate="g")
    await serve(Script(lines=(Line(when="count", steps=(long,)), Line(steps=(Says(text="Here is the rest."),)))))
    screen = terminals(columns=80, rows=24)
    screen.starts()
    await screen.shows(READY)
    await sends(screen, "count", "number 69 ends")

    screen.sends(CTRL_HOME)
    await screen.shows("print('你好')")
    for columns in (40, 120, 80):
        screen.resizes(columns, 24)
        await screen.shows("print('你好')", "speaks")
    screen.presses("escape")
    await screen.shows("@omni stopped", "go on")
    screen.types("/copy code")
    screen.presses("enter")
    await screen.shows(lambda _: base64.b64encode("print('你好')\n".encode()) in screen.raw)
    await sends(screen, "go on", "Here is the rest.")

    screen.sends(CTRL_END)
    await screen.shows("stopped by you", "Here is the rest.")
    await leaves(screen)


async def test_two_vps_are_shown_before_they_are_asked_and_answer_side_by_side(
    serve: Serve, terminals: Terminals
) -> None:
    said = {vp: Says(text=f"{vp}word " * 12 + "end") for vp in ("reviewer", "builder")}
    lines = tuple(Line(vp=vp, steps=(Holds(of=said[vp], after_events=8, gate="both"),)) for vp in said)
    server = await serve(Script(lines=lines))
    screen = terminals(columns=100, rows=40)
    screen.starts()
    await screen.shows(READY)

    screen.types("@nobody are you there?")
    await screen.shows("@nobody is nobody here")
    screen.presses("escape", "ctrl+u")
    await screen.hides("nobody here")
    assert server.requests == []
    screen.types("@reviewer @builder how do we test this?")
    await screen.shows("@reviewer scripted", "@builder scripted", "×2")
    screen.presses("enter")
    await screen.shows("@reviewer  speaks", "@builder   speaks")
    server.release("both")
    await screen.shows(lambda text: text.count("─ answered") == 2)

    for mine, other in (("reviewer", "builder"), ("builder", "reviewer")):
        text = screen.text.partition(f"@{mine}  env/")[2].partition("─ answered")[0]
        assert f"{mine}word" in text
        assert f"{other}word" not in text
    await leaves(screen)


async def test_a_file_of_windows_is_changed_in_part_and_brought_back_and_changed_again(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    edit = {"old_string": "three\nfour\nfive\nsix", "new_string": "3\nfour\nfive\n6", "file_path": "a.txt"}
    server = await serve(says(calls("FileEdit", **edit), Says(text="Noted.")))
    file, raw = yeaft.folder / "a.txt", b"\xef\xbb\xbfone\r\ntwo\r\nthree\r\nfour\r\nfive\r\nsix\r\n"
    file.write_bytes(raw)
    screen = terminals(columns=100, rows=40)
    screen.starts()
    await screen.shows(READY)

    await sends(screen, "edit it", "1 1   one", "- three", "+ 3", "- six", "+ 6", "1/2", "2/2", "h parts")
    assert "FEFF" not in screen.text
    assert [line for line in screen.lines if "- one" in line or "+ one" in line] == []
    screen.sends(ALT_A)
    screen.types("h")
    await screen.shows("> [x] 1/2 taken")
    screen.presses("down")
    screen.types(" ")
    await screen.shows("> [ ] 2/2 left")
    screen.presses("enter")
    await screen.shows("Noted.")
    changed = raw.replace(b"three", b"3")
    assert file.read_bytes() == changed
    assert "-6" in server.requests[-1].raw.decode()

    screen.sends(F6)
    await screen.shows("1  edit it", "a.txt")
    screen.presses("enter")
    await screen.shows("Go back?", SURE)
    screen.types("2")
    await screen.shows("Files that were brought back: 1")
    assert file.read_bytes() == raw
    await sends(screen, "/redo", "Noted.")
    await screen.shows(lambda _: file.read_bytes() == changed)
    await leaves(screen)


async def test_a_server_runs_as_a_task_that_another_terminal_follows_and_that_ends_with_the_session(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    command = "echo $$ > pid; echo serving; until [ -e asked ]; do sleep 0.05; done; echo GET /; exec sleep 1000"
    await serve(says(calls("Bash", command=command, background=True, taskTitle="dev server"), Says(text="It runs.")))
    screen = terminals(columns=100, rows=30)
    screen.starts("--mode", "auto")
    await screen.shows(READY)
    await sends(screen, "start the server", "It runs.", "tasks: 1")
    (task,) = json.loads((await yeaft.run("task", "ls", "--json")).out)

    follows = await yeaft.start("task", "logs", "-f", task["id"])
    assert follows.stdout is not None
    async with asyncio.timeout(PATIENCE_S):
        assert await follows.stdout.readline() == b"serving\n"
        (yeaft.folder / "asked").touch()
        assert await follows.stdout.readline() == b"GET /\n"
    pid = int(content(yeaft.folder / "pid"))
    screen.presses("ctrl+d")
    await screen.shows("Leave although something runs?", "dev server", SURE)
    screen.types("2")

    assert await screen.leaves() == 0
    assert are_usual(screen), modes(screen)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    await yeaft.ended(follows)


async def test_pipes_get_one_object_and_what_went_wrong_is_the_exit_code(yeaft: Yeaft, serve: Serve) -> None:
    writes = calls("FileWrite", file_path="a.txt", content="x")
    lines = (
        Line(when="review", vp="reviewer", steps=(Says(text="Two remarks."),)),
        Line(when="write", steps=(writes, Says(text="It is written."))),
        Line(when="wrong key", steps=(Fails(status=401),), repeat=True),
    )
    await serve(Script(lines=lines))

    reviewed = await yeaft.run("-p", "review", "--vp", "reviewer", "--output-format", "json", given=b"diff --git a b\n")
    assert (reviewed.code, reviewed.result["text"]) == (0, "Two remarks.")
    assert (await yeaft.run("-p", "with the wrong key")).code == 77
    asked = await yeaft.run("-p", "write a.txt")
    assert asked.code == 3
    assert "To allow it, add: --mode edits" in asked.err
    assert not (yeaft.folder / "a.txt").exists()
    yeaft.talks_to("http://127.0.0.1:9/v1")
    nobody = await yeaft.run("-p", "hello", "--set", "retry.base_delay_s=0.01")
    assert nobody.code in (69, 75), nobody
    assert "Traceback" not in nobody.err


async def test_after_kill_9_in_mid_tool_everything_is_there_and_the_next_prompt_works(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    command = "echo $$ > pid; exec sleep 1000"
    await serve(
        Script(
            lines=(
                Line(when="first", steps=(Says(text="Good morning."),)),
                Line(when="sleep", steps=(calls("Bash", command=command), Says(text="never said"))),
                Line(when="again", steps=(Says(text="Here again."),)),
            )
        )
    )
    screen = terminals(columns=100, rows=40)
    screen.starts("--mode", "auto")
    await screen.shows(READY)
    await sends(screen, "first", "Good morning.")
    await sends(screen, "now sleep", "exec sleep 1000")
    await until(lambda: content(yeaft.folder / "pid").strip() != b"")

    os.kill(screen.pid, signal.SIGKILL)
    await screen.leaves()
    second = terminals(columns=100, rows=40)
    second.starts("-c")

    await second.shows("Good morning.", "now sleep", "was stopped in the middle")
    await sends(second, "are you there again?", "Here again.")
    await leaves(second)
    with contextlib.suppress(ProcessLookupError):
        os.kill(int(content(yeaft.folder / "pid")), signal.SIGKILL)
        pytest.fail("the command outlived what had started it")


async def test_after_kill_9_of_line_mode_the_next_line_is_a_message_and_not_added_to_what_is_gone(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    sleeps = Line(when="sleep", steps=(calls("Bash", command="touch began; exec sleep 1000"), Says(text="never said")))
    await serve(Script(lines=(sleeps, Line(when="again", steps=(Says(text="Here again."),)))))
    first = terminals(columns=80, rows=24)
    first.starts("--line", "--mode", "auto")
    await first.shows("yeaft>")
    first.types("now sleep\r")
    await until((yeaft.folder / "began").exists)

    os.kill(first.pid, signal.SIGKILL)
    await first.leaves()
    second = terminals(columns=80, rows=24)
    second.starts("--line", "-c")
    await second.shows("was stopped in the middle", "yeaft>")
    second.types("are you there again?\r")
    await second.shows("Here again.", lambda text: text.rstrip().endswith("yeaft>"))
    second.types("/quit\r")

    assert await second.leaves() == 0


async def test_what_is_set_up_and_what_would_be_asked_can_be_looked_up(yeaft: Yeaft, serve: Serve) -> None:
    await serve(answers())
    checked = await yeaft.run("doctor")
    origins = await yeaft.run("config", "ls", "--origin")
    explained = await yeaft.run("perms", "explain", "git log && curl x|sh")

    assert checked.code in (0, 78), checked
    assert b"terminal" in checked.out.lower() or b"python" in checked.out.lower()
    assert origins.code == 0
    assert b"models.primary" in origins.out
    assert explained.code == 0
    said = explained.out.decode()
    assert "git log" in said
    assert "curl x" in said
    assert "Traceback" not in checked.err + origins.err + explained.err


async def test_without_colour_or_a_screen_the_same_conversation_is_held_in_plain_lines(
    serve: Serve, terminals: Terminals
) -> None:
    await serve(says(calls("FileWrite", file_path="list.txt", content="milk\n"), Says(text="Noted.")))
    screen = terminals(columns=80, rows=24, TERM="dumb", NO_COLOR="1", COLORTERM="")
    screen.starts("--line")
    await screen.shows("yeaft>")

    screen.types("write a list\r")
    await screen.shows("list.txt", "1")
    screen.types("1\r")
    await screen.shows("Noted.")
    screen.types("/quit\r")

    assert await screen.leaves() == 0
    assert b"\x1b" not in screen.raw
