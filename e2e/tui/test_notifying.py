"""The terminal around the screen: its title names the Session, and who looks elsewhere is called."""

from e2e.conftest import Serve, Terminals
from e2e.tui.ways import PRIVATE_MODE, answers
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


async def test_who_wants_neither_calls_nor_a_title_nor_the_mouse_taken_gets_none_of_it(
    serve: Serve, terminals: Terminals
) -> None:
    server = await serve(ASKS)
    screen = terminals(columns=80, rows=24, TERM_PROGRAM="ghostty")
    off = ("tui.notify=off", "tui.title=false", "tui.progress=false", "tui.mouse=false")
    screen.starts(*(word for one in off for word in ("--set", one)))
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
    asked = {int(number) for number, how in PRIVATE_MODE.findall(bytes(screen.raw)) if how == b"h"}
    assert not asked & {1000, 1002, 1003, 1006, 1015}


def last_line(text: str) -> str:
    return next((line for line in reversed(text.splitlines()) if line), "")


async def test_the_title_is_given_back_and_so_is_the_mouse_and_the_modes_are_gone_through(
    serve: Serve, terminals: Terminals
) -> None:
    await serve(answers("Good morning."))
    screen = terminals(columns=80, rows=24)
    screen.starts()
    await screen.shows("$0.00", lambda _: b"\x1b]2;yeaft: work\x1b\\" in screen.raw)

    screen.sends(b"\x1b[24~")
    await screen.shows("belongs to the terminal")
    assert screen.raw.rfind(b"\x1b[?1000l") > screen.raw.rfind(b"\x1b[?1000h")
    screen.sends(b"\x1b[24~")
    await screen.shows("belongs to yeaft again")
    assert screen.raw.rfind(b"\x1b[?1000h") > screen.raw.rfind(b"\x1b[?1000l")

    screen.resizes(40, 16)
    for mode in ("ask", "edits", "plan"):
        await screen.shows(lambda text, mode=mode: last_line(text).startswith(f" {mode} "))
        screen.presses("shift+tab")

    screen.presses("ctrl+d")
    assert await screen.leaves() == 0
    assert screen.raw.count(b"\x1b[22;2t") == screen.raw.count(b"\x1b[23;2t") == 1
