"""The terminal around the screen: its title names the Session, and who looks elsewhere is called."""

from e2e.conftest import Serve, Terminals
from e2e.tui.ways import answers
from yeaft.llm.scripted.script import Calls, Holds, Line, Script, ScriptedCall

FOCUS_OUT = b"\x1b[O"
ASKS = Script(
    lines=(
        Line(
            steps=(
                Holds(
                    of=Calls(
                        calls=(ScriptedCall(tool="Bash", id="b1", args={"command": "touch made"}),),
                        text="word " * 60,
                        delay_s=0.05,
                    ),
                    after_events=12,
                    gate="ask",
                ),
            )
        ),
    )
)


async def test_the_title_names_the_folder_and_is_given_back(serve: Serve, terminals: Terminals) -> None:
    await serve(answers("Good morning."))
    screen = terminals(columns=80, rows=24)
    screen.starts()
    await screen.shows("$0.00", lambda _: b"\x1b]2;yeaft: work\x1b\\" in screen.raw)

    screen.presses("ctrl+d")

    assert await screen.leaves() == 0
    assert screen.raw.count(b"\x1b[22;2t") == screen.raw.count(b"\x1b[23;2t") == 1


async def test_who_looks_elsewhere_is_called_when_a_question_comes(serve: Serve, terminals: Terminals) -> None:
    server = await serve(ASKS)
    screen = terminals(columns=80, rows=24, TERM_PROGRAM="ghostty")
    screen.starts()
    await screen.shows("$0.00")
    screen.types("make it")
    screen.presses("enter")
    await screen.shows("word word")
    screen.sends(FOCUS_OUT)
    server.release("ask")

    await screen.shows("asks", lambda _: b"\x1b]9;@omni asks you something.\x1b\\" in screen.raw)
    assert b"\x1b]9;4;3;0\x1b\\" in screen.raw

    screen.presses("ctrl+c")
    await screen.shows("stopped", lambda _: b"\x1b]9;4;0;0\x1b\\" in screen.raw)
    screen.presses("ctrl+d")
    assert await screen.leaves() == 0


async def test_who_looks_on_or_wants_silence_is_not_called(serve: Serve, terminals: Terminals) -> None:
    server = await serve(ASKS)
    screen = terminals(columns=80, rows=24, TERM_PROGRAM="ghostty")
    screen.starts("--set", "tui.notify=off", "--set", "tui.title=false", "--set", "tui.progress=false")
    await screen.shows("$0.00")
    screen.types("make it")
    screen.presses("enter")
    await screen.shows("word word")
    screen.sends(FOCUS_OUT)
    server.release("ask")

    await screen.shows("asks")
    screen.presses("ctrl+c")
    await screen.shows("stopped")
    screen.presses("ctrl+d")

    assert await screen.leaves() == 0
    assert b"\x1b]9;" not in screen.raw
    assert b"\x1b]2;" not in screen.raw


async def test_f12_leaves_the_mouse_to_the_terminal_and_takes_it_again(serve: Serve, terminals: Terminals) -> None:
    await serve(answers("Good morning."))
    screen = terminals(columns=80, rows=24)
    screen.starts()
    await screen.shows("$0.00")

    screen.sends(b"\x1b[24~")
    await screen.shows("belongs to the terminal")
    assert screen.raw.rfind(b"\x1b[?1000l") > screen.raw.rfind(b"\x1b[?1000h")
    screen.sends(b"\x1b[24~")
    await screen.shows("belongs to yeaft again")
    assert screen.raw.rfind(b"\x1b[?1000h") > screen.raw.rfind(b"\x1b[?1000l")

    screen.presses("ctrl+d")
    assert await screen.leaves() == 0


def last_line(text: str) -> str:
    return next((line for line in reversed(text.splitlines()) if line), "")


async def test_shift_tab_goes_through_the_modes(serve: Serve, terminals: Terminals) -> None:
    await serve(answers("Good morning."))
    screen = terminals(columns=40, rows=16)
    screen.starts()
    await screen.shows(lambda text: last_line(text).startswith(" ask "))

    screen.presses("shift+tab")
    await screen.shows(lambda text: last_line(text).startswith(" edits "))
    screen.presses("shift+tab")
    await screen.shows(lambda text: last_line(text).startswith(" plan "))

    screen.presses("ctrl+d")
    assert await screen.leaves() == 0
