"""Line mode at a real terminal, with an editable line and on a dumb one, and with its lines from a pipe."""

import asyncio
import os
from pathlib import Path

import pytest

from e2e.conftest import Serve
from e2e.given import Yeaft
from e2e.typist import Typist
from yeaft.llm.scripted.script import Calls, Fails, Line, Says, Script, ScriptedCall, script

WRITES = Calls(calls=(ScriptedCall(tool="FileWrite", id="w1", args={"file_path": "list.txt", "content": "milk\n"}),))
ASKS = Calls(calls=(ScriptedCall(tool="AskUser", id="a1", args={"question": "Tea?", "options": ["yes", "no"]}),))
SLEEPS = Calls(calls=(ScriptedCall(tool="Bash", id="b1", args={"command": "sleep 60"}),))


@pytest.fixture(params=["xterm-256color", "dumb"])
def term(request: pytest.FixtureRequest) -> str:
    return request.param


async def test_a_conversation_with_an_approval_and_a_question(yeaft: Yeaft, serve: Serve, term: str) -> None:
    await serve(script(Says(text="Good morning."), WRITES, Says(text="Noted."), ASKS, Says(text="Fine.")))
    user = Typist(yeaft, "--line", term=term)

    await user.sees("yeaft>")
    user.types("hello")
    await user.sees("Good morning.")
    user.types("make a list")
    await user.sees("+milk")
    await user.sees("answer>")
    user.types("perhaps")
    await user.sees("this is no answer to it")
    if term != "dumb":
        user.presses("u")  # the line is there to be edited
    user.types("y")
    await user.sees("Noted.")
    user.types("ask me")
    await user.sees("2. no")
    user.types("2")
    await user.sees("Fine.")
    user.types("/quit")

    assert await user.leaves() == 0
    assert (yeaft.folder / "list.txt").read_text() == "milk\n"


OLD = "".join(f"{number}\n" for number in range(1, 8))
EDITS = Calls(
    calls=(
        ScriptedCall(
            tool="FileWrite",
            id="w1",
            args={"file_path": "a.txt", "content": OLD.replace("1", "one").replace("4", "four").replace("7", "seven")},
        ),
    )
)


async def test_parts_of_a_change_are_taken_and_the_model_is_told_which(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(script(EDITS, Says(text="Noted.")))
    (yeaft.folder / "a.txt").write_text(OLD)
    user = Typist(yeaft, "--line", term="dumb")

    await user.sees("yeaft>")
    user.types("change it")
    await user.sees("(3/3)")
    await user.sees("answer>")
    user.types("h 4")
    await user.sees("Name hunks from 1 to 3")
    await user.sees("answer>")
    user.types("h 1, 3")
    await user.sees("Noted.")
    user.types("/quit")

    assert await user.leaves() == 0
    assert (yeaft.folder / "a.txt").read_text() == OLD.replace("1", "one").replace("7", "seven")
    assert "-four" in server.requests[-1].raw.decode()


async def test_a_change_is_written_otherwise_in_the_users_editor(yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(EDITS, Says(text="Noted.")))
    (yeaft.folder / "a.txt").write_text(OLD)
    yeaft.environ["EDITOR"] = "sed -i s/four/fier/"
    user = Typist(yeaft, "--line")

    await user.sees("yeaft>")
    user.types("change it")
    await user.sees("answer>")
    user.types("e")
    await user.sees("+fier")
    await user.sees("answer>")
    user.types("y")
    await user.sees("Noted.")
    user.types("/quit")

    assert await user.leaves() == 0
    assert (yeaft.folder / "a.txt").read_text() == OLD.replace("1", "one").replace("4", "fier").replace("7", "seven")


async def test_ctrl_c_stops_the_turn_and_twice_leaves(yeaft: Yeaft, serve: Serve, term: str) -> None:
    await serve(script(SLEEPS, Says(text="Awake.")))
    user = Typist(yeaft, "--line", "-y", term=term)

    await user.sees("yeaft>")
    user.types("sleep")
    await user.sees("Bash sleep 60")
    user.presses("c")
    await user.sees("@omni was stopped")
    user.types("still there?")
    await user.sees("Awake.")
    user.presses("c")
    await user.sees("Press Ctrl-C again")
    user.presses("c")

    assert await user.leaves() == 0


async def test_a_line_typed_while_a_vp_works_reaches_it_in_the_same_turn(yeaft: Yeaft, serve: Serve) -> None:
    waits = Calls(calls=(ScriptedCall(tool="Bash", id="b1", args={"command": "until [ -e go ]; do sleep 0.05; done"}),))
    server = await serve(script(waits, Says(text="Done with that.")))
    user = Typist(yeaft, "--line", "-y")

    await user.sees("yeaft>")
    user.types("wait for it")
    await user.sees("Bash until")
    user.types("and be brief")
    await user.sees("and be brief")
    await asyncio.to_thread((yeaft.folder / "go").touch)
    await user.sees("Done with that.")
    user.presses("d")

    assert await user.leaves() == 0
    assert "and be brief" in server.requests[1].raw.decode()


async def test_lines_from_a_pipe_are_said_one_after_another_until_quit(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(script(Says(text="One."), Says(text="Two.")))

    ran = await yeaft.run("--line", given=b"first\nsecond\n/quit\nthird\n")

    assert ran.code == 0, ran.err
    assert len(server.requests) == 2
    shown = [line for line in ran.out.decode().splitlines() if line.startswith(("yeaft>", "One.", "Two."))]
    assert shown == ["yeaft> first", "One.", "yeaft> second", "Two.", "yeaft> /quit"]


async def test_quiet_lines_from_a_pipe_are_not_shown_again_and_an_answer_keeps_its_empty_lines(
    yeaft: Yeaft, serve: Serve
) -> None:
    await serve(script(Says(text="Two:\n\n- one\n\n\n- two\n", chunk=1)))

    ran = await yeaft.run("--line", "-q", given=b"first\n")

    assert ran.code == 0, ran.err
    assert "Two:\n\n- one\n\n\n- two\n" in ran.out.decode()
    assert "first" not in ran.out.decode()


async def test_a_question_in_a_pipe_ends_with_the_code_that_a_human_is_needed(yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(ASKS, Says(text="Fine.")))

    ran = await yeaft.run("--line", given=b"ask me\n")

    assert ran.code == 3, ran.err
    assert "Tea?" in ran.err


async def test_orders_that_cannot_be_done_say_so_and_the_conversation_goes_on(yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(Says(text="Here.")))
    lines = "/zzzzzz\n/mode sideways\n/mode\n/effort\n/effort banana\n/vp @nobody-here\n/rename\n/help\n/status\nhello\n/new\nhello again\n"

    ran = await yeaft.run("--line", given=lines.encode())

    said = ran.err
    assert "There is no command /zzzzzz" in said
    assert "There is no mode 'sideways'" in said
    assert "The modes are ask, edits, plan, auto; /status says which is in force." in said
    assert "There is no effort 'banana'; there are none, minimal, low," in said
    assert "The levels are none, minimal, low, medium, high, xhigh, max, ultra." in said
    assert "No VP named 'nobody-here'" in said
    assert "NAME is missing" in said
    assert "/checkpoints" in ran.out.decode()
    assert ran.out.decode().count("Here.") == 2
    assert len(list((yeaft.dir / "sessions").iterdir())) == 2


async def test_what_goes_wrong_is_told_beside_the_conversation(yeaft: Yeaft, serve: Serve) -> None:
    unknown = await yeaft.run("--line", "-r", "zoo", given=b"hello\n")
    assert (unknown.code, unknown.out) == (66, b"")
    assert "yeaft: No Session 'zoo'" in unknown.err

    await serve(script(Fails(status=401)))
    refused = await yeaft.run("--line", given=b"/mode sideways\nhello\n")
    assert refused.code == 77, refused.err
    assert "There is no mode 'sideways'" in refused.err
    assert "@omni failed" in refused.err
    assert "yeaft> hello" in refused.out.decode()
    assert "sideways'" not in refused.out.decode()
    assert "failed" not in refused.out.decode()


async def test_to_stop_where_nothing_runs_is_told_and_where_somebody_works_it_stops(yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(SLEEPS, Says(text="Awake.")))
    user = Typist(yeaft, "--line", "-y")

    await user.sees("yeaft>")
    user.types("/stop")
    await user.sees("Nothing runs that could be stopped.")
    user.types("/stop @skeptic")
    await user.sees("@skeptic has nothing running that could be stopped.")
    user.types("sleep")
    await user.sees("Bash sleep 60")
    user.types("/stop")
    before = await user.sees("@omni was stopped")
    user.types("/quit")

    assert await user.leaves() == 0
    assert "could be stopped" not in before


async def test_what_a_folder_brings_is_asked_about_once_and_again_when_it_changes(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(script(Says(text="Here.")))
    folder = yeaft.folder / ".yeaft" / "commands"
    folder.mkdir(parents=True)
    (folder / "greet.md").write_text("Say hello to $ARGUMENTS.\n")

    user = Typist(yeaft, "--line")
    await user.sees("[y/N]")
    user.types("n")
    await user.sees("yeaft>")
    user.types("/quit")
    await user.leaves()

    user = Typist(yeaft, "--line")
    assert "[y/N]" not in await user.sees("/help shows")
    user.types("/quit")
    await user.leaves()

    (folder / "greet.md").write_text("Greet $ARGUMENTS warmly.\n")
    user = Typist(yeaft, "--line")
    await user.sees("[y/N]")
    user.types("y")
    await user.sees("yeaft>")
    user.types("/greet Ada")
    await user.sees("Here.")
    user.types("/quit")

    assert await user.leaves() == 0
    assert "Greet Ada warmly." in server.requests[0].raw.decode()


def _there(pipe: Path) -> None:
    """Wait until somebody opens a named pipe to write to it."""
    pipe.read_bytes()


async def test_orders_say_what_they_have_done(yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(Says(text="Here.")))
    (yeaft.folder / "a.txt").write_text("a\n")
    orders = (
        "/context", "/effort high", "/mode plan", "/vp @omni @skeptic", "/rename Zoo", "/checkpoint one",
        "/attach missing.txt", "/attach a.txt", "hello", "/usage", "/rewind one --files",
        "/rewind one --files --both", "/rewind 1", "/redo",
    )  # fmt: skip

    ran = await yeaft.run("--line", given="\n".join(orders).encode())

    refused = (
        "Nothing was said in this Session yet.",
        "There is no file",
        "there is nothing to do",
        "Only one of --conversation, --files, --both",
    )
    done = (
        "effort high for everybody",
        "Mode: plan",
        "Taking part: @omni* @skeptic",
        "This Session is called Zoo now.",
        "Kept as one (x_",
        "a.txt goes with your next message.",
        "Here.",
        "@omni",
        "Gone back: the conversation.",
        "Taken back: the conversation",
    )
    for said, wanted in ((ran.out.decode(), done), (ran.err, refused)):
        at = 0
        for text in wanted:
            at = said.index(text, at)


async def test_a_session_that_cannot_be_opened_leads_back_to_the_one_before(yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(Says(text="One."), Says(text="Two.")))
    user = Typist(yeaft, "--line")

    await user.sees("yeaft>")
    user.types("hello")
    await user.sees("One.")
    user.types("/resume nowhere")
    await user.sees("No Session 'nowhere'")
    await user.sees("/help shows")
    user.types("and again")
    await user.sees("Two.")
    user.types("/quit")

    assert await user.leaves() == 0
    assert len(list((yeaft.dir / "sessions").iterdir())) == 1


@pytest.mark.parametrize(("term", "how"), [("xterm-256color", "key"), ("dumb", "key"), ("xterm-256color", "signal")])
async def test_a_message_can_be_stopped_before_it_is_said(yeaft: Yeaft, serve: Serve, term: str, how: str) -> None:
    server = await serve(script(Says(text="Here.")))
    folder = yeaft.dir / "commands"
    folder.mkdir(parents=True)
    (folder / "slow.md").write_text("Slow: !`echo > begun; sleep 60`\n")
    os.mkfifo(yeaft.folder / "begun")
    user = Typist(yeaft, "--line", "-y", term=term)

    await user.sees("yeaft>")
    user.types("/slow")
    await asyncio.to_thread(_there, yeaft.folder / "begun")
    if how == "signal":
        user.ends()
        assert await user.leaves() == 143
        return
    user.presses("c")
    await user.sees("Stopped; nothing was said.")
    user.types("hello")
    await user.sees("Here.")
    user.types("/quit")

    assert await user.leaves() == 0
    assert len(server.requests) == 1


async def test_a_history_that_cannot_be_kept_is_told_and_stops_nothing(yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(Says(text="Here.")))
    (yeaft.dir / "history").mkdir(parents=True)
    user = Typist(yeaft, "--line")

    await user.sees("is not kept for next time")
    await user.sees("yeaft>")
    user.types("hello")
    await user.sees("Here.")
    user.types("/quit")

    assert await user.leaves() == 0


async def test_an_answer_may_begin_like_an_order(yeaft: Yeaft, serve: Serve) -> None:
    asks = Calls(calls=(ScriptedCall(tool="AskUser", id="a1", args={"question": "Which folder?"}),))
    server = await serve(script(asks, Says(text="Fine.")))
    user = Typist(yeaft, "--line")

    await user.sees("yeaft>")
    user.types("ask me")
    await user.sees("Type your answer.")
    user.types("/status")
    await user.sees("Mode: ask")
    user.types("/srv/cakes")
    await user.sees("Fine.")
    user.types("/quit")

    assert await user.leaves() == 0
    assert "/srv/cakes" in server.requests[1].raw.decode()


async def test_who_rests_is_spoken_to_while_another_one_works(yeaft: Yeaft, serve: Serve) -> None:
    waits = Calls(calls=(ScriptedCall(tool="Bash", id="b1", args={"command": "until [ -e go ]; do sleep 0.05; done"}),))
    lines = (Line(vp="builder", steps=(waits, Says(text="Built."))), Line(vp="skeptic", steps=(Says(text="Doubted."),)))
    await serve(Script(lines=lines))
    user = Typist(yeaft, "--line", "-y", "--vp", "builder", "--vp", "skeptic")

    await user.sees("yeaft>")
    user.types("@builder wait")
    await user.sees("Bash until")
    user.types("@skeptic and you?")
    await user.sees("Doubted.")
    await asyncio.to_thread((yeaft.folder / "go").touch)
    await user.sees("Built.")
    user.types("/quit")

    assert await user.leaves() == 0


async def test_in_a_pipe_the_worst_that_happened_is_the_exit_code(yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(Says(text="Here.")))

    ran = await yeaft.run("--line", given=b"/resume nowhere\nhello\n/new\nhello\n")

    assert ran.code == 66, ran.err
    assert ran.out.decode().count("Here.") == 2
