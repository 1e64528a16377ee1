"""Keys that come faster than they are acted on: each does what it says once, and nothing that lies below is closed."""

from e2e.conftest import Serve, Terminals
from e2e.given import Yeaft
from e2e.graphs_given import CHAIN, put
from e2e.screen import Screen
from e2e.tui.runs_given import PLAIN, READY, SURE, answer, goes_back, rows
from e2e.tui.ways import answers
from yeaft.llm.scripted.script import Script
from yeaft.llm.scripted.server import ScriptedServer

F2 = b"\x1bOQ"


async def runs_a_graph(yeaft: Yeaft, serve: Serve, screen: Screen) -> ScriptedServer:
    server = await serve(Script(lines=(answer("Gather:", "three facts", gate="gather"), PLAIN)))
    put(yeaft, CHAIN)
    screen.starts()
    await screen.shows(READY)
    screen.types("/graph g.yaml tea")
    screen.presses("enter")
    await server.reached("gather")
    await screen.shows("report  0/2")
    return server


async def opens_the_run(screen: Screen) -> None:
    screen.types("/runs")
    screen.presses("enter")
    await screen.shows("Runs of graphs", "report  running")
    screen.presses("enter")
    await screen.shows("▸ gather  @omni")


async def test_while_a_run_goes_on_many_keys_at_once_answer_open_and_cancel_once(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    screen = terminals(columns=80, rows=24)
    await runs_a_graph(yeaft, serve, screen)
    for keys in ("11", "\r\r\r"):
        screen.presses("ctrl+d")
        await screen.shows("Leave although", SURE)
        screen.types(keys)
        await screen.hides("Leave although")
        screen.types("still here")
        await screen.shows("> still here", "report  0/2")
        screen.presses("ctrl+u")
        await screen.shows("Write a message")

    await opens_the_run(screen)
    screen.types("\r\r\r")
    await screen.shows("report · gather", "> Gather: tea")
    screen.types("q")
    await screen.shows("▸ gather  @omni", "└─ · write")

    screen.types("c")
    await screen.shows("Cancel the run of graph report for good?", SURE)
    screen.types("2222")
    await screen.shows("■ gather", "cancelled")
    await goes_back(screen)
    await screen.shows("graph report was cancelled")
    assert rows(yeaft) == [("report", "cancelled", 1)]


async def test_a_draft_that_is_emptied_and_left_at_once_is_emptied_and_left(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    screen = terminals(columns=80, rows=24)
    await runs_a_graph(yeaft, serve, screen)

    for keys in (b"\x15\x04", b"\x01\x0b\x04", b"\x17\x04", b"\x7f\x7f\x04"):
        screen.types("ab")
        await screen.shows("> ab")
        screen.sends(keys)
        await screen.shows("Leave although", SURE)
        screen.types("1")
        await screen.hides("Leave although")
        await screen.shows("Write a message")


async def test_keys_of_one_burst_do_what_they_say_and_what_is_pasted_is_never_a_key(
    serve: Serve, terminals: Terminals
) -> None:
    await serve(answers("Good morning."))
    screen = terminals(columns=110, rows=30)
    screen.starts()
    await screen.shows(READY)

    for keys, draft in (
        (b"hello\x04 there", "> hello there"),
        (b"hello\x03there", "> there"),
        (b"hello\x01\x0bthere", "> there"),
        (b"hello there\x1bb\x1bd\x01oh \x05you", "> oh hello you"),
        (b"hello\x0c there\x0c", "> hello there"),
    ):
        screen.sends(keys)
        await screen.shows(lambda text, draft=draft: f"{draft}\n" in text)
        screen.presses("ctrl+u")
        await screen.shows("Write a message")

    screen.pastes("one\x1b[31m two\x15 \x07three\x1b[0m\x1b\x03 four")
    await screen.shows(lambda text: "> one" in text and "two" in text and "three" in text and "four" in text)
    screen.presses("ctrl+u")
    await screen.shows("Write a message")

    screen.sends(F2 + F2)
    await screen.shows("No todo list, no tasks, no agents.", "Esc leave")
    screen.presses("escape")
    await screen.hides("No todo list")
    screen.types("and now?")
    await screen.shows("> and now?")
    screen.sends(b"\x15\x04")
    assert await screen.leaves() == 0
