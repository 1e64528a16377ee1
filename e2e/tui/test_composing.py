"""Writing at a real terminal: pastes, fast keys, wide characters, the cursor, completion, the queue, the editor."""

import json
import os
import signal

from e2e.conftest import Serve, Terminals
from e2e.given import Yeaft
from e2e.screen import Screen
from e2e.tui.ways import until
from yeaft.llm.scripted.script import Calls, Line, Says, Script, ScriptedCall

LONG = "\n".join(f"line {number}" for number in range(300))
PROMPT = " > "


def answers(text: str = "Understood.") -> Script:
    return Script(lines=(Line(steps=(Says(text=text),)),))


async def started(screen: Screen, *words: str) -> Screen:
    """A screen whose Session is open: it says who will answer."""
    screen.starts(*words)
    await screen.shows("to ", "@omni")
    return screen


def draft(text: str) -> str:
    """The rows of the draft."""
    lines = text.split("\n")
    begin = max((number for number, line in enumerate(lines) if line.startswith(PROMPT)), default=len(lines) - 1)
    return "\n".join(
        [lines[begin][len(PROMPT) :], *(line[len(PROMPT) :] for line in lines[begin + 1 : begin + 10])]
    ).rstrip()


def drafted(expected: str):
    return lambda text: draft(text).startswith(expected)


def caret(screen: Screen) -> tuple[int, str]:
    """The cursor's column behind the prompt, and its row."""
    x, y = screen.cursor
    return x - len(PROMPT), (screen.lines[y][: len(PROMPT)] if y < len(screen.lines) else "")


async def clears(screen: Screen) -> None:
    """Give up the draft."""
    screen.presses("ctrl+c")
    await screen.shows("Write a message")


async def test_lines_are_one_draft_however_they_are_typed_and_nothing_is_sent_before_enter(
    serve: Serve, terminals: Terminals
) -> None:
    server = await serve(answers())
    screen = await started(terminals())

    for character in "こんに":
        screen.types(character)
        await screen.shows(lambda text, end=character: draft(text).startswith("こんに"[: "こんに".index(end) + 1]))
    screen.types("ちは")
    await screen.shows(drafted("こんにちは"))
    await clears(screen)

    expected = "x"
    for key in (b"\n", b"\x1b\r", b"\x1b[13;2u", b"\x1b[13;3u", b"\x1b[27;2;13~"):
        screen.types("x")
        await screen.shows(drafted(expected))
        screen.sends(key)
        expected += "\nx"
    screen.types("x")
    await screen.shows(drafted(expected))
    await clears(screen)

    screen.sends(b"a\rb\nc\r\nd")
    await screen.shows(drafted("a\nb\nc"))
    await screen.shows(lambda text: "d" in draft(text))
    assert server.requests == []
    screen.presses("enter")
    await screen.shows("Understood.")
    assert "a\\nb\\nc" in json.dumps(server.requests[0].body)


async def test_a_paste_keeps_its_lines_and_a_long_one_is_a_placeholder_for_every_key_and_said_whole(
    serve: Serve, terminals: Terminals
) -> None:
    server = await serve(answers())
    screen = await started(terminals())

    for end in ("\n", "\r", "\r\n"):
        screen.pastes(f"one{end}two{end}three")
        await screen.shows(drafted("one\ntwo\nthree"))
        await clears(screen)
    assert server.requests == []

    screen.pastes(LONG)
    await screen.shows("[Pasted #1: 300 lines]")
    screen.pastes(LONG)
    await screen.shows("line 299")
    await screen.hides("[Pasted")
    await clears(screen)

    screen.types("look: ")
    screen.pastes(LONG)
    await screen.shows(drafted("look: [Pasted #2: 300 lines]"))
    screen.presses("backspace")
    await screen.hides("[Pasted #2: 300 lines]")
    screen.sends(b"\x1f")
    await screen.shows(drafted("look: [Pasted #2: 300 lines]"))
    screen.presses("enter")
    await screen.shows("Understood.")

    assert json.dumps(LONG)[1:-1] in json.dumps(server.requests[0].body)
    screen.presses("up")
    await screen.shows(lambda text: "Pasted" in draft(text) or "line 299" in draft(text))


async def test_the_terminals_cursor_stands_at_the_caret_also_when_the_terminal_is_resized(
    serve: Serve, terminals: Terminals
) -> None:
    await serve(answers())
    screen = await started(terminals(columns=80, rows=24))

    for text, columns, after_left in (
        ("こんにちは", 10, 8),
        ("ab你", 4, 2),
        ("xe\u0301", 2, 1),
        ("a👨‍👩‍👧", 3, 1),
        ("a🇨🇳", 3, 1),
        ("שלום", 4, 3),
        ("a\tb", 5, 4),
    ):
        screen.pastes(text)
        await screen.shows(lambda _, columns=columns: caret(screen) == (columns, PROMPT))
        assert not screen.is_cursor_hidden, text
        screen.presses("left")
        await screen.shows(lambda _, column=after_left: caret(screen) == (column, PROMPT))
        screen.presses("right", "backspace")
        await screen.shows(lambda _, column=after_left: caret(screen) == (column, PROMPT))
        await clears(screen)

    screen.types("one two three")
    await screen.shows(drafted("one two three"))
    screen.resizes(80, 16)
    await screen.shows(lambda _: caret(screen) == (13, PROMPT) and screen.cursor[1] < 16)
    screen.resizes(40, 20)
    await screen.shows(lambda _: caret(screen) == (13, PROMPT) and screen.cursor[1] >= 16)


async def test_names_files_and_orders_are_completed_the_one_named_answers_and_a_slip_is_no_message(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    server = await serve(answers())
    (yeaft.folder / "notes of today.txt").write_text("milk")
    screen = await started(terminals())

    screen.types("@skep")
    await screen.shows("VPs", "@skeptic")
    screen.presses("tab")
    await screen.shows(drafted("@skeptic"), "to ")
    screen.types("read @today")
    await screen.shows("Files", "notes of today.txt")
    screen.presses("enter")
    await screen.shows(drafted('@skeptic read @"notes of today.txt"'))
    screen.presses("enter")
    await screen.shows("Understood.")
    assert "milk" in json.dumps(server.requests[0].body)

    screen.types("/hlep")
    screen.presses("enter")
    await screen.shows("/help", drafted("/hlep"))
    screen.presses("ctrl+u")
    screen.types("/qui")
    await screen.shows("Orders", "/quit")
    screen.presses("enter")
    assert await screen.leaves() == 0
    assert len(server.requests) == 1


async def test_what_was_said_is_found_again_in_the_next_session_and_a_draft_after_a_kill(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    await serve(answers())
    first = await started(terminals())
    first.types("the parser test fails")
    first.presses("enter")
    await first.shows("Understood.")
    first.types(" secret words")
    first.presses("enter")
    await first.shows("script has no line for that")
    first.types("/quit")
    first.presses("enter")
    assert await first.leaves() == 0

    second = await started(terminals())
    second.presses("ctrl+r")
    await second.shows("Said before", "the parser test fails")
    assert "secret" not in second.text
    second.types("psr")
    second.presses("enter")
    await second.shows(drafted("the parser test fails"))
    second.presses("ctrl+u", "up")
    await second.shows(drafted("/quit"))
    second.presses("up")
    await second.shows(drafted("the parser test fails"))

    second.presses("ctrl+u")
    await second.shows("Write a message")
    second.types("half a thought")
    second.pastes(LONG)
    drafts = yeaft.dir / "drafts"
    await until(lambda: any("line 299" in path.read_text() for path in drafts.glob("*.json")))
    os.kill(second.pid, signal.SIGKILL)
    assert await second.leaves() == -signal.SIGKILL
    third = terminals()
    third.starts()
    await third.shows(drafted("half a thought[Pasted #1: 300 lines]"))


async def test_the_draft_is_written_in_the_users_editor_or_stays_as_it_was(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    await serve(answers())
    editor = yeaft.folder / "editor.sh"
    editor.write_text('#!/bin/sh\ngrep -q "^fail" "$1" && exit 3\nprintf "and more" >> "$1"\n')
    editor.chmod(0o755)
    screen = await started(terminals(VISUAL=str(editor)))

    screen.types("begun ")
    screen.presses("ctrl+g")
    await screen.shows(drafted("begun and more"), lambda _: not screen.is_cursor_hidden)
    screen.presses("ctrl+u")
    screen.types("fail")
    screen.sends(b"\x18\x05")

    await screen.shows("exit code 3", drafted("fail"))


async def test_while_a_vp_works_messages_are_queued_and_said_one_by_one_or_added_to_what_runs(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    gate = yeaft.folder / "gate"
    waits = Calls(
        calls=(ScriptedCall(tool="Bash", id="b1", args={"command": f"while [ ! -e {gate} ]; do sleep 0.1; done"}),)
    )
    server = await serve(
        Script(
            lines=(
                Line(when="first", steps=(waits,)),
                Line(when="use tabs", steps=(Says(text="First done."),)),
                Line(when="second", steps=(Says(text="Second done."),)),
                Line(when="third", steps=(Says(text="Third done."),)),
            )
        )
    )
    screen = await started(terminals(), "--mode", "auto")
    screen.types("first")
    screen.presses("enter")
    await screen.shows("Bash")

    screen.types("second")
    screen.sends(b"\x1bq")
    await screen.shows("1 queued", "1. second")
    screen.types("third")
    screen.sends(b"\x1bq")
    await screen.shows("2 queued", "2. third")
    screen.presses("up")
    await screen.shows("1 queued", drafted("third"))
    screen.sends(b"\x1bq")
    await screen.shows("2 queued")
    screen.types("use tabs")
    await screen.shows("added to what runs:", "@omni")
    screen.presses("enter")
    await screen.hides("use tabs\n")
    await screen.shows("use tabs")
    gate.write_text("")

    await screen.shows("Third done.")
    assert "use tabs" in json.dumps(server.requests[1].body)
    assert "second" not in json.dumps(server.requests[1].body)
    assert "First done." in json.dumps(server.requests[2].body)
    assert "Second done." in json.dumps(server.requests[3].body)


async def test_tab_lets_somebody_else_answer_and_an_unknown_name_is_told_before_it_is_sent(
    serve: Serve, terminals: Terminals
) -> None:
    server = await serve(answers())
    screen = terminals()
    screen.starts("--vp", "omni", "--vp", "skeptic")
    await screen.shows("to ", "@omni")

    screen.types("hi @sceptic")
    await screen.shows("@sceptic is nobody here. Did you mean @skeptic?")
    screen.presses("escape", "ctrl+u")
    await screen.hides("nobody here")
    screen.types("hello")
    screen.presses("tab")
    await screen.shows("@skeptic", "(chosen with Tab)")
    screen.presses("tab")
    await screen.shows("@omni", "×2")
    screen.presses("tab", "tab")
    await screen.shows("@skeptic", "(chosen with Tab)")
    screen.presses("enter")
    await screen.shows("Understood.", "@skeptic  env/scripted")

    assert len(server.requests) == 1
    assert "@omni  env/scripted" not in screen.text
